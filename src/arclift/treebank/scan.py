"""From bytes to columns: where each word's columns begin, and what is wrong with a sentence.

``scan`` returns six arrays that describe a block of bytes without copying any text:

``fields``   a row for each word: where each column begins, and one more number, the line's end plus one, so
             that column *c* is ``data[row[c] : row[c + 1] - 1]``
``heads``    the HEAD column as numbers, -1 for ``_``; empty if the format has no heads
``offsets``  the words of sentence *s* are ``offsets[s] .. offsets[s + 1]``
``starts``   the bytes of sentence *s* are ``starts[s] .. starts[s + 1]``; sentences tile the block
``extras``   rows that are no words: (kind, begin, end, words before it), see `Extra`
``flaws``    sentences that break the format: (what, byte, sentence), see `Flaw`; they have no words here

Every sentence owns the bytes from the end of the one before it (comments, empty lines, a BOM) to the end of
the empty line that closes it, and the last one all that remains. Cost: linear in the bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arclift.native import accelerated


class Flaw(IntEnum):
    """Why the words of a sentence cannot be read."""

    COLUMNS = 1
    ID = 2
    ORDER = 3
    HEAD = 4
    HEAD_RANGE = 5
    RANGE = 6
    EMPTY_NODE = 7
    UTF8 = 8
    NUL = 9
    NO_WORDS = 10


class Extra(IntEnum):
    """Rows of CoNLL-U that are no words."""

    COMMENT = 0
    RANGE = 1
    EMPTY_NODE = 2


class Scan(NamedTuple):
    """The arrays that describe a block; see the module's text."""

    fields: NDArray[np.uint32]
    heads: NDArray[np.int32]
    offsets: NDArray[np.int64]
    starts: NDArray[np.uint32]
    extras: NDArray[np.int64]
    flaws: NDArray[np.int64]


class FlawError(Exception):
    """Ends the reading of a sentence at its first flaw; never leaves this package."""

    def __init__(self, flaw: Flaw, at: int) -> None:
        self.flaw, self.at = flaw, at


def _number(text: bytes) -> int:
    """Digits only, at most nine of them; -1 otherwise."""
    return int(text) if len(text) <= 9 and text.isdigit() else -1


class _SentenceScanner:
    """The rows of one sentence: words, and the numbering that CoNLL-U asks for."""

    def __init__(self, columns: int, open_ended: bool, has_ids: bool, head_column: int, before: int) -> None:
        self.columns, self.open_ended, self.has_ids = columns, open_ended, has_ids
        self.head_column, self.before = head_column, before
        self.fields: list[list[int]] = []
        self.heads: list[int] = []
        self.extras: list[tuple[int, int, int, int]] = []
        self.range_end = self.range_at = 0
        self.empty_after, self.empty_rank = -1, 0
        self.highest_head, self.highest_head_at = -1, 0

    def add_extra(self, kind: Extra, begin: int, end: int) -> None:
        self.extras.append((kind, begin, end, self.before + len(self.fields)))

    def add_row(self, text: bytes, begin: int, end: int) -> None:
        cells = text.split(b"\t")
        if len(cells) < self.columns or (len(cells) > self.columns and not self.open_ended):
            raise FlawError(Flaw.COLUMNS, begin)
        if self.has_ids:
            number = _number(cells[0])
            if number < 0:
                self._add_odd_row(cells[0], begin, end)
                return
            if number != len(self.fields) + 1:
                raise FlawError(Flaw.ORDER, begin)
        starts = [begin]
        for cell in cells[: self.columns - 1]:
            starts.append(starts[-1] + len(cell) + 1)
        self.fields.append([*starts, end + 1])
        if self.head_column >= 0:
            self._add_head(text[starts[self.head_column] - begin :].split(b"\t")[0], begin)

    def _add_head(self, cell: bytes, begin: int) -> None:
        head = -1 if cell == b"_" else _number(cell)
        if head < 0 and cell != b"_":
            raise FlawError(Flaw.HEAD, begin)
        if head > self.highest_head:
            self.highest_head, self.highest_head_at = head, begin
        self.heads.append(head)

    def _add_odd_row(self, cell: bytes, begin: int, end: int) -> None:
        """Add a multiword range ``3-4`` or an empty node ``5.1``."""
        for mark, add in ((b"-", self._add_range), (b".", self._add_empty_node)):
            first, found, second = cell.partition(mark)
            if found:
                numbers = _number(first), _number(second)
                if min(numbers) < 0:
                    break
                add(*numbers, begin, end)
                return
        raise FlawError(Flaw.ID, begin)

    def _add_range(self, first: int, last: int, begin: int, end: int) -> None:
        if first != len(self.fields) + 1 or last < first or first <= self.range_end:
            raise FlawError(Flaw.RANGE, begin)
        self.range_end, self.range_at = last, begin
        self.add_extra(Extra.RANGE, begin, end)

    def _add_empty_node(self, after: int, rank: int, begin: int, end: int) -> None:
        expected = self.empty_rank + 1 if after == self.empty_after else 1
        if after != len(self.fields) or rank != expected:
            raise FlawError(Flaw.EMPTY_NODE, begin)
        self.empty_after, self.empty_rank = after, rank
        self.add_extra(Extra.EMPTY_NODE, begin, end)

    def check_end(self, at: int) -> None:
        words = len(self.fields)
        if not words:
            raise FlawError(Flaw.NO_WORDS, at)
        if self.range_end > words:
            raise FlawError(Flaw.RANGE, self.range_at)
        if self.highest_head > words:
            raise FlawError(Flaw.HEAD_RANGE, self.highest_head_at)


def lines_of(data: bytes, begin: int) -> Iterator[tuple[int, int, int]]:
    """Yield (begin, end, begin of the next line) for each line, LF or CRLF."""
    while begin < len(data):
        newline = data.find(b"\n", begin)
        newline = len(data) if newline < 0 else newline
        end = newline - 1 if newline > begin and data[newline - 1] == ord("\r") else newline
        yield begin, end, newline + 1
        begin = newline + 1


def check_text(data: bytes, begin: int, end: int) -> None:
    """Raise if these bytes are not UTF-8 or hold a NUL."""
    try:
        data[begin:end].decode("utf-8")
    except UnicodeDecodeError as error:
        raise FlawError(Flaw.UTF8, begin + error.start) from None
    nul = data.find(b"\0", begin, end)
    if nul >= 0:
        raise FlawError(Flaw.NUL, nul)


@accelerated
def scan(
    data: bytes, columns: int, open_ended: bool, has_ids: bool, head_column: int, skip_bom: bool
) -> Scan:
    """Find the words and columns of ``data``, a whole number of sentences."""
    fields: list[list[int]] = []
    heads: list[int] = []
    offsets, starts = [0], [0]
    extras: list[tuple[int, int, int, int]] = []
    flaws: list[tuple[int, int, int]] = []
    flaw: FlawError | None = None
    in_sentence = False

    def new_sentence() -> _SentenceScanner:
        return _SentenceScanner(columns, open_ended, has_ids, head_column, offsets[-1])

    sentence = new_sentence()

    def end_sentence(at: int, next_start: int) -> None:
        nonlocal flaw, sentence, in_sentence
        text_flaw = None
        try:
            check_text(data, starts[-1], next_start)
        except FlawError as found:
            text_flaw = found
        try:
            sentence.check_end(at)
        except FlawError as found:
            flaw = flaw or text_flaw or found
        flaw = flaw or text_flaw
        if flaw:
            flaws.append((flaw.flaw, flaw.at, len(starts) - 1))
        else:
            fields.extend(sentence.fields)
            heads.extend(sentence.heads)
            extras.extend(sentence.extras)
        starts.append(next_start)
        offsets.append(len(fields))
        flaw, in_sentence, sentence = None, False, new_sentence()

    first = 3 if skip_bom and data.startswith(b"\xef\xbb\xbf") else 0
    for begin, end, following in lines_of(data, first):
        if begin == end:
            if in_sentence:
                end_sentence(begin, min(following, len(data)))
        elif has_ids and data[begin] == ord("#"):
            if not flaw:
                sentence.add_extra(Extra.COMMENT, begin, end)
        else:
            in_sentence = True
            try:
                if not flaw:
                    sentence.add_row(data[begin:end], begin, end)
            except FlawError as found:
                flaw = found
    if in_sentence:
        end_sentence(begin, len(data))
    if len(starts) > 1:
        starts[-1] = len(data)
    return Scan(
        np.array(fields, dtype=np.uint32).reshape(-1, columns + 1),
        np.array(heads, dtype=np.int32),
        np.array(offsets, dtype=np.int64),
        np.array(starts, dtype=np.uint32),
        np.array(extras, dtype=np.int64).reshape(-1, 4),
        np.array(flaws, dtype=np.int64).reshape(-1, 3),
    )
