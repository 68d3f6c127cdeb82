"""The inverse transformation: what is found, what is not, and that nothing can break it."""

import time
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arclift import native
from arclift.errors import TreeError, UsageError
from arclift.trees.encoding import encode
from arclift.trees.labels import MALT, PRESETS, Markers, Scheme
from arclift.trees.lowering import lower
from strategies import (
    arbitrary_strategy,
    array,
    batch_strategy,
    concatenated,
    heads_strategy,
    is_tree_by_walking,
    random_heads,
)
from twins import agreed

LOWERED = [Scheme.HEAD, Scheme.HEAD_PATH, Scheme.PATH, Scheme.EXACT]


def lower_one(heads, labels, scheme, **options):
    """Lower one sentence whose labels are given as strings; return heads and labels as lists."""
    names = sorted(set(labels))
    one, offsets = concatenated([array(heads)])
    ids = array(names.index(label) for label in labels)
    lowered = lower(one, ids, offsets, names, scheme, **options)
    assert is_tree_by_walking(lowered.heads.tolist())
    return lowered.heads.tolist(), [lowered.names[i] for i in lowered.labels]


# --- the search ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scheme", "z", "jedna"),
    [
        (Scheme.HEAD, "AuxP↑Sb", "Sb"),
        (Scheme.HEAD_PATH, "AuxP↑Sb", "Sb↓"),
        (Scheme.PATH, "AuxP↑", "Sb↓"),
        (Scheme.EXACT, "AuxP↑", "Sb↓"),
    ],
)
def test_the_papers_example_comes_back(scheme, z, jedna):
    labels = [z, "Atr", "Pred", "AuxZ", jedna, "AuxP", "Adv", "AuxK"]
    heads, plain = lower_one([3, 1, 0, 5, 3, 3, 6, 3], labels, scheme)
    assert heads == [5, 1, 0, 5, 3, 3, 6, 3]
    assert plain == ["AuxP", "Atr", "Pred", "AuxZ", "Sb", "AuxP", "Adv", "AuxK"]


def test_baseline_changes_nothing():
    labels = ["a↑b", "r", "b↓"]
    assert lower_one([2, 0, 2], labels, Scheme.BASELINE) == ([2, 0, 2], labels)


def test_head_takes_the_first_word_breadth_first():
    # Words 5 (one step below 3) and 4 (two steps) have the label h; both are apart from word 1.
    assert lower_one([3, 3, 0, 5, 3], ["d↑h", "x", "r", "h", "h"], Scheme.HEAD)[0] == [5, 3, 0, 5, 3]


def test_what_is_apart_comes_first():
    # Word 2 is nearer to word 1 than word 4 is, but word 1 would be projective under it.
    assert lower_one([3, 3, 0, 3], ["d↑h", "h", "r", "h"], Scheme.HEAD)[0] == [4, 3, 0, 3]
    assert lower_one([3, 3, 0, 3], ["d↑h", "h", "r", "x"], Scheme.HEAD)[0] == [2, 3, 0, 3]


def test_what_is_apart_comes_first_on_either_side():
    assert lower_one([2, 0, 2, 2], ["h", "r", "h", "d↑h"], Scheme.HEAD)[0] == [2, 0, 2, 1]
    assert lower_one([2, 0, 2, 3, 2], ["x", "r", "h", "h", "d↑h"], Scheme.HEAD)[0] == [2, 0, 2, 3, 3]


def test_the_nearest_comes_first_but_roots_from_left_to_right():
    labels = ["h", "r", "h", "x", "d↑h"]
    assert lower_one([2, 0, 2, 2, 2], labels, Scheme.HEAD)[0][4] == 3
    assert lower_one([0, 0, 0, 0, 0], labels, Scheme.HEAD)[0][4] == 1


def test_without_a_target_the_linear_head_stays():
    for scheme, label in [
        (Scheme.HEAD, "d↑h"),
        (Scheme.HEAD_PATH, "d↑h"),
        (Scheme.PATH, "d↑"),
        (Scheme.EXACT, "d↑7"),
    ]:
        assert lower_one([2, 0, 2], [label, "r", "x"], scheme) == ([2, 0, 2], ["d", "r", "x"])


def test_the_search_does_not_enter_what_is_lifted():
    # The only word with the label h hangs on the lifted word itself.
    assert lower_one([2, 0, 1], ["d↑h", "r", "h"], Scheme.HEAD)[0] == [2, 0, 1]
    assert lower_one([2, 0, 1], ["d↑h", "r", "h↓"], Scheme.HEAD_PATH)[0] == [2, 0, 1]
    assert lower_one([2, 0, 1], ["d↑", "r", "h↓"], Scheme.PATH)[0] == [2, 0, 1]
    assert lower_one([2, 0, 1], ["d↑", "r", "h↓"], Scheme.EXACT)[0] == [2, 0, 1]


def test_head_path_follows_marks_and_takes_the_lowest():
    chain = ["r", "h↓", "h↓", "h", "x", "d↑h"]
    assert lower_one([0, 1, 2, 3, 1, 1], chain, Scheme.HEAD_PATH)[0][5] == 3
    assert lower_one([0, 1, 2, 3, 1, 1], chain, Scheme.HEAD)[0][5] == 2


def test_head_path_falls_back_on_head():
    assert lower_one([0, 1, 1, 1], ["r", "h", "x", "d↑h"], Scheme.HEAD_PATH)[0][3] == 2


def test_path_takes_the_end_of_the_marks_and_has_no_fallback():
    chain = ["r", "p↓", "q↓", "x", "x", "d↑"]
    assert lower_one([0, 1, 2, 3, 1, 1], chain, Scheme.PATH)[0][5] == 3
    broken = ["r", "p", "q↓", "x", "x", "d↑"]
    assert lower_one([0, 1, 2, 3, 1, 1], broken, Scheme.PATH)[0][5] == 1


def test_arcs_are_lowered_from_the_top_down():
    # Word 6 goes under 2 first; then word 7, below 6, finds nothing below 6, and stays.
    heads, _ = lower_one([0, 1, 1, 1, 1, 1, 6], ["r", "h", "x", "x", "x", "d↑h", "e↑h"], Scheme.HEAD)
    assert heads == [0, 1, 1, 1, 1, 2, 6]


def test_exact_takes_the_kth_and_else_the_last():
    labels = ["r", "h↓", "x", "h↓", "x"]
    for label, head in [
        ("d↑", 4),
        ("d↑1", 4),
        ("d↑2", 2),
        ("d↑3", 2),
        ("d↑0", 4),
        ("d↑no", 4),
        ("d↑" + "9" * 99, 4),
    ]:
        assert lower_one([0, 1, 1, 1, 1, 1], [*labels, label], Scheme.EXACT)[0][5] == head


def test_exact_looks_at_the_rest_of_the_tree_last():
    # Word 5 hangs on 3; the only mark is on word 2, which is not below 3.
    assert lower_one([0, 1, 1, 3, 3], ["r", "h↓", "x", "x", "d↑"], Scheme.EXACT)[0] == [0, 1, 1, 3, 2]


def test_other_markers_can_be_read():
    assert lower_one([3, 3, 0, 3], ["d|h", "x", "r", "h"], Scheme.HEAD, markers=MALT) == (
        [4, 3, 0, 3],
        ["d", "x", "r", "h"],
    )
    with pytest.raises(UsageError, match="marks the path"):
        lower_one([0], ["d"], Scheme.PATH, markers=PRESETS["spacy"])


# --- nothing can break it --------------------------------------------------------------------------------


@st.composite
def said(draw, trees):
    """Heads, and arrays of what labels might say, however little they fit."""
    heads, offsets = draw(batch_strategy(trees, 3))

    def column(values):
        return draw(st.lists(values, min_size=len(heads), max_size=len(heads)))

    flags = st.integers(0, 1)
    arrays = [column(st.integers(0, 2)), column(flags), column(st.integers(-2, 4)), column(flags)]
    labels, lifted, wanted, marks = map(np.array, arrays)
    return (
        heads,
        offsets,
        labels.astype(np.int32),
        lifted.astype(np.uint8),
        wanted.astype(np.int32),
        marks.astype(np.uint8),
    )


@given(said(heads_strategy(16, single_root=False)), st.sampled_from(LOWERED))
def test_a_tree_comes_out_whatever_the_labels_say(arrays, scheme):
    heads, offsets, *_ = arrays
    lowered = agreed("lower_arcs", *arrays, scheme.value)
    for begin, end in pairwise(offsets.tolist()):
        assert is_tree_by_walking(lowered[begin:end].tolist())
    unlifted = arrays[3] == 0
    assert lowered[unlifted].tolist() == heads[unlifted].tolist()


@given(said(arbitrary_strategy(8)), st.sampled_from(LOWERED))
def test_what_is_no_tree_is_refused(arrays, scheme):
    heads, offsets, *_ = arrays
    if all(is_tree_by_walking(heads[a:b].tolist()) for a, b in pairwise(offsets.tolist())):
        agreed("lower_arcs", *arrays, scheme.value)
    else:
        with pytest.raises(TreeError, match=r"^sentence \d+: "):
            agreed("lower_arcs", *arrays, scheme.value)


def test_arrays_that_do_not_fit_are_refused():
    heads, offsets = concatenated([array([0, 1])])
    ids, flags = np.zeros(2, dtype=np.int32), np.zeros(2, dtype=np.uint8)
    with pytest.raises(ValueError, match="no such scheme"):
        agreed("lower_arcs", heads, offsets, ids, flags, ids, flags, "baseline")
    with pytest.raises(ValueError, match="differ in length"):
        agreed("lower_arcs", heads, offsets, ids, flags[:1], ids, flags, "head")
    with pytest.raises(UsageError, match="label ids"):
        lower(heads, ids + 1, offsets, ["a"], Scheme.HEAD)


@given(
    st.lists(st.text(st.sampled_from("ab↑↓|%\\"), max_size=3), min_size=1, max_size=4, unique=True),
    heads_strategy(14, single_root=False),
    st.sampled_from(LOWERED),
    st.sampled_from([PRESETS["paper"], MALT, Markers("^^", "_", "~")]),
    st.data(),
)
def test_labels_always_come_back_and_words_that_were_not_lifted(names, heads, scheme, markers, data):
    labels = array(
        data.draw(st.lists(st.integers(0, len(names) - 1), min_size=len(heads), max_size=len(heads)))
    )
    one, offsets = concatenated([heads])
    encoded = encode(one, labels, offsets, names, scheme, markers=markers)
    lowered = lower(encoded.heads, encoded.labels, offsets, encoded.names, scheme, markers=markers)
    assert lowered.names == names
    assert lowered.labels.tolist() == labels.tolist()
    unlifted = encoded.lifts == 0
    assert lowered.heads[unlifted].tolist() == heads[unlifted].tolist()


@pytest.mark.skipif(not native.ENABLED, reason="the plain twin is not made for such trees")
@pytest.mark.parametrize("scheme", LOWERED)
def test_long_sentences_are_lowered_in_seconds(scheme):
    heads, offsets = concatenated([random_heads(10_000, Random(7))])
    labels = (np.arange(10_000) % 7).astype(np.int32)
    start = time.process_time()
    encoded = encode(heads, labels, offsets, list("abcdefg"), scheme)
    lower(encoded.heads, encoded.labels, offsets, encoded.names, scheme)
    assert time.process_time() - start < 5
