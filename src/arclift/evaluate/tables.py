"""Where the errors are: scores by relation, arc length and tag, and what is confused with what.

A row of a table counts the words that are of its kind in the gold file, those that are in the system's, and
those right: for relations, with the right head and label; for arc lengths, with the right head. Arc lengths
are binned like those of the CoNLL-X program eval.pl.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from arclift.evaluate.attachment import Judgement
from arclift.evaluate.pairs import NO_HEAD, ROOT, Pair, Side
from arclift.evaluate.scores import Score, share

LENGTHS = ("to root", "1", "2", "3-6", "7-...")
NO_LENGTH = "no head"

Ids = NDArray[np.integer]


@dataclass
class TagRow:
    """The words of one tag (of the gold file), and how many have the right head, label, and both."""

    words: int = 0
    heads: int = 0
    labels: int = 0
    both: int = 0

    @property
    def uas(self) -> float:
        """The unlabelled attachment score of these words."""
        return share(self.heads, self.words)

    @property
    def las(self) -> float:
        """The labelled attachment score of these words."""
        return share(self.both, self.words)


@dataclass
class Tables:
    """Everything that is counted beyond the scores; names stand for kinds."""

    relations: dict[str, Score] = field(default_factory=dict)
    lengths: dict[str, Score] = field(default_factory=dict)
    tags: dict[str, TagRow] = field(default_factory=dict)
    label_confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    head_confusion: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, pair: Pair, judged: Judgement, *, cut: bool) -> None:
        """Count a pair that is in step; ``cut`` says that labels are compared up to their first colon."""
        scored = judged.scored
        table = pair.strings.labels
        gold, system = pair.labels
        if cut:
            gold, system = table.base[gold], table.base[system]
        both = judged.head & judged.label
        _score(self.relations, table.name, gold[scored], system[scored], both[scored])
        lengths = _length_bins(pair.gold)[scored], _length_bins(pair.system)[scored]
        _score(self.lengths, (*LENGTHS, NO_LENGTH).__getitem__, *lengths, judged.head[scored])
        self._add_tags(pair, judged)
        wrong = scored & ~judged.label
        _confuse(self.label_confusion, table.name, gold[wrong], system[wrong])
        wrong = scored & ~judged.head
        tags = _head_tags(pair.gold, pair.tags[0])[wrong], _head_tags(pair.system, pair.tags[1])[wrong]
        _confuse(self.head_confusion, _tag_namer(pair), *tags)

    def _add_tags(self, pair: Pair, judged: Judgement) -> None:
        tags = pair.tags[0]
        name = _tag_namer(pair)
        scored, head, label = judged
        flags = {
            "words": scored,
            "heads": scored & head,
            "labels": scored & label,
            "both": scored & head & label,
        }
        for field_name, which in flags.items():
            for tag, count in _counts(tags[which]):
                row = self.tags.setdefault(name(tag), TagRow())
                setattr(row, field_name, getattr(row, field_name) + count)


def _tag_namer(pair: Pair) -> Callable[[int], str]:
    special = {ROOT: "ROOT", NO_HEAD: NO_LENGTH}
    return lambda tag: special[tag] if tag < 0 else pair.strings.tags[tag].decode()


def _counts(ids: Ids) -> list[tuple[int, int]]:
    values, counts = np.unique(ids, return_counts=True)
    return list(zip(values.tolist(), counts.tolist(), strict=True))


def _score(
    table: dict[str, Score], name: Callable[[int], str], gold: Ids, system: Ids, right: NDArray[np.bool_]
) -> None:
    for place, ids in (("gold", gold), ("system", system), ("correct", gold[right])):
        for value, count in _counts(ids):
            table.setdefault(name(value), Score()).add(**{"correct": 0, "gold": 0, "system": 0, place: count})


def _confuse(table: Counter[tuple[str, str]], name: Callable[[int], str], gold: Ids, system: Ids) -> None:
    pairs = (gold.astype(np.int64) << 32) + system
    for key, count in _counts(pairs):
        system_id = (key + (1 << 31)) % (1 << 32) - (1 << 31)  # signed: ROOT and NO_HEAD are negative
        table[name((key - system_id) >> 32), name(system_id)] += count


def _length_bins(side: Side) -> Ids:
    """Return the place in LENGTHS of each word's arc, and one more for words without a head."""
    lengths = np.abs(side.parents - np.arange(side.words))
    bins: Ids = (
        np.searchsorted([2, 3, 7], lengths, side="right") + 1
    )  # a word that is its own head counts as 1
    bins[side.heads == 0] = 0
    bins[side.heads < 0] = len(LENGTHS)
    return bins


def _head_tags(side: Side, tags: Ids) -> Ids:
    return np.where(side.parents >= 0, tags[np.maximum(side.parents, 0)], side.parents)
