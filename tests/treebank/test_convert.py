"""What goes over into another format, what cannot, and that nothing is lost in silence."""

import argparse
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nasty_files import COLUMNS, each_treebank, valid_files

import arclift
from arclift.cli import convert as command
from arclift.treebank import Block, Reader
from arclift.treebank.convert import TARGETS, Converter
from arclift.treebank.formats import TOKENS, by_name

U = (
    "# sent_id = 1\n"
    "1-2\tdel\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
    "1\tde\tde\tADP\tE/x\tA=B\t3\tcase\t3:case\t_\n"
    "2\tel\tel\tDET\tD\t_\t3\tdet\t_\t_\n"
    "2.1\tx\t_\t_\t_\t_\t_\t_\t3:dep\t_\n"
    "3\t20 000\t_\tNUM\t_\t_\t0\troot\t_\tX=Y\n\n"
)
X = "1\tHunde\thund\tN\tNC\tg=c|n=p\t2\tsubj\t2\tsubj\n2\tgør\tgø\tV\tVA\t_\t0\tROOT\t_\t_\n\n"
NINE = (
    "1\tHunde\thund\thund2\tN\tN2\tg=c\tg=d\t2\t0\tsubj\tobj\t_\t_\tA0\n"
    "2\tgør\tgø\t_\tV\t_\t_\t_\t0\t_\tROOT\t_\tY\tgør.1\t_\n\n"
)


def converted(text, source, target):
    converter = Converter(target)
    blocks = Reader(io.BytesIO(text if isinstance(text, bytes) else text.encode()), format=source).blocks()
    return b"".join(converter.convert(blocks)).decode(), dict(converter.lost)


def test_conllu_to_conllx():
    text, lost = converted(U, "conllu", "conllx")
    assert text == (
        "1\tde\tde\tADP\tE/x\tA=B\t3\tcase\t_\t_\n2\tel\tel\tDET\tD\t_\t3\tdet\t_\t_\n"
        "3\t20_000\t_\tNUM\t_\t_\t0\troot\t_\t_\n\n"
    )
    assert lost == {
        "comments": 1,
        "multiword ranges": 1,
        "empty nodes": 1,
        "DEPS cells": 1,
        "MISC cells": 1,
        "FORM cells with spaces (written with _)": 1,
    }


def test_conllx_to_conllu():
    text, lost = converted("# kept\n" + X, "conllx", "conllu")
    assert text == (
        "# kept\n1\tHunde\thund\tN\tNC\tg=c|n=p\t2\tsubj\t_\t_\n2\tgør\tgø\tV\tVA\t_\t0\tROOT\t_\t_\n\n"
    )
    assert lost == {"PHEAD cells": 1, "PDEPREL cells": 1}


def test_conll09_goes_over_without_its_predictions_and_predicates():
    text, lost = converted(NINE, "conll09", "conllx")
    assert text == "1\tHunde\thund\tN\tN\tg=c\t2\tsubj\t_\t_\n2\tgør\tgø\tV\tV\t_\t0\tROOT\t_\t_\n\n"
    assert lost == {
        "PLEMMA cells": 1,
        "PXPOS cells": 1,
        "PFEATS cells": 1,
        "PHEAD cells": 1,
        "PDEPREL cells": 1,
        "FILLPRED cells": 1,
        "PRED cells": 2,
    }
    assert converted(NINE, "conll09", "conllu")[0].startswith("1\tHunde\thund\t_\tN\tg=c\t2\tsubj\t_\t_\n")


def test_to_tagged_text():
    assert converted(U, "conllu", "lines")[0] == "de/ADP el/DET 20_000/NUM\n"
    assert converted(U, "conllu", "vertical")[0] == "de\tADP\nel\tDET\n20 000\tNUM\n\n"
    assert converted(U, "conllu", "vertical:xpos,form")[0] == "E/x\tde\nD\tel\n_\t20 000\n\n"
    text, lost = converted("a b\tX/Y\n1/2\t_\n1/2\tN\n/\t_\n\n", "vertical", "lines")
    assert text == "a_b/X|Y 1/2/_ 1/2/N /\n"
    assert lost == {"FORM cells with spaces (written with _)": 1, "tags with a slash (written with |)": 1}


def test_from_tagged_text():
    text, lost = converted("a/X b\n", "lines", "conllu")
    assert text == "1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n2\tb\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    assert lost == {}
    assert converted("a\tX\n\n", "vertical", "conllx")[0] == "1\ta\t_\tX\tX\t_\t_\t_\t_\t_\n\n"


def test_line_ends_and_a_byte_order_mark_are_counted():
    text, lost = converted(b"\xef\xbb\xbfa\tX\r\n\r\n", "vertical", "lines")
    assert text == "a/X\n"
    assert lost == {"CR LF line ends": 2, "byte order mark": 1}


def test_a_form_that_looks_like_a_byte_order_mark_is_not_taken_for_one():
    text = "1\t\ufeff" + "\t_" * 8 + "\n\n"
    written, lost = converted(text, "conllu", "lines")
    assert (written, lost) == ("\ufeff\ufeff\n", {})
    assert converted(written, "lines", "vertical")[0] == "\ufeff\ufeff\t_\n\n"


@pytest.mark.parametrize("format", TARGETS)
@given(data=st.data())
def test_to_the_same_format_the_bytes_stay(format, data):
    text = data.draw(valid_files(format))
    converter = Converter(format)
    assert b"".join(converter.convert(Reader(io.BytesIO(text), format=format).blocks())) == text
    assert not converter.lost


@pytest.mark.parametrize("source", [*COLUMNS, "tokens", "lines"])
@pytest.mark.parametrize("target", TARGETS)
@given(data=st.data())
def test_whatever_is_converted_can_be_read_and_says_the_same(source, target, data):
    text = data.draw(valid_files(source)).removeprefix(b"\xef\xbb\xbf")
    original = list(arclift.read(io.BytesIO(text), format=source))
    written, lost = converted(text, source, target)
    again = list(arclift.read(io.BytesIO(written.encode()), format=target))
    assert [len(sentence) for sentence in again] == [len(sentence) for sentence in original]
    if not any(kind.startswith(("FORM", "empty FORM")) for kind in lost):
        assert [sentence.forms for sentence in again] == [sentence.forms for sentence in original]
    if {source, target} <= {"conllu", "conllx"}:
        assert [s.heads.tolist() for s in again] == [s.heads.tolist() for s in original]


@given(data=st.data())
def test_tagged_text_goes_to_lines_and_back(data):
    text = data.draw(valid_files("vertical"))
    lines, _ = converted(text, "vertical", "lines")
    once = converted(lines, "lines", "vertical")
    assert once[1] == {}
    assert converted(once[0], "vertical", "lines") == (lines, {})


@each_treebank
def test_treebanks_go_to_every_format_with_all_their_words(path):
    original = arclift.read_all(path)
    for target in TARGETS:
        converter = Converter(target)
        data = b"".join(converter.convert(original.blocks))
        again = arclift.read_all(io.BytesIO(data), format=target)
        assert (len(again), again.words) == (len(original), original.words)
        assert (converter.sentences, converter.words) == (len(original), original.words)


def test_conll09_and_unknown_formats_are_no_targets():
    for name in ("conll09", "excel"):
        with pytest.raises(arclift.UsageError):
            Converter(name)


# -- the command ----------------------------------------------------------------------------------------


def run(*words):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args([str(word) for word in words]))


@pytest.fixture(name="treebank")
def _treebank(tmp_path):
    path = tmp_path / "in.conllu"
    path.write_bytes(U.encode())
    return path


def test_the_command_says_what_was_lost(treebank, tmp_path, capfd):
    out = tmp_path / "out.conll"
    assert run(treebank, "-o", out, "--to", "conllx") == 0
    assert out.read_text(encoding="utf-8").startswith("1\tde\tde\t")
    assert capfd.readouterr().err.startswith(
        "conllx cannot hold: 1 comments, 1 multiword ranges, 1 empty nodes"
    )
    assert run(treebank, "--to", "conllx", "--strict") == 1
    capfd.readouterr()
    assert run(treebank, "--to", "conllu", "--strict") == 0
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == (U, "")


def test_the_command_reports_as_json(treebank, capfd):
    assert run(treebank, "--to", "lines", "--json") == 0
    captured = capfd.readouterr()
    assert captured.out == "de/ADP el/DET 20_000/NUM\n"
    report = json.loads(captured.err)
    assert (report["to"], report["sentences"], report["words"]) == ("lines", 1, 3)
    assert report["lost"]["HEAD cells"] == 3


def test_the_command_can_write_over_its_input(treebank):
    assert run(treebank, "-o", treebank, "--to", "lines") == 0
    assert treebank.read_text(encoding="utf-8") == "de/ADP el/DET 20_000/NUM\n"


def test_bad_sentences_stop_the_command_or_are_skipped(treebank, tmp_path, capfd):
    treebank.write_bytes(b"1\ta\n\n" + U.encode())
    out = tmp_path / "out"
    with pytest.raises(arclift.InputError):
        run(treebank, "-o", out, "--to", "lines", "--format", "conllu")
    assert not out.exists()
    assert run(treebank, "-o", out, "--to", "lines", "--format", "conllu", "--on-error", "skip") == 1
    assert out.read_text(encoding="utf-8") == "de/ADP el/DET 20_000/NUM\n"
    assert "1 bad sentence skipped" in capfd.readouterr().err


@pytest.mark.parametrize("target", ["conllu", "conllx", "vertical", "lines"])
def test_tabs_in_tokens_that_are_whole_lines_do_not_become_columns(target):
    converter = Converter(target)
    block = Block(b"a\tb/\tX\nc\n\n", TOKENS)
    (done,) = converter.convert([block])
    again = Block(done, by_name(target))
    assert not again.errors()
    assert [sentence.forms for sentence in again] == [["a_b", "c"]]
    assert converter.lost["FORM cells with tabs (written with _)"] == 1
    assert converter.lost["UPOS cells with tabs (written with _)"] == 1
