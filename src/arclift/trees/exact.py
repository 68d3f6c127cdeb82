"""The scheme ``exact``: labels from which every arc of a tree comes back, by construction.

A lifted arc is labelled ``d↑`` and its syntactic head is marked ``↓``. Lowering takes the lifted arcs in a
fixed order and looks at the marked words in a fixed order of search (``Lowering.marked``): first those
below the linear head, then all others. Where the syntactic head is the k-th of them and k > 1, the label
says so: ``d↑k``. The encoder finds k by running the decoder, with the true head in place of the guess.

Why it cannot fail, by induction over the lifted arcs. Before each step, encoder and decoder have the same
tree (they began with the lifted one), hence the same list of candidates. The syntactic head t of d is in
it: the list has every marked word but the linear head of d and what is below d. t is marked. It is not the
linear head, which is a proper ancestor of t in the original tree. And t is not below d: every word hangs on
its original head or on an original ancestor of that, so that who is below d now was below d in the original
tree, where t is above d. So both move d to t, and have the same tree again. At the end every word has its
original head.

Marking the heads alone, without the rest of the path, and h nowhere, gave the fewest labels of all variants
that were measured (docs/lifting.md).
"""

from __future__ import annotations

import numpy as np

from arclift.native import accelerated
from arclift.trees.lowering import Flags, Ids, Lowering
from arclift.trees.projectivity import tree_lists
from arclift.trees.structure import Heads, Offsets


@accelerated
def ordinals(lifted: Heads, offsets: Offsets, heads: Heads, marks: Flags) -> Ids:
    """Return for each lifted word which of the marked words in search order is its syntactic head, else 0.

    ``lifted`` are the heads after lifting, ``heads`` the original ones; ``marks`` is 1 for syntactic heads.
    """
    if not len(lifted) == len(heads) == len(marks):
        raise ValueError("the arrays differ in length")
    found = np.zeros(len(heads), dtype=np.int32)
    for begin, head in zip(offsets.tolist(), tree_lists(lifted, offsets), strict=False):
        tree = Lowering(head)
        mark = [0, *marks[begin : begin + len(head) - 1].tolist()]
        for d in tree.top_down[1:]:
            target = int(heads[begin + d - 1])
            if target != head[d]:
                found[begin + d - 1] = _ordinal(tree, d, target, mark)
                tree.move(d, target)
    return found


def _ordinal(tree: Lowering, d: int, target: int, mark: list[int]) -> int:
    for k, word in enumerate(tree.marked(d, mark), start=1):
        if word == target:
            return k
    raise ValueError("heads that cannot have been lifted to these")
