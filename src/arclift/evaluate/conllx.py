"""The scores of the CoNLL-X shared task, as its program eval.pl prints them (Buchholz & Marsi 2006).

The counts are those of `arclift.evaluate.attachment` under the policy ``conllx``: words whose FORM in the
gold file is all Unicode punctuation are left out, labels are compared in full. A percentage is 100 less the
share of errors, rounded to two digits: computed in another order its last digit could be another one.
"""

from __future__ import annotations

from arclift.evaluate.attachment import Attachment


def percent(right: int, words: int) -> float:
    """Return a score as eval.pl computes it."""
    return 100 - (words - right) * 100.0 / words if words else 0.0


def summary(counts: Attachment) -> list[str]:
    """Return the three lines that ``eval.pl -q`` prints."""
    rows = {
        "Labeled   attachment score:": counts.both,
        "Unlabeled attachment score:": counts.heads,
        "Label accuracy score:      ": counts.labels,
    }
    return [
        f"  {name} {right} / {counts.words} * 100 = {percent(right, counts.words):.2f} %"
        for name, right in rows.items()
    ]
