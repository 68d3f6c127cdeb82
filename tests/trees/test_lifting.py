"""PROJECTIVIZE: the paper's text, minimal examples, and trees that are bad for fast algorithms."""

import time

import numpy as np
import pytest
from hypothesis import given, settings

from arclift import native
from arclift.errors import TreeError
from arclift.trees.lifting import lift_all
from arclift.trees.projectivity import nonprojective
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
)

CZECH = array([5, 1, 0, 5, 3, 3, 6, 3])  # Nivre & Nilsson 2005, Figure 1: Z nich je jen jedna na kvalitu .


def lifted(heads, offsets):
    """The answer of both implementations of PROJECTIVIZE, which must be one."""
    plain, compiled = native.PAIRS["projectivize"]
    answer = plain(heads, offsets)
    if compiled is not None:
        for one, other in zip(answer, compiled(heads, offsets), strict=True):
            assert one.dtype == other.dtype
            assert one.tolist() == other.tolist()
    return [array.tolist() for array in answer]


def lifted_one(heads):
    return lifted(*concatenated([array(heads)]))


def test_the_papers_example_takes_one_lift():
    heads, lifts, path = lifted_one(CZECH)
    assert heads == [3, *CZECH[1:]]
    assert lifts == [1, 0, 0, 0, 0, 0, 0, 0]
    assert path == [0, 0, 0, 0, 1, 0, 0, 0]


def test_the_shortest_arc_is_lifted_first():
    # 1 → 3 (over 2) before 4 → 1 (over 2 and 3), although word 1 is further left; else 3 would end under 2.
    assert lifted_one([4, 0, 1, 2]) == [[2, 0, 4, 2], [1, 0, 1, 0], [1, 0, 0, 1]]


def test_of_arcs_of_one_length_that_of_the_leftmost_dependent_is_lifted_first():
    # 5 → 2 before 1 → 4, although the other arc begins further left; else word 4 would end under 5.
    assert lifted_one([2, 5, 0, 1, 3]) == [[2, 3, 0, 3, 3], [0, 1, 0, 2, 0], [1, 1, 0, 0, 1]]


def test_a_lifted_word_can_be_lifted_past():
    # First word 2 goes from 4 to 3, then word 5 from 1 to 2 and from 2 to 3.
    assert lifted_one([2, 4, 0, 3, 1]) == [[2, 3, 0, 3, 3], [0, 1, 0, 0, 2], [1, 1, 0, 1, 0]]


def test_words_end_at_the_artificial_root_if_they_must():
    assert lifted_one([3, 0, 0]) == [[0, 0, 0], [1, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize("n", range(6))
def test_all_small_trees_become_projective(n):
    trees = [array(heads) for heads in all_trees(n, single_root=False)]
    heads, _, _ = lifted(*concatenated(trees))
    for i in range(len(trees)):
        assert is_projective_by_definition(heads[n * i : n * (i + 1)])


@settings(max_examples=200)
@given(batch_strategy(heads_strategy(24, single_root=False), 3))
def test_random_trees_become_projective_by_lifts_alone(batch):
    heads, offsets = batch
    result, lifts, path = lifted(heads, offsets)
    assert not nonprojective(array(result), offsets).any()
    begin_of = np.repeat(offsets[:-1], np.diff(offsets)).tolist()
    jumped = set()
    for word, (old, new, count) in enumerate(zip(heads.tolist(), result, lifts, strict=True)):
        assert (old != new) == (count > 0)
        head, passed = old, 0
        while head != new:  # the new head is an ancestor of the old one
            passed += 1
            head = int(heads[begin_of[word] + head - 1])
        assert count <= passed
        if count:
            jumped.add(begin_of[word] + old - 1)
    assert all(path[word] for word in jumped)


@given(projective_strategy(20, single_root=False))
def test_projective_trees_are_left_alone(heads):
    assert lifted_one(heads) == [heads.tolist(), [0] * len(heads), [0] * len(heads)]


@given(arbitrary_strategy(10))
def test_what_is_no_tree_is_refused_alike(heads):
    if not is_tree_by_walking(heads):
        messages = set()
        for implementation in native.PAIRS["projectivize"]:
            if implementation is not None:
                with pytest.raises(TreeError) as refused:
                    implementation(*concatenated([heads]))
                messages.add(str(refused.value))
        assert len(messages) == 1


@pytest.mark.parametrize("shape", EXTREMES)
def test_extreme_trees_agree_in_both_implementations(shape):
    lifted_one(EXTREMES[shape](40))


@pytest.mark.skipif(not native.ENABLED, reason="the plain twin is the paper's text, not the fast algorithm")
@pytest.mark.parametrize("shape", EXTREMES)
def test_ten_thousand_words_are_lifted_in_seconds(shape):
    heads, offsets = concatenated([EXTREMES[shape](10_000)])
    start = time.process_time()
    result = lift_all(heads, offsets)
    assert time.process_time() - start < 5
    assert not nonprojective(result.heads, offsets).any()
