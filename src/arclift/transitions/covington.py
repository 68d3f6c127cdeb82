"""Covington's list-based system (Covington 2001), as transitions (Nivre 2008), for all trees.

S is λ1, T is λ2. For each word all those before it are looked at, from right to left; shift moves those that
were passed back to S, in order. The root is at the bottom of S.

With ``projective`` a node that an arc covers is dropped, so that nothing can cross the arc: left and right
empty T, left drops s as well, and right takes n to the stack. A node is passed only if it has a head. This
system finds exactly the projective forests.

Bound: n shifts (or right arcs that shift); before the shift of word j, each other transition moves one of
at most j nodes off S. So there are at most n + n(n+1)/2 transitions.

Static oracle: a gold arc between the top and the next word, if there is one; else on to the left, if one is
there; else shift.

Dynamic oracle, for the non-projective system (Gómez-Rodríguez & Fernández-González 2015): the loss of a
configuration is |U| + the number of cycles in A ∪ I. U are the gold arcs that cannot be added any more: (a)
the pair has been passed; (b) the dependent has another head; (c) both ends are connected in A. I are the
other gold arcs that A has not. The cost of a transition is the loss it adds. Exact for all trees; O(n) for
each transition.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from arclift.errors import UsageError
from arclift.transitions.configuration import Configuration
from arclift.transitions.gold import Gold
from arclift.transitions.system import NOT_PERMITTED, Oracle, Root, Sizes, System
from arclift.trees.projectivity import is_projective

SHIFT, LEFT, RIGHT, NO_ARC = range(4)


@dataclass(frozen=True, kw_only=True)
class Covington(System):
    """Every pair of words is looked at once."""

    name: ClassVar[str] = "covington"
    root: ClassVar[Root] = "first"
    projective: bool = False

    @property
    def dynamic(self) -> bool:  # type: ignore[override]
        """The dynamic oracle is that of the non-projective system."""
        return not self.projective

    def texts(self) -> tuple[str, ...]:
        """Return the rules."""
        if self.projective:
            return (
                "shift: | n | T* -> n T^R | |",
                "left: s | n | T* -> | n | ; n > s ; s is headless, s is not root",
                "right: s | n | T* -> n s | | ; s > n ; n is headless",
                "no_arc: s | n | -> | n | s ; ; s has a head",
            )
        return (
            "shift: | n | T* -> n T^R | |",
            "left: s | n | -> | n | s ; n > s ; s is headless, s is not root, no path s to n",
            "right: s | n | -> | n | s ; s > n ; n is headless, no path n to s",
            "no_arc: s | n | -> | n | s",
        )

    def bound(self, words: int) -> int:
        """Return n + n(n+1)/2."""
        return words + words * (words + 1) // 2

    @property
    def final(self) -> Sizes:
        """Return when it ends: the input is empty."""
        return -1, 0, -1

    def covers(self, heads: list[int]) -> bool:
        """Return True, with ``projective`` whether the tree is projective."""
        return not self.projective or is_projective(heads)

    def oracle(self, gold: Gold) -> Oracle:
        """Return the static oracle."""

        def choose(configuration: Configuration) -> int:
            if not configuration.stack:
                return SHIFT
            s, n = configuration.stack[-1], configuration.input[-1]
            free = configuration.head[s] < 0
            if gold.head[s] == n and free:
                return LEFT
            if gold.head[n] == s:
                return RIGHT
            dependents = gold.dependents[n]
            left = bool(dependents) and dependents[0] < s and configuration.head[dependents[0]] < 0
            more = left or (gold.head[n] < s and configuration.head[n] < 0)
            return NO_ARC if more and not (free and self.projective) else SHIFT

        return choose

    def costs(self, configuration: Configuration, gold: Gold) -> list[int]:
        """Return the loss that each transition adds, -1 where it is not permitted."""
        if self.projective:
            raise UsageError("projective covington has no dynamic oracle")
        costs = [NOT_PERMITTED] * len(self.rules)
        now = loss(configuration, gold)
        for transition in self.permitted(configuration):
            after = configuration.copy()
            self.apply(after, transition)
            costs[transition] = loss(after, gold) - now
        return costs


def loss(configuration: Configuration, gold: Gold) -> int:
    """Return how many gold arcs no continuation can have."""
    words = range(1, len(gold.head))
    built = configuration.head
    focus = configuration.input[-1] if configuration.input else len(gold.head)
    passed = set(configuration.second)
    lost = 0
    union = built.copy()  # the heads of A ∪ I
    for word in words:
        head = gold.head[word]
        if built[word] == head:
            continue
        left, right = min(head, word), max(head, word)
        gone = right < focus or (right == focus and left in passed)
        if gone or built[word] >= 0 or configuration.top(head) == configuration.top(word):
            lost += 1
        else:
            union[word] = head
    return lost + _cycles(union)


def _cycles(head: list[int]) -> int:
    """Return the number of cycles of a graph in which each node has at most one head."""
    seen = [0] * len(head)  # the walk that came by
    cycles = 0
    for start in range(1, len(head)):
        node = start
        while node >= 0 and not seen[node]:
            seen[node] = start
            node = head[node]
        cycles += node >= 0 and seen[node] == start
    return cycles
