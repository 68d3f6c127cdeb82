"""Attachment scores and exact match, for files with the same words.

UAS is the share of scored words that have the right head, LAS the share with the right head and label, LA
with the right label. Exact match is the share of sentences in which every scored word is right; sentences
without a scored word are left out of it. Which words are scored and how labels are compared is the `Policy`.

With the policy ``conllx`` these are the scores of the CoNLL-X program eval.pl.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arclift.evaluate.pairs import Pair
from arclift.evaluate.policy import Policy, Scope
from arclift.evaluate.scores import share

Flags = NDArray[np.bool_]


class Judgement(NamedTuple):
    """For each word of a pair in step: does it count, is its head right, is its label right."""

    scored: Flags
    head: Flags
    label: Flags


def judge(pair: Pair, policy: Policy, scope: Scope) -> Judgement:
    """Judge every word of a pair whose sides are in step."""
    labels = pair.same_labels(cut=policy.subtypes == "cut")
    return Judgement(scope.scored(pair, policy), pair.gold.heads == pair.system.heads, labels)


@dataclass
class Attachment:
    """Counts of words and sentences under one policy; the scores are shares from 0 to 1."""

    policy: Policy = field(default_factory=Policy)
    words: int = 0
    heads: int = 0
    labels: int = 0
    both: int = 0
    sentences: int = 0
    exact_heads: int = 0
    exact: int = 0

    def add(self, pair: Pair, judged: Judgement) -> None:
        """Count a pair that is in step."""
        scored, head, label = judged
        head, label = head & scored, label & scored
        both = head & label
        self.words += int(np.count_nonzero(scored))
        self.heads += int(np.count_nonzero(head))
        self.labels += int(np.count_nonzero(label))
        self.both += int(np.count_nonzero(both))
        totals, heads, exact = (per_sentence(flags, pair.gold.offsets) for flags in (scored, head, both))
        self.sentences += int(np.count_nonzero(totals))
        self.exact_heads += int(np.count_nonzero((heads == totals) & (totals > 0)))
        self.exact += int(np.count_nonzero((exact == totals) & (totals > 0)))

    @property
    def uas(self) -> float:
        """The unlabelled attachment score."""
        return share(self.heads, self.words)

    @property
    def las(self) -> float:
        """The labelled attachment score."""
        return share(self.both, self.words)

    @property
    def label_accuracy(self) -> float:
        """The share of words with the right label, whatever their head."""
        return share(self.labels, self.words)

    @property
    def exact_match_unlabelled(self) -> float:
        """The share of sentences with all heads right."""
        return share(self.exact_heads, self.sentences)

    @property
    def exact_match_labelled(self) -> float:
        """The share of sentences with all heads and labels right."""
        return share(self.exact, self.sentences)


def per_sentence(flags: Flags, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the flags of each sentence; no sentence is empty."""
    return np.add.reduceat(flags, offsets[:-1], dtype=np.int64)
