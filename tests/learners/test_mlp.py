"""The network: both implementations agree, gradients are gradients, whole numbers decide like floats."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toys import exclusive_or, random_problem

from arclift.errors import UsageError
from arclift.learners import Mlp, create, restore
from arclift.learners.mlp_net import Layout, aligned
from arclift.learners.mlp_scorer import _MlpScorer
from arclift.native import PAIRS

compiled = pytest.mark.skipif(PAIRS["MlpNet"].native is None, reason="the compiled core is not built")
GROUPS = [0, 1, 0, 2, 1]


def _shape(problem, dims=(5, 16, 3), hidden=(20,)):
    arrays = (problem.sizes, GROUPS, dims, [*hidden, problem.classes])
    return [np.array(a, dtype=np.int32) for a in arrays]


def _weights(shape, seed=0, scale=0.5):
    """Random weights with zeros where layers are padded."""
    layout, rng = Layout(*shape), np.random.default_rng(seed)
    weights = aligned(layout.total)
    for group in range(len(layout.dims)):
        table = layout.table(weights, group)
        table[:] = rng.normal(0, scale, table.shape)
    for column in range(len(layout.groups)):
        part = layout.input(weights, column)[:, : layout.dense[0].outputs]
        part[:] = rng.normal(0, scale, part.shape)
    layout.bias(weights, 0)[: layout.dense[0].outputs] = rng.normal(0, scale)
    for layer in range(1, len(layout.dense)):
        inputs, outputs = layout.dense[layer - 1].outputs, layout.dense[layer].outputs
        part = layout.weights(weights, layer)[:inputs, :outputs]
        part[:] = rng.normal(0, scale, part.shape)
        layout.bias(weights, layer)[:outputs] = rng.normal(0, scale, outputs)
    return weights


def _settings(rate=0.01, clip=0.0, dropout=0.0, word_dropout=0.0):
    return np.array([rate, 0.9, 0.999, 1e-8, clip, dropout, word_dropout])


def _run(kind, problem, shape, options, steps=3):
    net, weights = kind(*shape), _weights(shape)
    first, second = aligned(len(weights)), aligned(len(weights))
    droppable = np.array([1, 0, 1, 1, 0], dtype=np.uint8)
    losses = [
        net.step(weights, first, second, *problem[:3], droppable, update, 77, options)
        for update in range(1, steps + 1)
    ]
    return losses, weights, net.scores(weights, problem.rows)


@compiled
@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 1000),
    n=st.integers(1, 40),
    hidden=st.sampled_from([(20,), (32, 7), (1,)]),
    dropout=st.sampled_from([0.0, 0.4]),
    word_dropout=st.sampled_from([0.0, 0.5, 1.0]),
    clip=st.sampled_from([0.0, 0.05]),
)
def test_both_implementations_train_alike(seed, n, hidden, dropout, word_dropout, clip):
    problem = random_problem(seed, n=n)
    shape = _shape(problem, hidden=hidden)
    # Adam divides by the gradient's size, which magnifies rounding where that is nearly nothing
    options = _settings(1e-3, clip, dropout, word_dropout)
    plain = _run(PAIRS["MlpNet"].python, problem, shape, options)
    native = _run(PAIRS["MlpNet"].native, problem, shape, options)
    assert native[0] == pytest.approx(plain[0], abs=1e-3)
    assert np.abs(native[2] - plain[2]).max() < 0.02
    assert np.abs(native[1] - plain[1]).mean() < 1e-5


@compiled
def test_one_step_from_the_same_weights_is_the_same_to_rounding():
    problem = random_problem(1, n=300)
    shape = _shape(problem, hidden=(48, 16))
    options = _settings(1e-3, 1.0, 0.3, 0.3)
    plain = _run(PAIRS["MlpNet"].python, problem, shape, options, 1)
    native = _run(PAIRS["MlpNet"].native, problem, shape, options, 1)
    assert native[0] == pytest.approx(plain[0], abs=1e-5)
    assert np.quantile(np.abs(native[1] - plain[1]), 0.99) < 1e-5


def test_the_gradient_is_that_of_the_loss():
    problem = random_problem(2, n=12)
    shape = _shape(problem, hidden=(6, 5))
    net, weights = PAIRS["MlpNet"].python(*shape), _weights(shape)
    ids = np.where((problem.rows < 0) | (problem.rows >= problem.sizes[0]), 2, problem.rows)
    keep = [np.ones((1, 1), dtype=np.float32)] * 2

    def loss(w):
        return net._loss(net._forward(w, ids, keep)[-1], problem.right, problem.permitted)[0]

    outputs = net._forward(weights, ids, keep)
    changes, touched = net._backward(
        weights, ids, keep, outputs, net._loss(outputs[-1], problem.right, problem.permitted)[1]
    )
    assert not changes[~touched].any()
    weights = weights.astype(np.float64)
    rng = np.random.default_rng(0)
    for _ in range(10):
        direction = rng.normal(size=len(weights)) * (changes != 0)
        h = 1e-6
        slope = (loss(weights + h * direction) - loss(weights - h * direction)) / (2 * h)
        assert slope == pytest.approx(float(direction @ changes), rel=1e-3, abs=1e-5)


@compiled
@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 1000),
    n=st.integers(0, 20),
    hidden=st.sampled_from([(20,), (64, 40), (200,)]),
    classes=st.sampled_from([1, 7, 70, 130]),
    table=st.integers(0, 30),
)
def test_both_scorers_agree_to_the_bit(seed, n, hidden, classes, table):
    problem = random_problem(seed, n=n, classes=classes)
    dims = [3, 16, 80]
    learner = Mlp(groups=GROUPS, dims=dims, hidden=hidden, table=table)
    learner.begin(problem.sizes, classes, seed)
    learner.update(*problem[:3])
    finished = learner.finish()
    kept = {**finished.arrays(), "unit": float(finished.arrays()["unit"][0])}
    plain, native = (
        kind(*_shape(problem, dims, hidden), **kept).scores(problem.rows) for kind in PAIRS["MlpScorer"]
    )
    assert plain.dtype == native.dtype
    assert plain.tolist() == native.tolist()


@pytest.mark.parametrize("scale", [1e-3, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("hidden", [(64,), (48, 32)])
def test_whole_numbers_stay_near_the_floats(scale, hidden):
    problem = random_problem(5, n=400, values=50, classes=12, stray=False)
    learner = Mlp(groups=GROUPS, dims=[32, 16, 7], hidden=hidden).begin(problem.sizes, 12, 3)
    learner.update(*problem[:3])
    learner._weights[:] = _weights(_shape(problem, [32, 16, 7], hidden), 1, scale)
    exact, whole = learner.scores(problem.rows), learner.finish().scores(problem.rows)
    spread = exact.std()
    assert np.abs(exact - whole).max() < (0.02 if len(hidden) == 1 else 0.06) * spread
    assert (exact.argmax(axis=1) == whole.argmax(axis=1)).mean() > 0.97


def test_no_sum_of_contributions_leaves_sixteen_bits():
    problem = random_problem(6, n=50, values=200, stray=False)
    learner = Mlp(groups=GROUPS, dims=[8], hidden=[32]).begin(problem.sizes, problem.classes)
    rng = np.random.default_rng(0)
    learner._weights[:] = rng.standard_cauchy(len(learner._weights))  # some very great weights
    finished = learner.finish()
    shape = _shape(problem, [8, 8, 8], [32])
    plain = PAIRS["MlpScorer"].python(*shape, **{**finished.arrays(), "unit": 1.0})
    worst = np.abs(plain._biases[0]).astype(np.int64)
    for column, group in enumerate(GROUPS):
        worst += np.abs(plain._contribution(column, plain._embeddings[group])).max(axis=0)
    assert 10000 < worst.max() <= 32767


def test_what_is_tabled_changes_no_score():
    problem = exclusive_or()
    scores = []
    for table in (0, 3, 1000):
        learner = Mlp(dims=[16], hidden=[32], batch=64, table=table).begin(problem.sizes, problem.classes)
        learner.fit(*problem[:3], epochs=2)
        finished = learner.finish()
        assert len(finished.arrays()["frequent"]) == min(table, 6)
        scores.append(finished.scores(problem.rows).tolist())
    assert scores[0] == scores[1] == scores[2]


SCORED_ELSEWHERE = """
import hashlib, json, sys
import numpy as np
from arclift.learners import restore
kept = dict(np.load(sys.argv[1], allow_pickle=False))
rows, settings = kept.pop("rows"), json.loads(kept.pop("settings").item())
print(hashlib.sha256(restore(settings, kept).scores(rows).tobytes()).hexdigest())
"""


@compiled
def test_every_instruction_set_gives_the_same_bytes(tmp_path):
    problem = random_problem(9, n=100, classes=70)
    learner = Mlp(groups=GROUPS, dims=[7, 16, 40], hidden=[200, 48], table=9)
    learner.begin(problem.sizes, problem.classes, 3).update(*problem[:3])
    finished = learner.finish()
    place = tmp_path / "learner.npz"
    np.savez(place, rows=problem.rows, settings=json.dumps(finished.settings()), **finished.arrays())
    seen = {
        subprocess.run(
            [sys.executable, "-c", SCORED_ELSEWHERE, place],
            env={**os.environ, **choice},
            capture_output=True,
            check=True,
        ).stdout
        for choice in (
            {"ARCLIFT_NATIVE": "0"},
            {"ARCLIFT_CPU": "baseline"},
            {"ARCLIFT_CPU": "avx2"},
            {"ARCLIFT_CPU": "avx512"},
        )
    }
    assert len(seen) == 1


def test_the_pairs_seen_most_often_are_tabled():
    rows = np.array([[3, 4], [3, 5], [3, 4], [6, 4]], dtype=np.int32)
    sets = np.ones((4, 2), dtype=np.uint8)
    learner = Mlp(dims=[4], hidden=[16], table=2).begin([7, 7], 2)
    learner.fit(rows, sets, sets, epochs=2)
    assert learner.finish().arrays()["frequent"].tolist() == [[0, 3], [1, 4]]


def test_word_dropout_trains_the_unknown_value():
    problem = exclusive_or()
    for word_groups, moves in (([], False), ([0], True)):
        learner = Mlp(dims=[8], hidden=[16], word_groups=word_groups, word_dropout=0.5)
        learner.begin(problem.sizes, problem.classes)
        before = learner._layout.table(learner._weights, 0)[2].copy()
        learner.fit(*problem[:3])
        assert (learner._layout.table(learner._weights, 0)[2] != before).any() == moves


def test_extreme_scores_have_a_finite_loss():
    problem = random_problem(8)
    learner = Mlp(groups=GROUPS, dims=[8], hidden=[16], clip=0).begin(problem.sizes, problem.classes)
    learner._weights *= 1e4
    assert np.isfinite(learner.update(*problem[:3]))
    assert np.isfinite(learner.scores(problem.rows)).all()


@pytest.mark.parametrize(
    "wrong",
    [
        {"dropout": 1.0},
        {"hidden": []},
        {"dims": [0]},
        {"groups": [0, 1]},
        {"dims": [4, 4]},
        {"word_groups": [9]},
    ],
)
def test_hyperparameters_that_make_no_network_are_refused(wrong):
    with pytest.raises(UsageError):
        Mlp(**wrong).begin([4] * 3, 2)


@compiled
def test_the_compiled_network_refuses_arrays_that_do_not_fit():
    problem = random_problem(0)
    shape = _shape(problem)
    kind = PAIRS["MlpNet"].native
    for place, wrong in [(0, [2] * 5), (1, [0, 1, 2, 3, 0]), (1, [0]), (2, [0, 1, 1]), (3, [4])]:
        broken = [np.array(wrong, dtype=np.int32) if i == place else a for i, a in enumerate(shape)]
        with pytest.raises(ValueError):
            kind(*broken)
    net, weights, droppable = kind(*shape), _weights(shape), np.zeros(5, dtype=np.uint8)
    good = [weights, weights.copy(), weights.copy(), *problem[:3], droppable, 1, 1, _settings()]
    for place in (0, 1, 2, 3, 4, 5, 6, 9):
        broken = [a[..., :-1].copy() if i == place else a for i, a in enumerate(good)]
        with pytest.raises(ValueError):
            net.step(*broken)


@compiled
def test_the_compiled_scorer_refuses_what_could_overflow_or_leave_its_arrays():
    problem = random_problem(0)
    learner = Mlp(groups=GROUPS, dims=[16], hidden=[16]).begin(problem.sizes, problem.classes)
    learner.update(*problem[:3])
    shape, arrays = _shape(problem, [16, 16, 16], [16]), learner.finish().arrays()
    arrays = {**arrays, "unit": 1.0}
    _MlpScorer(*shape, **arrays)
    great = {
        "inputs": np.full_like(arrays["inputs"], 32767),
        "dense": np.full_like(arrays["dense"], -32768),
        "shifts": arrays["shifts"] + 31,
        "frequent": arrays["frequent"] + 10,
    }
    for name, array in great.items():
        with pytest.raises(ValueError):
            PAIRS["MlpScorer"].native(*shape, **{**arrays, name: array})
    for name in ("embeddings", "inputs", "shifts", "dense", "biases"):
        with pytest.raises(ValueError):
            PAIRS["MlpScorer"].native(*shape, **{**arrays, name: arrays[name][:-1].copy()})


@pytest.mark.parametrize("scale", [0.0, 1e-20, 1e4])
def test_weights_without_measure_are_quantised(scale):
    learner = create("mlp", hidden=(7, 3), dims=(2,)).begin([5, 6], 3)
    learner._weights *= np.float32(scale)
    learner._sample = np.zeros((2, 2), dtype=np.int32)
    assert np.isfinite(learner.finish().scores(np.zeros((1, 2), dtype=np.int32))).all()


@pytest.mark.parametrize("unit", [np.nan, np.inf, -1.0, 1e300])
def test_a_unit_that_is_none_is_refused(unit):
    learner = create("mlp", hidden=(7,), dims=(2,)).begin([5, 6], 3).finish()
    with pytest.raises(UsageError, match="the unit of scores"):
        restore(learner.settings(), {**learner.arrays(), "unit": np.array([unit])})
