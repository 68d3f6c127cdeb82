"""The scheme exact brings back every tree, the others what they promise."""

import lzma
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arclift.trees.encoding import encode
from arclift.trees.labels import Scheme
from arclift.trees.lifting import lift_all
from arclift.trees.lowering import lower
from arclift.trees.recovery import Recovery, with_one_root
from strategies import EXTREMES, all_trees, array, batch_strategy, concatenated, heads_strategy
from twins import agreed

TREEBANKS = Path(os.environ.get("ARCLIFT_SHARED", Path(__file__).parents[2].parent / "shared")) / "treebanks"


def comes_back(heads, labels, offsets, names):
    encoded = encode(heads, labels, offsets, names, Scheme.EXACT)
    lowered = lower(encoded.heads, encoded.labels, offsets, encoded.names, Scheme.EXACT)
    return (
        lowered.heads.tolist() == heads.tolist()
        and lowered.labels.tolist() == labels.tolist()
        and lowered.names == names
    )


@pytest.mark.parametrize("n", range(6))
def test_every_small_tree_comes_back(n):
    heads, offsets = concatenated(array(tree) for tree in all_trees(n, single_root=False))
    assert comes_back(heads, np.zeros(len(heads), dtype=np.int32), offsets, ["x"])


@settings(max_examples=300)
@given(
    batch_strategy(heads_strategy(40, single_root=False), 3),
    st.lists(st.text(st.sampled_from("ab↑↓2\\"), max_size=3), min_size=1, max_size=5, unique=True),
    st.randoms(use_true_random=False),
)
def test_every_random_tree_comes_back_with_its_labels(batch, names, rng):
    heads, offsets = batch
    labels = array(rng.randrange(len(names)) for _ in heads)
    assert comes_back(heads, labels, offsets, names)


@pytest.mark.parametrize("shape", EXTREMES)
def test_extreme_trees_come_back(shape):
    heads, offsets = concatenated([EXTREMES[shape](60)])
    assert comes_back(heads, np.zeros(60, dtype=np.int32), offsets, ["x"])


@given(batch_strategy(heads_strategy(20, single_root=False)))
def test_ordinals_agree_in_both_implementations(batch):
    heads, offsets = batch
    lifted = lift_all(heads, offsets)
    everywhere = np.ones(len(heads), dtype=np.uint8)
    ordinals = agreed("ordinals", lifted.heads, offsets, heads, everywhere)
    assert ((ordinals > 0) == (lifted.lifts > 0)).all()


def test_heads_that_were_not_lifted_so_are_refused():
    lifted, offsets = concatenated([array([0, 1, 2])])
    marks = np.ones(3, dtype=np.uint8)
    for heads in [[0, 1, 0], [0, 3, 2], [0, 1, 9], [0, 1, -5]]:
        with pytest.raises(ValueError, match="cannot have been lifted"):
            agreed("ordinals", lifted, offsets, array(heads), marks)
    with pytest.raises(ValueError, match="differ in length"):
        agreed("ordinals", lifted, offsets, lifted[:2], marks)


# --- how much comes back ---------------------------------------------------------------------------------


def test_recovery_counts_lifted_arcs_and_those_that_came_back():
    # In the first tree two words could be meant by h, and Head takes the wrong one; the second is projective.
    heads, offsets = concatenated([array([4, 3, 0, 3, 4, 3]), array([0, 1])])
    labels = array([0, 1, 2, 1, 0, 0, 2, 0])
    head, exact = Recovery(Scheme.HEAD), Recovery(Scheme.EXACT)
    for recovery in (head, exact):
        recovery.add(heads, labels, offsets, ["d", "h", "r"])
        recovery.add(heads, labels, offsets, ["d", "h", "r"])
        assert recovery.lifted.tolist() == [2, 0, 0, 0]
        assert recovery.nonprojective == 2
    assert exact.percent == 100
    assert exact.as_dict() == {
        "labels": 5,
        "lifted_arcs": 2,
        "recovered_arcs": 2,
        "recovered_percent": 100.0,
        "nonprojective_arcs": 2,
        "nonprojective_recovered": 2,
    }
    assert exact.labels == {"d", "h", "r", "d↑", "h↓"}
    assert head.labels == {"d", "h", "r", "d↑h"}


def test_nothing_to_recover_is_all_recovered():
    assert Recovery(Scheme.PATH).percent == 100


def test_sentences_with_several_roots_can_be_left_out():
    trees = [array([0, 0]), array([2, 0, 2]), array([]), array([0])]
    heads, labels, offsets = with_one_root(concatenated(trees)[0], array(range(6)), concatenated(trees)[1])
    assert heads.tolist() == [2, 0, 2, 0]
    assert labels.tolist() == [2, 3, 4, 5]
    assert offsets.tolist() == [0, 3, 4]


def treebank(name):
    """Heads, label ids, offsets and label names of a treebank, all parts together."""
    trees, labels, ids = [], [], {}
    for path in sorted((TREEBANKS / name).glob("*.conll*")):
        data = path.read_bytes()
        text = (lzma.decompress(data) if path.suffix == ".xz" else data).decode()
        for sentence in text.split("\n\n"):
            rows = [line.split("\t") for line in sentence.split("\n") if line and line[0] in "123456789"]
            words = [row for row in rows if row[0].isdigit()]
            trees.append(array(int(row[6]) for row in words))
            labels += [ids.setdefault(row[7], len(ids)) for row in words]
    heads, offsets = concatenated(trees)
    return heads, array(labels), offsets, list(ids)


needs_treebanks = pytest.mark.skipif(
    not TREEBANKS.is_dir(), reason="the treebanks are not beside the project"
)


@pytest.mark.corpora
@needs_treebanks
def test_the_danish_treebank_as_in_table_4():
    """Without the sentences with several roots, label counts are the published ones: 123, 147, 99."""
    danish = treebank("da_ddt")
    figures = {}
    for scheme in Scheme:
        for single_root in (False, True):
            recovery = Recovery(scheme, single_root=single_root)
            recovery.add(*danish)
            figures[scheme.value, single_root] = (len(recovery.labels), round(recovery.percent, 2))
            assert recovery.lifted.tolist() == ([743, 122, 41, 27] if single_root else [781, 132, 42, 32])
    assert figures == {
        ("baseline", False): (54, 0.0),
        ("baseline", True): (54, 0.0),
        ("head", False): (137, 93.52),
        ("head", True): (123, 93.46),
        ("head+path", False): (163, 99.8),
        ("head+path", True): (147, 99.79),
        ("path", False): (105, 96.56),
        ("path", True): (99, 98.39),
        ("exact", False): (108, 100.0),
        ("exact", True): (102, 100.0),
    }


@pytest.mark.corpora
@needs_treebanks
@pytest.mark.parametrize("name", sorted(p.name for p in TREEBANKS.glob("*_*") if p.is_dir()))
def test_every_arc_of_every_treebank_comes_back(name):
    assert comes_back(*treebank(name))
