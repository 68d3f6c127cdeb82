"""The best tree is the best of all trees, with and without the root constraint."""

from functools import cache

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from arclift.errors import TreeError
from arclift.trees.spanning import as_scores, maximum_spanning_tree, tree_score
from arclift.trees.structure import is_tree
from scores import FORBIDDEN, KINDS, Scores, assert_best, score_matrices
from strategies import all_trees
from twins import agreed


@cache
def _trees(n: int, single_root: bool) -> NDArray[np.intp]:
    trees = all_trees(n, single_root)
    return np.array(trees, dtype=np.intp).reshape(len(trees), n)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("single_root", [True, False])
def test_no_tree_is_better(kind, single_root):
    rng = np.random.default_rng(5)
    for n, trials in [(0, 1), (1, 5), (2, 20), (3, 40), (4, 40), (5, 20), (6, 3)]:
        for _ in range(trials):
            scores = KINDS[kind](rng, n)
            heads = agreed("spanning_heads", as_scores(scores), single_root)
            assert_best(heads, scores, _trees(n, single_root))


@given(score_matrices(), st.booleans())
def test_no_tree_is_better_whatever_the_scores(scores, single_root):
    heads = agreed("spanning_heads", as_scores(scores), single_root)
    assert_best(heads, scores, _trees(len(scores) - 1, single_root))


def _with_networkx(scores: Scores, roots: list[int]) -> float:
    """The best tree in which only ``roots`` may be attached to 0."""
    n = len(scores) - 1
    graph = nx.DiGraph()
    graph.add_weighted_edges_from((0, d, scores[0, d]) for d in roots)
    words = range(1, n + 1)
    graph.add_weighted_edges_from((h, d, scores[h, d]) for h in words for d in words if h != d)
    return float(nx.maximum_spanning_arborescence(graph).size(weight="weight"))


@pytest.mark.parametrize("n", [8, 15])
def test_networkx_finds_nothing_better(n):
    rng = np.random.default_rng(n)
    words = list(range(1, n + 1))
    for scores in (rng.normal(size=(n + 1, n + 1)), rng.integers(0, 9, (n + 1, n + 1)).astype(float)):
        any_roots = agreed("spanning_heads", as_scores(scores), False)
        assert tree_score(scores, any_roots) == pytest.approx(_with_networkx(scores, words))
        one_root = agreed("spanning_heads", as_scores(scores), True)
        assert is_tree(one_root, single_root=True)
        each = [_with_networkx(scores, [root]) for root in words]
        assert tree_score(scores, one_root) == pytest.approx(max(each))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [40, 150])
def test_the_twins_give_the_same_tree(kind, n):
    scores = as_scores(KINDS[kind](np.random.default_rng(n), n))
    for single_root in (True, False):
        heads = agreed("spanning_heads", scores, single_root)
        assert heads is None or is_tree(heads, single_root=single_root)


def test_the_root_constraint_loses_no_digits():
    """Sums of whole numbers are exact; a constant large enough to keep roots apart would round them."""
    rng = np.random.default_rng(2)
    for _ in range(200):
        scores = 2.0**50 + rng.integers(-3, 4, (5, 5))
        heads = maximum_spanning_tree(scores)
        assert_best(heads, scores, _trees(4, True))


def test_ties_go_to_the_leftmost_head():
    assert maximum_spanning_tree(np.zeros((5, 5))).tolist() == [0, 1, 1, 1]
    assert maximum_spanning_tree(np.zeros((5, 5)), single_root=False).tolist() == [0, 0, 0, 0]


def test_no_words_and_one_word():
    assert maximum_spanning_tree([[0.0]]).tolist() == []
    assert maximum_spanning_tree([[np.nan, -5.0], [np.nan, np.nan]]).tolist() == [0]


def test_integer_scores_do():
    assert maximum_spanning_tree([[0, 1, 5], [0, 0, 5], [0, 2, 0]]).tolist() == [2, 0]


def test_the_scores_are_left_as_they_were():
    scores = np.random.default_rng(1).normal(size=(6, 6))
    before = scores.copy()
    maximum_spanning_tree(scores)
    assert (scores == before).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e301, -1e301])
def test_scores_that_are_no_scores_are_refused(bad):
    scores = np.zeros((4, 4))
    scores[2, 3] = bad
    with pytest.raises(TreeError, match="must be numbers within"):
        maximum_spanning_tree(scores)
    scores[1, 2] = FORBIDDEN
    with pytest.raises(TreeError, match="must be numbers within"):
        maximum_spanning_tree(scores)


@pytest.mark.parametrize("shape", [(0, 0), (3,), (3, 4), (2, 2, 2)])
def test_scores_that_are_not_square_are_refused(shape):
    with pytest.raises(TreeError, match="square matrix"):
        maximum_spanning_tree(np.zeros(shape))


def test_without_a_tree_it_says_so():
    scores = np.zeros((3, 3))
    scores[1:, :] = FORBIDDEN
    assert maximum_spanning_tree(scores, single_root=False).tolist() == [0, 0]
    with pytest.raises(TreeError, match="no tree with one root"):
        maximum_spanning_tree(scores)
    scores[0, 2] = FORBIDDEN
    with pytest.raises(TreeError, match="no tree without a forbidden arc"):
        maximum_spanning_tree(scores, single_root=False)
