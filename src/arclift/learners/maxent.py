"""Maximum entropy: multinomial logistic regression (Berger et al. 1996) over the features of `sparse`.

P(class) is proportional to exp of the sum of the weights of the class at the features of the row. What is
made small is the sum of -log P(some right class), where only permitted classes have a probability, over all
rows of all epochs, plus ``l2`` times half the squares of the weights, plus ``l1`` times their sizes, so that
with l1 most weights are 0.

The weights are found row after row by FTRL-Proximal (McMahan et al. 2013): each has a step size of its own,
which shrinks with the gradients it has seen, and both penalties hold at every moment. The same rows in the
same order give the same weights. Probabilities below ``NEGLIGIBLE`` change nothing, which saves most of the
work.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arclift.errors import UsageError
from arclift.learners.contract import Arrays, Matrix, Rows, taken
from arclift.learners.sparse import Ints, SparseLearner, _SparseScorer, slots_of
from arclift.native import accelerated

Floats = NDArray[np.float32]
FINE = 1 << 11
"""Weights for parsing are in units of 1 / FINE, in 16 bits."""
NEGLIGIBLE = 1e-4


@accelerated
def _maxent_update(
    weights: Floats,
    pulls: Floats,
    squares: Floats,
    sizes: Ints,
    columns: Ints,
    starts: Ints,
    rows: Rows,
    right: Matrix,
    permitted: Matrix,
    by: tuple[float, float, float],
) -> float:
    """Learn from the rows one after the other and return the sum of their losses; ``by``: step, l1, l2.

    ``pulls`` are the z of the paper, ``squares`` the n; ``weights`` follow from both.
    """
    step, l1, l2 = map(np.float32, by)
    loss = 0.0
    for i, slots in enumerate(slots_of(rows, sizes, columns, starts, len(weights))):
        allowed = permitted[i] != 0
        good = allowed & (right[i] != 0)
        if not good.any():
            continue
        scores = np.zeros(weights.shape[1], dtype=np.float32)
        for slot in slots:
            scores += weights[slot]
        powers = np.where(allowed, np.exp(scores - scores[allowed].max()), np.float32(0)).astype(np.float32)
        of_good = powers * good
        loss -= float(np.log(of_good.sum() / powers.sum()))
        gradient = powers / powers.sum() - of_good / of_good.sum()
        moved = np.flatnonzero(np.abs(gradient) > np.float32(NEGLIGIBLE))
        g = gradient[moved]
        for slot in slots:  # one by one: two features may share a slot
            n, w = squares[slot, moved], weights[slot, moved]
            grown = n + g * g
            pulls[slot, moved] += g - (np.sqrt(grown) - np.sqrt(n)) / step * w
            squares[slot, moved] = grown
            z = pulls[slot, moved]
            beyond = np.maximum(np.abs(z) - l1, 0) * np.sign(z)
            weights[slot, moved] = -beyond / ((1 + np.sqrt(grown)) / step + l2)
    return loss


class Maxent(SparseLearner):
    """Logistic regression: ``conjunctions`` of columns, hashed to ``2**bits`` slots."""

    name = "maxent"

    def __init__(
        self,
        *,
        conjunctions: Sequence[Sequence[int]] = (),
        bits: int = 18,
        step: float = 0.1,
        l1: float = 0.0,
        l2: float = 1.0,
    ) -> None:
        super().__init__(conjunctions, bits)
        if not (step > 0 and l1 >= 0 and l2 >= 0):
            raise UsageError(f"step is above 0, l1 and l2 are not below, not {step}, {l1} and {l2}")
        self.step, self.l1, self.l2 = float(step), float(l1), float(l2)

    def _begin(self) -> None:
        self._weights, self._pulls, self._squares = (np.zeros(self.shape, np.float32) for _ in range(3))

    def _update(self, rows: Rows, right: Matrix, permitted: Matrix, rate: float) -> float:
        """Return the mean loss. Every weight has a step of its own, which shrinks: ``rate`` is not used."""
        state, by = (self._weights, self._pulls, self._squares), (self.step, self.l1, self.l2)
        loss = _maxent_update(*state, *self.features, rows, right, permitted, by)
        return loss / len(rows)

    def _scores(self, rows: Rows) -> NDArray[np.float32]:
        if self.finished:
            return self.scorer.scores(rows)
        slots = slots_of(rows, *self.features, self.shape[0])
        scores = np.zeros((len(rows), self.classes), dtype=np.float32)
        for column in slots.T:
            scores += self._weights[column]
        return scores

    def _finish(self) -> Arrays:
        most = np.iinfo(np.int16).max
        whole = np.clip(np.rint(self._weights * np.float32(FINE)), -most, most).astype(np.int16)
        return _sparse(whole)

    def _arrays(self) -> Arrays:
        if self.finished:
            return _sparse(self._whole.astype(np.int16))
        used = np.flatnonzero(self._squares.any(axis=1)).astype(np.int32)
        return {"used": used, "pulls": self._pulls[used], "squares": self._squares[used]}

    def _restore(self, arrays: Arrays) -> None:
        if self.finished:
            self._restore_finished(arrays)
            return
        used = self.used(taken(arrays, "used", np.int32, None))
        weights, pulls, squares = (np.zeros(self.shape, dtype=np.float32) for _ in range(3))
        pulls[used] = taken(arrays, "pulls", np.float32, len(used), self.classes)
        squares[used] = taken(arrays, "squares", np.float32, len(used), self.classes)
        if not (np.isfinite(pulls).all() and np.isfinite(squares).all() and squares.min() >= 0):
            raise ValueError("the state of learning is out of range")
        z = pulls[used]
        beyond = np.maximum(np.abs(z) - np.float32(self.l1), 0) * np.sign(z)
        roots = 1 + np.sqrt(squares[used])
        weights[used] = -beyond / (roots / np.float32(self.step) + np.float32(self.l2))
        self._weights, self._pulls, self._squares = weights, pulls, squares

    def _restore_finished(self, arrays: Arrays) -> None:
        used = self.used(taken(arrays, "used", np.int32, None))
        counts = taken(arrays, "counts", np.int32, len(used))
        weights = taken(arrays, "weights", np.int16, None)
        classes = taken(arrays, "classes", np.int16, len(weights))
        if counts.min(initial=1) < 1 or counts.sum(dtype=np.int64) != len(weights):
            raise ValueError("there are more or fewer weights than the slots have")
        if len(weights) and not (classes.min() >= 0 and classes.max() < self.classes):
            raise ValueError("a weight has a class that is not there")
        self._whole = np.zeros(self.shape, dtype=np.int32)
        self._whole[np.repeat(used, counts), classes] = weights
        self.scorer = _SparseScorer(self._whole, *self.features, 1 / FINE)


def _sparse(weights: NDArray[np.int16]) -> Arrays:
    """Return the weights that are not 0, their classes, and how many there are in each slot that has some."""
    slots, classes = np.nonzero(weights)
    used, counts = np.unique(slots, return_counts=True)
    return {
        "used": used.astype(np.int32),
        "counts": counts.astype(np.int32),
        "classes": classes.astype(np.int16),
        "weights": weights[slots, classes],
    }
