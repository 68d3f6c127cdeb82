"""Maximum entropy: both implementations learn alike, what is learned is the optimum, and penalties hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys import random_problem

from arclift.errors import UsageError
from arclift.learners import create
from arclift.learners.sparse import Templates
from arclift.native import PAIRS


@pytest.mark.skipif(PAIRS["maxent_update"].native is None, reason="the compiled core is not built")
@given(
    seed=st.integers(0, 10_000), bits=st.integers(1, 8), n=st.integers(0, 30), l1=st.sampled_from([0.0, 0.3])
)
def test_both_implementations_learn_the_same(seed, bits, n, l1):
    problem = random_problem(seed, n=n)
    templates = Templates(len(problem.sizes), [[0, 1], [4, 2, 2]])
    place = np.array(problem.sizes, dtype=np.int32), templates.columns, templates.starts
    seen = []
    for update in PAIRS["maxent_update"]:
        state = [np.zeros((1 << bits, problem.classes), dtype=np.float32) for _ in range(3)]
        data = problem.rows, problem.right, problem.permitted
        losses = [update(*state, *place, *data, (0.3, l1, 0.5)) for _ in range(3)]
        seen.append((losses, *state))
    for plain, compiled in zip(*seen, strict=True):
        assert np.allclose(plain, compiled, atol=1e-3, rtol=1e-3)


def skewed(n):
    """Return rows of one value that has class 0 three times out of four, else class 1."""
    rows = np.full((n, 1), 3, dtype=np.int32)
    right = np.eye(3, dtype=np.uint8)[[0 if k % 4 else 1 for k in range(n)]]
    permitted = np.ones_like(right)
    permitted[:, 2] = 0
    return rows, right, permitted


def test_probabilities_are_those_of_the_data():
    learner = create("maxent", bits=4, step=0.5, l2=0.0).begin([4], 3)
    learner.fit(*skewed(400), epochs=20)
    for form, near in ((learner, 0.03), (learner.finish(), 0.03)):
        scores = form.scores(np.array([[3]], dtype=np.int32))[0]
        assert abs(1 / (1 + np.exp(scores[1] - scores[0])) - 0.75) < near


def test_penalties_draw_weights_to_zero():
    sizes = []
    for l1, l2 in ((0.0, 0.0), (0.0, 5000.0), (1e6, 0.0)):
        learner = create("maxent", bits=4, step=0.5, l1=l1, l2=l2).begin([4], 3)
        learner.fit(*skewed(400), epochs=5)
        sizes.append(float(np.abs(learner.scores(np.array([[3]], dtype=np.int32))).max()))
    assert sizes[0] > 2 * sizes[1] > 0
    assert sizes[2] == 0


def test_with_l1_most_weights_are_none():
    problem = random_problem(5, n=300)
    kept = []
    for l1 in (0.0, 2.0):
        learner = create("maxent", bits=10, l1=l1, conjunctions=[[0, 1, 2]]).begin(
            problem.sizes, problem.classes
        )
        learner.fit(problem.rows, problem.right, problem.permitted, epochs=3)
        kept.append(int((learner.finish().arrays()["weights"] != 0).sum()))
    assert kept[1] < 0.5 * kept[0]


@pytest.mark.parametrize("wrong", [{"step": 0.0}, {"l1": -1.0}, {"l2": -1.0}, {"bits": 0}])
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(UsageError):
        create("maxent", **wrong)
