"""Random and extreme head arrays, for every test of trees.

Each random tree is grown by a function of ``pick(low, high)``, which returns an integer of that closed
range. Given ``random.Random(seed).randint`` it is a plain generator for large trees; given Hypothesis'
``draw`` it is a strategy whose failures shrink. All return heads as arclift keeps them: an int32 array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from heapq import heapify, heappop, heappush
from itertools import product
from random import Random

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

Heads = NDArray[np.int32]
Pick = Callable[[int, int], int]


def array(heads: Iterable[int]) -> Heads:
    """Return heads as the int32 array that arclift works on."""
    return np.array(list(heads), dtype=np.int32)


def concatenated(trees: Iterable[Heads]) -> tuple[Heads, NDArray[np.int64]]:
    """Return the heads of all trees one after the other, and the offsets that part them."""
    kept = list(trees)
    offsets = np.cumsum([0, *(len(heads) for heads in kept)], dtype=np.int64)
    return np.concatenate([array([]), *kept]), offsets


# --- random trees ----------------------------------------------------------------------------------------


def _prufer_heads(sequence: list[int], nodes: range, root: int) -> dict[int, int]:
    """Decode a Prüfer sequence over ``nodes`` and direct the tree's edges away from ``root``.

    The code is a bijection between the sequences of length m-2 and the labelled trees over m nodes (Prüfer
    1918), so that uniform sequences give uniform trees.
    """
    degree = dict.fromkeys(nodes, 1)
    for node in sequence:
        degree[node] += 1
    leaves = [node for node in nodes if degree[node] == 1]
    heapify(leaves)
    neighbours: dict[int, list[int]] = {node: [] for node in nodes}
    last = nodes[-1]  # the greatest label is never taken as a leaf: one end of the edge that is left over
    for node in [*sequence, last][: len(nodes) - 1]:
        leaf = heappop(leaves)
        neighbours[leaf].append(node)
        neighbours[node].append(leaf)
        degree[node] -= 1
        if degree[node] == 1 and node != last:
            heappush(leaves, node)
    heads: dict[int, int] = {}
    reached = [root]
    for node in reached:
        for other in neighbours[node]:
            if other != heads.get(node):
                heads[other] = node
                reached.append(other)
    return heads


def _grow(n: int, pick: Pick, single_root: bool) -> Heads:
    if n == 0:
        return array([])
    if single_root:
        nodes, root = range(1, n + 1), pick(1, n)
    else:
        nodes, root = range(n + 1), 0
    sequence = [pick(nodes[0], n) for _ in range(len(nodes) - 2)]
    heads = _prufer_heads(sequence, nodes, root)
    return array(heads.get(word, 0) for word in range(1, n + 1))


def _grow_projective(n: int, pick: Pick, single_root: bool) -> Heads:
    """Cut 1..n into one (or more) pieces under 0, choose each piece's top, cut again what is beside it."""
    heads = [0] * (n + 1)
    pieces: list[tuple[int, int, int]] = []  # first word, last word, head of the piece's top

    def cut(first: int, last: int, head: int) -> None:
        while first <= last:
            end = pick(first, last)
            pieces.append((first, end, head))
            first = end + 1

    if single_root and n:
        pieces.append((1, n, 0))
    else:
        cut(1, n, 0)
    while pieces:
        first, last, head = pieces.pop()
        top = pick(first, last)
        heads[top] = head
        cut(first, top - 1, top)
        cut(top + 1, last, top)
    return array(heads[1:])


def random_heads(n: int, rng: Random, single_root: bool = True) -> Heads:
    """Return a tree drawn uniformly from all trees over n words (with one root, or with any number)."""
    return _grow(n, rng.randint, single_root)


def random_projective_heads(n: int, rng: Random, single_root: bool = True) -> Heads:
    """Return a random projective tree over n words; each has a chance, not all the same."""
    return _grow_projective(n, rng.randint, single_root)


def nearly_projective_heads(n: int, rng: Random, moved: float = 0.05) -> Heads:
    """Return a projective tree in which a few leaves hang elsewhere: much like a treebank's sentence."""
    heads = random_projective_heads(n, rng)
    inner = set(heads.tolist())
    leaves = [word for word in range(1, n + 1) if word not in inner and heads[word - 1]]
    for leaf in leaves:
        if rng.random() < moved:
            head = rng.randint(1, n)
            if head not in leaves:
                heads[leaf - 1] = head
    return heads


# --- Hypothesis ------------------------------------------------------------------------------------------


def _from_draw(grow: Callable[[int, Pick, bool], Heads]) -> Callable[..., st.SearchStrategy[Heads]]:
    def strategy(
        max_size: int = 12, *, min_size: int = 1, single_root: bool = True
    ) -> st.SearchStrategy[Heads]:
        @st.composite
        def trees(draw: st.DrawFn) -> Heads:
            n = draw(st.integers(min_size, max_size))
            return grow(n, lambda low, high: draw(st.integers(low, high)), single_root)

        return trees()

    return strategy


heads_strategy = _from_draw(_grow)
"""Any tree: ``heads_strategy(max_size=12, *, min_size=1, single_root=True)``; several roots with False."""

projective_strategy = _from_draw(_grow_projective)
"""Any projective tree, with the same parameters."""


def arbitrary_strategy(max_size: int = 12, *, min_size: int = 0) -> st.SearchStrategy[Heads]:
    """Any int32 array: missing heads, heads out of range, loops, cycles, no root, several roots, trees."""

    @st.composite
    def arrays(draw: st.DrawFn) -> Heads:
        n = draw(st.integers(min_size, max_size))
        near = st.integers(-2, n + 2)
        inside = st.integers(0, n)
        extreme = st.sampled_from([-(2**31), 2**31 - 1, -1, n, n + 1])
        entry = draw(st.sampled_from([inside, near, near | extreme]))
        return array(draw(st.lists(entry, min_size=n, max_size=n)))

    return arrays()


def batch_strategy(
    trees: st.SearchStrategy[Heads], max_sentences: int = 4
) -> st.SearchStrategy[tuple[Heads, NDArray[np.int64]]]:
    """Several sentences at once: (heads, offsets), possibly none."""
    return st.lists(trees, max_size=max_sentences).map(concatenated)


# --- extremes --------------------------------------------------------------------------------------------


def chain(n: int) -> Heads:
    """Each word under the one before it: as deep as a tree can be."""
    return array(range(n))


def backward_chain(n: int) -> Heads:
    """Each word under the one after it."""
    return array([*range(2, n + 1), 0][:n])


def star(n: int, centre: int = 1) -> Heads:
    """All words under one."""
    return array(0 if word == centre else centre for word in range(1, n + 1))


def caterpillar(n: int) -> Heads:
    """A chain over the first half of the words, each with one leaf in the other half: all leaf arcs cross."""
    spine = (n + 1) // 2
    return array(word - 1 if word <= spine else word - spine for word in range(1, n + 1))


def interleaved_chains(n: int) -> Heads:
    """The odd words in one chain, the even ones in another that hangs from word 1: neighbours cross."""
    return array(max(word - 2, 0) if word != 2 else 1 for word in range(1, n + 1))


def random_chain(n: int, seed: int = 0) -> Heads:
    """One path through all words in random order: deep, and nearly every arc crosses many."""
    order = list(range(1, n + 1))
    Random(seed).shuffle(order)
    head = dict(zip(order, [0, *order], strict=False))
    return array(head[word] for word in range(1, n + 1))


def random_tree(n: int, seed: int = 0) -> Heads:
    """A uniform random tree."""
    return random_heads(n, Random(seed))


EXTREMES: dict[str, Callable[[int], Heads]] = {
    "chain": chain,
    "backward chain": backward_chain,
    "star": star,
    "star around the last word": lambda n: star(n, n),
    "caterpillar": caterpillar,
    "interleaved chains": interleaved_chains,
    "random chain": random_chain,
    "random tree": random_tree,
}
"""Trees that are bad for somebody, by name: ``EXTREMES[name](n)``, with one root for n >= 1."""


# --- all trees -------------------------------------------------------------------------------------------


def is_tree_by_walking(heads: Iterable[int]) -> bool:
    """Whether each word comes to 0 by going from head to head: the definition, in quadratic time."""
    head = [0, *heads]
    n = len(head) - 1
    if not all(0 <= h <= n for h in head):
        return False
    for word in range(1, n + 1):
        for _ in range(n):
            word = head[word]
        if word:
            return False
    return True


@cache
def all_trees(n: int, single_root: bool = True) -> tuple[tuple[int, ...], ...]:
    """Return all n**(n-1) trees over n words with one root, or all (n+1)**(n-1) with any number of roots."""
    candidates = product(range(n + 1), repeat=n)
    return tuple(
        heads
        for heads in candidates
        if (not single_root or n == 0 or heads.count(0) == 1) and is_tree_by_walking(heads)
    )


def is_projective_by_definition(heads: Iterable[int]) -> bool:
    """Whether each word between a head and its dependent descends from the head (0 dominates everything)."""
    head = [0, *heads]

    def descends(word: int, ancestor: int) -> bool:
        while word and word != ancestor:
            word = head[word]
        return word == ancestor

    return all(
        descends(between, h)
        for word, h in enumerate(head)
        if word
        for between in range(min(word, h) + 1, max(word, h))
    )
