"""Evaluations as text; the policy stands beside every score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from arclift.evaluate import conllx
from arclift.evaluate.attachment import Attachment
from arclift.evaluate.evaluation import Comparison, Evaluation
from arclift.evaluate.policy import Policy
from arclift.evaluate.scores import Score
from arclift.evaluate.tables import LENGTHS, NO_LENGTH, Tables
from arclift.trees.structure import TreeFlaw

CONLL18_POLICY = "all words, labels up to the first colon, universal features, "
_RANGES = {"align": "aligned by characters and multiword tokens", "ignore": "multiword tokens ignored"}
CONFUSIONS = 15

_FLAWS = {
    TreeFlaw.SEVERAL_ROOTS: "several roots",
    TreeFlaw.MISSING_HEAD: "words without a head",
    TreeFlaw.OUT_OF_RANGE: "a head that is no word",
    TreeFlaw.SELF_LOOP: "a word that is its own head",
    TreeFlaw.NO_ROOT: "no root",
    TreeFlaw.CYCLE: "a cycle",
}

Row = tuple[str, ...]


def percent(share: float) -> str:
    """Return a share as a percentage of two digits."""
    return f"{100 * share:.2f}"


def table(header: Row, rows: Iterable[Row]) -> list[str]:
    """Return lines in columns: the first is set to the left, the others to the right."""
    cells = [header, *rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    return [
        "  " + "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
        for row in cells
    ]


# --- the parts of a report, each a title, a header and rows: what text and HTML share -----------------------

Part = tuple[str, Row, list[Row]]


def attachment_part(found: Attachment) -> Part:
    """Return attachment scores and exact match."""
    rows: list[Row] = [
        ("UAS", percent(found.uas), f"{found.heads}", f"{found.words}"),
        ("LAS", percent(found.las), f"{found.both}", f"{found.words}"),
        ("label accuracy", percent(found.label_accuracy), f"{found.labels}", f"{found.words}"),
        (
            "exact match, heads",
            percent(found.exact_match_unlabelled),
            f"{found.exact_heads}",
            f"{found.sentences}",
        ),
        (
            "exact match, heads and labels",
            percent(found.exact_match_labelled),
            f"{found.exact}",
            f"{found.sentences}",
        ),
    ]
    return f"Attachment ({found.policy})", ("", "%", "right", "of"), rows


def arcs_part(evaluation: Evaluation) -> Part:
    """Return the scores of non-projective arcs."""
    assert evaluation.nonprojective is not None
    scores = {
        "heads": evaluation.nonprojective.unlabelled,
        "heads and labels": evaluation.nonprojective.labelled,
    }
    rows: list[Row] = [
        (
            name,
            *(percent(share) for share in (one.precision, one.recall, one.f1)),
            f"{one.system_right}/{one.system}",
            f"{one.gold_right}/{one.gold}",
        )
        for name, one in scores.items()
    ]
    header = ("", "P", "R", "F", "of system", "of gold")
    return f"Non-projective arcs ({evaluation.policy})", header, rows


def conllx_part(found: Attachment) -> Part:
    """Return the scores of eval.pl."""
    scores = {"LAS": found.both, "UAS": found.heads, "label accuracy": found.labels}
    rows: list[Row] = [
        (name, f"{conllx.percent(right, found.words):.2f}", f"{right}", f"{found.words}")
        for name, right in scores.items()
    ]
    return f"CoNLL-X, as eval.pl ({found.policy})", ("", "%", "right", "of"), rows


def conll18_part(scores: dict[str, Score], policy: Policy) -> Part:
    """Return the scores of conll18_ud_eval."""
    rows: list[Row] = [
        (
            name,
            *(percent(share) for share in (one.precision, one.recall, one.f1)),
            "" if one.accuracy is None else percent(one.accuracy),
        )
        for name, one in scores.items()
    ]
    return f"CoNLL 2018 ({CONLL18_POLICY}{_RANGES[policy.ranges]})", ("", "P", "R", "F1", "aligned"), rows


def table_parts(tables: Tables, policy: str) -> list[Part]:
    """Return the tables by relation, arc length and tag, and what is confused most."""
    score_header = ("", "gold", "system", "right", "P", "R", "F")
    relations = sorted(tables.relations.items(), key=lambda item: (-item[1].gold, item[0]))
    lengths = [(name, tables.lengths[name]) for name in (*LENGTHS, NO_LENGTH) if name in tables.lengths]
    tags = sorted(tables.tags.items(), key=lambda item: (-item[1].words, item[0]))
    return [
        (f"Relations, with heads ({policy})", score_header, [_score_row(*item) for item in relations]),
        (f"Arc lengths, heads ({policy})", score_header, [_score_row(*item) for item in lengths]),
        (
            f"Tags of the gold file ({policy})",
            ("", "words", "UAS", "LAS"),
            [(name, f"{row.words}", percent(row.uas), percent(row.las)) for name, row in tags],
        ),
        (
            f"Relations confused, most frequent ({policy})",
            ("gold → system", "words"),
            _confusion_rows(tables.label_confusion),
        ),
        (
            f"Tags of wrong heads, most frequent ({policy})",
            ("gold head → system head", "words"),
            _confusion_rows(tables.head_confusion),
        ),
    ]


def _score_row(name: str, one: Score) -> Row:
    shares = (percent(share) for share in (one.precision, one.recall, one.f1))
    return name, f"{one.gold}", f"{one.system}", f"{one.correct}", *shares


def _confusion_rows(counts: Counter[tuple[str, str]]) -> list[Row]:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [(f"{gold} → {system}", f"{count}") for (gold, system), count in ranked[:CONFUSIONS]]


def parts(evaluation: Evaluation, *, tables: bool = True) -> list[Part]:
    """Return everything that was evaluated, with or without the tables."""
    found: list[Part] = []
    if evaluation.attachment and evaluation.conllx:
        found += [
            attachment_part(evaluation.attachment),
            arcs_part(evaluation),
            conllx_part(evaluation.conllx),
        ]
    if evaluation.conll18:
        found.append(conll18_part(evaluation.conll18.scores, evaluation.policy))
    if tables and evaluation.tables:
        found += table_parts(evaluation.tables, str(evaluation.policy))
    return found


def notes(evaluation: Evaluation) -> list[str]:
    """Return what a reader of the scores must know."""
    said = []
    if evaluation.first_difference:
        said.append(
            f"the words differ, first at {evaluation.first_difference}: only aligned words are scored"
        )
    if evaluation.without_gold_head:
        said.append(f"{evaluation.without_gold_head} words without a gold head are not scored")
    for whose, problems in (("gold", evaluation.gold_problems), ("system", evaluation.system_problems)):
        said += [
            f"{whose} file: {count} sentence{'s' * (count != 1)} with {_FLAWS[flaw]}"
            for flaw, count in sorted(problems.items())
        ]
    return said


def comparison_part(comparison: Comparison, policy: str) -> Part:
    """Return the differences of two systems and their significance."""
    rows: list[Row] = []
    for name, one in (("UAS", comparison.uas), ("LAS", comparison.las)):
        test = one.mcnemar
        rows += [
            (name, percent(one.first), percent(one.second), f"{100 * (one.second - one.first):+.2f}", "", ""),
            (
                f"  McNemar, {test.method}",
                f"{test.only_first}",
                f"{test.only_second}",
                "",
                "",
                _p_value(test.p_value),
            ),
        ]
        if one.bootstrap:
            interval = f"{100 * one.bootstrap.low:+.2f} .. {100 * one.bootstrap.high:+.2f}"
            label = f"  bootstrap, {one.bootstrap.samples} samples, seed {one.bootstrap.seed}"
            rows.append((label, "", "", "", interval, _p_value(one.bootstrap.p_value)))
    header = ("", "first", "second", "difference", "95 %", "p")
    return f"First and second system ({policy}; McNemar: words only one has right)", header, rows


def _p_value(p: float) -> str:
    return f"{p:.4f}" if p >= 0.0001 else f"{p:.1e}"


def as_text(
    evaluation: Evaluation,
    second: Evaluation | None = None,
    comparison: Comparison | None = None,
    *,
    tables: bool = True,
) -> str:
    """Return the report for a terminal."""
    lines = [f"gold    {evaluation.gold_file}: {evaluation.sentences} sentences, {evaluation.words} words"]
    for one in filter(None, (evaluation, second)):
        lines += [f"system  {one.system_file}"]
        lines += [f"        note: {note}" for note in notes(one)]
        for title, header, rows in parts(one, tables=tables):
            lines += ["", title, *table(header, rows)]
        lines.append("")
    if comparison:
        title, header, rows = comparison_part(comparison, str(evaluation.policy))
        lines += [title, *table(header, rows), ""]
    return "\n".join(lines)
