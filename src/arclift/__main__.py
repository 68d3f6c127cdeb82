"""``python -m arclift``."""

from arclift.cli.main import entry

entry()
