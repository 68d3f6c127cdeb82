"""The quantised network: the compiled one is the plain one, bit for bit, on every instruction set."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from networks import LABELS, VALUES, batch, network, quantised

from arclift.graph.packing import Packed
from arclift.graph.scorer import LONGEST, check, quantise, tree_of
from arclift.native import PAIRS
from arclift.trees.structure import is_tree

compiled = pytest.mark.skipif(PAIRS["GraphScorer"].native is None, reason="the compiled core is not built")
COLUMNS = 3


def words_of(pair, arrays, seed):
    """Return strings with random rows of the embeddings, in three columns."""
    rng = np.random.default_rng(seed)
    words = pair(arrays["embeddings"], COLUMNS)
    for column, rows in enumerate((4, 1, 2)):
        words.extend(column, rng.integers(-1, VALUES, (15, rows)).astype(np.int32))
        words.extend(column, rng.integers(-1, VALUES, (5, rows)).astype(np.int32))
        assert words.count(column) == 20
    return words


def answers(which, arrays, lengths, seed, single_root=True):
    """Return heads, labels and the arc scores of the first sentence, by one implementation."""
    words = words_of(getattr(PAIRS["GraphWords"], which), arrays, seed)
    scorer = getattr(PAIRS["GraphScorer"], which)(arrays)
    ids = np.random.default_rng(seed).integers(0, 20, (sum(lengths), COLUMNS)).astype(np.int32)
    offsets = np.append(0, np.cumsum(lengths)).astype(np.int64)
    heads, labels = scorer.parse(words, ids, offsets, single_root)
    return heads, labels, scorer.arc_scores(words, ids[: lengths[0]])


SHAPES = [
    {"embedding": 32, "state": 16, "arc": 16, "label": 16},
    {"embedding": 128, "state": 64, "arc": 64, "label": 64},
    {"embedding": 64, "state": 32, "arc": 48, "label": 80, "layers": 3},
    {"embedding": 16, "state": 64, "arc": 64, "label": 16, "layers": 1},
]


@compiled
@pytest.mark.parametrize("wide", [0.2, 1.0, 30.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_twins_agree_to_the_bit(shape, wide):
    arrays = quantised(2, wide, **shape)
    lengths = [30, *[1, 7, 0, 3, 12] * 8, 2]
    for single_root in (True, False):
        plain, native = (answers(which, arrays, lengths, 5, single_root) for which in ("python", "native"))
        for one, other in zip(plain, native, strict=True):
            assert one.dtype == other.dtype
            assert one.tolist() == other.tolist()


ELSEWHERE = """
import sys
import numpy as np
sys.path.insert(0, sys.argv[1])
from test_scorer import answers
for path in sys.argv[2:]:
    for part in answers("native", dict(np.load(path)), [40, 20, 3, 3, 3, 2, 1, 17], 1):
        sys.stdout.write(str(part.tolist()))
"""


@compiled
def test_every_instruction_set_gives_the_same_trees(tmp_path):
    paths = [tmp_path / f"{number}.npz" for number in range(len(SHAPES))]
    for path, shape in zip(paths, SHAPES, strict=True):
        np.savez(path, **quantised(3, **shape))
    seen = {
        subprocess.run(
            [sys.executable, "-c", ELSEWHERE, Path(__file__).parent, *paths],
            env={**os.environ, "ARCLIFT_CPU": cpu, "OPENBLAS_NUM_THREADS": "1"},
            capture_output=True,
            check=True,
        ).stdout
        for cpu in ("baseline", "avx2", "avx512", "vnni", "")
    }
    assert len(seen) == 1
    assert seen.pop()


@pytest.mark.parametrize("seed", range(4))
def test_the_quantised_network_scores_as_the_trained_one(seed):
    net, words = network(seed, embedding=64, state=32, arc=32), batch([12, 9, 5], seed)
    arrays = quantise(net.weights, net.shape.layers, net.tops(words))
    from arclift.graph.biaffine import Tree

    expected = Tree(net.weights, words.packed).score(net.vectors(words)[0])
    column = PAIRS["GraphWords"].python(arrays["embeddings"], 1)
    most = int(np.diff(np.append(words.begins, len(words.ids))).max())
    table = np.full((len(words.begins), most), -1, dtype=np.int32)
    for word, begin in enumerate(words.begins.tolist()):
        rows = words.ids[begin : np.append(words.begins, len(words.ids))[word + 1]]
        table[word, : len(rows)] = rows
    column.extend(0, table)
    scorer = PAIRS["GraphScorer"].python(arrays)
    for sentence, length in enumerate(words.packed.lengths.tolist()):
        ids = words.packed.padded[sentence, :length].astype(np.int32)[:, None]
        found = scorer.arc_scores(column, ids) * arrays["units"][0]
        right = expected[sentence, :length, : length + 1]
        away = ~np.eye(length, length + 1, 1, dtype=bool)
        assert np.abs(found - right)[away].max() < 0.12 * np.abs(right[away]).max() + 0.05


@compiled
def test_a_long_sentence_gets_its_best_heads():
    arrays = quantised(1)
    heads, _, scores = answers("native", arrays, [LONGEST + 5], 1)
    best = scores.astype(np.float64)
    best[np.arange(len(heads)), np.arange(1, len(heads) + 1)] = -np.inf
    assert heads.tolist() == best.argmax(axis=1).tolist()


@pytest.mark.parametrize("single_root", [True, False])
def test_trees_are_trees(single_root):
    rng = np.random.default_rng(1)
    for n in (1, 2, 3, 8, 20):
        scores = rng.integers(-50, 50, (n, n + 1)).astype(np.int32)
        assert is_tree(tree_of(scores, single_root), single_root=single_root)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda arrays: arrays.pop("bilinear"), "missing"),
        (lambda arrays: arrays.update(head=arrays["head"][:, :8].copy()), "multiples of 16"),
        (lambda arrays: arrays.update(head=arrays["head"][:, :0].copy()), "multiples of 16"),
        (lambda arrays: arrays.update(dependent=arrays["dependent"][:, :8].copy()), "dependent"),
        (lambda arrays: arrays.update(label=arrays["label"][:, :0].copy()), "no label"),
        (lambda arrays: arrays.update(parse=arrays["small"]), "not known: parse"),
        (lambda arrays: arrays.update(states9=arrays["states0"]), "not known: states9"),
        (lambda arrays: arrays.update(embeddings=arrays["embeddings"][None]), "another shape"),
        (lambda arrays: arrays.update(states0=arrays["bias0"]), "another shape"),
        (lambda arrays: arrays["small"].fill(0), "out of range"),
        (lambda arrays: arrays["units"].fill(0), "out of range"),
        (lambda arrays: arrays["units"].fill(1e300), "out of range"),
        (lambda arrays: arrays["small"].fill(np.inf), "out of range"),
        (lambda arrays: arrays["head_step"].fill(1e30), "steps that are none"),
        (lambda arrays: arrays.update(label_out=arrays["label_out"].astype(np.int64)), "label_out"),
        (lambda arrays: arrays["gates0_step"].fill(np.nan), "steps that are none"),
        (lambda arrays: arrays["bias1"].fill(1 << 30), "out of range"),
        (lambda arrays: arrays.update(embeddings=arrays["embeddings"].astype(np.int16)), "embeddings"),
    ],
)
@pytest.mark.parametrize("which", ["python", "native"])
def test_arrays_that_do_not_fit_are_refused(which, change, message):
    arrays = quantised(1)
    change(arrays)
    scorer = getattr(PAIRS["GraphScorer"], which)
    if scorer is None:
        pytest.skip("the compiled core is not built")
    with pytest.raises(ValueError, match=message):
        scorer(arrays)
    with pytest.raises(ValueError, match=message):
        check(arrays)


@pytest.mark.parametrize("wide", [0.0, 1e-30, 1e6])
def test_weights_without_measure_are_quantised(wide):
    net, words = network(1), batch([5, 2], 1)
    tops = net.tops(words)
    for weights in net.weights.values():
        weights *= np.float32(wide)
    check(quantise(net.weights, net.shape.layers, tops))


@compiled
def test_the_compiled_scorer_refuses_what_would_lead_out_of_bounds():
    arrays = quantised(1)
    words, scorer = words_of(PAIRS["GraphWords"].native, arrays, 1), PAIRS["GraphScorer"].native(arrays)
    ids = np.zeros((4, COLUMNS), dtype=np.int32)
    offsets = np.array([0, 4], dtype=np.int64)
    for wrong in (ids + 20, ids - 1, ids[:, :2].copy()):
        with pytest.raises(ValueError, match=r"no such string|another network"):
            scorer.parse(words, wrong, offsets, True)
    for wrong in ([0, 3], [1, 4], [0, 5, 4], []):
        with pytest.raises(ValueError, match="offsets"):
            scorer.parse(words, ids, np.array(wrong, dtype=np.int64), True)
    with pytest.raises(ValueError, match="no such row"):
        words.extend(0, np.full((1, 1), VALUES, dtype=np.int32))
    with pytest.raises(ValueError, match="at most 256"):
        words.extend(0, np.zeros((1, 257), dtype=np.int32))


def test_quantising_needs_no_packing_of_its_own():
    net = network(1)
    tops = net.tops(batch([3], packed=Packed(np.array([3]))))
    assert set(tops) == {"head", "dependent", "hidden", "turned"}


def odd_trees(lengths, seed):
    """Return a head for each word, never itself, and a label: trees or not."""
    rng = np.random.default_rng(seed)
    heads = np.concatenate([rng.integers(0, n, n) for n in lengths] or [np.zeros(0)]).astype(np.int32)
    own = np.concatenate([np.arange(1, n + 1) for n in lengths])
    heads += (heads >= own).astype(np.int32)
    return heads, rng.integers(0, LABELS, len(heads)).astype(np.int32)


@compiled
@pytest.mark.parametrize("shape", SHAPES)
def test_twins_weigh_given_trees_alike(shape):
    arrays, lengths = quantised(2, **shape), [30, *[1, 7, 0, 3, 12] * 4, 2]
    ids = np.random.default_rng(5).integers(0, 20, (sum(lengths), COLUMNS)).astype(np.int32)
    offsets = np.append(0, np.cumsum(lengths)).astype(np.int64)
    heads, labels = odd_trees(lengths, 3)
    found = []
    for which in ("python", "native"):
        words = words_of(getattr(PAIRS["GraphWords"], which), arrays, 5)
        scorer = getattr(PAIRS["GraphScorer"], which)(arrays)
        named = scorer.labels_of(words, ids, offsets, heads)
        found.append((named, *scorer.log_probabilities(words, ids, offsets, heads, labels)))
        best, own_labels = scorer.parse(words, ids, offsets, True)
        assert scorer.labels_of(words, ids, offsets, best).tolist() == own_labels.tolist()
    assert found[0][0].tolist() == found[1][0].tolist()
    for one, other in zip(found[0][1:], found[1][1:], strict=True):
        assert np.allclose(one, other, rtol=1e-9, atol=1e-9)
        assert (one <= 0).all()


@pytest.mark.parametrize("which", ["python", "native"])
def test_probabilities_of_all_heads_and_labels_sum_to_one(which):
    if getattr(PAIRS["GraphScorer"], which) is None:
        pytest.skip("the compiled core is not built")
    arrays, n = quantised(4), 6
    words = words_of(getattr(PAIRS["GraphWords"], which), arrays, 1)
    scorer = getattr(PAIRS["GraphScorer"], which)(arrays)
    ids = np.random.default_rng(1).integers(0, 20, (n, COLUMNS)).astype(np.int32)
    offsets, first = np.array([0, n], dtype=np.int64), np.array([2, 1, 1, 1, 1, 1], dtype=np.int32)
    heads, labels = np.zeros(n), np.zeros(n)
    for head in range(n + 1):
        given = np.where(np.arange(1, n + 1) == head, first, head).astype(np.int32)
        of_heads, _ = scorer.log_probabilities(words, ids, offsets, given, np.zeros(n, np.int32))
        heads += np.where(np.arange(1, n + 1) == head, 0, np.exp(of_heads))
    for label in range(LABELS):
        _, of_labels = scorer.log_probabilities(words, ids, offsets, first, np.full(n, label, np.int32))
        labels += np.exp(of_labels)
    assert np.allclose(heads, 1)
    assert np.allclose(labels, 1)


@compiled
def test_trees_that_lead_out_of_bounds_are_refused():
    arrays = quantised(1)
    words, scorer = words_of(PAIRS["GraphWords"].native, arrays, 1), PAIRS["GraphScorer"].native(arrays)
    ids, offsets = np.zeros((2, COLUMNS), dtype=np.int32), np.array([0, 2], dtype=np.int64)
    for heads in ([3, 1], [-1, 0], [1, 0], [0]):
        with pytest.raises(ValueError, match="head"):
            scorer.labels_of(words, ids, offsets, np.array(heads, dtype=np.int32))
    for labels in ([0, LABELS], [-1, 0], [0]):
        with pytest.raises(ValueError, match="label"):
            scorer.log_probabilities(
                words, ids, offsets, np.array([0, 1], np.int32), np.array(labels, np.int32)
            )
