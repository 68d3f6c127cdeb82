"""What is drawn: one analysis of a sentence, be it a tree or not.

A drawing is also how one finds out that heads are *not* a tree. So nothing is refused: a head that is
missing, outside the sentence, the word itself, or that closes a cycle becomes a ``Fault`` of its word and is
shown as such; the rest is drawn as usual.

Linear in the number of words, whatever the test for crossing arcs costs: it sees the drawn words only, each
under its nearest drawn ancestor. That changes neither an arc between two drawn words nor who dominates whom.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import SupportsIndex

import numpy as np

from arclift.errors import UsageError
from arclift.trees.projectivity import nonprojective_arcs

Heads = Sequence[SupportsIndex | None]


class Fault(Enum):
    """Why the head of a word cannot be followed upwards; the value is what a reader is told."""

    MISSING = "no head"
    OUTSIDE = "head outside the sentence"
    LOOP = "its own head"
    CYCLE = "closes a cycle"


@dataclass(frozen=True)
class Analysis:
    """Heads and labels of words 1..n; index 0 is the artificial root and holds nothing of interest."""

    heads: list[int]  # acyclic: 0 also for words with a fault
    given: list[int | None]  # as they came
    labels: list[str]
    faults: dict[int, Fault]
    crossing: list[bool]  # the arc into the word is drawn and not projective; False beyond the drawing

    def __len__(self) -> int:
        return len(self.heads) - 1

    def given_head(self, word: int) -> str:
        """Return the head of ``word`` as it was given, ``_`` if there was none."""
        head = self.given[word]
        return "_" if head is None or head < 0 else str(head)


def analyse_all(
    words: int,
    heads: Heads,
    labels: Sequence[str],
    tags: Sequence[str] | None,
    other: tuple[Heads, Sequence[str]] | None,
    shown: int,
) -> list[Analysis]:
    """Return the one or two analyses that a drawing of the first ``shown`` words is asked for."""
    if tags is not None and len(tags) != words:
        raise UsageError(f"{words} words and {len(tags)} tags: one is needed for each word")
    return [analyse(words, *each, shown) for each in ((heads, labels), other) if each is not None]


def analyse(words: int, heads: Heads, labels: Sequence[str], shown: int) -> Analysis:
    """Return the analysis of a sentence with all its faults, and the crossing arcs of its drawn words."""
    if len(heads) != words or len(labels) != words:
        raise UsageError(
            f"{words} words, {len(heads)} heads and {len(labels)} labels: one of each is needed for each word"
        )
    given = [None, *(None if head is None else head.__index__() for head in heads)]
    faults: dict[int, Fault] = {}
    for word, head in enumerate(given[1:], start=1):
        if head is None or head < 0:
            faults[word] = Fault.MISSING
        elif head > words:
            faults[word] = Fault.OUTSIDE
        elif head == word:
            faults[word] = Fault.LOOP
    acyclic = [0 if head is None or word in faults else head for word, head in enumerate(given)]
    for word in _cycle_starts(acyclic):
        faults[word] = Fault.CYCLE
        acyclic[word] = 0
    bent = nonprojective_arcs(np.array(_heads_among(acyclic, shown), dtype=np.int32)).tolist()
    crossing = [False] * (words + 1)
    for word, is_bent in enumerate(bent, start=1):
        crossing[word] = is_bent and acyclic[word] <= shown
    return Analysis(acyclic, given, ["", *labels], dict(sorted(faults.items())), crossing)


def _heads_among(head: list[int], shown: int) -> list[int]:
    """Return the nearest ancestor of each of the first ``shown`` words that is one of them, or 0."""
    nearest: dict[int, int] = {}  # of words that are not shown; each is walked over once
    for word in head[1 : shown + 1]:
        path = []
        while word > shown and word not in nearest:
            path.append(word)
            word = head[word]
        nearest |= dict.fromkeys(path, nearest.get(word, word))
    return [nearest.get(above, above) for above in head[1 : shown + 1]]


def _cycle_starts(head: list[int]) -> list[int]:
    """Return the first word of each cycle; each word is walked over once and marked by its walk."""
    starts = []
    walk = [0] * len(head)
    for first in range(1, len(head)):
        word = first
        while word and not walk[word]:
            walk[word] = first
            word = head[word]
        if word and walk[word] == first:
            starts.append(_smallest_on_cycle(head, word))
    return starts


def _smallest_on_cycle(head: list[int], start: int) -> int:
    smallest, word = start, head[start]
    while word != start:
        smallest, word = min(smallest, word), head[word]
    return smallest
