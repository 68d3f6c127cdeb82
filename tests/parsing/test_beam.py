"""Beam search: its definition on short sentences, where every run can be enumerated."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from random_parsers import random_parser, text

from arclift.features import compile_features, parse_features
from arclift.features.evaluator import row
from arclift.learners import create
from arclift.parsing.engine import Engine
from arclift.transitions.registry import make, title, variants
from arclift.treebank import Block
from arclift.treebank.formats import CONLLU
from arclift.trees.structure import tree_problems

SYSTEMS = [make(name) for name in ("arc_eager", "arc_standard", "arc_hybrid", "swap", "covington", "planar2")]
LABELS = 2
LENGTHS = (1, 3, 2, 0, 3)


def random_parts(system, seed):
    """An engine, a learner with random weights, and word values of a few short sentences."""
    rng = np.random.default_rng(seed)
    pairs = [(t, label) for t in range(len(system.rules)) for label in range(LABELS)]
    transitions, labels = (np.array(column, dtype=np.int32) for column in zip(*pairs, strict=True))
    program = compile_features(parse_features("s0.form\ni0.form\ns0.form + i0.form\nhistory1\ns0.label"))
    engine = Engine(system, program, transitions, labels)
    sizes = program.sizes([9], LABELS, len(system.rules))
    learner = create("perceptron", bits=8).begin(sizes, len(pairs))
    for _ in range(8):
        rows = rng.integers(0, 6, (20, len(sizes)), dtype=np.int32)
        right = np.eye(len(pairs), dtype=np.uint8)[rng.integers(0, len(pairs), 20)]
        learner.update(rows, right, np.ones_like(right))
    offsets = np.append(0, np.cumsum(LENGTHS)).astype(np.int64)
    words = rng.integers(0, 9, (sum(LENGTHS), 1), dtype=np.int32)
    return engine, learner.finish(), words, offsets


def all_runs(engine, learner, words):
    """Yield heads, labels and score of every run of one sentence."""
    todo = [(engine.system.start(len(words)), 0.0)]
    while todo:
        state, total = todo.pop()
        permitted = np.flatnonzero(np.isin(engine.transitions, engine.system.permitted(state)))
        if not len(permitted):
            yield tuple(state.head[1:]), tuple(state.label[1:]), total
            continue
        values = np.array([row(engine.program, state, words)], dtype=np.int32)
        scores = learner.scores(values)[0][permitted].astype(np.float64)
        gains = scores - np.log(np.exp(scores - scores.max()).sum()) - scores.max()
        for chosen, gain in zip(permitted.tolist(), gains.tolist(), strict=True):
            after = state.copy()
            engine.system.apply(after, int(engine.transitions[chosen]), int(engine.labels[chosen]))
            todo.append((after, total + gain))


@pytest.mark.parametrize("system", SYSTEMS, ids=title)
def test_width_one_is_greedy(system):
    for seed in range(5):
        engine, learner, words, offsets = random_parts(system, seed)
        heads, labels = engine.decode(learner, words, offsets)
        beams = engine.decode_beam(learner, words, offsets, 1, 1)
        np.testing.assert_array_equal(beams.heads[0], heads)
        np.testing.assert_array_equal(beams.labels[0], labels)
        assert np.isfinite(beams.totals).all()


@pytest.mark.parametrize("name", ["arc_eager", "arc_standard", "arc_hybrid"])
def test_a_beam_that_holds_every_run_finds_the_best_trees(name):
    engine, learner, words, _ = random_parts(make(name), 1)
    sentence = words[:2]
    best: dict[tuple[object, ...], float] = {}
    for heads, labels, total in all_runs(engine, learner, sentence):
        best[heads, labels] = max(total, best.get((heads, labels), -np.inf))
    expected = sorted(best.items(), key=lambda item: -item[1])[:10]
    found = engine.decode_beam(learner, sentence, np.array([0, 2]), 5000, 10)
    np.testing.assert_allclose(found.totals[: len(expected), 0], [total for _, total in expected])
    assert np.isneginf(found.totals[len(expected) :]).all()
    if len({round(total, 9) for _, total in expected}) == len(expected):
        assert [
            (tuple(heads), tuple(labels))
            for heads, labels in zip(found.heads.tolist(), found.labels.tolist(), strict=True)
        ][: len(expected)] == [tree for tree, _ in expected]


@pytest.mark.parametrize("system", SYSTEMS, ids=title)
def test_trees_differ_and_come_best_first(system):
    engine, learner, words, offsets = random_parts(system, Random(title(system)).randrange(99))
    found = engine.decode_beam(learner, words, offsets, 6, 4)
    for sentence, (begin, end) in enumerate(pairwise(offsets.tolist())):
        totals = found.totals[:, sentence].tolist()
        assert totals == sorted(totals, reverse=True)
        there = [place for place, total in enumerate(totals) if total > -np.inf]
        assert there
        trees = {
            (*found.heads[place, begin:end].tolist(), *found.labels[place, begin:end].tolist())
            for place in there
        }
        assert len(trees) == len(there)
        for place in range(len(there), 4):
            assert (found.heads[place, begin:end] == -1).all()
    assert found.totals[0, 3] == 0.0  # of no words there is one tree
    assert np.isneginf(found.totals[1:, 3]).all()


# --- the best trees --------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["none", "head+path"])
@pytest.mark.parametrize("system", variants("arc_eager", "arc_standard", "swap"), ids=title)
def test_the_best_trees_differ_and_are_trees(system, scheme):
    parser, block = random_parser(system, 4, scheme), text(4, 12)
    found = parser.worker().best_trees(block, 3)
    assert len(found) == 3
    assert {"det", "obj", "root"} <= set(found[0].trees.names)
    scores = np.stack([each.scores for each in found])
    assert (scores[:-1] >= scores[1:]).all()
    assert np.isfinite(scores[0]).all()
    assert not tree_problems(found[0].trees.heads, block.offsets).any()
    for sentence, (begin, end) in enumerate(pairwise(block.offsets.tolist())):
        own = slice(begin, end)
        there = [each.trees for each in found if each.scores[sentence] > -np.inf]
        assert len({(*each.heads[own].tolist(), *each.labels[own].tolist()) for each in there}) == len(there)
        for each in found[len(there) :]:
            assert (each.trees.heads[own] == -1).all()
            assert (each.trees.labels[own] == -1).all()
        for trees in there:
            assert not tree_problems(trees.heads[own], np.array([0, end - begin])).any()


def test_a_sentence_of_one_word_has_few_trees():
    parser = random_parser(make("arc_standard"), 6, "none")
    block = Block(b"1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n\n", CONLLU)
    found = parser.worker().best_trees(block, 8)
    there = [each.trees for each in found if each.scores[0] > -np.inf]
    assert len(there) == len({each.labels[0] for each in there}) <= 4
    assert [each.trees.heads[0] for each in found[len(there) :]] == [-1] * (8 - len(there))


def test_several_roots_are_kept_where_the_data_has_them():
    parser = replace(random_parser(make("arc_eager"), 7, "none"), several_roots=True)
    block = text(7)
    best, _ = parser.worker().best_trees(block, 2)
    roots = np.add.reduceat(best.trees.heads == 0, block.offsets[:-1])
    assert roots.min() >= 1
    assert roots.max() > 1
