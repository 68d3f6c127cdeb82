"""Attributes of words: text of every script, and vocabularies that stay as training left them."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arclift.errors import InputError, UsageError
from arclift.features import Attribute, Column, Encoder, Values, feature_names, parse_attribute
from arclift.features.text import Texts, characters, decoded, named_features, shape
from arclift.native import PAIRS
from arclift.treebank import Reader
from arclift.treebank.strings import StringTable

SHARED = Path(os.environ.get("ARCLIFT_SHARED", Path(__file__).parents[3] / "shared"))


def column(*cells: str | bytes) -> Column:
    """Return the column that holds these cells."""
    table = StringTable()
    ids = [table.add(cell if isinstance(cell, bytes) else cell.encode()) for cell in cells]
    return Column(table, np.array(ids, dtype=np.int32))


def attributes(text: str) -> list[Attribute]:
    return [parse_attribute(word) for word in text.split()]


def value(attribute: str, text: str) -> str:
    (found,) = Texts([text]).values(parse_attribute(attribute))
    return found


def encoded(values: Values, attribute: int = 0, **cells: list[str]) -> list[int]:
    columns = {name: column(*texts) for name, texts in cells.items()}
    return Encoder(values).encode(columns)[:, attribute].tolist()


# --- text ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "first2", "last3"),
    [
        ("Parsing", "pa", "ing"),
        ("of", "of", "of"),
        ("", "", ""),
        ("cafe\u0301s", "ca", "fe\u0301s"),  # the accent is a mark on the e
        ("ÄRGER", "är", "ger"),
        ("İstanbul", "i\u0307s", "bul"),  # a small i with a dot above it, still one character
        ("ΟΔΟΣ", "οδ", "δος"),  # the last sigma is a final one
        ("हिन्दी", "हिन्", "हिन्दी"),
        (
            "👩\u200d👩\u200d👧!",
            "👩\u200d👩\u200d👧!",
            "👩\u200d👩\u200d👧!",
        ),  # a joined family, one character
        ("語彙表", "語彙", "語彙表"),
        ("\u0301a", "\u0301a", "\u0301a"),  # a mark with nothing before it stands alone
    ],
)
def test_prefixes_and_suffixes_never_part_a_character(text, first2, last3):
    assert (value("prefix2", text), value("suffix3", text)) == (first2, last3)


@given(st.text(max_size=12), st.integers(1, 5))
def test_prefixes_and_suffixes_are_ends_of_the_small_word(text, length):
    small = text.lower()
    assert "".join(characters(small)) == small
    first, last = value(f"prefix{length}", text), value(f"suffix{length}", text)
    assert small.startswith(first)
    assert small.endswith(last)
    assert len(characters(first)) == len(characters(last)) == min(length, len(characters(small)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("McDonald's", "XxXxx'x"),
        ("1984", "dd"),
        ("B-52", "X-dd"),
        ("USA", "XX"),
        ("...", ".."),
        ("Ωμέγα", "Xxx"),
        ("東京", "cc"),
        ("e\u0301t", "xx"),
        ("ǅ", "X"),
        ("½", "d"),
        ("", ""),
    ],
)
def test_the_shape_of_a_word(text, expected):
    assert shape(text) == expected


def test_features_are_named_atoms_their_own_names():
    assert named_features("Case=Nom|Number[psor]=Sing") == {"Case": "Nom", "Number[psor]": "Sing"}
    assert named_features("sg|masc|g=x|g=y") == {"sg": "yes", "masc": "yes", "g": "x,y"}
    assert named_features("_") == {}


@pytest.mark.parametrize(
    ("attribute", "text", "expected"),
    [
        ("form", "Été", "Été"),
        ("lower", "Été", "été"),
        ("stem", "Gebäudes", "gebäu"),
        ("shape", "Été", "Xxx"),
        ("prefix1", "Été", "é"),
        ("suffix2", "Été", "té"),
        ("feats", "Case=Nom|Gender=Fem", "Case=Nom|Gender=Fem"),
        ("feats.Case", "Case=Nom|Gender=Fem", "Nom"),
        ("feats.Gender|Number|Case", "Case=Nom|Gender=Fem", "Fem||Nom"),
        ("feats.Case", "_", ""),
    ],
)
def test_the_value_of_an_attribute(attribute, text, expected):
    assert value(attribute, text) == expected
    assert Texts([text, "x", text]).values(parse_attribute(attribute))[::2] == [expected] * 2


def test_bytes_that_are_no_text_stay_apart():
    assert decoded(b"f\xfcr") != decoded(b"f\xf6r")
    assert decoded("für".encode()) == "für"


# --- vocabularies ----------------------------------------------------------------------------------------


def test_frequent_values_come_first_and_rare_ones_are_unknown():
    forms = ["b", "a", "c", "b", "a", "b", "d"]
    values = Values.learn(attributes("form"), {"form": column(*forms)})
    assert values.vocabularies == (("b", "a"),)
    assert values.sizes == (5,)
    assert encoded(values, form=["a", "b", "c", "new"]) == [4, 3, 2, 2]


def test_a_minimum_may_differ_between_attributes():
    columns = {"form": column("Ab", "cb", "Cb")}
    values = Values.learn(attributes("form lower suffix1"), columns, {"form": 1, "suffix1": 4})
    assert values.vocabularies == (("Ab", "Cb", "cb"), ("cb",), ())


def test_values_of_different_strings_are_counted_together():
    columns = {"form": column("Runs", "runs", "eats"), "feats": column("A=1|B=2", "A=1|B=3", "B=2")}
    values = Values.learn(attributes("lower feats.A feats.B"), columns)
    assert values.vocabularies == (("runs",), ("1",), ("2",))


def test_a_feature_that_a_word_lacks_is_a_value_if_training_has_such_words():
    everywhere = Values.learn(
        attributes("feats.A"), {"form": column("x", "y"), "feats": column("A=1", "A=1")}
    )
    somewhere = Values.learn(
        attributes("feats.A"), {"form": column("x", "y", "z"), "feats": column("A=1", "_", "B=1")}
    )
    assert encoded(everywhere, form=["x"], feats=["_"]) == [2]
    assert encoded(somewhere, form=["x"], feats=["C=1"]) == [3]


def test_a_column_that_is_absent_counts_as_underscores():
    values = Values.learn(attributes("form xpos"), {"form": column("x", "x", "y")})
    assert encoded(values, 1, form=["y"]) == encoded(values, 1, form=["y"], xpos=["_"]) == [3]
    assert encoded(values, 1, form=["y"], xpos=["NN"]) == [2]


def test_feature_names_are_those_seen_often_enough_in_order():
    cells = ["Tense=Past|Case=Nom", "Case=Acc", "Tense=Past", "Odd=1"]
    assert feature_names(column(*cells)) == ("Case", "Tense")
    assert feature_names(column(*cells), minimum=1) == ("Case", "Odd", "Tense")
    assert feature_names(column("_", "*|=x", "*|=x")) == ()


CELLS = st.lists(st.one_of(st.text(max_size=4), st.sampled_from(["A=1", "A=2|B=1", "_"])), max_size=12)


@given(CELLS, CELLS, st.integers(1, 3))
def test_encoding_is_what_the_definition_says_word_by_word(seen, new, minimum):
    words = attributes("form shape suffix2 upos feats.A feats")
    training = {name: column(*seen) for name in ("form", "upos", "feats")}
    values = Values.learn(words, training, minimum)
    table = Encoder(values).encode({name: column(*new) for name in ("form", "upos", "feats")})
    assert table.shape == (len(new), len(words))
    assert table.dtype == np.int32
    for k, word in enumerate(words):
        count = [value(str(word), cell) for cell in seen]
        known = sorted({v for v in count if count.count(v) >= minimum}, key=lambda v: (-count.count(v), v))
        assert table[:, k].tolist() == [
            known.index(value(str(word), cell)) + 3 if value(str(word), cell) in known else 2 for cell in new
        ]


ODD = "aA\u00c9\u0130\u03a3\u03c3\u00df\u0301\u200d\u0345\u01c5\u8a9e\u093f\U0001f469\U00010400=|_,9\u00bd-"
ODD_BYTES = st.one_of(
    st.text(alphabet=ODD, max_size=8).map(str.encode),
    st.text(max_size=6).map(str.encode),
    st.binary(max_size=5),
    st.sampled_from(
        [
            b"A=1|B=2|A=3",
            b"|",
            b"=",
            b"yes|",
            b"\xed\xa0\x80",
            b"\xf4\x90\x80\x80",
            b"\xc0\x80",
            b"\xf0\x80\x80\x80",
        ]
    ),
)


@pytest.mark.skipif(PAIRS["TextIds"].native is None, reason="the compiled core is not installed")
@given(st.lists(ODD_BYTES, max_size=10), st.data())
def test_compiled_ids_of_texts_are_those_of_the_twin(cells, data):
    named = [Attribute("feats", name) for name in ("", "A", "B|A", "A|", "yes", "|")]
    slots = [*attributes("form lower stem shape prefix1 prefix3 suffix1 suffix2 suffix9"), *named]
    texts = Texts([decoded(cell) for cell in cells])
    vocabularies = [
        data.draw(st.lists(st.sampled_from(sorted(set(texts.values(slot)))), unique=True)) if cells else []
        for slot in slots
    ]
    joined, ends = b"".join(cells), np.cumsum([len(cell) for cell in cells], dtype=np.int64)
    plain, compiled = (way(slots, vocabularies).ids(joined, ends) for way in PAIRS["TextIds"])
    assert plain.dtype == compiled.dtype
    assert plain.tolist() == compiled.tolist()


@given(st.lists(st.binary(max_size=5), unique=True), st.integers(0, 5))
def test_strings_of_a_table_come_joined(cells, first):
    for table in (way() for way in PAIRS["StringTable"] if way):
        for cell in cells:
            table.add(cell)
        text, ends = table.joined(first)
        assert (text, ends.dtype) == (b"".join(cells[first:]), np.int64)
        assert ends.tolist() == np.cumsum([len(cell) for cell in cells[first:]], dtype=np.int64).tolist()


def test_an_encoder_follows_a_table_that_grows_and_one_that_is_new():
    values = Values.learn(attributes("form upos"), {"form": column("a", "b", "b", "a")})
    encoder = Encoder(values)
    table = StringTable()
    first = Column(table, np.array([table.add(b"b"), table.add(b"z")], dtype=np.int32))
    assert encoder.encode({"form": first})[:, 0].tolist() == [4, 2]
    later = Column(table, np.array([table.add(b"a"), table.add(b"b")], dtype=np.int32))
    assert encoder.encode({"form": later})[:, 0].tolist() == [3, 4]
    assert encoder.encode({"form": column("a", "b")})[:, 0].tolist() == [3, 4]
    assert values.vocabularies[0] == ("a", "b")


def test_an_encoder_takes_attributes_in_any_order():
    values = Values.learn(
        attributes("upos form feats lower"), {"form": column("A", "A"), "upos": column("N", "N")}
    )
    assert Encoder(values).encode({"form": column("A", "b"), "upos": column("V", "N")}).tolist() == [
        [2, 3, 3, 3],
        [3, 2, 3, 2],
    ]


def test_columns_that_do_not_fit_are_refused():
    values = Values.learn(attributes("form"), {"form": column("a")})
    with pytest.raises(UsageError, match="'form' is missing"):
        Encoder(values).encode({"upos": column("N")})
    with pytest.raises(UsageError, match="not in its strings"):
        Encoder(values).encode({"form": Column([b"a"], np.array([1], dtype=np.int32))})
    with pytest.raises(UsageError, match="not in its strings"):
        Encoder(values).encode({"form": Column([b"a"], np.array([-1], dtype=np.int32))})
    with pytest.raises(UsageError, match="2 words, the column 'form' 1"):
        Values.learn(attributes("upos"), {"form": column("a"), "upos": column("N", "N")})


# --- on disk ---------------------------------------------------------------------------------------------


@given(CELLS)
def test_what_is_saved_is_restored(cells):
    words = attributes("form shape feats.A|B")
    values = Values.learn(words, {"form": column(*cells), "feats": column(*cells)}, minimum=1)
    again = Values.restore(*values.state())
    assert (again.attributes, again.vocabularies) == (values.attributes, values.vocabularies)


def test_features_with_any_name_are_restored():
    cells = ["a.b|(|x y|+", "feats.1,2|é=1"]
    names = feature_names(column(*cells), minimum=1)
    assert names == ("(", "+", "a.b", "feats.1,2", "x y", "é")
    slots = [Attribute("feats", name) for name in names]
    values = Values.learn(slots, {"form": column(*cells), "feats": column(*cells)}, minimum=1)
    assert Values.restore(*values.state()).attributes == tuple(slots)


def test_odd_bytes_are_restored_too():
    values = Values.learn(attributes("suffix3"), {"form": column(b"\xff\xfe", b"\xed\xa0\x80", b"\xc3")}, 1)
    assert Values.restore(*values.state()).vocabularies == values.vocabularies


def damaged(**changes):
    settings, arrays = Values.learn(attributes("form"), {"form": column("äb", "äb", "c", "c")}).state()
    return {**settings, **{k: v for k, v in changes.items() if k == "attributes"}}, {
        **arrays,
        **{k.replace("_", "0."): v for k, v in changes.items() if k != "attributes"},
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"attributes": None}, "not listed"),
        ({"attributes": [3]}, "3 is not an attribute of words"),
        ({"attributes": [["form"]]}, "not an attribute of words"),
        ({"attributes": [["label", ""]]}, "not an attribute of words"),
        ({"attributes": [["feats", "*"]]}, "not an attribute of words"),
        ({"attributes": [["form", "s"]]}, "not an attribute of words"),
        ({"attributes": [["suffix", "0"]]}, "not an attribute of words"),
        ({"attributes": [["suffix", "03"]]}, "not an attribute of words"),
        ({"attributes": [["form", ""], ["upos", ""]]}, "1 is missing"),
        ({"_ends": np.array([3, 4], dtype=np.int32)}, "wrong type"),
        ({"_ends": np.array([3, 5])}, "outside its text"),
        ({"_ends": np.array([5, 4])}, "outside its text"),
        ({"_ends": np.array([[3], [4]])}, "outside its text"),
        ({"_ends": np.array([2, 4])}, "not UTF-8"),
        ({"_text": np.frombuffer(b"aa", np.uint8), "_ends": np.array([1, 2])}, "twice"),
    ],
)
def test_damaged_values_are_refused(changes, message):
    with pytest.raises(InputError, match=message):
        Values.restore(*damaged(**changes))


def test_the_undamaged_values_of_that_test_are_restored():
    assert Values.restore(*damaged()).vocabularies == (("c", "äb"),)


# --- a treebank ------------------------------------------------------------------------------------------


@pytest.mark.corpora
@pytest.mark.parametrize("treebank", ["tr_imst", "da_ddt", "zh_gsd"])
def test_a_treebank_is_encoded_the_same_block_by_block_and_at_once(treebank):
    files = sorted((SHARED / "treebanks" / treebank).glob("*dev*"))
    if not files:
        pytest.skip("the treebanks are not beside the project")
    names = ["form", "lemma", "upos", "xpos", "feats"]
    growing = {name: StringTable() for name in names}
    blocks, separate = [], []
    for block in Reader(files[0], on_error="skip").blocks():
        blocks.append({name: Column(growing[name], block.ids(name, growing[name])) for name in names})
        fresh = {name: StringTable() for name in names}
        separate.append({name: Column(fresh[name], block.ids(name, fresh[name])) for name in names})
    ids = {name: np.concatenate([block[name].ids for block in blocks]) for name in names}
    whole = {name: Column(growing[name], ids[name]) for name in names}
    slots = [Attribute("feats", name) for name in feature_names(whole["feats"])]
    values = Values.learn([*attributes("form lower suffix3 shape lemma upos xpos"), *slots], whole)
    at_once, encoder = Encoder(values).encode(whole), Encoder(values)
    assert np.array_equal(at_once, np.concatenate([encoder.encode(block) for block in blocks]))
    assert np.array_equal(at_once, np.concatenate([encoder.encode(block) for block in separate]))
    assert np.all(at_once[:, 5] >= 2)
    assert np.mean(at_once[:, 0] == 2) < 0.5
