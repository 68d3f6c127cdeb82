"""What a long job says while it runs, and the curve of how it went."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Sequence
from typing import TextIO

PAUSE = 0.1
"""Seconds between two states of the line."""
BARS, ASCII_BARS = "▁▂▃▄▅▆▇█", "_.-:=+*#"


class Progress:
    """One line on a terminal, rewritten in place: the share done, and the time left at most.

    Where standard error is no terminal the line is not shown.
    """

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream or sys.stderr
        self._clock = clock
        self._shows = self._stream.isatty()
        self._begun: tuple[float, float] | None = None
        self._next = 0.0
        self._width = 0

    def __call__(self, share: float, doing: str) -> None:
        """Show the share of the whole that is done."""
        now = self._clock()
        if not self._shows or now < self._next:
            return
        self._next = now + PAUSE
        self._begun = self._begun or (now, share)
        began, first = self._begun  # what was done before, by an interrupted job, took none of our time
        left = _span((now - began) * (1 - share) / (share - first)) if share > first else ""
        self._write(f"{doing}: {share:.1%} done{left and f', at most {left} left'}")

    def _write(self, line: str) -> None:
        line = line[: shutil.get_terminal_size().columns - 1]
        print(f"\r{line:<{self._width}}", end="", file=self._stream, flush=True)
        self._width = len(line)

    def clear(self) -> None:
        """Make place for another line."""
        if self._width:
            print(f"\r{'':<{self._width}}\r", end="", file=self._stream, flush=True)
            self._width = 0

    def say(self, line: str) -> None:
        """Print a line that stays."""
        self.clear()
        print(line, file=self._stream)


def _span(seconds: float) -> str:
    minutes, seconds = divmod(max(1, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def curve(values: Sequence[float], encoding: str | None) -> str:
    """Return a bar for each value, from the lowest to the highest, in characters that the encoding has."""
    bars = BARS
    try:
        bars.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        bars = ASCII_BARS
    low, high = min(values), max(values)
    scale = (len(bars) - 1) / (high - low) if high > low else 0.0
    return "".join(bars[round((value - low) * scale)] for value in values)
