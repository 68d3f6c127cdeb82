"""Maximum spanning trees over a full matrix of arc scores, with exactly one root if asked.

``scores[h, d]`` is the score of the arc from head h to dependent d; row 0 is the artificial root. Column 0
and the diagonal are ignored; -inf forbids an arc.

Chu & Liu (1965) and Edmonds (1967): take the best arc into every node; where these arcs make a cycle,
contract it to one node, into which an arc (h, d) is worth what it gains over the cycle's own arc into d; go
on; at the end expand the contracted nodes, whose arcs replace one arc of each cycle. In the order of Gabow,
Galil, Spencer & Tarjan (1986): a path grows backwards from some word, always by the best arc into its end,
until it comes to 0 or to something that came there before. There are fewer than n contractions, and fewer
than 2n nodes ever; each costs a few passes over a row of the matrix: O(n²) time. Memory: 2.5 times the
matrix of doubles.

One root. Zmigrod, Vieira & Cotterell (2020), after Gabow & Tarjan (1984), mend a tree of several roots by a
sequence of best swaps, in O(n²) too. Here no such tree arises: scores are ordered as pairs (minus the
number of arcs out of 0, sum of scores), the first before the second. Chu-Liu-Edmonds is exact over any
ordered group, so the tree found has the fewest roots possible and among those the greatest score. In the
pairs' order an arc out of 0 is worse than any other, and a contracted cycle holds no arc out of 0; hence
the whole effect is that the best arc out of 0 is taken where, and only where, no other arc is left. If that
happens twice, there is no tree with one root. No large constant is added to any score, so none loses its
last digits.

Ties: a path starts at the leftmost word that is not yet done, among equally good arcs the one with the
leftmost head is taken, and among equally good ways into a cycle the one that comes first on the path. Both
implementations do the same operations in the same order and give the same tree.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arclift.errors import TreeError
from arclift.native import accelerated
from arclift.trees.structure import Heads, as_heads

Scores = NDArray[np.float64]

_LARGEST = 1e300  # sums and differences of so many scores as memory can hold stay finite


def as_scores(scores: ArrayLike) -> Scores:
    """Return a copy of a score matrix as doubles, with -inf in column 0 and on the diagonal; refuse NaN."""
    matrix = np.array(scores, dtype=np.float64, order="C")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise TreeError(f"scores must be a square matrix of n + 1 rows, not of shape {matrix.shape}")
    matrix[:, 0] = 0.0
    np.fill_diagonal(matrix, 0.0)
    highest, lowest = matrix.max(), matrix.min()
    if np.isneginf(lowest):
        lowest = np.where(np.isneginf(matrix), 0.0, matrix).min()
    if not (highest <= _LARGEST and lowest >= -_LARGEST):  # NaN compares to nothing
        raise TreeError(f"scores must be numbers within ±{_LARGEST:g}, or -inf for an arc that is forbidden")
    matrix[:, 0] = -np.inf
    np.fill_diagonal(matrix, -np.inf)
    return matrix


def tree_score(scores: ArrayLike, heads: ArrayLike) -> float:
    """Return the sum of the scores of a tree's arcs."""
    chosen = as_heads(heads)
    return float(np.asarray(scores)[chosen, np.arange(1, len(chosen) + 1)].sum())


def maximum_spanning_tree(scores: ArrayLike, *, single_root: bool = True) -> Heads:
    """Return the heads of a tree of the greatest total score; a TreeError if there is none."""
    heads = spanning_heads(as_scores(scores), single_root)
    if heads is None:
        kind = "tree with one root" if single_root else "tree"
        raise TreeError(f"there is no {kind} without a forbidden arc (one whose score is -inf)")
    return heads


@accelerated
def spanning_heads(scores: Scores, single_root: bool) -> Heads | None:
    """Return the best heads for scores as ``as_scores`` gives them, None if there is no such tree."""
    return _Contraction(scores, single_root).heads()


class _Contraction:
    """The state of the search. Nodes are 0, the words 1..n, and after them each contracted cycle."""

    def __init__(self, scores: Scores, single_root: bool) -> None:
        self.n = len(scores) - 1
        self.into = scores.T.copy()  # into[row of a node, h]: what the best arc from h into the node is worth
        words = np.arange(self.n + 1, dtype=np.int32)
        self.enters = np.repeat(words[:, None], self.n + 1, axis=1)  # ... and which word it enters
        self.single_root = single_root
        self.roots = 0
        self.row = list(range(self.n + 1))  # of each node
        self.owner = np.arange(self.n + 1)  # the outermost node that holds each word
        self.outer = [0] * (self.n + 1)  # the cycle that holds each node, 0 if it is outermost
        self.arc = [(0, 0)] * (self.n + 1)  # the arc (h, d) chosen into each node
        self.done = {0}

    def heads(self) -> Heads | None:
        for word in range(1, self.n + 1):
            start = int(self.owner[word])
            if start not in self.done and not self.grow([start]):
                return None
        return self.expanded()

    def grow(self, path: list[int]) -> bool:
        """Lengthen a path backwards until it comes to a node that is done; false if it cannot."""
        while True:
            h = self.best_head(self.into[self.row[path[-1]]])
            if h < 0:
                return False
            self.arc[path[-1]] = (h, int(self.enters[self.row[path[-1]], h]))
            node = int(self.owner[h])
            if node in self.done:
                self.done.update(path)
                return True
            if node in path:
                begin = path.index(node)
                path[begin:] = [self.contract(path[begin:])]
            else:
                path.append(node)

    def best_head(self, worth: Scores) -> int:
        first = 1 if self.single_root else 0
        h = first + int(np.argmax(worth[first:]))
        if worth[h] == -np.inf:
            h = 0
            self.roots += 1
        return h if worth[h] > -np.inf and self.roots <= 1 else -1

    def contract(self, cycle: list[int]) -> int:
        """Join the nodes of a cycle; the row of the first becomes that of the new node."""
        kept = self.row[cycle[0]]
        in_cycle = np.zeros(len(self.row), dtype=np.bool_)
        in_cycle[cycle] = True
        members = in_cycle[self.owner]
        best = self.into[kept] - self.chosen(cycle[0])
        for node in cycle[1:]:
            gain = self.into[self.row[node]] - self.chosen(node)
            better = gain > best
            best[better] = gain[better]
            self.enters[kept, better] = self.enters[self.row[node], better]
        best[members] = -np.inf
        self.into[kept] = best
        joined = len(self.row)
        self.row.append(kept)
        self.outer.append(0)
        self.arc.append((0, 0))
        self.owner[members] = joined
        for node in cycle:
            self.outer[node] = joined
        return joined

    def chosen(self, node: int) -> float:
        return float(self.into[self.row[node], self.arc[node][0]])

    def expanded(self) -> Heads:
        """From the outermost nodes inwards: an arc into a node is also that into all that hold its word."""
        heads = np.zeros(self.n, dtype=np.int32)
        settled = [False] * len(self.row)
        for node in range(len(self.row) - 1, 0, -1):
            if settled[node]:
                continue
            h, word = self.arc[node]
            heads[word - 1] = h
            inner = word
            while inner and not settled[inner]:
                settled[inner] = True
                inner = self.outer[inner]
        return heads
