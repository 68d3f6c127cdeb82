"""Bytes in, from anywhere: files, pipes and standard input, plain, gzip or xz, cut at sentence ends.

Memory stays flat however long the input is: a chunk is `CHUNK_BYTES`, or one sentence if that is longer, and
a sentence is longer than `MAX_SENTENCE_BYTES` only in a file that is no treebank.
"""

from __future__ import annotations

import gzip
import io
import lzma
import os
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from arclift.errors import InputError, Place
from arclift.treebank.formats import LINES, Format

CHUNK_BYTES = 1 << 18  # small enough for a core's own cache, measured with bench/read_write.py
LARGE_CHUNK_BYTES = 1 << 20  # for work that has a cost for each chunk, as parsing has
MAX_SENTENCE_BYTES = 1 << 28

Source = str | os.PathLike[str] | BinaryIO

_GZIP, _XZ = b"\x1f\x8b", b"\xfd7zXZ\x00"


@contextmanager
def open_bytes(source: Source) -> Iterator[tuple[IO[bytes], str]]:
    """Give the bytes of ``source`` (``-`` is standard input), unpacked, and its name.

    Compression is recognised by the first bytes, not by the name. Only what is opened here is closed.
    """
    with ExitStack() as stack:
        raw, name = _open(source, stack)
        if not isinstance(raw, io.BufferedReader):
            raw = io.BufferedReader(cast(io.RawIOBase, raw))
            stack.callback(_release, raw)
        start = raw.peek(6)
        if start.startswith(_GZIP):
            yield cast(IO[bytes], stack.enter_context(gzip.GzipFile(fileobj=raw))), name
        elif start.startswith(_XZ):
            yield cast(IO[bytes], stack.enter_context(lzma.LZMAFile(raw))), name
        else:
            yield raw, name


def _release(stream: io.BufferedReader[Any]) -> None:
    """Let go of a stream that is not ours: dropped as it is, the buffer would close it."""
    if not stream.closed:
        stream.detach()


def _open(source: Source, stack: ExitStack) -> tuple[BinaryIO, str]:
    if source == "-":
        return cast(BinaryIO, sys.stdin.buffer), "<stdin>"
    if not isinstance(source, str | os.PathLike):
        return source, str(getattr(source, "name", "<stream>"))
    name = os.fspath(source)
    try:
        return stack.enter_context(Path(name).open("rb")), name
    except OSError as error:
        raise InputError(
            f"cannot be read: {(error.strerror or str(error)).lower()}", Place(name), code="open"
        ) from error


def read_chunks(
    stream: IO[bytes], name: str, start: bytes, format: Format, at_once: int | None = None
) -> Iterator[bytes]:
    """Yield ``start`` and the rest of the stream in pieces that end where a sentence ends.

    The last whole sentence stays back until another one ends, so that whatever follows it in the file
    (comments, empty lines) comes in one piece with it, wherever the chunks end.
    """
    held: list[bytes] = []
    size = 0
    whole = 0  # how many of the held bytes are a whole sentence
    seam = b""
    data = start
    while data:
        text = seam + data
        before, last = _last_two_ends(text, len(seam), format)
        seam = _seam(text)
        held.append(data)
        cut = 0
        if last:
            cut = size + before if before else whole
            whole = size + last - cut
        size += len(data)
        if cut:
            done, held = _parted(held, cut)
            yield done
            size -= cut
        if size > MAX_SENTENCE_BYTES:
            raise InputError(
                f"no sentence ends within {MAX_SENTENCE_BYTES >> 20} MiB",
                Place(name),
                code="endless-sentence",
                hint="is this a treebank? An empty line ends a sentence",
            )
        data = read_some(stream, name, at_once)
    if size:
        yield b"".join(held)


def _parted(pieces: list[bytes], cut: int) -> tuple[bytes, list[bytes]]:
    """Return the first bytes of the pieces in one, and what is left of the pieces."""
    place = 0
    while cut > len(pieces[place]):
        cut -= len(pieces[place])
        place += 1
    last = pieces[place]
    return b"".join([*pieces[:place], memoryview(last)[:cut]]), [last[cut:], *pieces[place + 1 :]]


def read_some(stream: IO[bytes], name: str, at_once: int | None = None) -> bytes:
    """Read up to a chunk, or ``at_once`` bytes; errors of damaged archives name the file."""
    try:
        return stream.read(at_once or CHUNK_BYTES)
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise InputError(f"cannot be read to its end: {error}", Place(name), code="damaged") from error


_WINDOW = 4096
_COMMENT = (b"#", b"\xef\xbb\xbf#")
_BOM_ALONE = (b"\xef\xbb\xbf\n", b"\xef\xbb\xbf\r\n")
_EMPTY_LINE = re.compile(rb"\n\r?\n")


def _last_two_ends(text: bytes, seam: int, format: Format) -> tuple[int, int]:
    """Return where the last but one and the last sentence of ``text`` end, counted from ``seam``; 0 for none.

    A sentence ends with the empty line after a word. Empty lines after comments or other empty lines end
    nothing: they belong to the sentence that follows.
    """
    ends = [0, 0]
    at = len(text)
    for place in (1, 0):
        at, end = _end_before(text, at, format)
        if end <= seam:
            break
        ends[place] = end - seam
    return ends[0], ends[1]


def _end_before(text: bytes, limit: int, format: Format) -> tuple[int, int]:
    """Return where the last sentence that ends in ``text[:limit]`` has its last line, and where it ends."""
    while True:
        if format.name == LINES.name:
            closed = text.rfind(b"\n", 0, limit) + 1
        else:
            closed = _last_empty_line(text, limit)
        line = _last_line(text, closed)
        if line < 0:
            return 0, 0
        if not (text.startswith(_BOM_ALONE, line) or (format.has_ids and text.startswith(_COMMENT, line))):
            if format.name == LINES.name:
                return line, text.index(b"\n", line) + 1
            empty = _EMPTY_LINE.search(text, line)
            return (line, empty.end()) if empty else (0, 0)
        limit = line


def _last_empty_line(text: bytes, end: int) -> int:
    """Return where the last empty line of ``text[:end]`` ends, 0 if there is none."""
    while end > 0:
        begin = max(0, end - _WINDOW)
        line_feeds, with_return = text.rfind(b"\n\n", begin, end), text.rfind(b"\n\r\n", begin, end)
        if line_feeds >= 0 or with_return >= 0:
            return line_feeds + 2 if line_feeds > with_return else with_return + 3
        end = begin + 2 if begin else 0  # an empty line may lie across the windows
    return 0


def _last_line(text: bytes, end: int) -> int:
    """Return where the last line of ``text[:end]`` with anything on it begins, -1 if there is none."""
    while end > 0:
        begin = max(0, end - _WINDOW)
        kept = len(text[begin:end].rstrip())
        if kept:
            return text.rfind(b"\n", 0, begin + kept) + 1
        end = begin
    return -1


def _seam(text: bytes) -> bytes:
    """Return a few bytes in whose place ``text`` can be looked at: its last line, shortened, and the end."""
    line = _last_line(text, len(text))
    if line < 0:
        return text[-2:]
    short = b"\n#" if text.startswith(_COMMENT, line) else b"\nx"
    end = text.find(b"\n", line)
    return short + text[-1:] if end < 0 else short + b"\n" + text[end + 1 :][-2:]
