"""Arguments and habits that commands share."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

if TYPE_CHECKING:
    from arclift.errors import InputError
    from arclift.treebank import Block, Reader

_SHOWN = 20


def add_input(parser: argparse.ArgumentParser, *, many: bool = False) -> None:
    """Add the input files and how they are read."""
    if many:
        parser.add_argument(
            "files", nargs="*", default=["-"], metavar="FILE", help="treebanks, - or nothing: stdin"
        )
    else:
        parser.add_argument(
            "file", nargs="?", default="-", metavar="FILE", help="a treebank, - or nothing: stdin"
        )
    add_reading(parser)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add how treebanks are read."""
    parser.add_argument(
        "--format",
        metavar="F",
        help="conllu, conllx, conll09, vertical[:form,...], tokens or lines (default: recognised)",
    )
    parser.add_argument(
        "--on-error",
        choices=("stop", "skip"),
        default="stop",
        help="at a bad sentence: stop (default), or skip it, report it, go on, and end with exit code 1",
    )


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add the output file."""
    parser.add_argument("-o", "--output", metavar="FILE", help="write here instead of to standard output")


class Skipped:
    """Reports the sentences that were skipped, the first few one by one, and counts the rest."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, error: InputError) -> None:
        """Report one."""
        self.count += 1
        if self.count <= _SHOWN:
            print(f"skipped: {error}", file=sys.stderr)

    def exit_code(self) -> int:
        """Print the summary, if there is one, and return the exit code."""
        if not self.count:
            return 0
        more = f" ({self.count - _SHOWN} of them not shown)" if self.count > _SHOWN else ""
        print(f"{self.count} bad sentence{'s' * (self.count != 1)} skipped{more}", file=sys.stderr)
        return 1


def open_reader(
    arguments: argparse.Namespace,
    file: str,
    skipped: Skipped,
    *,
    trees: bool = False,
    check: Callable[[Block], None] | None = None,
) -> Reader:
    """Return a reader of ``file`` as the arguments ask."""
    from arclift.treebank import Reader

    return Reader(
        file,
        format=arguments.format,
        trees=trees,
        check=check,
        on_error=arguments.on_error,
        on_skip=skipped,
    )


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C end in KeyboardInterrupt, also where a library makes another error of it.

    Compiled code of others may hide an interruption behind an error of its own: NumPy says that arrays
    cannot be compared when Ctrl-C came while it imported what compares them.
    """
    elsewhere = threading.current_thread() is not threading.main_thread()  # Python handles no signals there
    if elsewhere or signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as in jobs behind the scenes
        yield
        return
    interrupted = False

    def interrupt(*_: object) -> None:
        nonlocal interrupted
        interrupted = True
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    except Exception as error:
        if interrupted:
            raise KeyboardInterrupt from error
        raise
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def open_output(path: str | None) -> Iterator[BinaryIO]:
    """Give the output stream; a file is replaced only when all has gone well."""
    if path is None or path == "-":
        yield cast(BinaryIO, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    target = Path(path).resolve()
    if target.exists() and not target.is_file():  # a device or a pipe
        with target.open("wb") as stream:
            yield stream
        return
    unfinished = target.with_name(f".{target.name}.unfinished")
    try:
        with unfinished.open("wb") as stream:
            yield stream
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
