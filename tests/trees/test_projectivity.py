"""Which arcs are non-projective: both implementations against the definition, and in linear time."""

import time
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given

from arclift.errors import TreeError
from arclift.trees.projectivity import is_projective, nonprojective, nonprojective_arcs
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
from twins import agreed

CZECH = array([5, 1, 0, 5, 3, 3, 6, 3])  # Nivre & Nilsson 2005, Figure 1: Z nich je jen jedna na kvalitu .


def crossing_words(heads):
    """The words whose arc spans a word that the head does not dominate, one arc at a time."""
    head = [0, *heads]

    def ancestors(word):
        while word:
            yield word
            word = head[word]
        yield 0

    return [
        d
        for d in range(1, len(head))
        if any(head[d] not in ancestors(w) for w in range(min(d, head[d]) + 1, max(d, head[d])))
    ]


def test_the_papers_example_has_one_nonprojective_arc():
    assert np.flatnonzero(nonprojective_arcs(CZECH)).tolist() == [0]


def test_an_arc_over_a_root_is_nonprojective_and_an_arc_from_the_root_is_not():
    assert nonprojective_arcs([3, 0, 0]).tolist() == [True, False, False]
    assert nonprojective_arcs([0, 0, 0]).tolist() == [False] * 3


def test_a_word_left_of_its_head_may_be_nonprojective_too():
    assert nonprojective_arcs([0, 1, 1, 2]).tolist() == [False, False, False, True]
    assert nonprojective_arcs([3, 4, 4, 0]).tolist() == [True, False, False, False]


@pytest.mark.parametrize("n", range(6))
def test_all_small_trees_agree_with_the_definition(n):
    trees = [array(heads) for heads in all_trees(n, single_root=False)]
    found = agreed("nonprojective", *concatenated(trees))
    assert found.tolist() == [d in crossing_words(t) for t in trees for d in range(1, n + 1)]


@given(batch_strategy(heads_strategy(30, single_root=False), 3))
def test_random_trees_agree_with_the_definition(batch):
    heads, offsets = batch
    found = agreed("nonprojective", heads, offsets)
    for begin, end in pairwise(offsets.tolist()):
        assert (np.flatnonzero(found[begin:end]) + 1).tolist() == crossing_words(heads[begin:end].tolist())


@given(projective_strategy(30, single_root=False))
def test_projective_trees_have_no_nonprojective_arc(heads):
    assert is_projective(heads)


@given(heads_strategy(10, single_root=False))
def test_a_tree_is_projective_as_the_definition_says(heads):
    assert is_projective(heads) == is_projective_by_definition(heads)


@given(arbitrary_strategy(10))
def test_what_is_no_tree_is_refused_and_nothing_else(heads):
    if is_tree_by_walking(heads):
        agreed("nonprojective", *concatenated([heads]))
    else:
        with pytest.raises(TreeError, match="sentence 2: "):
            agreed("nonprojective", *concatenated([array([0]), heads]))


def test_of_all_short_arrays_exactly_the_trees_are_accepted():
    for values in (heads for n in range(5) for heads in product(range(n + 1), repeat=n)):
        if is_tree_by_walking(values):
            agreed("nonprojective", *concatenated([array(values)]))
        else:
            with pytest.raises(TreeError):
                agreed("nonprojective", *concatenated([array(values)]))


@pytest.mark.parametrize("offsets", [[], [1, 3], [0, 2], [0, 4], [0, 2, 1, 3]])
def test_offsets_that_do_not_fit_are_refused(offsets):
    with pytest.raises(ValueError, match="offsets"):
        agreed("nonprojective", array([0, 1, 1]), np.array(offsets, dtype=np.int64))


@pytest.mark.parametrize("shape", EXTREMES)
def test_a_hundred_thousand_words_take_no_time(shape):
    heads, offsets = concatenated([EXTREMES[shape](100_000)])
    start = time.process_time()
    nonprojective(heads, offsets)
    assert time.process_time() - start < 1
