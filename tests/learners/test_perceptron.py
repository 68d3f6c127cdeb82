"""The perceptron: its two implementations agree to the bit, and its averages are averages."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys import random_problem

from arclift.errors import UsageError
from arclift.learners import Perceptron
from arclift.learners.perceptron import FINE
from arclift.learners.sparse import Templates
from arclift.native import PAIRS


def _both(name):
    return [implementation for implementation in PAIRS[name] if implementation is not None]


@given(seed=st.integers(0, 10_000), bits=st.integers(1, 8), n=st.integers(0, 30))
def test_both_implementations_learn_and_score_the_same(seed, bits, n):
    problem = random_problem(seed, n=n)
    templates = Templates(len(problem.sizes), [[0, 1], [4, 2, 2]])
    sizes = np.array(problem.sizes, dtype=np.int32)
    seen = []
    for update, scorer in zip(_both("perceptron_update"), _both("SparseScorer"), strict=True):
        weights = np.zeros((1 << bits, problem.classes), dtype=np.int32)
        totals = np.zeros(weights.shape, dtype=np.int64)
        place = sizes, templates.columns, templates.starts
        mistakes = update(weights, totals, *place, problem.rows, problem.right, problem.permitted, 5)
        scores = scorer(weights, *place, 1 / FINE).scores(problem.rows)
        assert scores.dtype == np.float32
        seen.append((mistakes, weights.tolist(), totals.tolist(), scores.tolist()))
    assert all(a == b for a, b in pairwise(seen))


def test_finishing_takes_the_mean_of_the_weights_after_each_row():
    problem = random_problem(3, n=25)
    learner = Perceptron(bits=6).begin(problem.sizes, problem.classes)
    total = np.zeros((len(problem.rows), problem.classes))
    for i in range(len(problem.rows)):
        learner.update(problem.rows[i : i + 1], problem.right[i : i + 1], problem.permitted[i : i + 1])
        total += learner.scores(problem.rows)
    mean = total / len(problem.rows)
    width = len(problem.sizes)
    assert np.abs(learner.finish().scores(problem.rows) - mean).max() <= width * 0.5 / FINE + 1e-5


@pytest.mark.parametrize("wrong", [[[]], [[0, 5]], [[-1]]])
def test_a_conjunction_of_columns_that_are_not_there_is_refused(wrong):
    with pytest.raises(UsageError, match="conjunction"):
        Perceptron(conjunctions=wrong).begin([4] * 5, 2)


def test_bits_are_bounded():
    with pytest.raises(UsageError, match="bits"):
        Perceptron(bits=40)


@pytest.mark.skipif(PAIRS["SparseScorer"].native is None, reason="the compiled core is not built")
def test_the_compiled_loop_refuses_arrays_that_do_not_fit():
    update, scorer = PAIRS["perceptron_update"].native, PAIRS["SparseScorer"].native
    problem = random_problem(0)
    sizes, good = np.array(problem.sizes, dtype=np.int32), Templates(5, [])
    weights, totals = np.zeros((8, 7), dtype=np.int32), np.zeros((8, 7), dtype=np.int64)
    data = problem.rows, problem.right, problem.permitted
    place = sizes, good.columns, good.starts
    with pytest.raises(ValueError, match="power of two"):
        scorer(weights[:6], *place, 1.0)
    with pytest.raises(ValueError, match="no such column"):
        scorer(weights, sizes, good.columns + 1, good.starts, 1.0)
    with pytest.raises(ValueError, match="span"):
        scorer(weights, sizes, good.columns, good.starts[:-1], 1.0)
    with pytest.raises(ValueError, match="decrease"):
        scorer(weights, sizes, good.columns, np.array([0, 9, 5], dtype=np.int32), 1.0)
    with pytest.raises(ValueError, match="columns"):
        scorer(weights, *place, 1.0).scores(problem.rows[:, :2].copy())
    with pytest.raises(ValueError, match="differ"):
        update(weights, totals[:4], *place, *data, 0)
    with pytest.raises(ValueError, match="sets"):
        update(weights, totals, *place, problem.rows, problem.right[:3], problem.permitted, 0)
    with pytest.raises(ValueError, match="columns"):
        update(weights, totals, *place, problem.rows[:, 1:].copy(), problem.right, problem.permitted, 0)


def test_sums_beyond_32_bits_wrap_alike():
    # No training comes there, but a model file may; in C++ it must not be undefined what becomes of them.
    weights = np.full((2, 2), [[2**30, -(2**30)]], dtype=np.int32)
    sizes, columns, starts = (np.array(each, dtype=np.int32) for each in ([9, 9, 9], [0, 1, 2], [0, 1, 2, 3]))
    rows = np.array([[3, 4, 5], [0, 0, 0]], dtype=np.int32)
    found = [
        scorer(weights, sizes, columns, starts, 1.0).scores(rows).tolist()
        for scorer in PAIRS["SparseScorer"]
        if scorer
    ]
    assert all(scores == [[-(2**30), 2**30]] * 2 for scores in found)
