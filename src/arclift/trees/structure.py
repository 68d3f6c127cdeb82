"""What a head array is: a tree or not and why not, and the shape of the tree.

``heads`` is an int32 array; the head of word i (1..n) stands at ``heads[i-1]`` and 0 is the artificial root.
The heads are a tree when each is in 0..n and every word comes to 0 by going from head to head. The words
attached to 0 are the roots; a tree may have several of them. A sentence of no words is a tree.

Functions on one sentence take its heads. Those named ``..._all``, and ``tree_problems``, take the heads of
many sentences one after the other, and ``offsets`` that say where each begins. No function recurses; all are
linear but for ``children``, which sorts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arclift.errors import TreeError
from arclift.native import accelerated

Heads = NDArray[np.int32]
Offsets = NDArray[np.int64]

_INT32 = np.iinfo(np.int32)


def as_heads(heads: ArrayLike) -> Heads:
    """Return integers as a head array; those beyond 32 bits stay wrong, not wrapped into the sentence."""
    array = np.asarray(heads)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise TreeError("heads must be a flat array of integers")
    if array.dtype != np.int32:
        array = np.clip(array, _INT32.min, _INT32.max) if array.size else array
    return np.ascontiguousarray(array, dtype=np.int32)


def head_lists(heads: Heads, offsets: Offsets) -> Iterator[list[int]]:
    """Yield ``[0, *heads]`` of each sentence: ``head[i]`` is the head of word i, as papers write it."""
    bounds = offsets.tolist()
    if not bounds or bounds[0] != 0 or bounds[-1] != len(heads):
        raise ValueError("offsets must begin at 0 and end at the number of words")
    for begin, end in pairwise(bounds):
        if not begin <= end <= len(heads):
            raise ValueError("offsets must not decrease")
        yield [0, *heads[begin:end].tolist()]


def _one(heads: Heads) -> Offsets:
    return np.array([0, len(heads)], dtype=np.int64)


# --- is it a tree? ---------------------------------------------------------------------------------------


class TreeFlaw(IntEnum):
    """What is wrong with a sentence; a tree is what has at most ``SEVERAL_ROOTS``."""

    NONE = 0
    SEVERAL_ROOTS = 1
    MISSING_HEAD = 2
    OUT_OF_RANGE = 3
    SELF_LOOP = 4
    NO_ROOT = 5
    CYCLE = 6


@accelerated
def tree_problems(heads: Heads, offsets: Offsets) -> NDArray[np.uint8]:
    """Return each sentence's ``TreeFlaw``: that of the first wrong head, else of its roots and cycles."""
    return np.array([_flaw(head) for head in head_lists(heads, offsets)], dtype=np.uint8)


def _flaw(head: list[int]) -> TreeFlaw:
    n = len(head) - 1
    for word in range(1, n + 1):
        if head[word] == -1:
            return TreeFlaw.MISSING_HEAD
        if not 0 <= head[word] <= n:
            return TreeFlaw.OUT_OF_RANGE
        if head[word] == word:
            return TreeFlaw.SELF_LOOP
    roots = head[1:].count(0)
    if n and not roots:
        return TreeFlaw.NO_ROOT
    if _cycle(head):
        return TreeFlaw.CYCLE
    return TreeFlaw.SEVERAL_ROOTS if roots > 1 else TreeFlaw.NONE


def _cycle(head: list[int]) -> list[int]:
    """Return the words of one cycle, the leftmost first, each followed by its head; [] if there is none."""
    walk = [0] * len(head)  # the word from which each word was first reached
    walk[0] = -1
    for start in range(1, len(head)):
        word = start
        while not walk[word]:
            walk[word] = start
            word = head[word]
        if walk[word] == start:
            cycle = [word]
            while head[cycle[-1]] != word:
                cycle.append(head[cycle[-1]])
            first = cycle.index(min(cycle))
            return cycle[first:] + cycle[:first]
    return []


@dataclass(frozen=True)
class Problem:
    """The first thing wrong with a sentence: which flaw, in which words, and the wrong head seen there."""

    flaw: TreeFlaw
    words: tuple[int, ...]
    length: int
    head: int | None = None

    def __str__(self) -> str:
        few = [str(word) for word in self.words[:10]]
        more = ["…"] if len(self.words) > len(few) else []
        first = few[0] if few else ""
        match self.flaw:
            case TreeFlaw.MISSING_HEAD:
                return f"word {first} has no head"
            case TreeFlaw.OUT_OF_RANGE:
                return f"the head of word {first} is {self.head}, which is not in 0..{self.length}"
            case TreeFlaw.SELF_LOOP:
                return f"word {first} is its own head"
            case TreeFlaw.NO_ROOT:
                return "no word is attached to the root (head 0)"
            case TreeFlaw.CYCLE:
                return f"words in a cycle: {' → '.join(few + (more or [first]))}"
            case _:
                return f"{len(self.words)} words are attached to the root: {', '.join(few + more)}"


def problem(heads: ArrayLike) -> Problem | None:
    """Return the first thing that keeps the heads from being a tree with one root, None if they are one."""
    array = as_heads(heads)
    flaw = TreeFlaw(int(tree_problems(array, _one(array))[0]))
    n = len(array)
    match flaw:
        case TreeFlaw.NONE:
            return None
        case TreeFlaw.SEVERAL_ROOTS:
            return Problem(flaw, tuple(roots(array).tolist()), n)
        case TreeFlaw.NO_ROOT:
            return Problem(flaw, (), n)
        case TreeFlaw.CYCLE:
            return Problem(flaw, tuple(_cycle([0, *array.tolist()])), n)
    wrong = (array < 0) | (array > n) | (array == np.arange(1, n + 1))
    word = int(np.argmax(wrong)) + 1
    return Problem(flaw, (word,), n, int(array[word - 1]))


def check(heads: ArrayLike, *, single_root: bool = False) -> None:
    """Raise a TreeError that says what is wrong unless the heads are a tree (with one root, if asked)."""
    found = problem(heads)
    if found and (single_root or found.flaw is not TreeFlaw.SEVERAL_ROOTS):
        raise TreeError(str(found))


def is_tree(heads: ArrayLike, *, single_root: bool = False) -> bool:
    """Return whether the heads are a tree (with one root, if asked)."""
    array = as_heads(heads)
    most = TreeFlaw.NONE if single_root else TreeFlaw.SEVERAL_ROOTS
    return bool(tree_problems(array, _one(array))[0] <= most)


def roots(heads: ArrayLike) -> NDArray[np.intp]:
    """Return the words attached to 0."""
    return np.flatnonzero(as_heads(heads) == 0) + 1


def reachable(heads: ArrayLike) -> NDArray[np.bool_]:
    """Return for each word whether it comes to 0; the heads may be anything."""
    dependents = children(heads)
    reached = [0]
    for node in reached:
        reached.extend(dependents.of(node).tolist())
    found = np.zeros(len(dependents.words) + 1, dtype=np.bool_)
    found[reached] = True
    return found[1:]


# --- its shape -------------------------------------------------------------------------------------------


class Children(NamedTuple):
    """The dependents of all nodes in word order: those of h are ``words[starts[h] : starts[h + 1]]``."""

    starts: NDArray[np.intp]
    words: NDArray[np.intp]

    def of(self, node: int) -> NDArray[np.intp]:
        """Return the dependents of a node (0 for the root) from left to right."""
        return self.words[self.starts[node] : self.starts[node + 1]]


def children(heads: ArrayLike) -> Children:
    """Return the dependents of all nodes 0..n; words whose head is out of range are nobody's."""
    array = as_heads(heads)
    order = np.argsort(array, kind="stable")
    return Children(np.searchsorted(array[order], np.arange(len(array) + 2)), order + 1)


def top_down(head: list[int]) -> list[int]:
    """Return 0 and all words, breadth first and from left to right; ``head`` as ``head_lists`` gives it."""
    if not all(0 <= h < len(head) for h in head):
        raise TreeError("a head is out of range")
    dependents: list[list[int]] = [[] for _ in head]
    for word in range(1, len(head)):
        dependents[head[word]].append(word)
    order = [0]
    for node in order:
        order.extend(dependents[node])
    if len(order) != len(head):
        raise TreeError("there is a cycle")
    return order


def _in_each(heads: Heads, offsets: Offsets) -> Iterator[tuple[list[int], list[int]]]:
    for number, head in enumerate(head_lists(heads, offsets), start=1):
        try:
            yield head, top_down(head)
        except TreeError as error:
            raise TreeError(f"sentence {number} is not a tree: {error}") from None


@accelerated
def depths_all(heads: Heads, offsets: Offsets) -> NDArray[np.int32]:
    """Return the depth of each word: the number of arcs from 0 to it, so that roots have depth 1."""
    found: list[int] = []
    for head, order in _in_each(heads, offsets):
        depth = [0] * len(head)
        for word in order[1:]:
            depth[word] = depth[head[word]] + 1
        found += depth[1:]
    return np.array(found, dtype=np.int32)


def depths(heads: ArrayLike) -> NDArray[np.int32]:
    """Return the depth of each word of one sentence, see ``depths_all``."""
    array = as_heads(heads)
    return depths_all(array, _one(array))


@accelerated
def projective_order_all(heads: Heads, offsets: Offsets) -> NDArray[np.int32]:
    """Return the place (1..n) of each word in the projective order <_G (Nivre 2009, ACL).

    This is the in-order traversal of the tree: the dependents to the left of a node (each with all below it,
    in word order), the node, those to its right. With its words in this order the tree is projective; a
    projective tree is in it already.
    """
    found: list[int] = []
    for head, order in _in_each(heads, offsets):
        size = _sizes(head, order)
        left_of = [0] * len(head)  # how many words stand below the left dependents of each node
        for word in order[1:]:
            if word < head[word]:
                left_of[head[word]] += size[word]
        place = [0] * len(head)
        left = [0] * len(head)  # where the next left dependent's words begin; the same for right ones
        right = [1] * len(head)
        for word in order[1:]:
            side = left if word < head[word] else right
            begin = side[head[word]]
            side[head[word]] += size[word]
            place[word] = begin + left_of[word]
            left[word], right[word] = begin, place[word] + 1
        found += place[1:]
    return np.array(found, dtype=np.int32)


def projective_order(heads: ArrayLike) -> NDArray[np.int32]:
    """Return the place of each word of one sentence in its projective order, see ``projective_order_all``."""
    array = as_heads(heads)
    return projective_order_all(array, _one(array))


def _sizes(head: list[int], order: list[int]) -> list[int]:
    size = [1] * len(head)
    for word in reversed(order[1:]):
        size[head[word]] += size[word]
    return size


class Tour(NamedTuple):
    """The nodes 0..n in preorder (a node, then each dependent with all below it, from left to right).

    What is at or below a node is one slice of ``order``, from ``enter[node]`` to ``leave[node]``; ``leave -
    enter`` is the size of the subtree.
    """

    order: NDArray[np.int32]
    enter: NDArray[np.int32]
    leave: NDArray[np.int32]

    def dominates(self, ancestor: ArrayLike, node: ArrayLike) -> NDArray[np.bool_]:
        """Return whether ``node`` is at or below ``ancestor``, for numbers or arrays of them."""
        begin = self.enter[np.asarray(node)]
        above = np.asarray(ancestor)
        return np.asarray((self.enter[above] <= begin) & (begin < self.leave[above]))

    def below(self, node: int) -> NDArray[np.int32]:
        """Return the node and all words below it, in preorder."""
        return self.order[self.enter[node] : self.leave[node]]


def tour(heads: ArrayLike) -> Tour:
    """Return the preorder of a tree."""
    head = [0, *as_heads(heads).tolist()]
    order = top_down(head)
    size = _sizes(head, order)
    enter = [0] * len(head)
    free = [1] * len(head)  # where the next dependent enters
    for word in order[1:]:
        enter[word] = free[head[word]]
        free[head[word]] += size[word]
        free[word] = enter[word] + 1
    begin = np.array(enter, dtype=np.int32)
    preorder = np.empty_like(begin)
    preorder[begin] = np.arange(len(head), dtype=np.int32)
    return Tour(preorder, begin, begin + np.array(size, dtype=np.int32))


def subtree_sizes(heads: ArrayLike) -> NDArray[np.int32]:
    """Return for each word how many words are at or below it."""
    _, enter, leave = tour(heads)
    return (leave - enter)[1:]


def arc_lengths(heads: Heads, offsets: Offsets | None = None) -> NDArray[np.int32]:
    """Return |h - d| for each arc (h, d) of one or many sentences; arcs from 0 have no length and get 0."""
    starts = np.zeros(1, dtype=np.int64) if offsets is None else offsets[:-1]
    ends = np.array([len(heads)]) if offsets is None else offsets[1:]
    words = np.arange(1, len(heads) + 1) - np.repeat(starts, ends - starts)
    return np.where(heads == 0, 0, np.abs(heads - words)).astype(np.int32)
