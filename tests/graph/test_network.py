"""Training: gradients are those of the loss, and the compiled loops do what the plain ones do."""

from dataclasses import replace

import numpy as np
import pytest
from networks import batch, network

from arclift.graph.network import Adam, Dropout, Mean
from arclift.native import PAIRS

NAMES = [name for name in network().weights if name != "embeddings"]


def loss_of(net, words):
    """Return the loss in double precision: differences of it are too small for floats."""
    return net.gradients(words)[0]


@pytest.mark.parametrize("name", NAMES)
def test_gradients_are_those_of_the_loss(name):
    # The functions have corners, so that a few of the weights may differ; a wrong formula differs in all.
    net, words = network(3), batch([7, 4, 4, 1], 3)
    _, gradient, _, _ = net.gradients(words)
    rng = np.random.default_rng(1)
    flat = net.weights[name].reshape(-1)
    places = rng.choice(flat.size, min(flat.size, 24), replace=False)
    close = 0
    for place in places.tolist():
        kept, step = float(flat[place]), 1e-2
        losses = []
        for moved in (kept + step, kept - step):
            flat[place] = moved
            losses.append(loss_of(net, words))
        flat[place] = kept
        measured = (losses[0] - losses[1]) / (2 * step)
        close += abs(measured - gradient[name].reshape(-1)[place]) < 2e-3 + 0.05 * abs(measured)
    assert close >= 0.8 * len(places)
    assert np.abs(gradient[name]).max() > 1e-4


def test_gradients_by_embeddings_are_those_of_the_loss():
    net, words = network(4), batch([6, 5], 4)
    _, _, met, by_values = net.gradients(words)
    assert met.tolist() == sorted(set(words.ids.tolist()))
    close = 0
    for row in range(12):
        value, column, step = int(met[row]), row % 5, 1e-2
        losses = []
        for moved in (step, -2 * step):
            net.weights["embeddings"][value, column] += moved
            losses.append(loss_of(net, words))
        net.weights["embeddings"][value, column] += step
        close += abs((losses[0] - losses[1]) / (2 * step) - by_values[row, column]) < 3e-3
    assert close >= 10


def test_what_is_not_known_teaches_nothing():
    net, words = network(), batch([5, 3])
    unknown = replace(words, heads=words.heads * 0 - 1)
    loss, gradient, _, by_values = net.gradients(unknown)
    assert loss == 0
    assert not by_values.any()
    assert not any(g.any() for g in gradient.values())


def test_a_network_learns_what_it_sees():
    net, words = network(7, arc=32, state=32), batch([8, 6, 6, 5, 3], 7)
    optimiser = Adam(net.weights)
    losses = []
    for _ in range(150):
        loss, *gradient = net.gradients(words)
        optimiser.step(net.weights, *gradient, 0.01, 5.0)
        losses.append(loss)
    assert losses[-1] < 0.1 * losses[0]


def test_the_mean_follows_the_weights_and_forgets_what_is_long_past():
    weights = {"a": np.zeros((2, 3), dtype=np.float32)}
    mean = Mean(weights, 1000)
    for done in range(1, 1001):
        weights["a"][...] = 1 if done <= 500 else 3
        mean.follow(weights, done)
        if done == 500:
            assert np.allclose(mean.weights["a"], 1)  # nothing of the untrained weights is left
    assert 2.9 < mean.weights["a"].min() <= mean.weights["a"].max() < 3


def test_dropout_keeps_the_mean_and_whole_units_of_a_sentence():
    net, words = network(), batch([40, 30])
    drop = Dropout(net.shape, words.packed, 0.5, np.random.default_rng(1))
    factors = drop.input(0)
    assert set(np.unique(factors)) == {0.0, 2.0}
    for sentence in (0, 1):
        mine = factors[words.packed.sentence == sentence]
        assert (mine == mine[0]).all()
    assert abs(float(drop.units(1, 1000)[0].mean()) - 1) < 0.05


# --- twins -------------------------------------------------------------------------------------------------

compiled = pytest.mark.skipif(PAIRS["steps"].native is None, reason="the compiled core is not built")


def both(name, *arguments):
    """Return what both implementations answer, each given copies of its own, and what became of these."""
    answers = []
    for function in PAIRS[name]:
        own = [np.array(each) if isinstance(each, np.ndarray) else each for each in arguments]
        answer = function(*own)
        answers.append((*(answer if isinstance(answer, tuple) else (answer,)), *own))
    return answers


def assert_close(answers):
    for plain, native in zip(*answers, strict=True):
        if isinstance(plain, np.ndarray):
            assert plain.shape == native.shape
            assert np.allclose(plain, native, atol=1e-4, rtol=1e-3)


@compiled
@pytest.mark.parametrize("width", [16, 64, 80])
def test_recurrent_steps_agree(width):
    rng = np.random.default_rng(width)
    sizes = np.array([7, 7, 5, 2, 1], dtype=np.int64)
    words = int(sizes.sum())
    gates = rng.normal(0, 1.5, (2, words, 3 * width)).astype(np.float32)
    states = rng.normal(0, 0.3, (2, width, 3 * width)).astype(np.float32)
    answers = both("steps", gates, states, sizes)
    assert_close(answers)
    cells, _, let_through, *_ = answers[0]
    change = rng.normal(0, 1, (2, words, width)).astype(np.float32)
    (plain, *_), (native, *_) = both("steps_back", change, let_through, cells, states, sizes)
    assert np.allclose(plain, native, atol=1e-4, rtol=1e-3)


@compiled
def test_sums_and_steps_of_the_optimiser_agree():
    rng = np.random.default_rng(1)
    words = batch([6, 4, 4], 5)
    table = rng.normal(0, 1, (40, 24)).astype(np.float32)
    assert_close(both("sums_of_rows", table, words.ids, words.begins))
    of_words = rng.normal(0, 1, (len(words.begins), 24)).astype(np.float32)
    assert_close(both("sums_by_row", words.ids, words.begins, of_words))
    rows = np.array([3, 1, 30], dtype=np.int32)
    moments = [rng.normal(0, 1, table.shape).astype(np.float32) ** 2 for _ in range(2)]
    step = (0.9, 0.95, 0.01, 1.2, 1e-8, 0.7)
    assert_close(both("adam", table, *moments, rows, of_words[:3], step))


@compiled
def test_compiled_loops_refuse_what_does_not_fit():
    steps, sums, adam = (PAIRS[name].native for name in ("steps", "sums_of_rows", "adam"))
    gates, states = np.zeros((2, 3, 48), dtype=np.float32), np.zeros((2, 16, 48), dtype=np.float32)
    for sizes in ([2], [1, 2], [3, 0]):
        with pytest.raises(ValueError, match=r"fit|packed"):
            steps(gates, states, np.array(sizes, dtype=np.int64))
    table = np.zeros((2, 16), dtype=np.float32)
    with pytest.raises(ValueError, match="no such row"):
        sums(table, np.array([2], dtype=np.int32), np.array([0], dtype=np.int64))
    with pytest.raises(ValueError, match="no such row"):
        adam(table, table, table, np.array([-1], dtype=np.int32), table[:1], (0.0,) * 6)
