"""The compiled machine and the plain one take the same transitions, for every system."""

from random import Random

import numpy as np
import pytest

from arclift.features import compile_features, parse_features
from arclift.learners import create, perceptron
from arclift.native import PAIRS
from arclift.parsing import engine
from arclift.parsing.data import TrainingData, oracle_steps
from arclift.transitions.registry import title, variants
from strategies import concatenated, nearly_projective_heads, random_heads

FEATURES = """
s0.form
s1.form
s-1.form
i0.form
i1.upos
l0.form
r0.form
t0.form
s0.label
s0.head.form
s0.lc1.form
s0.rc1.label
s0.rc2.form
i0.lc1.form
s0.prev.form
s0.next.form
valency(s0.left)
valency(s0.right)
distance(s0, i0)
arc(s0, i0)
history1
history2
"""
WORDS, LABELS = 9, 3

pytestmark = pytest.mark.skipif(PAIRS["Machine"].native is None, reason="the compiled core is not built")


def machines(system, transitions, labels, monkeypatch):
    found = []
    for kind in PAIRS["Machine"]:
        monkeypatch.setattr(engine, "Machine", kind)
        parts = engine.Engine(system, compile_features(parse_features(FEATURES)), transitions, labels)
        found.append(parts.machine)
    return found


def batch(rng, sentences=6):
    trees = [
        rng.choice([random_heads, nearly_projective_heads])(rng.randint(1, 9), rng) for _ in range(sentences)
    ]
    heads, offsets = concatenated(trees)
    labels = np.array([rng.randrange(LABELS) for _ in heads], dtype=np.int32)
    words = np.array([[rng.randrange(WORDS), rng.randrange(WORDS)] for _ in heads], dtype=np.int32)
    data = TrainingData(heads, labels, list("abc"), offsets, {}, False, "a", 0)
    return data, words.reshape(-1, 2)


def random_learner(sizes, classes, seed):
    learner = create("perceptron", bits=8).begin(sizes, classes)
    noise = np.random.default_rng(seed)
    for _ in range(20):
        rows = noise.integers(0, 6, (30, len(sizes)), dtype=np.int32)
        right = np.eye(classes, dtype=np.uint8)[noise.integers(0, classes, 30)]
        learner.update(rows, right, np.ones_like(right))
    return learner


@pytest.mark.parametrize("system", variants(), ids=title)
@pytest.mark.parametrize("seed", range(3))
def test_both_machines_see_the_same_rows_along_the_oracles_way(system, seed, monkeypatch):
    data, words = batch(Random(seed))
    steps = oracle_steps(system, data)
    plain, compiled = machines(system, steps.transitions[:1], steps.labels[:1], monkeypatch)
    ways = [
        m.replay(steps.transitions, steps.labels, steps.begins, words, data.offsets)
        for m in (plain, compiled)
    ]
    np.testing.assert_array_equal(ways[0][0], ways[1][0])
    np.testing.assert_array_equal(ways[0][1], ways[1][1])
    assert len(ways[0][0]) == len(steps.transitions) > 0


@pytest.mark.parametrize("system", variants(), ids=title)
@pytest.mark.parametrize("seed", range(3))
def test_both_machines_take_the_same_transitions_on_random_weights(system, seed, monkeypatch):
    rng = Random(seed)
    data, words = batch(rng, sentences=12)
    pairs = [(t, label) for t in range(len(system.rules)) for label in range(-1, LABELS)]
    transitions, labels = (np.array(column, dtype=np.int32) for column in zip(*pairs, strict=True))
    plain, compiled = machines(system, transitions, labels, monkeypatch)
    program = compile_features(parse_features(FEATURES))
    sizes = program.sizes([WORDS, WORDS], LABELS, len(system.rules))
    monkeypatch.setattr(perceptron, "_SparseScorer", PAIRS["SparseScorer"].native)
    learner = random_learner(sizes, len(pairs), seed)
    limits = np.array([system.bound(n) for n in np.diff(data.offsets).tolist()], dtype=np.int64)
    for run in ("decode", "walk"):
        (first, second), (first2, second2) = (
            getattr(machine, run)(
                learner.scorer if machine is compiled else learner, words, data.offsets, limits
            )
            for machine in (plain, compiled)
        )
        np.testing.assert_array_equal(first, first2)
        np.testing.assert_array_equal(second, second2)
    for width, best in ((1, 1), (5, 3)):
        beams = [
            machine.beam(
                learner.scorer if machine is compiled else learner, words, data.offsets, limits, width, best
            )
            for machine in (plain, compiled)
        ]
        for one, other in zip(*beams, strict=True):
            np.testing.assert_array_equal(one, other)


def test_tables_that_do_not_fit_are_refused(monkeypatch):
    program = compile_features(parse_features("s0.form"))
    rows = np.array([[0, 1, 1]], dtype=np.int32)
    fine = (rows, [0, 1, 1], 0, [-1, 0, -1], program.nodes, program.cells, [1, 2, 3, 4, 6, 10], 7)
    one = np.zeros(1, dtype=np.int32)
    native = PAIRS["Machine"].native
    native(*fine, one, one)
    for place, wrong in ((1, [0, 5, 1]), (2, 3), (3, [1]), (0, np.array([[99, 0, 0]], dtype=np.int32))):
        tables = [*fine]
        tables[place] = wrong
        with pytest.raises(ValueError, match=r"."):
            native(*tables, one, one)
    with pytest.raises(ValueError, match="no such transition"):
        native(*fine, one + 1, one)
    monkeypatch.setattr(perceptron, "_SparseScorer", PAIRS["SparseScorer"].native)
    learner = create("perceptron", bits=4).begin([5], 1)
    begin, none = np.zeros(1, dtype=np.int64), np.zeros((0, 1), dtype=np.int32)
    for machine in (native(*fine, one, one), PAIRS["Machine"].python(*fine, one, one)):
        for width, best in ((0, 0), (2, 3)):
            with pytest.raises(ValueError, match="a width of 1 or more"):
                machine.beam(learner.scorer, none, begin, begin[:0], width, best)


def test_labels_without_room_in_32_bits_are_refused(monkeypatch):
    system, far = variants("arc_eager")[0], np.array([2**31 - 1], dtype=np.int32)
    shift, bounds = far * 0, np.array([0, 1], dtype=np.int64)
    for kind in PAIRS["Machine"]:
        monkeypatch.setattr(engine, "Machine", kind)
        program = compile_features(parse_features("s0.label"))
        with pytest.raises(ValueError, match="label is out of range"):
            engine.Engine(system, program, shift, far).machine  # noqa: B018 -- made when it is asked for
        machine = engine.Engine(system, program, shift, shift).machine
        with pytest.raises(ValueError, match="label is out of range"):
            machine.replay(shift, far, bounds, np.zeros((1, 0), dtype=np.int32), bounds)
