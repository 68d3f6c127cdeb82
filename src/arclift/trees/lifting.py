"""PROJECTIVIZE: the projective tree that is nearest in lifts (Nivre & Nilsson 2005, section 2).

As long as an arc is non-projective, the smallest of them (the shortest from head to dependent in the tree
as it stands) is lifted one step: its dependent goes from its head h to the head of h. Ties are broken from
left to right, which we read as "the leftmost dependent", as MaltParser does. Arcs from the artificial root
are always projective, so a lift is always possible, and each brings a word nearer to the root: it ends.

The twin here is the paper's text. The compiled loop knows that a lift from h can only make other arcs of h
non-projective, keeps the reach of each node, and takes arcs from a queue: a lift costs the logarithm of the
queue and, where the reach of h might shrink, a climb from the nearest words of h to the lifted one.
Treebanks are lifted in time linear in their words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arclift.native import accelerated
from arclift.trees.projectivity import crossing, tree_lists
from arclift.trees.structure import Heads, Offsets


class Lifted(NamedTuple):
    """What lifting gives: the heads, how often each word was lifted, and 1 where one was lifted past."""

    heads: Heads
    lifts: NDArray[np.int32]
    path: NDArray[np.uint8]


def lift_all(heads: Heads, offsets: Offsets) -> Lifted:
    """Lift the arcs of all trees until they are projective. ``TreeError`` where heads are no tree."""
    return Lifted(*projectivize(heads, offsets))


@accelerated
def projectivize(heads: Heads, offsets: Offsets) -> tuple[Heads, NDArray[np.int32], NDArray[np.uint8]]:
    """Return the fields of ``Lifted``: heads, numbers of lifts, and the path.

    On the path is what was the head in some lift: the syntactic head of a lifted word, and all words on the
    way from there to its linear head.
    """
    lifted: list[int] = []
    lifts: list[int] = []
    path: list[int] = []
    for head in tree_lists(heads, offsets):
        count, jumped = _projectivize(head)
        lifted += head[1:]
        lifts += count[1:]
        path += jumped[1:]
    return (
        np.array(lifted, dtype=np.int32),
        np.array(lifts, dtype=np.int32),
        np.array(path, dtype=np.uint8),
    )


def _projectivize(head: list[int]) -> tuple[list[int], list[int]]:
    """Lift in place; return the number of lifts of each node and whether it was jumped over."""
    lifts, path = [0] * len(head), [0] * len(head)
    while arcs := crossing(head):
        d = min(arcs, key=lambda d: (abs(head[d] - d), d))
        path[head[d]] = 1
        lifts[d] += 1
        head[d] = head[head[d]]
    return lifts, path
