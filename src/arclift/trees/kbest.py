"""The best trees of one sentence in order, not only the first.

Lawler (1972), after Murty (1968): the best tree of a set of trees splits the rest of the set. For each word
in turn there is the set of those trees that have the same arcs into all words before it, and another arc into
it; these sets are disjoint and hold every tree but the best one. The best tree of each is a maximum spanning
tree over a matrix in which arcs are forbidden. So the next best tree is always at hand: the best of the best
ones of all sets that are left, whose own set is split in turn.

Cost: at most k·n spanning trees for k trees of n words.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count

import numpy as np
from numpy.typing import ArrayLike

from arclift.trees.spanning import Scores, as_scores, spanning_heads, tree_score
from arclift.trees.structure import Heads


def best_spanning_trees(scores: ArrayLike, k: int, *, single_root: bool = True) -> list[Heads]:
    """Return up to ``k`` different trees in order of falling total score; fewer where there are no more.

    ``scores`` are as in `arclift.trees.spanning`. Trees of equal score come in the order they are found.
    """
    matrix = as_scores(scores)
    number = count()  # breaks ties, so that no matrices are compared
    waiting: list[tuple[float, int, Heads, Scores, int]] = []

    def add(allowed: Scores, settled: int) -> None:
        """Note the best tree of a set: the words before ``settled`` have one allowed arc each."""
        heads = spanning_heads(allowed, single_root)
        if heads is not None:
            heappush(waiting, (-tree_score(matrix, heads), next(number), heads, allowed, settled))

    add(matrix, 1)
    found: list[Heads] = []
    while waiting and len(found) < k:
        _, _, heads, allowed, settled = heappop(waiting)
        found.append(heads)
        if len(found) == k:
            break
        fixed = allowed.copy()
        for word in range(settled, len(matrix)):
            head = heads[word - 1]
            others = fixed.copy()
            others[head, word] = -np.inf
            add(others, word)
            fixed[:, word] = -np.inf
            fixed[head, word] = allowed[head, word]
    return found
