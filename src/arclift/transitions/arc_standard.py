"""Arc-standard (Nivre 2004; here over the two topmost nodes of the stack, as in Nivre 2009, section 3).

The form that works on the top of the stack and the next word is that of Yamada & Matsumoto, ``yamada``.

Bound: every shift takes one of the n words off the input, which never grows; every arc takes one of them off
the stack, where 0 stays, as the last. So each run has exactly 2n transitions.

Static oracle (Nivre 2004): link the two topmost nodes as soon as the dependent is complete. When nothing is
left to shift, which in projective trees means the end, gold arcs are added although the dependent is not
complete, and if there is none, the top is attached (what is below it, if only that is complete).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from arclift.transitions.configuration import Configuration
from arclift.transitions.gold import Gold
from arclift.transitions.system import Oracle, Root, Sizes, System
from arclift.trees.projectivity import is_projective

SHIFT, LEFT, RIGHT = range(3)


@dataclass(frozen=True, kw_only=True)
class ArcStandard(System):
    """Bottom-up parsing of projective trees; the root is on the stack from the start."""

    name: ClassVar[str] = "arc_standard"
    root: ClassVar[Root] = "first"

    def texts(self) -> tuple[str, ...]:
        """Return the rules."""
        return (
            "shift: | n | -> n | |",
            "left: s1 s2 | | -> s1 | | ; s1 > s2 ; s2 is not root",
            "right: s1 s2 | | -> s2 | | ; s2 > s1",
        )

    def bound(self, words: int) -> int:
        """Return 2n."""
        return 2 * words

    @property
    def final(self) -> Sizes:
        """Return when it ends: only the root is left."""
        return 1, 0, -1

    def covers(self, heads: list[int]) -> bool:
        """Return whether the tree is projective."""
        return is_projective(heads)

    def oracle(self, gold: Gold) -> Oracle:
        """Return the static oracle."""
        return lambda configuration: link_or_shift(configuration, gold)


def link(configuration: Configuration, gold: Gold) -> int | None:
    """Return the transition that adds a gold arc between the topmost nodes, to a complete dependent."""
    stack = configuration.stack
    if len(stack) > 1:
        below, top = stack[-2:]
        if gold.head[below] == top and gold.complete(below, configuration):
            return LEFT
        if gold.head[top] == below and gold.complete(top, configuration):
            return RIGHT
    return None


def link_or_shift(configuration: Configuration, gold: Gold) -> int:
    """Return what the oracle of arc-standard does: a gold arc, else a shift, else what ends the run."""
    transition = link(configuration, gold)
    if transition is not None:
        return transition
    if configuration.input:
        return SHIFT
    below, top = configuration.stack[-2:]
    if gold.head[top] == below or not below:
        return RIGHT
    if gold.head[below] == top or (gold.complete(below, configuration) > gold.complete(top, configuration)):
        return LEFT
    return RIGHT
