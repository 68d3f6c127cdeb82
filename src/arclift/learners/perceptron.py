"""The averaged multi-class perceptron (Collins 2002) over hashed conjunctions of columns.

Features of a row are the value of each column and of each given conjunction of columns. A feature is hashed
to one of ``2**bits`` rows of a weight table [slots, classes]; a score is the sum of the rows. Where the best
permitted class is not right, the best right class (of the permitted ones; the lowest number among equals) is
rewarded and the wrong one punished. The weights used for parsing are the average over all rows seen.

Weights are integers and so are the averages (in 1/256): sums have no order, so that this file and
native/perceptron.cpp agree to the bit, on every machine. Cost: (columns + conjunctions) x classes additions
for a score, bound by memory, not by arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arclift.errors import UsageError
from arclift.learners.contract import Arrays, Learner, Matrix, Rows, mix, taken, within
from arclift.native import accelerated

Ints = NDArray[np.int32]
FINE = 256  # averages are kept in units of 1/FINE


class Templates:
    """Which columns each feature joins: ``columns[starts[t]:starts[t + 1]]`` for feature t."""

    def __init__(self, width: int, conjunctions: Sequence[Sequence[int]]) -> None:
        joined = [[column] for column in range(width)] + [list(c) for c in conjunctions]
        for columns in joined:
            if not columns or not all(0 <= column < width for column in columns):
                raise UsageError(f"a conjunction joins columns from 0 to {width - 1}, not {columns}")
        self.columns = np.array([column for columns in joined for column in columns], dtype=np.int32)
        self.starts = np.cumsum([0, *map(len, joined)], dtype=np.int32)


def _slots(rows: Rows, sizes: Ints, columns: Ints, starts: Ints, slots: int) -> NDArray[np.uint32]:
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
    for i, slots in enumerate(_slots(rows, sizes, columns, starts, len(weights))):
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


@accelerated
class _PerceptronScorer:
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
        for slots in _slots(rows, *self._features, len(self._weights)).T:
            sums += self._weights[slots]
        return sums.astype(np.float32) * self._scale


class Perceptron(Learner):
    """The averaged perceptron: ``conjunctions`` of columns, hashed to ``2**bits`` slots."""

    name = "perceptron"

    def __init__(self, *, conjunctions: Sequence[Sequence[int]] = (), bits: int = 18) -> None:
        if not 1 <= bits <= 28:
            raise UsageError(f"bits go from 1 to 28, not {bits}")
        self.conjunctions = [[int(column) for column in c] for c in conjunctions]
        self.bits = bits

    def _begin(self) -> None:
        self._templates = Templates(len(self.sizes), self.conjunctions)
        shape = (1 << self.bits, self.classes)
        self._take(np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int64), 0)

    def _take(self, weights: NDArray[np.int32], totals: NDArray[np.int64], clock: int) -> None:
        self._weights, self._totals, self._clock = weights, totals, clock
        templates = self._templates
        scale = 1.0 / FINE if self.finished else 1.0
        self.scorer = _PerceptronScorer(weights, self.sizes, templates.columns, templates.starts, scale)

    def _update(self, rows: Rows, right: Matrix, permitted: Matrix, rate: float) -> float:
        """Return the share of mistakes. Scaling every step changes no decision: ``rate`` is not used."""
        templates = self._templates
        mistakes = _perceptron_update(
            self._weights,
            self._totals,
            self.sizes,
            templates.columns,
            templates.starts,
            rows,
            right,
            permitted,
            self._clock,
        )
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
        self._templates = Templates(len(self.sizes), self.conjunctions)
        weights = np.zeros((1 << self.bits, self.classes), dtype=np.int32)
        used = taken(arrays, "used", np.int32, None)
        if used.size and not (used.min() >= 0 and used.max() < len(weights)):
            raise ValueError("a slot is out of range")
        weights[used] = taken(arrays, "weights", np.int32, len(used), self.classes)
        if self.finished:
            self._take(weights, np.zeros((len(weights), 0), dtype=np.int64), 0)
        else:
            totals = np.zeros(weights.shape, dtype=np.int64)
            totals[used] = taken(arrays, "totals", np.int64, len(used), self.classes)
            self._take(weights, totals, int(taken(arrays, "clock", np.int64, 1)[0]))
