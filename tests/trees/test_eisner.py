"""The best projective tree is the best of all projective trees."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from arclift.errors import TreeError
from arclift.trees.eisner import eisner
from arclift.trees.spanning import as_scores, maximum_spanning_tree, tree_score
from arclift.trees.structure import is_tree
from scores import FORBIDDEN, KINDS, assert_best, score_matrices
from strategies import all_trees, heads_strategy, is_projective_by_definition, projective_strategy
from twins import agreed


@cache
def _trees(n: int, single_root: bool) -> NDArray[np.intp]:
    projective = [tree for tree in all_trees(n, single_root) if is_projective_by_definition(tree)]
    return np.array(projective, dtype=np.intp).reshape(len(projective), n)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("single_root", [True, False])
def test_no_projective_tree_is_better(kind, single_root):
    rng = np.random.default_rng(6)
    for n, trials in [(0, 1), (1, 5), (2, 20), (3, 40), (4, 40), (5, 20), (6, 5)]:
        for _ in range(trials):
            scores = KINDS[kind](rng, n)
            heads = agreed("eisner_heads", as_scores(scores), single_root)
            assert_best(heads, scores, _trees(n, single_root))


@given(score_matrices(), st.booleans())
def test_no_projective_tree_is_better_whatever_the_scores(scores, single_root):
    heads = agreed("eisner_heads", as_scores(scores), single_root)
    assert_best(heads, scores, _trees(len(scores) - 1, single_root))


def _scores_for(heads: NDArray[np.int32]) -> NDArray[np.float64]:
    """Scores of 1 for the arcs of a tree, 0 for all others."""
    scores = np.zeros((len(heads) + 1, len(heads) + 1))
    scores[heads, np.arange(1, len(heads) + 1)] = 1.0
    return scores


@given(projective_strategy(30))
def test_a_projective_tree_is_found_in_its_own_scores(heads):
    assert agreed("eisner_heads", as_scores(_scores_for(heads)), True).tolist() == heads.tolist()


@given(projective_strategy(30, single_root=False))
def test_so_is_one_with_several_roots(heads):
    assert agreed("eisner_heads", as_scores(_scores_for(heads)), False).tolist() == heads.tolist()


@given(heads_strategy(12))
def test_the_tree_is_projective_and_never_better_than_the_best_tree(heads):
    scores = _scores_for(heads)
    found = eisner(scores)
    assert is_tree(found, single_root=True)
    assert is_projective_by_definition(found.tolist())
    assert tree_score(scores, found) <= tree_score(scores, maximum_spanning_tree(scores)) == len(heads)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("single_root", [True, False])
def test_the_twins_give_the_same_tree(kind, single_root):
    scores = as_scores(KINDS[kind](np.random.default_rng(3), 40))
    heads = agreed("eisner_heads", scores, single_root)
    assert heads is None or is_projective_by_definition(heads.tolist())


def test_ties_are_settled_alike_each_time():
    assert eisner(np.zeros((5, 5))).tolist() == eisner(np.zeros((5, 5))).tolist()
    assert is_tree(eisner(np.zeros((5, 5))), single_root=True)


def test_no_words_and_one_word():
    assert eisner([[0.0]]).tolist() == []
    assert eisner([[np.nan, -5.0], [np.nan, np.nan]]).tolist() == [0]


def test_scores_that_are_no_scores_are_refused():
    with pytest.raises(TreeError, match="must be numbers within"):
        eisner([[0, np.nan], [0, 0]])
    with pytest.raises(TreeError, match="square matrix"):
        eisner(np.zeros((2, 3)))


def test_without_a_projective_tree_it_says_so():
    scores = np.full((5, 5), FORBIDDEN)
    scores[0, 2] = scores[2, 4] = scores[4, 1] = scores[1, 3] = 1.0
    assert maximum_spanning_tree(scores).tolist() == [4, 0, 1, 2]
    with pytest.raises(TreeError, match="no projective tree with one root"):
        eisner(scores)
    with pytest.raises(TreeError, match="no projective tree without a forbidden arc"):
        eisner(scores, single_root=False)
