"""Sparse linear models: the values of columns and their conjunctions, hashed to rows of a table of weights.

Features of a row are the value of each column and of each given conjunction of columns. A feature is hashed
to one of ``2**bits`` rows of a weight table [slots, classes]; a score is the sum of the rows. What scores has
whole numbers for weights, whose sums have no order, so that this file and native/sparse.cpp agree to the bit,
on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arclift.errors import UsageError
from arclift.learners.contract import Learner, Rows, mix, within
from arclift.native import accelerated

Ints = NDArray[np.int32]


class Templates:
    """Which columns each feature joins: ``columns[starts[t]:starts[t + 1]]`` for feature t."""

    def __init__(self, width: int, conjunctions: Sequence[Sequence[int]]) -> None:
        joined = [[column] for column in range(width)] + [list(c) for c in conjunctions]
        for columns in joined:
            if not columns or not all(0 <= column < width for column in columns):
                raise UsageError(f"a conjunction joins columns from 0 to {width - 1}, not {columns}")
        self.columns = np.array([column for columns in joined for column in columns], dtype=np.int32)
        self.starts = np.cumsum([0, *map(len, joined)], dtype=np.int32)


def slots_of(rows: Rows, sizes: Ints, columns: Ints, starts: Ints, slots: int) -> NDArray[np.uint32]:
    """Return the slots [rows, features] in the weight table; ``slots`` is a power of two."""
    values = within(rows, sizes).astype(np.uint32)
    hashed = []
    for t, start in enumerate(starts[:-1]):
        feature = mix(np.full(len(rows), t + 1, dtype=np.uint32))
        for column in columns[start : starts[t + 1]]:
            feature = mix(feature ^ values[:, column])
        hashed.append(feature & np.uint32(slots - 1))
    return np.stack(hashed, axis=1)


@accelerated
class _SparseScorer:
    """Scores by a table of integer weights in units of ``scale``; thread-safe."""

    def __init__(
        self,
        weights: NDArray[np.int32],
        sizes: Ints,
        columns: Ints,
        starts: Ints,
        scale: float,
    ) -> None:
        self._weights, self._scale = weights, np.float32(scale)
        self._features = sizes, columns, starts

    def scores(self, rows: Rows) -> NDArray[np.float32]:
        """Return the scores [rows, classes]."""
        sums = np.zeros((len(rows), self._weights.shape[1]), dtype=np.int32)
        for slots in slots_of(rows, *self._features, len(self._weights)).T:
            sums += self._weights[slots]
        return sums.astype(np.float32) * self._scale


class SparseLearner(Learner):
    """What learners of such models share: ``conjunctions`` of columns, hashed to ``2**bits`` slots."""

    def __init__(self, conjunctions: Sequence[Sequence[int]], bits: int) -> None:
        if not 1 <= bits <= 28:
            raise UsageError(f"bits go from 1 to 28, not {bits}")
        self.conjunctions = [[int(column) for column in c] for c in conjunctions]
        self.bits = bits

    def _size(self, sizes: Sequence[int], classes: int, seed: int) -> None:
        super()._size(sizes, classes, seed)
        _ = self.features  # an error where the conjunctions are not of such rows

    @property
    def shape(self) -> tuple[int, int]:
        """How many slots and classes the table of weights has."""
        return 1 << self.bits, self.classes

    @property
    def features(self) -> tuple[Ints, Ints, Ints]:
        """What ``slots_of`` asks besides rows: sizes, columns, starts."""
        templates = Templates(len(self.sizes), self.conjunctions)
        return self.sizes, templates.columns, templates.starts

    def used(self, slots: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return slots from a file; raise ``ValueError`` unless they are in the table."""
        if slots.size and not (slots.min() >= 0 and slots.max() < self.shape[0]):
            raise ValueError("a slot is out of range")
        return slots
