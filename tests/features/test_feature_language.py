"""The language of features: what is written is what is read, and mistakes are pointed at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arclift.errors import UsageError
from arclift.features import Attribute, FeatureSet, Node, Step, Term, parse_attribute, parse_features

NUMBERS = st.integers(1, 99)
STEPS = st.one_of(
    st.sampled_from([Step("head"), Step("next"), Step("prev")]),
    st.tuples(st.sampled_from(["lc", "rc"]), NUMBERS).map(lambda parts: Step(*parts)),
)
PLACES = st.one_of(
    st.tuples(st.sampled_from("sitlr"), st.integers(0, 99)),
    st.tuples(st.sampled_from("sit"), st.integers(-99, -1)),
)
NODES = st.builds(lambda place, steps: Node(*place, tuple(steps)), PLACES, st.lists(STEPS, max_size=3))
NAMES = st.lists(st.sampled_from(["Case", "Number[psor]", "a=b", "é", "x-y"]), min_size=1, max_size=3)
PLAIN = ["form", "lower", "lemma", "stem", "shape", "upos", "xpos", "feats", "label"]
COUNTED = st.tuples(st.sampled_from(["prefix", "suffix"]), NUMBERS.map(str))
ATTRIBUTES = st.one_of(
    st.sampled_from([Attribute(name) for name in PLAIN]),
    COUNTED.map(lambda parts: Attribute(*parts)),
    st.just(Attribute("feats", "*")),
    NAMES.map(lambda names: Attribute("feats", "|".join(names))),
)
VALENCIES = st.sampled_from([Attribute("valency", side) for side in ("", "left", "right")])
PAIRED = st.sampled_from([Attribute("distance"), Attribute("arc")])
TERMS = st.one_of(
    st.tuples(ATTRIBUTES, NODES).map(lambda parts: Term(*parts)),
    NUMBERS.map(lambda back: Term(Attribute("history", str(back)))),
    st.tuples(VALENCIES, NODES).map(lambda parts: Term(*parts)),
    st.tuples(PAIRED, NODES, NODES).map(lambda parts: Term(*parts)),
)
FEATURE_SETS = st.builds(
    lambda features: FeatureSet(tuple(features)),
    st.lists(st.lists(TERMS, min_size=1, max_size=3).map(tuple), min_size=1, max_size=4, unique=True),
)


@given(FEATURE_SETS)
def test_what_is_written_is_read_again(features):
    assert parse_features(str(features)) == features


@given(ATTRIBUTES)
def test_an_attribute_alone_is_read_again(attribute):
    assert parse_attribute(str(attribute)) == attribute


@given(st.text("si01.lcheadforms+ (),-#*|\n", max_size=30))
def test_any_text_is_read_or_refused(text):
    try:
        features = parse_features(text)
    except UsageError:
        return
    assert parse_features(str(features)) == features


def test_blanks_comments_and_repetitions_do_not_count():
    text = "# all of it\n\n  s0.form+i0.upos  # both\ns0.form + i0.upos\n\tdistance( s0 , i0 )\n"
    assert str(parse_features(text)) == "s0.form + i0.upos\ndistance(s0, i0)\n"


def test_the_names_of_conllx_are_accepted():
    assert str(parse_features("s0.cpostag\ns0.postag\ns0.deprel")) == "s0.upos\ns0.xpos\ns0.label\n"


def test_parameters_expand_to_features():
    text = "LemmaFeatures -2 0\nMorphoFeatures -1\nPosRightChildren 2\nDepLeftChild -1 1\nPastActions 2"
    assert str(parse_features(text)).split("\n")[:-1] == [
        "s1.lemma",
        "i0.lemma",
        "s0.feats.Gender|Number|Person|Case",
        "s0.rc1.upos",
        "s0.rc2.upos",
        "i0.rc1.upos",
        "i0.rc2.upos",
        "s0.lc1.label",
        "i1.lc1.label",
        "history1",
        "history2",
    ]


@pytest.mark.parametrize(
    ("line", "character", "expected"),
    [
        ("q0.form", 1, "a term"),
        ("feats", 1, "a term"),
        ("s0", 3, "'.' and a step or an attribute"),
        ("s0.", 4, "a step or an attribute"),
        ("s0.hed.upos", 4, "a step or an attribute"),
        ("s0.Form", 4, "a step or an attribute"),
        ("s.form", 2, "a place in the list"),
        ("s100.form", 2, "a place in the list"),
        ("s-0.form", 3, "a place from the far end"),
        ("l-1.form", 2, "a place in the list"),
        ("s0.lc.upos", 6, "which child"),
        ("s0.lc0.upos", 6, "which child"),
        ("s0.suffix", 10, "how many characters"),
        ("s0.feats.", 10, "the name of a feature"),
        ("s0.feats.Case|", 15, "the name of a feature"),
        ("s0.form i0.form", 9, "'+'"),
        ("s0.form.upos", 8, "'+'"),
        ("s0.form +", 10, "a term"),
        ("history", 8, "which transition back"),
        ("distance(s0)", 12, "','"),
        ("distance(s0, i0", 16, "')'"),
        ("arc s0", 5, "'('"),
        ("valency(s0.up)", 12, "a step: head, lc, rc, next, prev, left, right"),
        ("valency(s0.left.head)", 16, "')'"),
        ("WordFeatures 1", 1, "a parameter: LemmaFeatures"),
        ("PosFeatures", 12, "an index"),
        ("PosFeatures -1 x", 16, "an index"),
        ("PosLeftChildren -1", 17, "how many"),
        ("PosLeftChildren 1 2", 19, "nothing more"),
    ],
)
def test_a_mistake_is_pointed_at(line, character, expected):
    with pytest.raises(UsageError) as caught:
        parse_features(f"s0.form\n{line}")
    first, shown, caret = str(caught.value).split("\n")
    assert first.startswith(f"feature line 2, character {character}: expected {expected}")
    assert shown == f"  {line}"
    assert caret.index("^") == character + 1


def test_a_set_without_features_is_refused():
    with pytest.raises(UsageError, match="at least one feature"):
        parse_features("# nothing\n")


@pytest.mark.parametrize("text", ["form upos", "Form", "", "head"])
def test_what_is_no_attribute_is_refused(text):
    with pytest.raises(UsageError, match="expected"):
        parse_attribute(text)
