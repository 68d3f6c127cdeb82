"""From how much a learner prefers a choice to how often it is right.

Platt (1999): P(right) = 1 / (1 + exp(-(a·odds + b))), where the odds are the logarithm of p / (1 - p), and p
is the probability by softmax of what was chosen. a and b are fitted to the dev sentences by maximum
likelihood, one pair for heads and one for labels. Targets are smoothed as Platt does, so that a parser that
makes no mistake on dev is not taken for infallible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
MOST_ODDS = 1e6
MOST_FITTED = 1e12
STEPS = 50
PRIOR = 1e-3
"""How strongly a and b are held to where they begin: enough for data that leave them open."""


def log_odds(log_probabilities: Doubles) -> Doubles:
    """Return log(p / (1 - p)) from log p."""
    others: Doubles = np.log(np.maximum(-np.expm1(np.minimum(log_probabilities, 0.0)), 1e-300))
    return log_probabilities - others


def _share(odds: Doubles) -> Doubles:
    share: Doubles = 0.5 * (1.0 + np.tanh(0.5 * odds))  # 1 / (1 + exp(-odds)), which may overflow
    return share


@dataclass(frozen=True)
class Line:
    """One fitted pair."""

    slope: float = 1.0
    shift: float = 0.0

    def __call__(self, odds: Doubles) -> Doubles:
        """Return how probably each is right."""
        return _share(self.slope * np.clip(odds, -MOST_ODDS, MOST_ODDS) + self.shift)

    @classmethod
    def fit(cls, odds: Doubles, right: NDArray[np.bool_]) -> Self:
        """Return the pair that makes what was right and wrong most probable, by Newton's method."""
        good, bad = int(right.sum()), int((~right).sum())
        targets = np.where(right, (good + 1) / (good + 2), 1 / (bad + 2))
        unit = max(float(np.abs(np.clip(odds, -MOST_ODDS, MOST_ODDS)).mean()) if len(odds) else 1.0, 1e-6)
        rows = np.stack([np.clip(odds, -MOST_ODDS, MOST_ODDS) / unit, np.ones_like(odds)])
        pair = start = np.array([1.0, 0.0])
        for _ in range(STEPS):
            shares = _share(pair @ rows)
            gradient = rows @ (shares - targets) + PRIOR * (pair - start)
            step = np.linalg.solve((rows * shares * (1 - shares)) @ rows.T + PRIOR * np.eye(2), gradient)
            pair = pair - step / max(1.0, float(np.abs(step).max()))
        return cls(float(f"{pair[0] / unit:.6g}"), float(f"{pair[1]:.6g}"))


@dataclass(frozen=True)
class Calibration:
    """The pairs of heads and of labels; uncalibrated, probabilities are as the learner has them."""

    heads: Line = Line()
    labels: Line = Line()

    def __call__(self, heads: Doubles, labels: Doubles) -> tuple[Doubles, Doubles]:
        """Return how probably heads and labels are right, from their log-odds."""
        return self.heads(heads), self.labels(labels)

    def state(self) -> list[list[float]]:
        """Return what ``restore`` takes."""
        return [[line.slope, line.shift] for line in (self.heads, self.labels)]

    @classmethod
    def restore(cls, state: Any) -> Self:
        """Return the calibration that ``state`` described."""
        pairs = np.array(state, dtype=np.float64)
        if pairs.shape != (2, 2) or not (np.abs(pairs) <= MOST_FITTED).all():
            raise ValueError("the calibration is not two pairs of numbers that a fit may give")
        return cls(*(Line(*pair) for pair in pairs.tolist()))
