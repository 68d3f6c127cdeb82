"""What a treebank holds: its size, its trees, and what lifting makes of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arclift.treebank.block import Block
from arclift.treebank.scan import Extra
from arclift.treebank.strings import StringTable
from arclift.trees import planarity
from arclift.trees.labels import Scheme
from arclift.trees.lifting import projectivize
from arclift.trees.projectivity import nonprojective
from arclift.trees.recovery import Recovery, select, with_one_root
from arclift.trees.structure import arc_lengths, depths_all

Ints = NDArray[np.int64]

LONGEST_CLASSED = 5_000
"""Planarity, nesting and lowering can cost the square of the words: longer sentences with crossing arcs are
left out of these figures."""


class Histogram:
    """How often each of the numbers 0, 1, 2, ... was seen."""

    def __init__(self) -> None:
        self.counts: Ints = np.zeros(1, dtype=np.int64)

    def add(self, values: NDArray[Any]) -> None:
        """Count these values."""
        new = np.bincount(values, minlength=len(self.counts)).astype(np.int64)
        new[: len(self.counts)] += self.counts
        self.counts = new

    @property
    def total(self) -> int:
        """How many values were counted."""
        return int(self.counts.sum())

    @property
    def mean(self) -> float:
        """The mean value, 0 if there is none."""
        return float(self.counts @ np.arange(len(self.counts))) / self.total if self.total else 0.0

    @property
    def highest(self) -> int:
        """The highest value, 0 if there is none."""
        return int(np.flatnonzero(self.counts).max(initial=0))

    def quantile(self, share: float) -> int:
        """Return the smallest value that at least this share of all do not exceed."""
        return int(np.searchsorted(np.cumsum(self.counts), share * self.total)) if self.total else 0

    def as_dict(self) -> dict[str, int]:
        """Return the values seen and how often."""
        return {str(value): int(count) for value, count in enumerate(self.counts) if count}


class Statistics:
    """Counts of everything, gathered block by block; the heads must be trees.

    ``single_root=True`` counts only the trees of sentences with one root.
    """

    def __init__(self, schemes: tuple[Scheme, ...] = tuple(Scheme), *, single_root: bool = False) -> None:
        self.single_root = single_root
        self.labels = StringTable()
        self.counts: Counter[str] = Counter()
        self.sentence_lengths = Histogram()
        self.arc_lengths = Histogram()
        self.depths = Histogram()
        self.lifts = Histogram()
        self.gap_degrees = Histogram()
        self.edge_degrees = Histogram()
        self.recoveries = {scheme: Recovery(scheme) for scheme in schemes}

    def add(self, block: Block) -> None:
        """Count what stands in a block."""
        heads, labels, offsets = block.heads, block.ids("deprel", self.labels), block.offsets
        if self.single_root:
            heads, labels, offsets = with_one_root(heads, labels, offsets)
        offsets = np.unique(offsets)  # without the sentences that have no words
        self.sentence_lengths.add(np.diff(offsets))
        self.arc_lengths.add(arc_lengths(heads, offsets)[heads > 0])
        self.depths.add(depths_all(heads, offsets))
        kinds = block.extras[:, 0]
        self.counts["ranges"] += int((kinds == Extra.RANGE).sum())
        self.counts["empty_nodes"] += int((kinds == Extra.EMPTY_NODE).sum())
        roots = np.diff(np.append(0, np.cumsum(heads == 0))[offsets])
        self.counts["multi_root_sentences"] += int((roots > 1).sum())
        classed = self._add_crossing(heads, offsets)
        if not classed.all():
            heads, labels, offsets = select(classed, heads, labels, offsets)
        names = [self.labels[id].decode() for id in range(len(self.labels))]
        for recovery in self.recoveries.values():
            recovery.add(heads, labels, offsets, names)

    def _add_crossing(self, heads: NDArray[np.int32], offsets: Ints) -> NDArray[np.bool_]:
        """Count what crosses, and return which sentences are classed."""
        crossing = nonprojective(heads, offsets).astype(bool)
        self.lifts.add(projectivize(heads, offsets)[1])
        self.counts["nonprojective_arcs"] += int(crossing.sum())
        crosses = np.diff(np.append(0, np.cumsum(crossing))[offsets]) > 0
        classed = ~crosses | (np.diff(offsets) <= LONGEST_CLASSED)
        self.counts["nonprojective_sentences"] += int(crosses.sum())
        self.counts["unclassed_sentences"] += int((~classed).sum())
        for sentence in np.flatnonzero(crosses).tolist():
            tree = heads[offsets[sentence] : offsets[sentence + 1]]
            self.gap_degrees.add(np.array([planarity.gap_degree(tree)]))
            self.edge_degrees.add(np.array([planarity.edge_degree(tree)]))
            for name, test in _CLASSES.items():
                self.counts[name] += bool(classed[sentence]) and not test(tree)
        return classed

    def as_dict(self) -> dict[str, Any]:
        """Return all figures, shares in per cent."""
        sentences, words = self.sentence_lengths.total, self.words
        lifted = self.lifts.counts[1:]
        projective = sentences - self.counts["nonprojective_sentences"]
        classed = sentences - self.counts["unclassed_sentences"]
        return {
            "sentences": sentences,
            "words": words,
            "words_per_sentence": round(words / sentences, 2) if sentences else 0.0,
            "longest_sentence": self.sentence_lengths.highest,
            "ranges": self.counts["ranges"],
            "empty_nodes": self.counts["empty_nodes"],
            "labels": len(self.labels),
            "multi_root_sentences": self.counts["multi_root_sentences"],
            "arc_length": _spread(self.arc_lengths),
            "depth": _spread(self.depths),
            "arc_lengths": self.arc_lengths.as_dict(),
            "depths": self.depths.as_dict(),
            "nonprojective_arcs": self.counts["nonprojective_arcs"],
            "nonprojective_arcs_percent": percent(self.counts["nonprojective_arcs"], words),
            "nonprojective_sentences": self.counts["nonprojective_sentences"],
            "nonprojective_sentences_percent": percent(self.counts["nonprojective_sentences"], sentences),
            "lifted_arcs": int(lifted.sum()),
            "lifts_percent": {
                key: percent(int(count), int(lifted.sum()))
                for key, count in zip(
                    ("1", "2", "3", ">3"), [*_padded(lifted, 3), lifted[3:].sum()], strict=True
                )
            },
            "gap_degree": _with_zeros(self.gap_degrees, projective),
            "edge_degree": _with_zeros(self.edge_degrees, projective),
            "unclassed_sentences": self.counts["unclassed_sentences"],
            **{f"{name}_percent": percent(classed - self.counts[name], classed) for name in _CLASSES},
            "schemes": {scheme.value: recovery.as_dict() for scheme, recovery in self.recoveries.items()},
        }

    @property
    def words(self) -> int:
        """How many words there are."""
        return self.depths.total


_CLASSES: dict[str, Callable[[NDArray[np.int32]], bool]] = {
    "well_nested": planarity.is_well_nested,
    "planar": planarity.is_planar,
    "two_planar": planarity.is_two_planar,
}


def percent(part: float, whole: float) -> float:
    """Return ``part`` in per cent of ``whole``, 0 of nothing."""
    return round(100 * part / whole, 6) if whole else 0.0


def _padded(counts: Ints, length: int) -> list[int]:
    return [*counts[:length].tolist(), *[0] * max(0, length - len(counts))]


def _spread(histogram: Histogram) -> dict[str, float]:
    return {
        "mean": round(histogram.mean, 3),
        "median": histogram.quantile(0.5),
        "percentile_95": histogram.quantile(0.95),
        "highest": histogram.highest,
    }


def _with_zeros(histogram: Histogram, projective: int) -> dict[str, int]:
    """Return the counts with the projective sentences, which have degree 0 and were not measured."""
    counts = histogram.counts.copy()
    counts[0] += projective
    return {str(value): int(count) for value, count in enumerate(counts) if count}
