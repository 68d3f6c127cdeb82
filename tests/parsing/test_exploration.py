"""Training with exploration: what is shown to the learner, and that it is the same after an interruption."""

from __future__ import annotations

import io
from pathlib import Path
from random import Random

import numpy as np
import pytest

from arclift.errors import UsageError
from arclift.parsing import preset_config, train_on
from arclift.parsing.data import Steps, TrainingData, golds, oracle_steps
from arclift.parsing.exploration import explorers, mixed, right_classes
from arclift.parsing.transition_training import TransitionTraining
from arclift.transitions.registry import make, title, variants
from arclift.treebank import Reader
from strategies import concatenated, random_heads, random_projective_heads

EXAMPLE = Path(__file__).parents[2] / "examples" / "crossing.conllu"
QUICK = preset_config("classic").set(
    ["learner.bits=12", "training.epochs=4", "training.patience=4", "oracle.exploration=0.7"]
)
DYNAMIC = [system for system in variants() if system.dynamic]


def blocks():
    return list(Reader(io.BytesIO(EXAMPLE.read_bytes()), trees=True).blocks())


def training_data(seed, system, sentences=5):
    rng = Random(seed)
    trees = [random_heads(rng.randint(1, 8), rng) for _ in range(sentences)]
    if not all(system.covers(tree.tolist()) for tree in trees):
        trees = [random_projective_heads(rng.randint(1, 8), rng) for _ in range(sentences)]
    heads, offsets = concatenated(trees)
    labels = np.array([rng.randrange(3) for _ in heads], dtype=np.int32)
    return TrainingData(heads, labels, list("abc"), offsets, {}, False, "a", 0)


@pytest.mark.parametrize("system", DYNAMIC, ids=title)
@pytest.mark.parametrize("seed", range(3))
def test_on_the_oracles_way_its_class_is_among_the_right_ones(system, seed):
    data = training_data(seed, system)
    steps = oracle_steps(system, data)
    pairs, targets = np.unique(np.stack([steps.transitions, steps.labels]), axis=1, return_inverse=True)
    right = right_classes(system, list(golds(data)), steps, *pairs)
    chosen = right[np.arange(len(right))]
    assert chosen.shape == (len(steps.transitions), pairs.shape[1])
    assert chosen[np.arange(len(chosen)), targets.reshape(-1)].all()


def test_off_the_way_the_least_harm_is_right_and_the_label_is_that_of_the_dependent():
    system = make("arc_eager")
    shift, left, right, reduce = range(4)
    heads, offsets = concatenated([np.array([2, 0, 2], dtype=np.int32)])
    data = TrainingData(heads, np.array([5, 6, 7], np.int32), [""] * 8, offsets, {}, False, "", 0)
    taken = [(shift, -1), (right, 9), (reduce, -1), (left, 5)]  # 1 -> 2 is wrong; then 1 <- 3 is, too
    transitions, labels = (np.array(column, np.int32) for column in zip(*taken, strict=True))
    classes = np.array([[shift, left, left, right, right, reduce], [-1, 5, 7, 7, 6, -1]], np.int32)
    steps = Steps(transitions, labels, np.array([0, 4]), 0)
    found = right_classes(system, list(golds(data)), steps, *classes)
    names = [
        {(int(t), int(label)) for t, label in classes.T[row == 1].tolist()} for row in found[np.arange(4)]
    ]
    assert names == [
        {(shift, -1)},  # the only one permitted
        {(left, 5)},  # 1 is the dependent of 2
        {(right, 7)},  # 3 belongs to 2, which has a wrong head
        {(shift, -1), (left, 5), (right, 7)},  # 1 and 3 have lost their heads
    ]


def test_sentences_are_mixed():
    first = Steps(np.array([1, 2, 3], np.int32), np.array([-1, -2, -3], np.int32), np.array([0, 1, 3]), 4)
    second = Steps(np.array([7, 8, 9], np.int32), np.array([-7, -8, -9], np.int32), np.array([0, 2, 3]), 0)
    found = mixed(first, second, np.array([True, False]))
    assert found.transitions.tolist() == [7, 8, 2, 3]
    assert found.labels.tolist() == [-7, -8, -2, -3]
    assert found.begins.tolist() == [0, 2, 4]


def test_the_share_of_explored_sentences_is_what_was_asked_for():
    assert not explorers(1000, 0.0, 1, 1).any()
    assert explorers(1000, 1.0, 1, 1).all()
    some, others = explorers(1000, 0.3, 1, 1), explorers(1000, 0.3, 1, 2)
    assert 200 < some.sum() < 400
    assert (some != others).any()
    assert (some == explorers(1000, 0.3, 1, 1)).all()


@pytest.mark.parametrize("learner", ["perceptron", "mlp"])
def test_an_interrupted_training_comes_to_the_same_bytes(learner, tmp_path):
    settings = {"perceptron": ["learner.bits=12"], "mlp": ["learner.hidden=[16]", "learner.table=16"]}
    config = preset_config("classic").set([f"learner.name={learner}", *settings[learner]])
    config = config.set(["oracle.exploration=0.7", "training.epochs=4", "training.patience=4"])

    def interrupt(epoch):
        if epoch.number == 3:
            raise KeyboardInterrupt

    whole, _ = train_on(blocks(), blocks(), config, output=tmp_path / "a")
    with pytest.raises(KeyboardInterrupt):
        train_on(blocks(), blocks(), config, output=tmp_path / "b", on_epoch=interrupt)
    assert (tmp_path / "b.checkpoint").exists()
    _, report = train_on(blocks(), blocks(), config, output=tmp_path / "b")
    assert len(report.epochs) == 4
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    static, _ = train_on(blocks(), blocks(), config.set(["oracle.exploration=0.0"]))
    static.save(tmp_path / "c")
    whole.with_card(static.card).save(tmp_path / "a")
    assert (tmp_path / "a").read_bytes() != (tmp_path / "c").read_bytes()


@pytest.mark.parametrize("system", DYNAMIC, ids=title)
def test_every_dynamic_oracle_can_be_explored_with(system):
    sets = [f"system.name={system.name}", *(f"system.{k}={v}" for k, v in toml(system))]
    _, report = train_on(blocks(), blocks(), QUICK.set([*sets, "training.epochs=2", "lifting.scheme=exact"]))
    assert len(report.epochs) == 2


def toml(system):
    from arclift.transitions.registry import settings_of

    return [(key, str(value).lower()) for key, value in settings_of(system).items()]


def test_without_a_dynamic_oracle_exploration_is_refused_before_training():
    for sets in (["system.name=attardi"], ["system.name=covington", "system.projective=true"]):
        with pytest.raises(
            UsageError, match=r"needs a dynamic oracle, which .* has not; these have: arc_eager"
        ):
            train_on(blocks(), blocks(), QUICK.set(sets))
    with pytest.raises(UsageError, match=r"a share from 0 to 1, not 1\.5"):
        QUICK.set(["oracle.exploration=1.5"])
    with pytest.raises(UsageError, match="oracle is no table of a graph parser"):
        preset_config("fast").set(["oracle.exploration=0.5"])


def test_only_epochs_after_the_first_explore():
    from arclift.parsing.data import gather

    training = TransitionTraining(QUICK, gather(blocks(), "exact"))
    first = training.rows
    training.fit_epoch()
    assert training.rows is first
    training.fit_epoch()
    assert training.rows is not first
    several = training.right[np.arange(len(training.rows))].sum(axis=1)
    assert several.max() > 1
