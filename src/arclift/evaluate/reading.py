"""Two files read in step: `read_pairs` yields the runs of sentences that scores are counted on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from arclift.errors import InputError, Place
from arclift.evaluate.agreement import same_cells
from arclift.evaluate.align import aligned_prefix
from arclift.evaluate.labels import FeatureTable, LabelTable
from arclift.evaluate.pairs import Pair, Side, Strings
from arclift.treebank import Block, Format, Reader, StringTable
from arclift.treebank.formats import CONLLU
from arclift.treebank.stream import Source


class Cursor:
    """A file and how far it has been read."""

    def __init__(self, source: Source, format: str | Format | None, with_ranges: bool) -> None:
        self._with_ranges = with_ranges
        self._blocks = Reader(source, format=format).blocks()
        self._block: Block | None = None
        self._next = 0

    def ahead(self) -> Side | None:
        """Return the sentences that are at hand, None at the end of the file."""
        while self._block is None or self._next == len(self._block):
            self._block, self._next = next(self._blocks, None), 0
            if self._block is None:
                return None
        return self._side(self._next, len(self._block))

    def take(self, sentences: int) -> Side:
        """Return the next sentences and go on behind them."""
        self._next += sentences
        return self._side(self._next - sentences, self._next)

    def _side(self, first: int, last: int) -> Side:
        assert self._block is not None
        return Side(self._block, first, last, with_ranges=self._with_ranges)

    def extend(self) -> bool:
        """Have more of the file at hand; return False at its end."""
        here, more = self._block, next(self._blocks, None)
        if more is None or here is None:
            return False
        begin = int(here.starts[self._next])
        self._block = Block(
            here.data[begin:] + more.data,
            here.format,
            file=here.file,
            first_line=here.line_at(begin),
            first_sentence=here.first_sentence + self._next,
        )
        self._next = 0
        return True


def read_pairs(
    gold: Source, system: Source, *, format: str | Format | None = None, with_ranges: bool = True
) -> Iterator[Pair]:
    """Yield both files as pairs of runs of sentences; raise InputError where they cannot be compared."""
    strings = Strings(LabelTable(), FeatureTable(), StringTable())
    left, right = (Cursor(source, format, with_ranges) for source in (gold, system))
    while True:
        a, b = left.ahead(), right.ahead()
        if a is None and b is None:
            return
        if a is None or b is None:
            raise _ends_early(a, b)
        _check_formats(a, b)
        same = _sentences_in_step(a, b)
        if same:
            yield Pair(left.take(same), right.take(same), strings)
        else:
            yield _aligned(left, right, strings)


def _aligned(left: Cursor, right: Cursor, strings: Strings) -> Pair:
    """Return the longest run at hand that ends with a sentence in both files."""
    while True:
        a, b = left.ahead(), right.ahead()
        assert a is not None
        assert b is not None
        if a.block.format.name != CONLLU.name:
            raise _words_differ(a, b)
        ended = not left.extend(), not right.extend()
        a, b = left.ahead(), right.ahead()
        assert a is not None
        assert b is not None
        found = aligned_prefix(a, b, ended=ended)
        if found:
            alignment, gold_sentences, system_sentences = found
            return Pair(left.take(gold_sentences), right.take(system_sentences), strings, alignment)


def _check_formats(a: Side, b: Side) -> None:
    mine, other = a.block.format, b.block.format
    if mine.head_column < 0:
        raise InputError(
            f"the format {mine.name} has no heads",
            Place(a.block.file),
            code="format",
            hint="evaluate compares trees; --format forces another format",
        )
    if mine.name != other.name:
        raise InputError(
            f"the system's format is {other.name}, the gold file's is {mine.name}",
            Place(b.block.file),
            code="format",
            hint="--format forces one format, arclift convert makes it one",
        )


def _sentences_in_step(a: Side, b: Side) -> int:
    """Return how many of the first sentences have the same words on both sides."""
    count = min(a.sentences, b.sentences)
    differs = np.flatnonzero(a.offsets[1 : count + 1] != b.offsets[1 : count + 1])
    if len(differs):
        count = int(differs[0])
    words = int(a.offsets[count])
    form = a.block.format.column("form"), b.block.format.column("form")
    same = same_cells(a.block.data, a.fields[:words], form[0], b.block.data, b.fields[:words], form[1])
    first = int(np.argmin(same)) if words and not same.all() else words
    first = min(first, _first_range_that_differs(a, b, words))
    return count if first == words else a.sentence_of(first)


def _first_range_that_differs(a: Side, b: Side, words: int) -> int:
    """Return the word at which multiword tokens of the two sides differ, ``words`` if they do not."""
    mine, other = (side.ranges[side.ranges[:, 2] < words] for side in (a, b))
    count = min(len(mine), len(other))
    rows = [(ranges[:count, :2] + [0, 1]).astype(np.uint32) for ranges in (mine, other)]
    same = same_cells(a.block.data, rows[0], 0, b.block.data, rows[1], 0)
    for row in np.flatnonzero((same == 0) | (mine[:count, 2] != other[:count, 2])).tolist():
        if mine[row, 2] != other[row, 2] or _token(a, mine[row]) != _token(b, other[row]):
            return int(min(mine[row, 2], other[row, 2]))
    left_over = [int(ranges[count, 2]) for ranges in (mine, other) if len(ranges) > count]
    return min(left_over, default=words)


def _token(side: Side, row: np.ndarray) -> list[bytes]:
    return side.block.data[int(row[0]) : int(row[1])].split(b"\t", 2)[:2]


def _ends_early(a: Side | None, b: Side | None) -> InputError:
    longer, other = (a, "system") if a is not None else (b, "gold")
    assert longer is not None
    return InputError(
        f"the {other} file ends before this sentence",
        longer.place(0),
        code="sentences",
        hint="both files must hold the same text",
    )


def _words_differ(a: Side, b: Side) -> InputError:
    """Describe how the first sentences of two sides, which are not in step, differ."""
    place = b.place(0)
    hint = f"the gold sentence stands at line {a.place(0).line} of {a.block.file}"
    lengths = int(a.offsets[1]), int(b.offsets[1])
    for word, (mine, other) in enumerate(zip(a.forms(), b.forms(), strict=False)):
        if word >= min(lengths):
            break
        if mine != other:
            what = f"word {word + 1} is {other!r}, in the gold file {mine!r}"
            return InputError(what, place, code="words", hint=hint)
    what = f"{lengths[1]} words, in the gold file {lengths[0]}"
    return InputError(what, place, code="words", hint=hint)
