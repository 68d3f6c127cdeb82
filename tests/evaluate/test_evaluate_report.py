"""What people and programs get to see: text, JSON, HTML, and the command itself."""

import argparse
import json
import re
from html.parser import HTMLParser

import pytest
from analysed_files import conllu, scored

from arclift.cli import evaluate as command
from arclift.errors import ArcliftError, UsageError
from arclift.evaluate.html import as_html
from arclift.evaluate.report import as_text, notes

GOLD = conllu("A 2 det DET\n cat 3 nsubj NOUN\n <b> 0 root VERB\n . 3 punct PUNCT", "Stop 0 root VERB")
SYSTEM = conllu("A 3 det DET\n cat 3 obj NOUN\n <b> 0 root VERB\n . 3 punct PUNCT", "Stop 0 root VERB")


@pytest.fixture
def files(tmp_path):
    paths = {name: tmp_path / f"{name}.conllu" for name in ("gold", "first", "second")}
    for name, data in {"gold": GOLD, "first": SYSTEM, "second": GOLD}.items():
        paths[name].write_bytes(data)
    return paths


def _run(*arguments):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args([str(one) for one in arguments]))


TEXT = """\
gold    <stream>: 2 sentences, 5 words
system  <stream>

Attachment (all words, labels in full)
                                     %  right  of
  UAS                            80.00      4   5
  LAS                            60.00      3   5
  label accuracy                 80.00      4   5
  exact match, heads             50.00      1   2
  exact match, heads and labels  50.00      1   2

Non-projective arcs (all words, labels in full)
                       P     R     F  of system  of gold
  heads             0.00  0.00  0.00        0/0      0/0
  heads and labels  0.00  0.00  0.00        0/0      0/0

CoNLL-X, as eval.pl (without words that are all Unicode punctuation, labels in full)
                      %  right  of
  LAS             50.00      2   4
  UAS             75.00      3   4
  label accuracy  75.00      3   4
"""


def test_the_text_report():
    text = as_text(scored(GOLD, SYSTEM))
    assert text.startswith(TEXT)
    assert "CoNLL 2018 (all words, labels up to the first colon, universal features" in text
    assert re.search(r"^  CLAS +66\.67 +66\.67 +66\.67 +66\.67$", text, re.MULTILINE)


def test_every_table_states_the_policy():
    text = as_text(scored(GOLD, SYSTEM, tables=True))
    titles = [line for line in text.splitlines() if line and not line.startswith((" ", "gold", "system"))]
    assert len(titles) == 9
    assert all(re.search(r" \(.*words.*\)$", title) for title in titles)


def test_notes_say_what_is_odd():
    odd = conllu("A 2 det\n cat 1 nsubj\n <b> 0 root\n . 3 punct", "Stop 0 root")
    assert notes(scored(GOLD, odd)) == ["system file: 1 sentence with a cycle"]
    assert notes(scored(odd, GOLD)) == ["gold file: 1 sentence with a cycle"]
    other = scored(conllu("ab 0 root"), conllu("a 0 root\n b 1 dep"))
    assert notes(other) == [
        "the words differ, first at <stream>, line 1, sentence 1: only aligned words are scored"
    ]
    assert "Attachment" not in as_text(other)
    missing = scored(conllu("a _ _\n b 0 root"), conllu("a 2 x\n b 0 root"))
    assert notes(missing)[0] == "1 words without a gold head are not scored"


def test_json_holds_every_score(files, capsys):
    assert _run(files["gold"], files["first"], "--json", "--tables", "--punctuation", "upos") == 0
    data = json.loads(capsys.readouterr().out)
    assert data["policy"] == {"punctuation": "upos", "subtypes": "keep", "ranges": "align"}
    assert data["attachment"]["las"] == 2 / 4
    assert data["conllx"]["policy"]["punctuation"] == "conllx"
    assert data["conll18"]["CLAS"]["f1"] == 2 / 3
    assert data["nonprojective"]["labelled"]["gold"] == 0
    assert data["tables"]["label_confusion"] == [{"gold": "nsubj", "system": "obj", "words": 1}]
    assert data["tables"]["tags"]["NOUN"]["uas"] == 1


def test_two_systems_are_compared(files, capsys):
    assert _run(files["gold"], files["first"], files["second"], "--bootstrap", "20", "--seed", "3") == 0
    text = capsys.readouterr().out
    assert "McNemar, exact binomial" in text
    assert "bootstrap, 20 samples, seed 3" in text
    assert re.search(r"UAS +80\.00 +100\.00 +\+20\.00", text)
    assert _run(files["gold"], files["first"], files["second"], "--json", "--bootstrap", "20") == 0
    data = json.loads(capsys.readouterr().out)
    assert data["comparison"]["las"]["mcnemar"]["only_second"] == 2
    assert data["second"]["attachment"]["las"] == 1


class _Checker(HTMLParser):
    VOID = frozenset({"meta"})

    def __init__(self):
        super().__init__()
        self.open, self.links = [], []

    def handle_starttag(self, tag, attributes):
        self.links += [value for name, value in attributes if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_html_report_is_whole_and_needs_nothing_else(files, capsys, tmp_path):
    page = tmp_path / "report.html"
    assert _run(files["gold"], files["first"], files["second"], "--html", page, "--bootstrap", "10") == 0
    html = page.read_text(encoding="utf-8")
    checker = _Checker()
    checker.feed(html)
    assert checker.open == []
    assert [link for link in checker.links if not link.startswith("#")] == []
    assert "<svg" in html
    assert "&lt;b&gt;" in html
    assert "<b></td>" not in html
    assert "prefers-color-scheme:dark" in html
    assert "nsubj → obj" in html
    assert "Relations, with heads" not in capsys.readouterr().out


def test_the_html_of_files_that_differ_in_words_has_what_there_is():
    html = as_html(scored(conllu("ab 0 root"), conllu("a 0 root\n b 1 dep"), tables=True, worst=3))
    assert "the words differ" in html
    assert "<svg" not in html


def test_the_html_of_a_perfect_system_has_no_confusions():
    html = as_html(scored(GOLD, GOLD, tables=True, worst=3))
    assert 'class="matrix"' not in html


@pytest.mark.parametrize(
    "arguments", [("-", "-"), ("-", "a", "b"), ("a", "b", "--worst", "-1"), ("a", "b", "--bootstrap", "-1")]
)
def test_arguments_that_do_not_go_together(arguments):
    with pytest.raises(UsageError):
        _run(*arguments)


def test_files_that_are_not_there_are_named(files):
    with pytest.raises(ArcliftError, match=r"absent\.conllu"):
        _run(files["gold"], "absent.conllu")


def test_official_is_passed_on(files):
    files["first"].write_bytes(SYSTEM.replace(b"\t3\tobj", b"\t0\tobj"))
    assert _run(files["gold"], files["first"]) == 0
    with pytest.raises(ArcliftError, match="attached to the root"):
        _run(files["gold"], files["first"], "--official")
