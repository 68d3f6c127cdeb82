"""How far a tree is from projective: gap degree, edge degree, well-nestedness, planarity, 2-planarity.

Definitions. The *yield* of a node is the node and all words below it.

- Gap degree (Bodirsky, Kuhlmann & Möhl 2005; Kuhlmann & Nivre 2006): the gaps of a node are the breaks in its
  yield, one less than the intervals it consists of. A tree has the greatest gap degree of its nodes; it is
  projective iff that is 0.
- Edge degree (Nivre 2006, EACL): take the words strictly between the ends of an arc, and the arcs among them.
  The degree of the arc is the number of connected components of this graph whose top is not dominated by the
  arc's head. It is 0 iff the arc is projective, thus always for arcs from 0.
- Well-nested (Bodirsky et al. 2005): no two disjoint yields interleave, that is, have words i1 < j1 < i2 < j2
  with the i in one and the j in the other.
- Planar: no two arcs cross. Arcs from 0 are left out, since 0 has no place among the words (with them at the
  left edge, planar would be projective for trees with one root).
- 2-planar (Yli-Jyrä 2003; Gómez-Rodríguez & Nivre 2010): the arcs, again but for those from 0, can be parted
  into two planar sets; in other words, the graph of which arc crosses which is bipartite.

Costs are stated at each function. Planarity is asked of heads that need not be a tree; the rest need one
and raise a TreeError.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arclift.trees.structure import Tour, as_heads, children, tour

Ints = NDArray[np.int32]
Places = NDArray[np.intp]


def gap_degrees(heads: ArrayLike) -> Ints:
    """Return the gap degree of each word. O(n log n), all of it in NumPy but for the tour.

    The intervals of a yield are its words less its pairs of neighbours (i, i + 1); both words of a pair are
    in the yield iff their lowest common ancestor is. So pairs are counted at their lowest common ancestors,
    and summed over subtrees, which are slices of the preorder.
    """
    array = as_heads(heads)
    shape = tour(array)
    pairs = np.zeros(len(array) + 2, dtype=np.int64)  # pairs[k + 1]: those that meet in the k-th node
    np.add.at(pairs, _meeting_places(array, shape) + 1, 1)
    upto = np.cumsum(pairs)
    words = slice(1, None)
    inside = upto[shape.leave[words]] - upto[shape.enter[words]]
    return (shape.leave[words] - shape.enter[words] - inside - 1).astype(np.int32)


def _meeting_places(heads: Ints, shape: Tour) -> Places:
    """Return for each word but the last the preorder number of its lowest common ancestor with the next one.

    Of the nodes after the earlier one up to the later one in preorder, all are below that ancestor and one is
    its dependent: the least number of a head among them is its own.
    """
    of_head = np.zeros(len(heads) + 1, dtype=np.intp)
    of_head[1:] = shape.enter[heads[shape.order[1:] - 1]]
    here, there = shape.enter[1:-1], shape.enter[2:]
    return _range_minima(of_head, np.minimum(here, there) + 1, np.maximum(here, there) + 1)


def _range_minima(values: Places, begin: Places, end: Places) -> Places:
    """Return the least of ``values[begin:end]`` for each of many ranges, none of them empty.

    A range is covered by two, that may overlap, of the greatest power of two that fits into it; minima over
    all ranges of such a length come from those of half the length (a sparse table, one row at a time).
    """
    found = np.empty(len(begin), dtype=np.intp)
    level = np.frexp((end - begin).astype(np.float64))[1] - 1
    for power in range(int(level.max(initial=-1)) + 1):
        here, width = level == power, 1 << power
        found[here] = np.minimum(values[begin[here]], values[end[here] - width])
        values = np.minimum(values[:-width], values[width:])
    return found


def gap_degree(heads: ArrayLike) -> int:
    """Return the greatest gap degree of a tree's words, 0 for no words."""
    return int(gap_degrees(heads).max(initial=0))


def edge_degrees(heads: ArrayLike) -> Ints:
    """Return the degree of the arc into each word. O(n) and the lengths of all arcs, in NumPy.

    A component between the ends of an arc is a tree, and its top the only word in it whose head is not there.
    So the tops are counted that the arc's head does not dominate.
    """
    array = as_heads(heads)
    shape = tour(array)
    begin = shape.enter[1:]
    degrees = np.zeros(len(array), dtype=np.int32)
    for d, h in enumerate(array.tolist(), start=1):
        low, high = min(h, d), max(h, d)
        if low == 0 or high - low == 1:
            continue
        between = slice(low, high - 1)  # of arrays that begin with word 1
        outer = (array[between] <= low) | (array[between] >= high)
        dominated = (shape.enter[h] <= begin[between]) & (begin[between] < shape.leave[h])
        degrees[d - 1] = np.count_nonzero(outer & ~dominated)
    return degrees


def edge_degree(heads: ArrayLike) -> int:
    """Return the greatest degree of a tree's arcs, 0 for no words."""
    return int(edge_degrees(heads).max(initial=0))


def is_well_nested(heads: ArrayLike) -> bool:
    """Return whether no two disjoint yields interleave.

    If two do, so do those of the dependents, above them, of their lowest common ancestor; and both of these
    have gaps. So only siblings with gaps are compared, all those of one node at once, which costs sorting
    their yields: O(n log n) if few are nested in each other, n times that at worst.
    """
    array = as_heads(heads)
    gaps = np.append(0, gap_degrees(array))
    if np.count_nonzero(gaps) < 2:
        return True
    shape, dependents = tour(array), children(array)
    gapped_dependents = np.bincount(array[gaps[1:] > 0])
    for node in np.flatnonzero(gapped_dependents > 1).tolist():
        words = dependents.of(node)
        if _interleave([shape.below(word) for word in words[gaps[words] > 0].tolist()]):
            return False
    return True


def _interleave(yields: list[Ints]) -> bool:
    owners = np.repeat(np.arange(len(yields)), [len(words) for words in yields])
    owners = owners[np.argsort(np.concatenate(yields))]
    blocks = owners[np.append(True, owners[1:] != owners[:-1])]
    left = np.bincount(blocks).tolist()  # how many blocks of each yield are still to come
    open_yields: list[int] = []
    seen = set()
    for owner in blocks.tolist():
        if owner not in seen:
            seen.add(owner)
            open_yields.append(owner)
        elif open_yields[-1] != owner:
            return True
        left[owner] -= 1
        if not left[owner]:
            open_yields.pop()
    return False


def is_planar(heads: ArrayLike) -> bool:
    """Return whether no two arcs cross, those from 0 left out. O(n log n) in NumPy."""
    return not _crossed(_arcs(heads)).any()


def is_two_planar(heads: ArrayLike) -> bool:
    """Return whether the arcs, those from 0 left out, fall into two sets without crossings.

    Arcs are coloured along crossings, breadth first: whatever crosses an arc gets the other colour, if it has
    none. If any two-colouring is right, this one is. It is right if nothing crosses within a colour, which is
    tested at the end. Each arc that crosses any is held against those without a colour, in one NumPy
    operation. O(n log n) and the square of the number of such arcs; their crossings are never listed.
    """
    arcs = _arcs(heads)
    pending = arcs[_crossed(arcs)]
    sides: tuple[list[Places], list[Places]] = ([], [])
    while len(pending):
        queue = [(pending[0], 0)]
        pending = pending[1:]
        for arc, side in queue:
            sides[side].append(arc)
            left, right = pending[:, 0], pending[:, 1]
            crossing = (left < arc[0]) & (arc[0] < right) & (right < arc[1])
            crossing |= (arc[0] < left) & (left < arc[1]) & (arc[1] < right)
            queue.extend((other, 1 - side) for other in pending[crossing])
            pending = pending[~crossing]
    return not any(_crossed(np.array(side, dtype=np.intp).reshape(-1, 2)).any() for side in sides)


def _arcs(heads: ArrayLike) -> Places:
    """Return the left and the right end of each arc between words whose head is in range."""
    array = as_heads(heads).astype(np.intp)
    words = np.arange(1, len(array) + 1)
    kept = (array > 0) & (array <= len(array)) & (array != words)
    return np.sort(np.stack([array[kept], words[kept]], axis=1), axis=1)


def _crossed(arcs: Places) -> NDArray[np.bool_]:
    """Return for each arc whether any other crosses it: has one end inside it and one outside."""
    left, right = arcs[:, 0], arcs[:, 1]
    beyond = int(right.max(initial=0)) + 1
    least_left = np.full(beyond, beyond)  # of the arcs that end on the right at each word
    np.minimum.at(least_left, right, left)
    most_right = np.zeros(beyond, dtype=np.intp)  # of those that end there on the left
    np.maximum.at(most_right, left, right)
    wide = np.flatnonzero(right - left > 1)
    begin, end = left[wide] + 1, right[wide]
    crossed = np.zeros(len(arcs), dtype=np.bool_)
    crossed[wide] = _range_minima(least_left, begin, end) < left[wide]
    crossed[wide] |= -_range_minima(-most_right, begin, end) > right[wide]
    return crossed
