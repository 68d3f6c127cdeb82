"""Memory-based learning: the compiled search finds what the plain one does; odd files are refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys import random_problem

from arclift.errors import UsageError
from arclift.learners import create, memory, restore
from arclift.native import PAIRS


@pytest.mark.skipif(PAIRS["MemoryScorer"].native is None, reason="the compiled core is not built")
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(0, 60),
    k=st.integers(1, 4),
    metric=st.sampled_from(["overlap", "mvdm", "jeffrey", "jensen_shannon"]),
    weights=st.sampled_from(["none", "gain_ratio", "information_gain", "chi_squared", "shared_variance"]),
    votes=st.sampled_from(["majority", "inverse_distance", "inverse_linear", "exponential_decay"]),
    limit=st.integers(1, 3),
    exact=st.sampled_from([None, True, False]),
)
def test_both_searches_answer_alike(seed, n, **settings):
    problem, asked = random_problem(seed, n=n), random_problem(seed + 1, n=20)
    found = []
    for scorer in PAIRS["MemoryScorer"]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(memory, "_MemoryScorer", scorer)
            learner = create("memory", **settings).begin(problem.sizes, problem.classes)
            learner.update(problem.rows, problem.right, problem.permitted)
            answers = learner.scorer.answers(np.concatenate([problem.rows[:10], asked.rows]))
            found.append((*answers, learner.scores(asked.rows)))
    (chosen, votes, nearest, scores), (chosen2, votes2, nearest2, scores2) = found
    assert chosen.tolist() == chosen2.tolist()
    assert np.allclose(votes, votes2, rtol=1e-12)
    assert nearest.tolist() == nearest2.tolist()
    assert np.allclose(scores, scores2, atol=1e-5)


def test_a_row_that_is_known_is_answered_as_it_was_learned():
    problem = random_problem(3, n=50)
    learner = create("memory", k=1, metric="overlap").begin(problem.sizes, problem.classes)
    learner.update(problem.rows, problem.right, problem.permitted)
    useful = ((problem.right != 0) & (problem.permitted != 0)).any(axis=1)
    chosen, _, nearest = learner.scorer.answers(problem.rows[useful])
    assert not nearest.any()
    assert problem.right[useful][np.arange(len(chosen)), chosen].mean() > 0.8  # some rows contradict others


@pytest.mark.parametrize(
    "wrong",
    [
        {"k": 0},
        {"limit": 0},
        {"metric": "cosine"},
        {"votes": "loud"},
        {"weights": "heavy"},
        {"decay": np.nan},
        {"exact": 3},
    ],
)
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(UsageError):
        create("memory", **wrong)


@pytest.mark.parametrize(
    "change",
    [{"decay": "x"}, {"k": 1.5}, {"exact": "yes"}, {"limit": None}, {"metric": 3}],
)
def test_odd_settings_in_a_file_are_refused(change):
    problem = random_problem(4)
    learner = create("memory").begin(problem.sizes, problem.classes)
    settings = learner.settings()
    settings["hyperparameters"] |= change
    with pytest.raises(UsageError):
        restore(settings, learner.arrays())


def test_more_values_than_can_be_are_refused():
    problem = random_problem(4)
    learner = create("memory").begin(problem.sizes, problem.classes)
    with pytest.raises(UsageError, match="more values"):
        restore(learner.settings() | {"sizes": [2**30] * len(problem.sizes)}, learner.arrays())
