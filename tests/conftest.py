"""For all tests: commands that they start say nothing of a missing core, as the tests themselves do not."""

import os

from arclift import native

if not native.ENABLED:
    os.environ["ARCLIFT_NATIVE"] = "0"
