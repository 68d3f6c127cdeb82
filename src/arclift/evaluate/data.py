"""Evaluations as plain data, for programs: what ``--json`` prints."""

from __future__ import annotations

from collections import Counter
from typing import Any

from arclift.evaluate.attachment import Attachment
from arclift.evaluate.evaluation import Comparison, Difference, Evaluation
from arclift.evaluate.nonprojective import ArcScore
from arclift.evaluate.report import notes
from arclift.evaluate.scores import Score
from arclift.evaluate.tables import Tables


def as_data(evaluation: Evaluation) -> dict[str, Any]:
    """Return an evaluation as what JSON can hold; shares are from 0 to 1."""
    data: dict[str, Any] = {
        "gold": evaluation.gold_file,
        "system": evaluation.system_file,
        "format": evaluation.format,
        "sentences": evaluation.sentences,
        "words": evaluation.words,
        "policy": vars(evaluation.policy),
        "notes": notes(evaluation),
    }
    if evaluation.attachment and evaluation.conllx and evaluation.nonprojective:
        data["attachment"] = _attachment_data(evaluation.attachment)
        data["nonprojective"] = {
            "unlabelled": _arc_data(evaluation.nonprojective.unlabelled),
            "labelled": _arc_data(evaluation.nonprojective.labelled),
        }
        data["conllx"] = _attachment_data(evaluation.conllx)
    if evaluation.conll18:
        data["conll18"] = {name: _score_data(one) for name, one in evaluation.conll18.scores.items()}
    if evaluation.tables:
        data["tables"] = _tables_data(evaluation.tables)
    return data


def _attachment_data(found: Attachment) -> dict[str, Any]:
    return {
        "policy": {"punctuation": found.policy.punctuation, "subtypes": found.policy.subtypes},
        "words": found.words,
        "sentences": found.sentences,
        "uas": found.uas,
        "las": found.las,
        "label_accuracy": found.label_accuracy,
        "exact_match_unlabelled": found.exact_match_unlabelled,
        "exact_match_labelled": found.exact_match_labelled,
    }


def _arc_data(one: ArcScore) -> dict[str, Any]:
    return {**vars(one), "precision": one.precision, "recall": one.recall, "f1": one.f1}


def _score_data(one: Score) -> dict[str, Any]:
    shares = {"precision": one.precision, "recall": one.recall, "f1": one.f1}
    aligned = {} if one.aligned is None else {"aligned": one.aligned, "accuracy": one.accuracy}
    return {"correct": one.correct, "gold": one.gold, "system": one.system, **shares, **aligned}


def _tables_data(tables: Tables) -> dict[str, Any]:
    return {
        "relations": {name: _score_data(one) for name, one in sorted(tables.relations.items())},
        "lengths": {name: _score_data(one) for name, one in sorted(tables.lengths.items())},
        "tags": {
            name: {**vars(row), "uas": row.uas, "las": row.las} for name, row in sorted(tables.tags.items())
        },
        "label_confusion": _confusion_data(tables.label_confusion),
        "head_confusion": _confusion_data(tables.head_confusion),
    }


def _confusion_data(counts: Counter[tuple[str, str]]) -> list[dict[str, Any]]:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [{"gold": gold, "system": system, "words": count} for (gold, system), count in ranked]


def comparison_data(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as what JSON can hold; differences are second minus first."""

    def data(one: Difference) -> dict[str, Any]:
        tests = {"mcnemar": vars(one.mcnemar)}
        if one.bootstrap:
            tests["bootstrap"] = vars(one.bootstrap)
        return {"first": one.first, "second": one.second, **tests}

    return {"uas": data(comparison.uas), "las": data(comparison.las)}
