"""Which arcs of a tree are projective (Nivre & Nilsson 2005, section 2).

The arc from h to d is projective iff h dominates every word strictly between h and d; a tree is projective
iff all its arcs are. The artificial root 0 stands at position 0 and dominates every word: its own arcs are
always projective, and an arc that covers a word attached to 0 never is (the paper has no such node and asks
for connected graphs; on those both readings agree).

The test is linear. For each node we find its reach, the nearest words on both sides that it does not
dominate; an arc is projective iff the dependent stands within the reach of its head. The compiled loop tries
a single pass with a stack first, which projective trees survive.
"""

from __future__ import annotations

from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arclift.errors import TreeError
from arclift.native import accelerated
from arclift.trees.structure import (
    Heads,
    Offsets,
    TreeFlaw,
    as_heads,
    head_lists,
    problem,
    tour,
    tree_problems,
)


def tree_lists(heads: Heads, offsets: Offsets) -> list[list[int]]:
    """Return ``[0, *heads]`` of each sentence; raise ``TreeError`` unless all are trees."""
    sentences = list(head_lists(heads, offsets))
    for sentence in np.flatnonzero(tree_problems(heads, offsets) > TreeFlaw.SEVERAL_ROOTS).tolist():
        refuse(sentence, sentences[sentence][1:])
    return sentences


def refuse(sentence: int, heads: list[int]) -> NoReturn:
    """Raise the ``TreeError`` that says why these heads, of the sentence with this index, are no tree."""
    raise TreeError(f"sentence {sentence + 1}: {problem(heads)}")


def reach(head: list[int]) -> tuple[list[int], list[int]]:
    """Return for each node the nearest words left and right that it does not dominate (-1, n + 1: none).

    From h to the right, a word that h dominates is passed together with all that it dominates itself on that
    side, up to its own reach. A word passed so is never looked at again: linear.
    """
    n = len(head) - 1
    shape = tour(np.array(head[1:], dtype=np.int32))
    enter, leave = shape.enter.tolist(), shape.leave.tolist()
    left, right = [-1] * (n + 1), [n + 1] * (n + 1)
    for nodes, step, beyond in ((range(1, n + 1), -1, left), (range(n, 0, -1), 1, right)):
        for h in nodes:
            word = h + step
            while 1 <= word <= n and enter[h] <= enter[word] < leave[h]:
                word = beyond[word]
            beyond[h] = word
    return left, right


def crossing(head: list[int]) -> list[int]:
    """Return the words whose arcs are non-projective: those that stand beyond the reach of their heads."""
    left, right = reach(head)
    return [d for d in range(1, len(head)) if not left[head[d]] < d < right[head[d]]]


@accelerated
def nonprojective(heads: Heads, offsets: Offsets) -> NDArray[np.uint8]:
    """Return 1 for each word whose arc is non-projective, else 0. ``TreeError`` where heads are no tree."""
    found = np.zeros(len(heads), dtype=np.uint8)
    for begin, head in zip(offsets.tolist(), tree_lists(heads, offsets), strict=False):
        found[[begin + d - 1 for d in crossing(head)]] = 1
    return found


def nonprojective_arcs(heads: ArrayLike) -> NDArray[np.bool_]:
    """Return which words of one sentence have a non-projective arc."""
    one = as_heads(heads)
    return nonprojective(one, np.array([0, len(one)], dtype=np.int64)).astype(bool)


def is_projective(heads: ArrayLike) -> bool:
    """Return whether the tree of one sentence is projective."""
    return not nonprojective_arcs(heads).any()
