"""One tiny file for each thing that can be wrong: it is found, at its level, and nothing else is."""

import argparse
import io
import json
import re
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from nasty_files import HERE, any_bytes, broken_files, each_treebank, valid_files

import arclift
from arclift.cli import validate as command
from arclift.treebank import Reader, stream
from arclift.treebank.validation import Validator
from arclift.treebank.validation.rules import RULES, as_markdown
from arclift.treebank.validation.tree import cycles

INVALID = sorted((HERE / "invalid").glob("*"))
VALID = sorted((HERE / "valid").glob("*"))
DOCS = HERE.parents[1] / "docs/validation.md"

COMPANIONS = {"no-root": {"cycle"}}  # if no head is 0, the heads go round in a circle
WITHOUT_A_FILE = {"endless-sentence"}  # it would have to be of 256 MiB


def by_name(path):
    if path.suffix == ".conll":
        return "conllx"
    return "conllu" if path.stem == "1-nul-byte" else None  # unless told, we take it for a binary file


def validated(path, **options):
    validator = Validator(path, format=by_name(path), **options)
    return list(validator.findings()), validator


def of_text(text, **options):
    data = text if isinstance(text, bytes) else text.encode()
    validator = Validator(io.BytesIO(data), **{"format": "conllu", **options})
    return [(finding.id, finding.line) for finding in validator.findings()]


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_the_one_thing_wrong_is_found_and_nothing_else(path):
    level, id = path.stem.split("-", 1)
    findings, validator = validated(path)
    assert {finding.id for finding in findings} == {id} | COMPANIONS.get(id, set())
    assert validator.counts[id] >= 1
    for finding in findings:
        assert finding.level == int(level)
        assert finding.line >= 1 or id == "empty-file"
        assert finding.hint
        assert re.match(rf"{re.escape(str(path))}:\d+: \[L{level} {finding.id}\] ", str(finding))
    assert (validator.errors, validator.warnings) == (
        (len(findings), 0) if RULES[id].severity == "error" else (0, len(findings))
    )


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_nothing_is_found_where_nothing_is_wrong(path):
    findings, validator = validated(path)
    assert list(map(str, findings)) == []
    assert validator.sentences >= 1
    assert validator.words >= 2


def test_every_rule_has_a_file():
    assert {path.stem.split("-", 1)[1] for path in INVALID} == set(RULES) - WITHOUT_A_FILE


def test_level_1_does_not_look_at_level_2():
    for path in INVALID:
        findings, _ = validated(path, level=1)
        assert bool(findings) == path.stem.startswith("1-"), path.stem
    with pytest.raises(arclift.UsageError):
        Validator(path, level=3)


def test_one_finding_does_not_hide_the_next():
    text = """\
# sent_id = x
1\tA\ta\tWHAT\tN N\ta=B\t9\tNsubj\t_\t_
2\tB\t\tNOUN\t_\t_\t0\troot\t_
# late
4\tC\tc\tNOUN\t_\t_\tx\tdep\t?\tSpaceAfter=no

# sent_id = x
# text = E
1\tD\td\tNOUN\t_\t_\t1\tdep\t_\t_
"""
    assert of_text(text) == [
        ("missing-text", 1),
        ("invalid-upos", 2),
        ("inner-white-space", 2),
        ("invalid-feats", 2),
        ("invalid-deprel", 2),
        ("column-count", 3),
        ("misplaced-comment", 4),
        ("invalid-head", 5),
        ("invalid-deps", 5),
        ("invalid-space-after", 5),
        ("duplicate-sent-id", 7),
        ("text-mismatch", 8),
        ("self-loop", 9),
        ("no-root", 9),
        ("missing-final-empty-line", 9),
    ]


def test_a_finding_names_its_sentence(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("1\tA\ta\tX\t_\t_\t0\troot\t_\n\n# sent_id = named\n1\tA\n\n", encoding="utf-8")
    first, second = Validator(path, level=1).findings()
    assert (first.sentence, second.sentence) == ("1", "named")
    assert str(second) == (
        f"{path}:4: [L1 column-count] the row has not 10 columns: 2 columns; "
        "columns are separated by one tab (sentence named)"
    )


def test_an_endless_sentence_is_one_finding(monkeypatch):
    monkeypatch.setattr(stream, "MAX_SENTENCE_BYTES", 1 << 16)
    monkeypatch.setattr(stream, "CHUNK_BYTES", 1 << 12)
    assert of_text(b"1\tx" * (1 << 18)) == [("endless-sentence", 1)]


def test_a_binary_file_and_an_empty_one_are_one_finding_each():
    assert of_text(bytes(range(256)) * 100, format=None) == [("binary-file", 1)]
    assert of_text(b"", format=None) == [("empty-file", 1)]


@given(
    st.sampled_from(["conllu", "conllx", "conll09", "vertical", "tokens", "lines"]).flatmap(broken_files)
    | any_bytes
)
def test_no_bytes_are_too_strange(data):
    assume(not data.startswith((b"\x1f\x8b", b"\xfd7zXZ\0")))  # damaged archives cannot be read at all
    for format in ("conllu", "conllx", "conll09", "vertical", "tokens", "lines"):
        list(Validator(io.BytesIO(data), format=format).findings())


@given(broken_files("conllu") | valid_files("conllu"))
def test_what_the_reader_cannot_read_is_an_error_of_level_1_or_a_bad_head(data):
    reader = Reader(io.BytesIO(data), format="conllu", on_error="skip")
    flawed = sum(len(block.flaws) for block in reader.blocks())
    validator = Validator(io.BytesIO(data), format="conllu")
    serious = [f for f in validator.findings() if f.severity == "error" and (f.level == 1 or "head" in f.id)]
    assert not flawed or serious


@pytest.mark.parametrize("size", [1, 7, 64, 300])
def test_it_does_not_matter_where_chunks_end(monkeypatch, size):
    texts = [path.read_bytes() for path in INVALID if path.suffix == ".conllu"]
    texts = [text for text in texts if text.endswith(b"\n\n") and b"\0" not in text and text[0] == ord("#")]
    whole = of_text(b"".join(texts))
    assert len(whole) > 60
    monkeypatch.setattr(stream, "CHUNK_BYTES", size)
    assert of_text(b"".join(texts)) == whole


@given(st.lists(st.integers(0, 8), min_size=1, max_size=8))
def test_cycles_are_those_that_walking_finds(drawn):
    heads = [0, *(head % (len(drawn) + 1) for head in drawn)]
    expected = set()
    for word in range(1, len(heads)):
        walk = [word]
        while heads[walk[-1]] and heads[walk[-1]] not in walk:
            walk.append(heads[walk[-1]])
        if heads[walk[-1]]:
            expected.add(frozenset(walk[walk.index(heads[walk[-1]]) :]))
    found = list(cycles(heads))
    assert {frozenset(cycle) for cycle in found} == expected
    assert len(found) == len(expected)
    for cycle in found:
        assert cycle[0] == min(cycle)
        assert [heads[word] for word in cycle] == [*cycle[1:], cycle[0]]


def test_long_sentences_cost_no_more_than_their_length():
    row = "{}\tw\tw\tX\t_\t_\t{}\t{}\t{}:{}\t_\n"
    rows = [
        row.format(i, i - 1, "dep" if i > 1 else "root", i - 1, "dep:x" if i > 1 else "root")
        for i in range(1, 50_001)
    ]
    text = "# sent_id = 1\n# text = " + " ".join("w" * 50_000) + "\n" + "".join(rows) + "\n"
    assert of_text(text) == []


@each_treebank
def test_treebanks_have_a_sound_backbone(path):
    findings, validator = list((one := Validator(path, level=1)).findings()), one
    assert list(map(str, findings)) == []
    assert validator.words == arclift.read_all(path).words


_UD_1 = (
    "eu_bdt",
    "ja_gsd",
    "nl_lassysmall",
    "zh_gsd",
)  # UD 1.4: other tags and relations, no sent_id or text


@each_treebank
def test_treebanks_of_ud_2_are_clean(path):
    validator = Validator(path)
    found = {finding.id for finding in validator.findings()}
    if path.parent.name in _UD_1:
        assert found <= {"missing-sent-id", "missing-text", "invalid-upos", "unknown-deprel"}
    else:
        assert found == set()


# -- the command ----------------------------------------------------------------------------------------


def run(*words):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args([str(word) for word in words]))


def test_the_exit_code_tells_errors_from_warnings(capsys):
    assert run(HERE / "valid/plain.conllu") == 0
    assert "all is well (2 sentences, 6 words)" in capsys.readouterr().err
    assert run(HERE / "invalid/1-not-nfc.conllu") == 0
    assert run(HERE / "invalid/1-not-nfc.conllu", "--strict") == 1
    assert run(HERE / "invalid/2-cycle.conllu") == 1
    assert run(HERE / "invalid/2-cycle.conllu", "--level", "1") == 0
    captured = capsys.readouterr()
    assert "[L2 cycle] the heads go round in a circle: 1 > 3 > 1;" in captured.out
    assert "1 errors, 0 warnings in 1 sentences, 3 words: 1 cycle" in captured.err


@pytest.mark.parametrize(("most", "shown"), [(0, 50), (1, 1), (20, 20)])
def test_findings_of_a_kind_are_shown_up_to_a_limit_and_all_are_counted(tmp_path, capsys, most, shown):
    path = tmp_path / "many.conllu"
    path.write_text("1\tA\n\n" * 50, encoding="utf-8")
    assert run(path, "--max-findings", most) == 1
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == shown
    assert "50 column-count" in captured.err
    assert ("not shown" in captured.err) == (shown < 50)


def test_the_findings_of_several_files_are_one_json_document(capsys):
    good, bad = HERE / "valid/plain.conllu", HERE / "invalid/2-cycle.conllu"
    assert run(good, bad, "--json") == 1
    report = json.loads(capsys.readouterr().out)
    (finding,) = report["findings"]
    assert (finding["file"], finding["line"], finding["sentence"]) == (str(bad), 3, "s1")
    assert (finding["id"], finding["level"], finding["severity"]) == ("cycle", 2, "error")
    assert [Path(file["file"]).name for file in report["files"]] == ["plain.conllu", "2-cycle.conllu"]
    assert [file["counts"] for file in report["files"]] == [{}, {"cycle": 1}]
    assert run(good, "--json") == 0
    assert json.loads(capsys.readouterr().out)["findings"] == []


def test_the_table_in_the_docs_is_that_of_the_code():
    assert as_markdown() in DOCS.read_text(encoding="utf-8")
