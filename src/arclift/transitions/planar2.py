"""The 2-planar system (Gómez-Rodríguez & Nivre 2010): two stacks, one for each plane of arcs.

S is the active stack, T the inactive one; shift pushes the word on both, switch exchanges them, and an arc
between the top of S and the next word moves nothing. There is no root; what is headless at the end is one.

"No undirected path" between the ends of a new arc, as the paper asks for, is here "no path" from its
dependent to its head: the dependent being headless, it is the top of all it is connected with, so both say
the same.

Bound: n shifts; at most n - 1 arcs; each word but the last is reduced at most once from each stack, before
the last shift, which ends the run. These are 4n - 3 transitions, before each of which there may be one
switch: at most 8n - 6.

Static oracle. The gold arcs are parted into two planes; in the end an arc is in none if it crosses both. In
the plane of the active stack: a gold arc between the top and the next word, if there is one; reduce, if one
is to come between that word and a node below the top. Else switch, if one is to come in the other plane; else
shift. It rebuilds all trees that are 2-planar (``trees.planarity``, arcs from 0 left out). A component of
crossing arcs is coloured from its leftmost arc, which is in the first plane.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arclift.transitions.configuration import Configuration
from arclift.transitions.gold import Gold
from arclift.transitions.system import Oracle, Root, Sizes, System
from arclift.trees.planarity import is_planar, is_two_planar

SHIFT, LEFT, RIGHT, REDUCE, SWITCH = range(5)


@dataclass(frozen=True, kw_only=True)
class Planar2(System):
    """Trees whose arcs fall into two sets without crossings."""

    name: ClassVar[str] = "planar2"
    root: ClassVar[Root] = "none"

    def texts(self) -> tuple[str, ...]:
        """Return the rules."""
        return (
            "shift: | n | -> n | | n",
            "left: s | n | -> s | n | ; n > s ; s is headless, no path s to n",
            "right: s | n | -> s | n | ; s > n ; n is headless, no path n to s",
            "reduce: s | | -> | |",
            "switch: S* | | T* -> T* | | S* ; ; last was not switch",
        )

    def bound(self, words: int) -> int:
        """Return 8n - 6."""
        return max(8 * words - 6, 0)

    @property
    def final(self) -> Sizes:
        """Return when it ends: the input is empty."""
        return -1, 0, -1

    def covers(self, heads: list[int]) -> bool:
        """Return whether the tree is 2-planar."""
        return is_two_planar(heads)

    def oracle(self, gold: Gold) -> Oracle:
        """Return the static oracle."""
        plane = planes(gold.head)
        leftmost = [_leftmost(gold, plane, side) for side in (0, 1)]
        counted = [0, 0]  # how much of the history has been looked at, and the active plane then

        def active_plane(configuration: Configuration) -> int:
            history = configuration.history
            if len(history) < counted[0]:
                counted[:] = [0, 0]
            counted[1] ^= history[counted[0] :].count(SWITCH) & 1
            counted[0] = len(history)
            return counted[1]

        def waits(configuration: Configuration, side: int) -> bool:
            n = configuration.input[-1]
            other = leftmost[side][n]
            return other > 0 and configuration.head[other if gold.head[other] == n else n] < 0

        def choose(configuration: Configuration) -> int:
            active = active_plane(configuration)
            stack, head = configuration.stack, configuration.head
            if stack and waits(configuration, active):
                s, n = stack[-1], configuration.input[-1]
                if gold.head[s] == n and plane[s] == active and head[s] < 0:
                    return LEFT
                if gold.head[n] == s and plane[n] == active and head[n] < 0:
                    return RIGHT
                return REDUCE
            if configuration.second and waits(configuration, 1 - active):
                return SWITCH
            return SHIFT

        return choose


def _leftmost(gold: Gold, plane: list[int], side: int) -> list[int]:
    """Return for each word the leftmost word before it that an arc of this plane links it with; 0: none."""
    found = [0] * len(gold.head)
    for word in range(len(gold.head) - 1, 0, -1):
        if plane[word] == side:
            left, right = sorted((word, gold.head[word]))
            found[right] = min(found[right] or left, left)
    return found


def planes(head: list[int]) -> list[int]:
    """Return for each node the plane of the arc into it: 0, 1, or -1 if it is in none or there is no arc.

    Arcs are coloured along crossings, breadth first; one that crosses arcs of both planes is left out.
    """
    plane = [-1 if h <= 0 else 0 for h in head]
    heads = np.array(head[1:], dtype=np.int32)
    if is_planar(heads):
        return plane
    words = np.flatnonzero(heads > 0) + 1
    ends = np.sort(np.stack([heads[words - 1], words], axis=1), axis=1)
    arcs = np.column_stack([ends, words])[np.lexsort((-ends[:, 1], ends[:, 0]))]
    sides: tuple[list[int], list[int]] = ([], [])  # the words of each plane
    while len(arcs):
        queue = [(arcs[0], 0)]
        arcs = arcs[1:]
        for (low, high, word), side in queue:
            for choice in (side, 1 - side):
                if not _crosses(low, high, sides[choice], head):
                    sides[choice].append(int(word))
                    break
            left, right = arcs[:, 0], arcs[:, 1]
            crossing = (left < low) & (low < right) & (right < high)
            crossing |= (low < left) & (left < high) & (high < right)
            queue.extend((other, 1 - side) for other in arcs[crossing])
            arcs = arcs[~crossing]
    kept = [-1] * len(head)
    for side, members in enumerate(sides):
        for word in members:
            kept[word] = side
    return kept


def _crosses(low: int, high: int, words: list[int], head: list[int]) -> bool:
    """Return whether the arc with these ends crosses the arc into any of the words."""
    for word in words:
        left, right = (word, head[word]) if word < head[word] else (head[word], word)
        if left < low < right < high or low < left < high < right:
            return True
    return False
