"""Scores as counts: what was right, out of how much on either side."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Score:
    """How many items of each side there are, and how many are right.

    ``aligned`` counts the pairs of words that correspond, for scores that compare something on them.
    """

    correct: int = 0
    gold: int = 0
    system: int = 0
    aligned: int | None = None

    @property
    def precision(self) -> float:
        """What part of the system's items is right; 0 if there are none."""
        return self.correct / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        """What part of the gold items was found; 0 if there are none."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.correct / (self.system + self.gold) if self.system + self.gold else 0.0

    @property
    def accuracy(self) -> float | None:
        """What part of the aligned words is right; None if alignment plays no part, or there are none."""
        return self.correct / self.aligned if self.aligned else None

    def add(self, correct: int, gold: int, system: int, aligned: int | None = None) -> None:
        """Count more items."""
        self.correct += int(correct)
        self.gold += int(gold)
        self.system += int(system)
        if aligned is not None:
            self.aligned = (self.aligned or 0) + int(aligned)


def share(part: int, whole: int) -> float:
    """Return ``part / whole``, 0 of nothing."""
    return part / whole if whole else 0.0
