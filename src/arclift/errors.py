"""Everything arclift raises on purpose.

::

    ArcliftError                 catch this to catch them all
    ├── InputError (ValueError)  a file, line or sentence is not what it should be
    ├── TreeError (ValueError)   heads that are not a tree where one is needed
    └── UsageError (ValueError)  arguments that do not go together
"""

from __future__ import annotations

from dataclasses import dataclass


class ArcliftError(Exception):
    """Base of all errors of this package."""


@dataclass(frozen=True)
class Place:
    """Where in the input something is: any part may be unknown."""

    file: str | None = None
    line: int | None = None
    sentence: str | None = None

    def __str__(self) -> str:
        where = [self.file or "<input>"]
        if self.line is not None:
            where.append(f"line {self.line}")
        if self.sentence is not None:
            where.append(f"sentence {self.sentence}")
        return ", ".join(where)


class InputError(ArcliftError, ValueError):
    """A file, line or sentence is not what it should be."""

    def __init__(self, what: str, place: Place | None = None, *, code: str = "input", hint: str = "") -> None:
        self.what = what
        self.place = place or Place()
        self.code = code
        self.hint = hint
        super().__init__(f"{self.place}: {what}" + (f" ({hint})" if hint else ""))


class TreeError(ArcliftError, ValueError):
    """Heads that are not a tree where one is needed."""


class UsageError(ArcliftError, ValueError):
    """Arguments that do not go together."""
