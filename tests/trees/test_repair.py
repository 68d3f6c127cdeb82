"""Any integers in, one tree out, with as few heads changed as can be."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given

from arclift.errors import TreeError
from arclift.trees.repair import complete, filled, repair
from arclift.trees.structure import is_tree
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
)
from twins import agreed

EXAMPLES = {
    "nothing to do": ([2, 0, 2], [2, 0, 2]),
    "no words": ([], []),
    "one word without a head": ([-1], [0]),
    "one word that is its own head": ([1], [0]),
    "a missing head goes to the root": ([-1, 0, 2], [2, 0, 2]),
    "a head out of range goes to the root": ([9, 0, 2], [2, 0, 2]),
    "the root with most words stays": ([0, 0, 2], [2, 0, 2]),
    "the leftmost of equal roots stays": ([0, 1, 0, 3], [0, 1, 1, 3]),
    "a root beats a larger piece without one": ([-1, 1, 1, 0], [4, 1, 1, 0]),
    "no root: the largest piece gives it": ([-1, -1, 2], [2, 0, 2]),
    "a cycle is cut at its longest arc": ([0, 4, 2, 3], [0, 1, 2, 3]),
    "equally long arcs: the leftmost dependent's": ([0, 3, 2], [0, 1, 2]),
    "the leftmost, wherever the cycle is entered": ([3, 3, 2, 0], [3, 4, 2, 0]),
    "only a cycle": ([2, 3, 1], [2, 3, 0]),
    "two cycles without a root": ([2, 1, 4, 5, 3], [5, 1, 4, 5, 0]),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_policy_by_example(name):
    heads, expected = EXAMPLES[name]
    assert repair(heads).tolist() == expected


def test_several_roots_may_stay():
    assert repair([0, 0, -1, 2], single_root=False).tolist() == [0, 0, 2, 2]
    assert repair([-1, -1], single_root=False).tolist() == [0, 1]


@given(batch_strategy(arbitrary_strategy(9)))
def test_a_batch_is_its_sentences_and_the_twins_agree(batch):
    heads, offsets = batch
    for single_root in (True, False):
        repaired = agreed("repair_all", heads, offsets, single_root=single_root)
        for begin, end in pairwise(offsets):
            expected = repair(heads[begin:end], single_root=single_root)
            assert repaired[begin:end].tolist() == expected.tolist()


@given(arbitrary_strategy(12))
def test_anything_becomes_a_tree(heads):
    assert is_tree(repair(heads), single_root=True)
    assert is_tree(repair(heads, single_root=False))


@given(heads_strategy(12))
def test_a_tree_comes_back_unchanged(heads):
    assert repair(heads).tolist() == heads.tolist()


@given(heads_strategy(12, single_root=False))
def test_several_roots_come_back_unchanged_if_allowed(heads):
    assert repair(heads, single_root=False).tolist() == heads.tolist()


@pytest.mark.parametrize("n", range(1, 5))
@pytest.mark.parametrize("single_root", [True, False])
def test_no_tree_is_nearer(n, single_root):
    """All arrays of n heads, one of -1 and n + 1 for all that are wrong, against all trees."""
    arrays = np.array(list(product(range(-1, n + 2), repeat=n)), dtype=np.int32)
    trees = np.array(all_trees(n, single_root))
    distances = (arrays[:, None, :] != trees[None, :, :]).sum(axis=2)
    repaired = agreed("repair_all", *concatenated(arrays), single_root=single_root).reshape(-1, n)
    assert ((repaired != arrays).sum(axis=1) == distances.min(axis=1)).all()


def test_no_tree_is_nearer_to_arrays_of_five_words():
    arrays = np.array(list(product(range(-1, 6), repeat=5)), dtype=np.int32)[::7]
    trees = np.array(all_trees(5))
    distances = np.min([(arrays != tree).sum(axis=1) for tree in trees], axis=0)
    repaired = np.array([repair(heads) for heads in arrays])
    assert ((repaired != arrays).sum(axis=1) == distances).all()


def _nonprojective(heads: list[int]) -> set[int]:
    """Words whose arc is not projective."""
    head = [0, *heads]

    def descends(word: int, ancestor: int) -> bool:
        while word and word != ancestor:
            word = head[word]
        return word == ancestor

    return {
        d
        for d, h in enumerate(head)
        if d and not all(descends(word, h) for word in range(min(h, d) + 1, max(h, d)))
    }


@given(heads_strategy(9, single_root=False))
def test_joining_roots_makes_no_arc_nonprojective(heads):
    assert _nonprojective(repair(heads).tolist()) <= _nonprojective(heads.tolist())


def test_wide_integers_are_heads_out_of_range():
    assert repair(np.array([2**32, 0, 2**32 + 2])).tolist() == [2, 0, 2]


@pytest.mark.parametrize("extreme", EXTREMES)
def test_long_sentences_of_any_shape(extreme):
    heads = EXTREMES[extreme](50_000)
    broken = heads.copy()
    broken[[7, 77, 777]] = [-5, 778, 60_000]
    broken[heads == 0] = 40_000
    repaired = agreed("repair_all", *concatenated([broken, heads]))
    assert is_tree(repaired[:50_000], single_root=True)
    assert repaired[50_000:].tolist() == heads.tolist()


def test_one_long_cycle():
    heads = array([*range(2, 50_001), 1])
    assert agreed("repair_all", *concatenated([heads])).tolist() == [*range(2, 50_001), 0]


def test_the_definitions_used_here_agree():
    assert all(is_tree_by_walking(heads) for heads in all_trees(4))
    assert all(
        (not _nonprojective(list(heads))) == is_projective_by_definition(heads) for heads in all_trees(4)
    )


# --- heads that are to be kept ------------------------------------------------------------------------------


def has_tree(kept, single_root):
    return any(
        all(k in (-1, head) for k, head in zip(kept, tree, strict=True))
        for tree in all_trees(len(kept), single_root)
    )


@pytest.mark.parametrize("single_root", [True, False])
def test_given_heads_are_kept_wherever_a_tree_has_them(single_root):
    rng = np.random.default_rng(4)
    for n in (1, 2, 3, 4):
        for _ in range(150):
            kept = np.where(rng.random(n) < 0.5, rng.integers(0, n + 1, n), -1).astype(np.int32)
            heads = rng.integers(-1, n + 2, n).astype(np.int32)
            offsets = np.array([0, n], dtype=np.int64)
            assert is_tree(filled(kept, offsets), single_root=single_root) == has_tree(kept, single_root)
            if not has_tree(kept, single_root):
                with pytest.raises(TreeError, match=r"cycle|roots"):
                    complete(heads, kept, single_root=single_root)
                continue
            done = complete(heads, kept, single_root=single_root)
            assert is_tree(done, single_root=single_root)
            assert (done[kept >= 0] == kept[kept >= 0]).all()


def test_nothing_to_keep_is_repair():
    heads = array([3, 3, 2, 9, 0, 0])
    assert complete(heads, np.full(6, -1)).tolist() == repair(heads).tolist()
    assert filled(array([-1, -1, 0, -1, 1, -1]), array([0, 3, 6]).astype(np.int64)).tolist() == [
        3,
        3,
        0,
        0,
        1,
        1,
    ]


@pytest.mark.parametrize("kept", [[4, -1, -1], [-2, -1, -1], [-1, -1, 2**31 - 1]])
def test_heads_out_of_range_cannot_be_kept(kept):
    with pytest.raises(TreeError, match=r"-1 or in 0\.\.3"):
        complete([0, 1, 2], kept)
