"""Shift, Right, Left: the system of Yamada & Matsumoto (2003) as Attardi (2006, section 2) prints it.

Directions are named after the side where the head is. Left puts the top of the stack back on the input, in
the place of its new dependent, so that one pass suffices. This is also arc-standard as in Nivre (2004, 2008).
There is no root; what is headless at the end is one.

Bound: shift takes a word off the input, which no rule makes longer: n shifts. Each arc takes a word away for
good, and one is left: n - 1 arcs. So there are at most 2n - 1 transitions.

Static oracle: an arc as soon as its dependent is complete, else shift. It rebuilds all projective trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from arclift.transitions.configuration import Configuration
from arclift.transitions.gold import Gold
from arclift.transitions.system import Oracle, Root, Sizes, System
from arclift.trees.projectivity import is_projective

SHIFT, RIGHT, LEFT = range(3)
RULES = (
    "shift: | n | -> n | |",
    "right: s1 | n | -> | n | ; n > s1",
    "left: s1 | n | -> | s1 | ; s1 > n",
)


@dataclass(frozen=True, kw_only=True)
class Yamada(System):
    """Projective trees, bottom-up."""

    name: ClassVar[str] = "yamada"
    root: ClassVar[Root] = "none"

    def texts(self) -> tuple[str, ...]:
        """Return the rules."""
        return RULES

    def bound(self, words: int) -> int:
        """Return 2n - 1."""
        return max(2 * words - 1, 0)

    @property
    def final(self) -> Sizes:
        """Return when it ends: the input is empty."""
        return -1, 0, -1

    def covers(self, heads: list[int]) -> bool:
        """Return whether the tree is projective."""
        return is_projective(heads)

    def oracle(self, gold: Gold) -> Oracle:
        """Return the static oracle."""

        def choose(configuration: Configuration) -> int:
            if configuration.stack:
                s, n = configuration.stack[-1], configuration.input[-1]
                if gold.head[s] == n and gold.complete(s, configuration):
                    return RIGHT
                if gold.head[n] == s and gold.complete(n, configuration):
                    return LEFT
            return SHIFT

        return choose
