"""Precision and recall of non-projective arcs (Nivre & Nilsson 2005, Table 6).

Precision is taken over the arcs that are non-projective in the system's tree, recall over those that are
non-projective in the gold tree; an arc is right when the other tree gives the word the same head (unlabelled)
and the same label too (labelled). The arc of the other tree need not be non-projective there, so that
precision and recall count right arcs each over their own. The paper does not spell its definition out; this
is the natural reading, and F is the harmonic mean of the two.

Only trees have non-projective arcs here: a sentence with a cycle or without some head has none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arclift.evaluate.attachment import Flags, Judgement
from arclift.evaluate.pairs import Side
from arclift.evaluate.scores import share
from arclift.trees.projectivity import nonprojective
from arclift.trees.structure import TreeFlaw, tree_problems


@dataclass
class ArcScore:
    """Right arcs over those of the system and over those of the gold file."""

    system: int = 0
    system_right: int = 0
    gold: int = 0
    gold_right: int = 0

    @property
    def precision(self) -> float:
        """What part of the system's arcs is right."""
        return share(self.system_right, self.system)

    @property
    def recall(self) -> float:
        """What part of the gold arcs is found."""
        return share(self.gold_right, self.gold)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    def add(self, system: Flags, gold: Flags, right: Flags) -> None:
        """Count flags, one for each word."""
        self.system += int(np.count_nonzero(system))
        self.gold += int(np.count_nonzero(gold))
        self.system_right += int(np.count_nonzero(system & right))
        self.gold_right += int(np.count_nonzero(gold & right))


@dataclass
class Nonprojective:
    """The scores of non-projective arcs without and with labels."""

    unlabelled: ArcScore
    labelled: ArcScore

    @classmethod
    def none(cls) -> Nonprojective:
        """Return scores of nothing yet."""
        return cls(ArcScore(), ArcScore())

    def add(self, gold: Flags, system: Flags, judged: Judgement) -> None:
        """Count the words of a pair that is in step, given which arcs are non-projective on each side."""
        scored, head, label = judged
        gold, system = gold & scored, system & scored
        self.unlabelled.add(system, gold, head)
        self.labelled.add(system, gold, head & label)


def problems(side: Side) -> NDArray[np.uint8]:
    """Return what is wrong with the tree of each sentence, see `arclift.trees.structure.TreeFlaw`."""
    return tree_problems(np.ascontiguousarray(side.heads), side.offsets)


def nonprojective_arcs(side: Side, flaws: NDArray[np.uint8]) -> Flags:
    """Return for each word whether its arc is non-projective; arcs of sentences that are no trees are not."""
    heads = side.heads
    broken = flaws > TreeFlaw.SEVERAL_ROOTS
    if broken.any():
        heads = np.where(np.repeat(broken, np.diff(side.offsets)), np.int32(0), heads)
    return nonprojective(np.ascontiguousarray(heads), side.offsets).view(np.bool_)
