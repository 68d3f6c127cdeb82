"""Repair: any array of integers in, one tree out, as few heads changed as possible.

Policy. Heads that are missing or out of range are cut, and so is the longest arc of each cycle (on a tie
the one with the leftmost dependent), since attachment is the less reliable the longer the arc (McDonald &
Nivre 2007). A word that is its own head is a cycle of one. What is left is a forest. Its main top is the
one with the most words at or below it among the roots, or, if no word is attached to 0, among the words
that were cut (on a tie the leftmost). The main top is attached to 0, all other tops to the main one; with
``single_root=False`` the other roots stay roots. A tree that is already as asked comes back unchanged.

Fewest changes. Let b be the number of bad heads, c of cycles and r of roots. Every bad head must change; so
must one head in each cycle, and all but one of the roots (if only one may stay). No word is counted twice,
so b + c + max(r - 1, 0) changes are needed, or b + c with several roots allowed. No more are made here.

With one root, joining trees makes no arc non-projective: the main top dominates every word, so that arcs
out of it are projective, and what is below any other node is not changed by attaching whole trees to it.

Cost: linear.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from arclift.errors import TreeError
from arclift.native import accelerated
from arclift.trees.structure import Heads, Offsets, as_heads, head_lists


@accelerated
def repair_all(heads: Heads, offsets: Offsets, *, single_root: bool = True) -> Heads:
    """Return the heads of many sentences, each made a tree."""
    repaired: list[int] = []
    for head in head_lists(heads, offsets):
        repaired += _repaired(head, single_root)[1:]
    return np.array(repaired, dtype=np.int32)


def repair(heads: ArrayLike, *, single_root: bool = True) -> Heads:
    """Return the heads of one sentence, made a tree; the module says how."""
    array = as_heads(heads)
    return repair_all(array, np.array([0, len(array)], dtype=np.int64), single_root=single_root)


def complete(heads: ArrayLike, kept: ArrayLike, *, single_root: bool = True) -> Heads:
    """Return a tree with all heads of ``kept`` that are not -1, and else like ``heads``, repaired.

    A ``TreeError`` if no tree has the kept heads: they are out of range, make a cycle, or several roots where
    one is asked for.
    Where there is a kept root it is the main top; only arcs that are not kept are cut.
    """
    kept = as_heads(kept)
    if kept.size and not -1 <= kept.min() <= kept.max() <= len(kept):
        raise TreeError(f"heads to be kept are -1 or in 0..{len(kept)}")
    head = [0, *np.where(kept >= 0, kept, as_heads(heads)).tolist()]
    return np.array(_repaired(head, single_root, [False, *(kept >= 0).tolist()])[1:], dtype=np.int32)


def filled(heads: Heads, offsets: Offsets) -> Heads:
    """Return the heads of many sentences, those that are -1 filled in: a tree wherever that can be done.

    The words without a head go to the first root of their sentence, the first of them to 0 if there is none.
    """
    done = heads.copy()
    missing = np.flatnonzero(heads == _CUT)
    for sentence in np.unique(np.searchsorted(offsets, missing, side="right") - 1).tolist():
        own = done[offsets[sentence] : offsets[sentence + 1]]  # a view
        roots = np.flatnonzero(own == 0)
        top = int(roots[0]) if len(roots) else int(np.argmax(own == _CUT))
        own[own == _CUT] = top + 1
        own[top] = 0
    return done


_CUT = -1


def _repaired(head: list[int], single_root: bool, kept: Sequence[bool] = ()) -> list[int]:
    n = len(head) - 1
    for word in range(1, n + 1):
        if not 0 <= head[word] <= n:
            head[word] = _CUT
    size = _cut_cycles(head, kept)
    tops = [word for word in range(1, n + 1) if head[word] == 0]
    if kept_tops := [word for word in tops if kept and kept[word]]:
        if single_root and len(kept_tops) > 1:
            raise TreeError(f"the words {kept_tops[0]} and {kept_tops[1]} are to be roots, and one may be")
        tops = kept_tops
    candidates = tops or [word for word in range(1, n + 1) if head[word] == _CUT]
    main = max(candidates, key=lambda top: size[top], default=0)
    for word in range(1, n + 1):
        if head[word] == _CUT or (head[word] == 0 and single_root):
            head[word] = main
    if main:
        head[main] = 0
    return head


def _cut_cycles(head: list[int], kept: Sequence[bool] = ()) -> list[int]:
    """Cut the longest arc of each cycle that is not kept; return how many words are at or below each top."""
    top = [0] * len(head)
    size = [0] * len(head)
    for start in range(1, len(head)):
        walk = []
        word = start
        while not top[word]:
            top[word] = _CUT  # on this walk
            walk.append(word)
            if head[word] <= 0:
                break
            word = head[word]
        if top[word] == _CUT:
            if head[word] > 0:
                cycle = walk[walk.index(word) :]
                loose = [word for word in sorted(cycle) if not (kept and kept[word])]
                if not loose:
                    raise TreeError(f"the heads of the words {sorted(cycle)} make a cycle")
                word = max(loose, key=lambda d: abs(head[d] - d))
                head[word] = _CUT
            top[word] = word
        for passed in walk:
            top[passed] = top[word]
            size[top[word]] += 1
    return size
