"""For all tests: the commands that they start are as in a shell, however the tests were started."""

import os
import signal

from arclift import native

if not native.ENABLED:
    os.environ["ARCLIFT_NATIVE"] = "0"  # of a missing core enough has been said

signal.signal(
    signal.SIGINT, signal.default_int_handler
)  # jobs in the background ignore Ctrl-C, and all they start
