"""Is it a tree, what is wrong with it, and what shape it has."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arclift.errors import TreeError
from arclift.trees import structure
from arclift.trees.structure import Problem, TreeFlaw
from strategies import (
    EXTREMES,
    all_trees,
    arbitrary_strategy,
    array,
    batch_strategy,
    concatenated,
    heads_strategy,
    is_projective_by_definition,
    is_tree_by_walking,
    projective_strategy,
    random_heads,
)
from twins import agreed

FLAWS = [
    ([], TreeFlaw.NONE, None),
    ([0], TreeFlaw.NONE, None),
    ([2, 0, 2], TreeFlaw.NONE, None),
    ([0, 1, 0], TreeFlaw.SEVERAL_ROOTS, "2 words are attached to the root: 1, 3"),
    ([0] * 12, TreeFlaw.SEVERAL_ROOTS, "12 words are attached to the root: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …"),
    ([0, -1, 9], TreeFlaw.MISSING_HEAD, "word 2 has no head"),
    ([0, 9, -1], TreeFlaw.OUT_OF_RANGE, "the head of word 2 is 9, which is not in 0..3"),
    ([0, 1, -2], TreeFlaw.OUT_OF_RANGE, "the head of word 3 is -2, which is not in 0..3"),
    ([0, 1, 2**31 - 1], TreeFlaw.OUT_OF_RANGE, "the head of word 3 is 2147483647, which is not in 0..3"),
    ([1], TreeFlaw.SELF_LOOP, "word 1 is its own head"),
    ([0, 2, -1], TreeFlaw.SELF_LOOP, "word 2 is its own head"),
    ([2, 1], TreeFlaw.NO_ROOT, "no word is attached to the root (head 0)"),
    ([3, 4, 0, 5, 2, 2], TreeFlaw.CYCLE, "words in a cycle: 2 → 4 → 5 → 2"),
    ([0, *range(3, 14), 2], TreeFlaw.CYCLE, "words in a cycle: 2 → 3 → 4 → 5 → 6 → 7 → 8 → 9 → 10 → 11 → …"),
]


@pytest.mark.parametrize(("heads", "flaw", "message"), FLAWS)
def test_the_first_problem_is_named(heads, flaw, message):
    found = structure.problem(heads)
    assert agreed("tree_problems", *concatenated([array(heads)])).tolist() == [flaw]
    assert (found and found.flaw, found and str(found)) == (flaw or None, message)


def test_a_problem_knows_its_words_and_the_head_it_saw():
    assert structure.problem([0, 1, 7]) == Problem(TreeFlaw.OUT_OF_RANGE, (3,), 3, 7)
    assert structure.problem([3, 3, 1, 0]) == Problem(TreeFlaw.CYCLE, (1, 3), 4)


@given(arbitrary_strategy(7))
def test_a_tree_is_where_every_word_comes_to_the_root(heads):
    flaw = agreed("tree_problems", *concatenated([heads]))[0]
    tree = is_tree_by_walking(heads.tolist())
    several = np.count_nonzero(heads == 0) > 1
    assert (flaw <= TreeFlaw.SEVERAL_ROOTS) == tree
    assert (flaw == TreeFlaw.SEVERAL_ROOTS) == (tree and several)
    assert structure.is_tree(heads) == tree
    assert structure.is_tree(heads, single_root=True) == (tree and not several)


@given(arbitrary_strategy(7))
def test_check_raises_where_is_tree_denies(heads):
    for single_root in (False, True):
        if structure.is_tree(heads, single_root=single_root):
            structure.check(heads, single_root=single_root)
        else:
            with pytest.raises(TreeError, match=r"word"):
                structure.check(heads, single_root=single_root)


@given(batch_strategy(arbitrary_strategy(7)))
def test_a_batch_is_its_sentences(batch):
    heads, offsets = batch
    sentences = [heads[begin:end] for begin, end in pairwise(offsets)]
    flaws = [structure.problem(sentence) for sentence in sentences]
    assert agreed("tree_problems", heads, offsets).tolist() == [found.flaw if found else 0 for found in flaws]


@given(batch_strategy(heads_strategy(8) | heads_strategy(8, single_root=False)))
def test_depths_and_orders_of_a_batch_are_those_of_its_sentences(batch):
    heads, offsets = batch
    sentences = [heads[begin:end] for begin, end in pairwise(offsets)]
    none = array([])
    depths = np.concatenate([none, *(structure.depths(sentence) for sentence in sentences)])
    orders = np.concatenate([none, *(structure.projective_order(sentence) for sentence in sentences)])
    assert agreed("depths_all", heads, offsets).tolist() == depths.tolist()
    assert agreed("projective_order_all", heads, offsets).tolist() == orders.tolist()


@pytest.mark.parametrize("name", ["tree_problems", "depths_all", "projective_order_all"])
@pytest.mark.parametrize("offsets", [[], [0], [1, 3], [0, 2], [0, 4], [0, 2, 1, 3], [0, 9, 3], [0, -1, 3]])
def test_offsets_that_do_not_fit_are_refused(name, offsets):
    with pytest.raises(ValueError, match=r"^offsets must"):
        agreed(name, array([0, 1, 1]), np.array(offsets, dtype=np.int64))


@pytest.mark.parametrize("name", ["depths_all", "projective_order_all"])
@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ([2, 1], "there is a cycle"),
        ([0, 3], "a head is out of range"),
        ([-1], "a head is out of range"),
        ([0, 2], "there is a cycle"),
    ],
)
def test_what_needs_a_tree_names_the_sentence_that_is_none(name, bad, why):
    with pytest.raises(TreeError, match=f"^sentence 2 is not a tree: {why}$"):
        agreed(name, *concatenated([array([0, 1]), array(bad), array([0])]))


@given(arbitrary_strategy(7))
def test_reachable_words_are_those_that_come_to_the_root(heads):
    head = [0, *heads.tolist()]

    def comes_to_root(word: int) -> bool:
        for _ in head:
            if not 0 <= word < len(head):
                return False
            word = head[word]
        return word == 0

    assert structure.reachable(heads).tolist() == [comes_to_root(word) for word in range(1, len(head))]


@given(arbitrary_strategy(7))
def test_children_are_listed_from_left_to_right(heads):
    dependents = structure.children(heads)
    for node in range(len(heads) + 1):
        assert dependents.of(node).tolist() == [d for d, h in enumerate(heads.tolist(), start=1) if h == node]


def test_roots_are_the_words_attached_to_0():
    assert structure.roots([0, 1, 0]).tolist() == [1, 3]
    assert structure.roots([]).tolist() == []


def _ancestors(heads: list[int], word: int) -> list[int]:
    found = [word]
    while found[-1]:
        found.append(heads[found[-1] - 1])
    return found


@given(heads_strategy(9, min_size=0, single_root=False))
def test_the_tour_gives_depth_size_and_ancestors(heads):
    n = len(heads)
    above = [_ancestors(heads.tolist(), node) for node in range(n + 1)]
    shape = structure.tour(heads)
    nodes = np.arange(n + 1)
    dominates = shape.dominates(nodes[:, None], nodes[None, :])
    assert dominates.tolist() == [[a in above[node] for node in range(n + 1)] for a in range(n + 1)]
    assert sorted(shape.order.tolist()) == list(range(n + 1))
    for node in range(n + 1):
        assert sorted(shape.below(node).tolist()) == [other for other in range(n + 1) if node in above[other]]
    assert structure.depths(heads).tolist() == [len(above[word]) - 1 for word in range(1, n + 1)]
    sizes = [sum(word in path for path in above) for word in range(1, n + 1)]
    assert structure.subtree_sizes(heads).tolist() == sizes


def test_the_tour_visits_dependents_from_left_to_right():
    assert structure.tour([3, 1, 0, 3, 1]).order.tolist() == [0, 3, 1, 2, 5, 4]


@pytest.mark.parametrize("heads", [[2, 1], [5], [-1, 1]])
def test_the_tour_needs_a_tree(heads):
    with pytest.raises(TreeError):
        structure.tour(heads)


def _in_order(heads: tuple[int, ...], node: int = 0) -> list[int]:
    dependents = [d for d, h in enumerate(heads, start=1) if h == node]
    left = [word for d in dependents if d < node for word in _in_order(heads, d)]
    right = [word for d in dependents if d > node for word in _in_order(heads, d)]
    return [*left, node, *right]


@pytest.mark.parametrize("n", range(1, 6))
def test_the_projective_order_is_the_traversal_in_order(n):
    trees = all_trees(n, single_root=False)
    places = agreed("projective_order_all", *concatenated(array(tree) for tree in trees)).reshape(-1, n)
    for heads, place in zip(trees, places.tolist(), strict=True):
        order = _in_order(heads)[1:]
        assert [order.index(word) + 1 for word in range(1, n + 1)] == place


@given(heads_strategy(12, single_root=False))
def test_a_tree_is_projective_in_its_projective_order(heads):
    place = [0, *structure.projective_order(heads).tolist()]
    moved = dict(zip(place[1:], (place[h] for h in heads.tolist()), strict=True))
    assert is_projective_by_definition(moved[k] for k in range(1, len(place)))


@given(projective_strategy(12, single_root=False))
def test_a_projective_tree_is_in_its_projective_order(heads):
    assert structure.projective_order(heads).tolist() == list(range(1, len(heads) + 1))


def test_arc_lengths_start_anew_in_each_sentence():
    assert structure.arc_lengths(array([3, 0, 2])).tolist() == [2, 0, 1]
    heads, offsets = concatenated([array([3, 0, 2]), array([]), array([0, 1])])
    assert structure.arc_lengths(heads, offsets).tolist() == [2, 0, 1, 0, 1]
    assert structure.arc_lengths(array([])).tolist() == []


@given(st.lists(st.integers(-(2**62), 2**62), max_size=5))
def test_large_integers_do_not_wrap_into_the_sentence(values):
    n = len(values)
    kept = structure.as_heads(np.array(values, dtype=np.int64))
    assert kept.dtype == np.int32
    assert [h if 0 <= h <= n else None for h in kept.tolist()] == [h if 0 <= h <= n else None for h in values]


@pytest.mark.parametrize("heads", [[0.0, 1.0], [[0, 1]], ["0"], 3])
def test_heads_are_a_flat_array_of_integers(heads):
    with pytest.raises(TreeError, match="flat array of integers"):
        structure.as_heads(heads)


@pytest.mark.parametrize("extreme", EXTREMES)
def test_long_sentences_of_any_shape(extreme):
    heads = EXTREMES[extreme](20_000)
    batch = concatenated([heads, heads])
    assert agreed("tree_problems", *batch).tolist() == [0, 0]
    depths = agreed("depths_all", *batch)
    assert depths[0] == depths[20_000]
    assert sorted(agreed("projective_order_all", *batch)[:20_000].tolist()) == list(range(1, 20_001))
    assert structure.subtree_sizes(heads).sum() == depths[:20_000].sum()


def test_a_cycle_at_the_end_of_a_long_chain_is_found():
    heads = random_heads(20_000, Random(1))
    assert structure.is_tree(heads)
    shape = structure.tour(heads)
    root = int(structure.roots(heads)[0])
    heads[root - 1] = shape.order[-1]
    heads = np.append(heads, np.int32(0))
    found = structure.problem(heads)
    assert found is not None
    assert found.flaw is TreeFlaw.CYCLE
    assert root in found.words
