"""Scores by relation, arc length and tag, and what is confused with what."""

from collections import Counter

from analysed_files import conllu, scored

from arclift.evaluate import Policy

GOLD = conllu(
    "a 2 det DET\n b 3 nsubj NOUN\n c 0 root VERB\n d 3 obj:x NOUN\n"
    "e 1 dep X\n f 1 dep X\n g 1 dep X\n h 1 dep X"
)
SYSTEM = conllu(
    "a 3 det DET\n b 3 obj NOUN\n c 0 root VERB\n d 3 obj ADJ\n e 1 dep X\n f 4 dep X\n g _ dep X\n h 1 det X"
)


def _rows(table):
    return {name: (one.correct, one.gold, one.system) for name, one in table.items()}


def test_relations_are_right_with_their_heads():
    assert _rows(scored(GOLD, SYSTEM, tables=True).tables.relations) == {
        "det": (0, 1, 2),
        "nsubj": (0, 1, 0),
        "obj": (0, 0, 2),
        "obj:x": (0, 1, 0),
        "root": (1, 1, 1),
        "dep": (1, 4, 3),
    }


def test_subtypes_can_be_cut():
    found = scored(GOLD, SYSTEM, tables=True, policy=Policy("all", "cut")).tables
    assert _rows(found.relations)["obj"] == (1, 1, 2)
    assert found.label_confusion == Counter({("nsubj", "obj"): 1, ("dep", "det"): 1})


def test_arcs_are_binned_by_length():
    assert _rows(scored(GOLD, SYSTEM, tables=True).tables.lengths) == {
        "to root": (1, 1, 1),
        "1": (2, 3, 2),
        "2": (0, 0, 2),
        "3-6": (1, 3, 1),
        "7-...": (1, 1, 1),
        "no head": (0, 0, 1),
    }


def test_tags_are_those_of_the_gold_file():
    rows = scored(GOLD, SYSTEM, tables=True).tables.tags
    assert {tag: (row.words, row.heads, row.labels, row.both) for tag, row in rows.items()} == {
        "DET": (1, 0, 1, 0),
        "NOUN": (2, 2, 0, 0),
        "VERB": (1, 1, 1, 1),
        "X": (4, 2, 3, 1),
    }
    assert rows["X"].uas == 2 / 4
    assert rows["X"].las == 1 / 4


def test_confusions_name_both_sides():
    found = scored(GOLD, SYSTEM, tables=True).tables
    assert found.label_confusion == Counter({("nsubj", "obj"): 1, ("obj:x", "obj"): 1, ("dep", "det"): 1})
    assert found.head_confusion == Counter({("NOUN", "VERB"): 1, ("DET", "ADJ"): 1, ("DET", "no head"): 1})


def test_the_root_can_be_confused_with_a_word():
    found = scored(conllu("a 0 root V\n b 1 x N"), conllu("a 2 root V\n b 0 x N"), tables=True).tables
    assert found.head_confusion == Counter({("ROOT", "N"): 1, ("V", "ROOT"): 1})


def test_unscored_words_are_in_no_table():
    file = conllu("a 0 root V\n . 1 punct PUNCT")
    found = scored(file, file, tables=True, policy=Policy("upos")).tables
    assert set(found.relations) == {"root"}
    assert set(found.tags) == {"V"}


def test_totals_add_up_over_many_pieces():
    many = scored(GOLD * 40_000, SYSTEM * 40_000, tables=True)
    once = scored(GOLD, SYSTEM, tables=True)
    assert many.tables.label_confusion == Counter(
        {k: v * 40_000 for k, v in once.tables.label_confusion.items()}
    )
    assert many.attachment.both == once.attachment.both * 40_000
    assert _rows(many.tables.lengths) == {
        name: tuple(count * 40_000 for count in counts) for name, counts in _rows(once.tables.lengths).items()
    }


def test_the_worst_sentences_are_kept_first_ones_first():
    sentences = ["a 2 x\n b 0 root", "c 0 root", "d 0 root\n e 1 y\n f 1 z"]
    spoilt = ["a 0 x\n b 1 root", "c 0 dep", "d 2 root\n e 0 y\n f 1 dep"]
    found = scored(conllu(*sentences, *sentences), conllu(*spoilt, *spoilt), worst=3).worst
    assert [(one.id, one.errors) for one in found] == [("3", 3), ("6", 3), ("1", 2)]
    assert found[0].forms == ["d", "e", "f"]
    assert found[0].system == ([2, 0, 1], ["root", "y", "dep"])
    assert scored(conllu(*sentences), conllu(*sentences), worst=3).worst == []
