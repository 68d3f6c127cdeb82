"""Sentences and tokens as views: what they show, and what a replaced column leaves alone."""

import io

import pytest

import arclift

TEXT = """\
# newpar
# sent_id = a-1
# text = Let's go  home
# no equals sign
1-2\tLet's\t_\t_\t_\t_\t_\t_\t_\tMade=Up
1\tLet\tlet\tVERB\tVB\tMood=Imp|VerbForm=Fin\t0\troot\t_\t_
2\t's\twe\tPRON\tPRP\t_\t1\tobj\t_\t_\r
2.1\t_\t_\tVERB\t_\t_\t_\t_\t1:conj\t_
3\tgo  home\tgo\tVERB\tVB\t_\t1\txcomp\t_\tx= y|z

# sent_id = a-2
1\tOh\toh\tINTJ\t_\t_\t_\t_\t_\t_
"""


@pytest.fixture(name="sentence")
def _sentence():
    return next(iter(arclift.read(io.BytesIO(TEXT.encode()))))


@pytest.fixture(name="second")
def _second():
    return list(arclift.read(io.BytesIO(TEXT.encode())))[1]


def test_a_sentence_shows_its_words(sentence):
    assert len(sentence) == 3
    assert sentence.forms == ["Let", "'s", "go  home"]
    assert sentence.heads.tolist() == [0, 1, 1]
    assert sentence.labels == ["root", "obj", "xcomp"]
    assert sentence.column("misc") == ["_", "_", "x= y|z"]


def test_a_sentence_shows_what_stands_around_its_words(sentence, second):
    assert sentence.id == "a-1"
    assert sentence.text == "Let's go  home"
    assert sentence.metadata == {"sent_id": "a-1", "text": "Let's go  home"}
    assert sentence.comments == ["# newpar", "# sent_id = a-1", "# text = Let's go  home", "# no equals sign"]
    assert sentence.ranges == [(1, 2, "Let's")]
    assert [node[0] for node in sentence.empty_nodes] == ["2.1"]
    assert (sentence.number, sentence.line) == (1, 6)
    assert (second.number, second.line) == (2, 12)
    assert second.text == "Oh"
    assert second.heads.tolist() == [-1]


def test_tokens_know_their_columns_and_neighbours(sentence):
    let, we, go = sentence.tokens
    assert (let.id, let.form, let.lemma, let.upos, let.label) == (1, "Let", "let", "VERB", "root")
    assert (let.head, let.parent) == (0, None)
    assert [child.form for child in let.children] == ["'s", "go  home"]
    assert go.parent.form == "Let"
    assert let.features == {"Mood": "Imp", "VerbForm": "Fin"}
    assert we.features == {}
    assert sentence.tokens[-1].id == 3
    assert [token.id for token in sentence.tokens[1:]] == [2, 3]
    with pytest.raises(IndexError):
        sentence.tokens[3]
    with pytest.raises(AttributeError, match="no column 'colour'"):
        _ = let.colour
    with pytest.raises(arclift.UsageError, match="no column 'colour'"):
        sentence.column("colour")


def test_a_sentence_cannot_be_changed_by_accident(sentence):
    with pytest.raises(ValueError, match="read-only"):
        sentence.heads[0] = 2


def test_replacing_keeps_all_other_bytes(sentence):
    before = bytes(sentence)
    changed = sentence.replace(heads=[2, 0, 2], labels=["obj", "root", "xcomp"], lemma=["let", "us", "go"])
    expected = before.replace(b"\t0\troot", b"\t2\tobj").replace(
        b"\twe\tPRON\tPRP\t_\t1\tobj", b"\tus\tPRON\tPRP\t_\t0\troot"
    )
    assert bytes(changed) == expected.replace(b"\t1\txcomp", b"\t2\txcomp")
    assert bytes(sentence) == before
    assert (changed.number, changed.line, changed.id) == (1, 6, "a-1")


def test_a_later_sentence_keeps_its_place_when_replaced(second):
    changed = second.replace(heads=[0], labels=["root"])
    assert (changed.number, changed.line, changed.id) == (2, 12, "a-2")
    assert bytes(changed) == bytes(second).replace(b"\t_\t_\t_\t_\n", b"\t0\troot\t_\t_\n")


@pytest.mark.parametrize(
    "columns",
    [
        {"heads": [0]},
        {"lemma": ["a"] * 4},
        {"lemma": ["a\tb", "c", "d"]},
        {"lemma": ["", "c", "d"]},
        {"colour": ["a", "b", "c"]},
    ],
)
def test_what_cannot_be_replaced_is_refused(sentence, columns):
    with pytest.raises(arclift.UsageError):
        sentence.replace(**columns)


def test_a_treebank_in_memory_is_a_sequence():
    treebank = arclift.read_all(io.BytesIO(TEXT.encode()))
    assert (len(treebank), treebank.words) == (2, 4)
    assert [sentence.id for sentence in treebank] == ["a-1", "a-2"]
    assert treebank[-1].id == "a-2"
    assert [sentence.id for sentence in treebank[1:]] == ["a-2"]


def test_tagged_lines_have_forms_and_tags():
    text = b"The/DET end/NOUN\n1/2/NUM /  a/ //SYM plain\n"
    first, second = arclift.read(io.BytesIO(text), format="lines")
    assert (first.forms, first.column("upos")) == (["The", "end"], ["DET", "NOUN"])
    assert second.forms == ["1/2", "/", "a/", "/", "plain"]
    assert second.column("upos") == ["NUM", "", "", "SYM", ""]
    assert bytes(first.replace(upos=["X", "Y"])) == b"The/X end/Y\n"
    with pytest.raises(ValueError, match="does not have the column"):
        second.replace(upos=["X"] * 5)
