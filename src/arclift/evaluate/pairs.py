"""Two treebanks side by side: gold and system, read in step and in flat memory.

A `Pair` is a run of whole sentences of each file. Where the words are the same, which is the common case, the
words of the two sides correspond one to one. Where they are not, and the format is CoNLL-U, the run reaches
to a place where a sentence ends in both files, and `arclift.evaluate.align` says which words correspond.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from arclift.errors import Place
from arclift.evaluate.agreement import Fields, same_cells
from arclift.evaluate.labels import FeatureTable, LabelTable
from arclift.treebank import Block, StringTable
from arclift.treebank.scan import Extra

ROOT, NO_HEAD = -1, -2
"""In the place of a parent: the artificial root, and no head given."""

Words = NDArray[np.intp]
Value = TypeVar("Value", bound=np.generic)


class Alignment(NamedTuple):
    """Which words of two sides correspond, and how many tokens and sentences have the same characters."""

    gold: Words
    system: Words
    tokens: int
    sentences: int


class Strings(NamedTuple):
    """The labels and tags of both files as small integers."""

    labels: LabelTable
    features: FeatureTable
    tags: StringTable


class Side:
    """A run of whole sentences of one file; its words are numbered from 0 across sentences.

    Without ``with_ranges`` it is as if the file had no multiword tokens.
    """

    def __init__(self, block: Block, first: int, last: int, *, with_ranges: bool = True) -> None:
        self.block, self.first, self.last, self.with_ranges = block, first, last, with_ranges
        self._begin, self._end = block.offsets[first], block.offsets[last]
        self.offsets = block.offsets[first : last + 1] - self._begin
        self.fields: Fields = block.fields[self._begin : self._end]
        self.heads = block.heads[self._begin : self._end]

    @property
    def sentences(self) -> int:
        """How many sentences there are."""
        return self.last - self.first

    @property
    def words(self) -> int:
        """How many words the sentences have together."""
        return len(self.fields)

    @cached_property
    def bytes(self) -> NDArray[np.uint8]:
        """The bytes that ``fields`` and ``spans`` point into."""
        return np.frombuffer(self.block.data, dtype=np.uint8)

    def spans(self, column: str, words: Words | None = None) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Return where the column begins and ends, for all words or for some; see `Block.spans`."""
        place = self.block.format.column(column)
        cells = self.fields[:, place : place + 2]
        if words is not None:
            cells = cells[words]
        starts = np.minimum(cells[:, 0], len(self.block.data))
        return starts, np.maximum(starts, cells[:, 1] - 1)

    def ids(self, column: str, strings: StringTable, words: Words | None = None) -> NDArray[np.int32]:
        """Return the column, of all words or of some, as ids of ``strings``."""
        return strings.add_spans(self.block.data, *self.spans(column, words))

    @cached_property
    def parents(self) -> NDArray[np.int64]:
        """The number of each word's head among the words of this side, ROOT or NO_HEAD."""
        starts = np.repeat(self.offsets[:-1], np.diff(self.offsets))
        return np.where(self.heads > 0, starts + (self.heads - 1), np.minimum(self.heads, 0) - 1)

    @cached_property
    def ranges(self) -> NDArray[np.int64]:
        """The multiword tokens: where each row begins and ends, and how many words stand before it."""
        block = self.block
        if not self.with_ranges:
            return np.zeros((0, 3), dtype=np.int64)
        low, high = np.searchsorted(block.extras[:, 1], block.starts[[self.first, self.last]])
        rows = block.extras[low:high]
        found: NDArray[np.int64] = rows[rows[:, 0] == Extra.RANGE, 1:] - [0, 0, self._begin]
        return found

    @cached_property
    def range_lengths(self) -> NDArray[np.int64]:
        """How many words each multiword token has."""
        data = self.block.data
        ids = (data[begin:end].split(b"\t", 1)[0].split(b"-") for begin, end, _ in self.ranges.tolist())
        return np.array([int(last) - int(first) + 1 for first, last in ids], dtype=np.int64)

    @property
    def tokens(self) -> int:
        """How many tokens there are: multiword tokens, and words outside of them."""
        return self.words + len(self.range_lengths) - int(self.range_lengths.sum())

    def sentence_of(self, word: int) -> int:
        """Return the sentence, counted from 0, that holds the word."""
        return int(np.searchsorted(self.offsets, word, side="right")) - 1

    def place(self, sentence: int) -> Place:
        """Return where a sentence of this run stands in its file."""
        return self.block.place(self.first + sentence)

    def forms(self) -> list[str]:
        """Return the words as written."""
        data = self.block.data
        starts, ends = self.spans("form")
        return [data[a:b].decode() for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]


class Pair:
    """A run of each file, and which words correspond."""

    def __init__(
        self, gold: Side, system: Side, strings: Strings, alignment: Alignment | None = None
    ) -> None:
        self.gold, self.system, self.strings = gold, system, strings
        self.alignment = alignment  # None: the same sentences and words on both sides

    @property
    def aligned(self) -> int:
        """How many pairs of words correspond."""
        return self.gold.words if self.alignment is None else len(self.alignment.gold)

    def of_gold(self, values: NDArray[Value]) -> NDArray[Value]:
        """Return the values, one for each gold word, of the pairs of words that correspond."""
        return values if self.alignment is None else values[self.alignment.gold]

    def of_system(self, values: NDArray[Value]) -> NDArray[Value]:
        """Return the values, one for each system word, of the pairs of words that correspond."""
        return values if self.alignment is None else values[self.alignment.system]

    def words_of(self, pairs: Words) -> tuple[Words, Words]:
        """Return the gold words and the system words of some pairs."""
        if self.alignment is None:
            return pairs, pairs
        return self.alignment.gold[pairs], self.alignment.system[pairs]

    @cached_property
    def labels(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The relations of the gold words and of the system words, as ids."""
        table = self.strings.labels
        gold = table.ids(self.gold)
        if self.alignment is not None:
            return gold, table.ids(self.system)
        system = gold.copy()
        system[self._relabelled] = table.ids(self.system, self._relabelled)
        return gold, system

    @cached_property
    def kinds(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """The kinds of the relations of the gold words and of the system words, see `Kind`."""
        gold, system = self.labels
        kinds = self.strings.labels.kinds
        return kinds[gold], kinds[system]

    @cached_property
    def _relabelled(self) -> Words:
        """The pairs of words whose relations are not the same bytes."""
        return np.flatnonzero(~self.same("deprel"))

    def same_labels(self, *, cut: bool) -> NDArray[np.bool_]:
        """Return for each pair of words whether their relations agree, in full or up to the first colon."""
        differing = self._relabelled
        same = np.ones(self.aligned, dtype=np.bool_)
        same[differing] = False
        if cut:
            gold, system = self.labels
            base = self.strings.labels.base
            same[differing] = base[self.of_gold(gold)[differing]] == base[self.of_system(system)[differing]]
        return same

    @cached_property
    def tags(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The tags (UPOS, or XPOS where the format has no UPOS) of both sides, as ids."""
        column = "upos" if self.gold.block.format.column("upos") >= 0 else "xpos"
        return self.gold.ids(column, self.strings.tags), self.system.ids(column, self.strings.tags)

    def same(self, column: str) -> NDArray[np.bool_]:
        """Return for each pair of words that correspond whether their columns are the same bytes."""
        gold, system = self.gold, self.system
        rows, others = self.of_gold(gold.fields), self.of_system(system.fields)
        a, b = gold.block.format.column(column), system.block.format.column(column)
        return same_cells(gold.block.data, rows, a, system.block.data, others, b).view(np.bool_)
