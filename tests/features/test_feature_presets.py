"""Feature sets by name: those of papers are the papers', and all of them compile."""

import pytest

from arclift.errors import UsageError
from arclift.features import compile_features, parse_features, preset, preset_names, preset_text

MALTPARSER = {
    "malt-nivreeager": 22,
    "malt-nivrestandard": 21,
    "malt-stackproj": 20,
    "malt-stackswap": 21,
    "malt-stackattardi": 22,
    "malt-stackincremental": 24,
    "malt-covproj": 22,
    "malt-covnonproj": 26,
    "malt-planar": 24,
    "malt-2planar": 27,
}
"""How many features the files that MaltParser ships have."""


def lines(name):
    return str(preset(name)).splitlines()


def test_these_presets_are_there():
    assert {*MALTPARSER, "attardi2006", "nivre2005", "nivre2006", "rich"} <= set(preset_names())
    assert list(preset_names()) == sorted(preset_names())


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_compiles_and_is_what_its_text_says(name):
    assert preset(name) == parse_features(preset_text(name))
    assert parse_features(str(preset(name))) == preset(name)
    program = compile_features(preset(name), ["Case", "Number"])
    assert {cell for feature in program.features for cell in feature} == set(range(len(program.terms)))


@pytest.mark.parametrize(("name", "count"), MALTPARSER.items())
def test_maltparsers_models_have_all_their_features(name, count):
    assert len(lines(name)) == count


def test_nivre2005_is_table_2():
    top1, top, next0, next1, next2, next3 = "s1", "s0", "i0", "i1", "i2", "i3"
    table = {
        "form": [top1, top, next0, next1],
        "upos": [top1, top, next0, next1, next2, next3],
        "label": [top, f"{top}.lc1", f"{next0}.lc1", f"{top}.rc1"],
    }
    features = [f"{node}.{attribute}" for attribute, nodes in table.items() for node in nodes]
    assert len(features) == 14
    assert sorted(lines("nivre2005")) == sorted(features)


def test_nivre2006_has_20_features():
    assert len(lines("nivre2006")) == 20


def test_attardi2006_expands_to_these_features():
    words = ["s1", "s0", "i0", "i1", "i2", "i3"]
    children = ["s0.lc1", "s0.lc2", "i0.lc1", "i0.lc2", "s0.rc1", "s0.rc2", "i0.rc1", "i0.rc2"]
    assert lines("attardi2006") == [
        *(f"{word}.lemma" for word in words),
        *(f"{word}.upos" for word in words),
        *(f"{word}.feats.Gender|Number|Person|Case" for word in ["s0", "i0", "i1", "i2"]),
        *(f"{word}.label" for word in ["s0", "i0"]),
        *(f"{child}.upos" for child in children[:4]),
        *(f"{child}.label" for child in ["s0.lc1", "i0.lc1"]),
        *(f"{child}.upos" for child in children[4:]),
        "s0.rc1.label",
        "history1",
    ]


def test_maltparsers_arc_eager_model_is_this():
    assert lines("malt-nivreeager") == [
        *("s0.upos", "i0.upos", "i1.upos", "i2.upos", "i3.upos", "s1.upos"),
        "s0.upos + i0.upos",
        "s1.upos + s0.upos + i0.upos",
        "s0.upos + i0.upos + i1.upos",
        "i0.upos + i1.upos + i2.upos",
        "i1.upos + i2.upos + i3.upos",
        *("s0.label", "s0.lc1.label", "s0.rc1.label", "i0.lc1.label"),
        "s0.upos + s0.lc1.label + s0.rc1.label",
        "s0.upos + s0.label",
        "i0.upos + i0.lc1.label",
        *("s0.form", "i0.form", "i1.form", "s0.head.form"),
    ]


def test_rich_reads_every_column_around_both_focus_words():
    features = set(lines("rich"))
    columns = ["form", "lemma", "upos", "xpos", "feats*"]
    for word in ("s0", "s1", "s2", "s3", "i0", "i1", "i2", "i3"):
        assert features >= {f"{word}.{column}" for column in columns}
    assert features >= {"s0.lc1.label", "s1.rc2.form", "s0.label", "s1.label"}


def test_an_unknown_preset_is_refused_with_those_there_are():
    with pytest.raises(UsageError, match=r"'nivre2004'.*nivre2005"):
        preset("nivre2004")
    with pytest.raises(UsageError, match="no feature preset"):
        preset_text("../presets/nivre2005")
