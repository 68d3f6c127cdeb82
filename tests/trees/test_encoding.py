"""Labels that say what was lifted: how they are written, read, escaped, and who gets which."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arclift.errors import TreeError, UsageError
from arclift.trees.encoding import encode
from arclift.trees.labels import MALT, PAPER, PRESETS, SPACY, Label, Markers, Scheme
from arclift.trees.projectivity import nonprojective
from strategies import array, batch_strategy, concatenated, heads_strategy

NAMES = ["Sb", "AuxP", "Atr", "Pred", "AuxZ", "Adv", "AuxK"]
# Nivre & Nilsson 2005, Figure 1: Z nich je jen jedna na kvalitu .
CZECH = array([5, 1, 0, 5, 3, 3, 6, 3])
DEPRELS = array([1, 2, 3, 4, 0, 1, 5, 6])

some_markers = st.sampled_from([*PRESETS.values(), Markers("<^", "vv", "/")])
nasty_text = st.text(st.sampled_from("ab↑↓|%\\1") | st.characters(codec="utf-8"), max_size=8)


def labels_of(encoded):
    return [encoded.names[i] for i in encoded.labels]


def encode_one(heads, labels, names, scheme, **options):
    one, offsets = concatenated([array(heads)])
    return encode(one, array(labels), offsets, names, scheme, **options)


# --- writing and reading ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markers", "written"),
    [
        (PAPER, ["d↑h", "d↑", "p↓", "d↑h↓", "d↑↓", "d"]),
        (MALT, ["d|h", "d|", "p%", "d|h%", "d|%", "d"]),
        (SPACY, ["d||h", "d||", None, None, None, "d"]),
    ],
)
def test_the_presets_write_labels_as_the_programs_do(markers, written):
    labels = [
        Label("d", True, "h"),
        Label("d", True),
        Label("p", path=True),
        Label("d", True, "h", True),
        Label("d", True, path=True),
        Label("d"),
    ]
    for label, text in zip(labels, written, strict=True):
        if text is None:
            with pytest.raises(UsageError, match="none for the path"):
                markers.format(label)
        else:
            assert markers.format(label) == text
            assert markers.parse(text) == label


@given(some_markers, nasty_text, st.none() | nasty_text, st.booleans())
def test_every_label_comes_back_from_what_is_written(markers, base, argument, path):
    label = Label(base, argument is not None, argument or "", path and markers.path is not None)
    assert markers.parse(markers.format(label)) == label


@given(some_markers, nasty_text)
def test_any_text_can_be_read(markers, text):
    label = markers.parse(text)
    assert markers.parse(markers.format(label)) == label


@given(some_markers, st.text(st.characters(exclude_characters="↑↓|%\\<^v/"), max_size=8))
def test_labels_without_markers_are_written_as_they_are(markers, text):
    assert markers.format(Label(text)) == text


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("", Label("")),
        ("↑", Label("", True)),
        ("↓", Label("", path=True)),
        ("a↓b", Label("a↓b")),
        ("a↑b↑c", Label("a", True, "b↑c")),
        ("a\\↑b", Label("a↑b")),
        ("a\\", Label("a\\")),
        ("a↓↓", Label("a↓", path=True)),
    ],
)
def test_what_is_no_mark_is_part_of_the_label(text, label):
    assert PAPER.parse(text) == label


@pytest.mark.parametrize(
    "wrong",
    [
        ("", "↓"),
        ("↑", ""),
        ("↑", "↓", ""),
        ("↑", "↓", "\\\\"),
        ("|", "||"),
        ("\\", "↓"),
        ("^", " "),
        ("1", "2"),
    ],
)
def test_markers_that_could_be_mistaken_are_refused(wrong):
    with pytest.raises(UsageError, match="must not"):
        Markers(*wrong)


# --- the schemes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scheme", "z", "jedna"),
    [
        (Scheme.BASELINE, "AuxP", "Sb"),
        (Scheme.HEAD, "AuxP↑Sb", "Sb"),
        (Scheme.HEAD_PATH, "AuxP↑Sb", "Sb↓"),
        (Scheme.PATH, "AuxP↑", "Sb↓"),
        (Scheme.EXACT, "AuxP↑", "Sb↓"),
    ],
)
def test_the_papers_example(scheme, z, jedna):
    encoded = encode_one(CZECH, DEPRELS, NAMES, scheme)
    assert encoded.heads.tolist() == [3, 1, 0, 5, 3, 3, 6, 3]
    assert labels_of(encoded) == [z, "Atr", "Pred", "AuxZ", jedna, "AuxP", "Adv", "AuxK"]
    assert encoded.names[: len(NAMES)] == NAMES
    assert encoded.lifts.tolist() == [1, 0, 0, 0, 0, 0, 0, 0]


def test_the_label_of_the_head_is_that_of_the_original_tree():
    # Word 2, lifted from 4 to 3, is itself the syntactic head of word 5, lifted past 1 and 2.
    encoded = encode_one([2, 4, 0, 3, 1], [0, 1, 2, 3, 4], list("abcde"), Scheme.HEAD_PATH)
    assert labels_of(encoded) == ["a↓", "b↑d↓", "c", "d↓", "e↑a"]


def test_under_exact_only_syntactic_heads_are_marked():
    encoded = encode_one([2, 4, 0, 3, 1], [0, 1, 2, 3, 4], list("abcde"), Scheme.EXACT)
    assert labels_of(encoded) == ["a↓", "b↑", "c", "d↓", "e↑2"]


@pytest.mark.parametrize("markers", PRESETS.values())
def test_labels_with_markers_in_them_are_escaped_but_not_under_baseline(markers):
    names = ["x", "a↑b", "a|b%", "\\"]
    kept = encode_one([0, 1, 1], [1, 2, 3], names, Scheme.BASELINE, markers=markers)
    assert labels_of(kept) == names[1:]
    encoded = encode_one([0, 1, 1], [1, 2, 3], names, Scheme.HEAD, markers=markers)
    assert [markers.parse(text) for text in labels_of(encoded)] == [Label(name) for name in names[1:]]


@pytest.mark.parametrize("scheme", [Scheme.PATH, Scheme.HEAD_PATH, Scheme.EXACT])
def test_spacys_markers_serve_the_scheme_head_alone(scheme):
    assert "AuxP||Sb" in encode_one(CZECH, DEPRELS, NAMES, Scheme.HEAD, markers=SPACY).names
    with pytest.raises(UsageError, match="marks the path"):
        encode_one(CZECH, DEPRELS, NAMES, scheme, markers=SPACY)


@pytest.mark.parametrize("labels", [[0, 1], [-1, 0]])
def test_label_ids_must_be_indices_of_the_names(labels):
    with pytest.raises(UsageError, match="label ids"):
        encode_one([0, 1], labels, ["only"], Scheme.HEAD)


def test_heads_that_are_no_tree_are_refused():
    with pytest.raises(TreeError, match="cycle"):
        encode_one([0, 3, 2], [0, 0, 0], ["x"], Scheme.HEAD)


@given(batch_strategy(heads_strategy(15, single_root=False)), st.sampled_from(Scheme))
def test_the_encoded_trees_are_projective_and_only_marks_are_added(batch, scheme):
    heads, offsets = batch
    names = ["a", "b↑", "c"]
    labels = (np.arange(len(heads)) % 3).astype(np.int32)
    encoded = encode(heads, labels, offsets, names, scheme)
    assert not nonprojective(encoded.heads, offsets).any()
    if scheme is Scheme.BASELINE:
        assert encoded.labels.tolist() == labels.tolist()
    else:
        parsed = [PAPER.parse(text) for text in labels_of(encoded)]
        assert [label.base for label in parsed] == [names[i] for i in labels]
        assert [label.lifted for label in parsed] == (encoded.lifts > 0).tolist()
    assert len(set(encoded.names)) == len(encoded.names)
