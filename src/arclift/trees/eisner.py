"""Maximum projective trees over a full matrix of arc scores, with exactly one root if asked.

Eisner (1996), first order. Conventions (``scores[h, d]``, -inf, errors) are those of
``arclift.trees.spanning``. A tree is projective when each word between a head and its dependent descends
from the head; 0, to the left of all words, dominates everything.

Two tables over pairs of words. C[h, m], complete: the best tree over the words from h to m (in either
direction) with top h. I[h, d], incomplete: the best pair of trees that meet between h and d, joined by the
arc from h to d. For i < j:

    inner   = max over i <= q < j of  C[i, q] + C[j, q+1]
    I[i, j] = inner + scores[i, j]        C[i, j] = max over i < q <= j of  I[i, q] + C[q, j]
    I[j, i] = inner + scores[j, i]        C[j, i] = max over i <= q < j of  I[j, q] + C[q, i]

The root stays out of the tables: with one root r the tree is worth scores[0, r] + C[r, 1] + C[r, n], and
the best r is taken, so the constraint is exact at no cost. With several roots, each new root r takes the
words from where the forest to its left ends, in O(n²) more.

There are no back pointers: the tree is read off by looking again for the first q that gives the maximum,
O(n²) in all, which also settles ties. Cost: O(n³) time, O(n²) memory; n³/2 additions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from arclift.errors import TreeError
from arclift.native import accelerated
from arclift.trees.spanning import Scores, as_scores
from arclift.trees.structure import Heads


def eisner(scores: ArrayLike, *, single_root: bool = True) -> Heads:
    """Return the heads of a projective tree of the greatest total score; a TreeError if there is none."""
    heads = eisner_heads(as_scores(scores), single_root)
    if heads is None:
        kind = "projective tree with one root" if single_root else "projective tree"
        raise TreeError(f"there is no {kind} without a forbidden arc (one whose score is -inf)")
    return heads


@accelerated
def eisner_heads(scores: Scores, single_root: bool) -> Heads | None:
    """Return the best projective heads for scores as ``as_scores`` gives them, None if there are none."""
    n = len(scores) - 1
    complete, incomplete = _tables(scores)
    forest = np.full(n + 1, -np.inf)  # the best trees over words 1..j, their tops attached to 0
    forest[0] = 0.0
    topped = np.full(n + 1, -np.inf)  # the best forest over words 1..r in which r is the last root
    for r in range(1, n + 1):
        topped[r] = scores[0, r] + (forest[:r] + complete[r, 1 : r + 1]).max()
        if not single_root:
            forest[r] = (topped[1 : r + 1] + complete[1 : r + 1, r]).max()
    heads = np.zeros(n, dtype=np.int32)
    last = n
    while last:
        worth = topped[1 : last + 1] + complete[1 : last + 1, last]
        r = 1 + int(np.argmax(worth))
        if worth[r - 1] == -np.inf:
            return None
        q = int(np.argmax(forest[:r] + complete[r, 1 : r + 1]))
        _read_off(complete, incomplete, r, last, heads)
        _read_off(complete, incomplete, r, q + 1, heads)
        last = q
    return heads


def _tables(scores: Scores) -> tuple[Scores, Scores]:
    complete = np.full_like(scores, -np.inf)
    np.fill_diagonal(complete, 0.0)
    incomplete = np.full_like(scores, -np.inf)
    for j in range(2, len(scores)):
        for i in range(j - 1, 0, -1):
            inner = (complete[i, i:j] + complete[j, i + 1 : j + 1]).max()
            incomplete[i, j] = inner + scores[i, j]
            incomplete[j, i] = inner + scores[j, i]
            complete[i, j] = (incomplete[i, i + 1 : j + 1] + complete[i + 1 : j + 1, j]).max()
            complete[j, i] = (incomplete[j, i:j] + complete[i:j, i]).max()
    return complete, incomplete


def _read_off(complete: Scores, incomplete: Scores, top: int, end: int, heads: Heads) -> None:
    """Enter the heads of the best tree over the words from ``top`` to ``end``."""
    spans = [(top, end)]
    while spans:
        h, m = spans.pop()
        if h == m:
            continue
        first, beyond = (h + 1, m + 1) if h < m else (m, h)
        d = first + int(np.argmax(incomplete[h, first:beyond] + complete[first:beyond, m]))
        heads[d - 1] = h
        i, j = min(h, d), max(h, d)
        q = i + int(np.argmax(complete[i, i:j] + complete[j, i + 1 : j + 1]))
        spans += [(d, m), (i, q), (j, q + 1)]
