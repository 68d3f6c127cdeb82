"""The averaged multi-class perceptron (Collins 2002) over the features of `arclift.learners.sparse`.

Where the best permitted class is not right, the best right class (of the permitted ones; the lowest number
among equals) is rewarded and the wrong one punished. The weights used for parsing are the average over all
rows seen.

Weights are integers and so are the averages (in 1/256): this file and native/perceptron.cpp agree to the bit.
Cost: (columns + conjunctions) x classes additions for a score, bound by memory, not by arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arclift.learners.contract import Arrays, Matrix, Rows, taken
from arclift.learners.sparse import Ints, SparseLearner, _SparseScorer, slots_of
from arclift.native import accelerated

FINE = 256  # averages are kept in units of 1/FINE


@accelerated
def _perceptron_update(
    weights: NDArray[np.int32],
    totals: NDArray[np.int64],
    sizes: Ints,
    columns: Ints,
    starts: Ints,
    rows: Rows,
    right: Matrix,
    permitted: Matrix,
    clock: int,
) -> int:
    """Learn from the rows one after the other, at times clock + 1 and on; return the number of mistakes.

    ``totals`` holds for each weight the sum of its changes times their times, which is all an average needs.
    """
    mistakes = 0
    for i, slots in enumerate(slots_of(rows, sizes, columns, starts, len(weights))):
        allowed = permitted[i] != 0
        good = allowed & (right[i] != 0)
        if not good.any():
            continue
        scores = weights[slots].sum(axis=0).astype(np.int64)
        guess = int(np.where(allowed, scores, np.iinfo(np.int64).min).argmax())
        if good[guess]:
            continue
        best = int(np.where(good, scores, np.iinfo(np.int64).min).argmax())
        mistakes += 1
        for slot in slots:  # one by one: two features may share a slot
            for chosen, change in ((best, 1), (guess, -1)):
                weights[slot, chosen] += change
                totals[slot, chosen] += change * (clock + i + 1)
    return mistakes


class Perceptron(SparseLearner):
    """The averaged perceptron: ``conjunctions`` of columns, hashed to ``2**bits`` slots."""

    name = "perceptron"

    def __init__(self, *, conjunctions: Sequence[Sequence[int]] = (), bits: int = 18) -> None:
        super().__init__(conjunctions, bits)

    def _begin(self) -> None:
        self._take(np.zeros(self.shape, dtype=np.int32), np.zeros(self.shape, dtype=np.int64), 0)

    def _take(self, weights: NDArray[np.int32], totals: NDArray[np.int64], clock: int) -> None:
        self._weights, self._totals, self._clock = weights, totals, clock
        self.scorer = _SparseScorer(weights, *self.features, 1.0 / FINE if self.finished else 1.0)

    def _update(self, rows: Rows, right: Matrix, permitted: Matrix, rate: float) -> float:
        """Return the share of mistakes. Scaling every step changes no decision: ``rate`` is not used."""
        state = self._weights, self._totals
        mistakes = _perceptron_update(*state, *self.features, rows, right, permitted, self._clock)
        self._clock += len(rows)
        return mistakes / len(rows)

    def _scores(self, rows: Rows) -> NDArray[np.float32]:
        return self.scorer.scores(rows)

    def _finish(self) -> Arrays:
        used = np.flatnonzero(self._totals.any(axis=1) | self._weights.any(axis=1))
        clock = max(self._clock, 1)
        sums = (clock + 1) * self._weights[used].astype(np.int64) - self._totals[used]
        averages = (2 * FINE * sums + clock) // (2 * clock)  # to the nearest, halves upwards
        return {"used": used.astype(np.int32), "weights": averages.astype(np.int32)}

    def _arrays(self) -> Arrays:
        used = np.flatnonzero(self._totals.any(axis=1) | self._weights.any(axis=1)).astype(np.int32)
        if self.finished:
            return {"used": used, "weights": self._weights[used]}
        clock = np.array([self._clock], dtype=np.int64)
        return {"used": used, "weights": self._weights[used], "totals": self._totals[used], "clock": clock}

    def _restore(self, arrays: Arrays) -> None:
        weights = np.zeros(self.shape, dtype=np.int32)
        used = self.used(taken(arrays, "used", np.int32, None))
        weights[used] = taken(arrays, "weights", np.int32, len(used), self.classes)
        if self.finished:
            self._take(weights, np.zeros((len(weights), 0), dtype=np.int64), 0)
        else:
            totals = np.zeros(weights.shape, dtype=np.int64)
            totals[used] = taken(arrays, "totals", np.int64, len(used), self.classes)
            self._take(weights, totals, int(taken(arrays, "clock", np.int64, 1)[0]))
