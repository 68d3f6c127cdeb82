"""The k best trees are the k best of all trees, in order."""

import numpy as np
import pytest

from arclift.trees.kbest import best_spanning_trees
from arclift.trees.spanning import maximum_spanning_tree, tree_score
from arclift.trees.structure import is_tree
from strategies import all_trees


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5])
def test_they_are_the_best_of_all_trees_in_order(n, single_root):
    rng = np.random.default_rng(n)
    trees = all_trees(n, single_root)
    for k in (1, 2, 7, 10_000):
        scores = rng.normal(0, 3, (n + 1, n + 1))
        found = best_spanning_trees(scores, k, single_root=single_root)
        best = sorted((tree_score(scores, np.array(tree, np.int32)) for tree in trees), reverse=True)[:k]
        assert np.allclose([tree_score(scores, heads) for heads in found], best)
        assert len({tuple(heads.tolist()) for heads in found}) == len(found) == min(k, len(trees))
        assert all(is_tree(heads, single_root=single_root) for heads in found)


def test_the_first_is_the_maximum_spanning_tree():
    scores = np.random.default_rng(1).normal(0, 1, (31, 31))
    first, *others = best_spanning_trees(scores, 20)
    assert first.tolist() == maximum_spanning_tree(scores).tolist()
    values = [tree_score(scores, heads) for heads in (first, *others)]
    assert values == sorted(values, reverse=True)
    assert len(values) == 20


def test_forbidden_arcs_stay_forbidden():
    scores = np.full((4, 4), -np.inf)
    scores[0, 1] = scores[1, 2] = scores[2, 3] = scores[1, 3] = 1.0
    assert sorted(h.tolist() for h in best_spanning_trees(scores, 9)) == [[0, 1, 1], [0, 1, 2]]
    assert best_spanning_trees(np.full((3, 3), -np.inf), 5) == []
