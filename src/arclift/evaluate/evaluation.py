"""All scores of a system output against a gold file, in one reading of both."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from heapq import heappush, heapreplace

import numpy as np
from numpy.typing import NDArray

from arclift.errors import InputError, UsageError
from arclift.evaluate import significance
from arclift.evaluate.attachment import Attachment, Flags, Judgement, judge, per_sentence
from arclift.evaluate.conll18 import Conll18
from arclift.evaluate.nonprojective import Nonprojective, nonprojective_arcs, problems
from arclift.evaluate.pairs import Pair, Side
from arclift.evaluate.policy import CONLLX, Policy, Scope
from arclift.evaluate.reading import read_pairs
from arclift.evaluate.significance import Bootstrap, McNemar
from arclift.evaluate.tables import Tables
from arclift.treebank import Format
from arclift.treebank.formats import CONLLU
from arclift.treebank.stream import Source
from arclift.trees.structure import TreeFlaw, problem


@dataclass(frozen=True)
class Analysed:
    """A sentence with both analyses, for drawing."""

    id: str
    forms: list[str]
    tags: list[str]
    gold: tuple[list[int], list[str]]
    system: tuple[list[int], list[str]]
    errors: int


@dataclass(frozen=True)
class Outcomes:
    """What is right of every word, and how many words each sentence has: what two systems are compared by."""

    scored: Flags
    head: Flags
    both: Flags
    lengths: NDArray[np.int64]


@dataclass
class Evaluation:
    """The scores of one system; those that need the same words in both files are None where they differ."""

    policy: Policy
    gold_file: str = ""
    system_file: str = ""
    format: str = ""
    sentences: int = 0
    words: int = 0
    without_gold_head: int = 0
    first_difference: str | None = None
    attachment: Attachment | None = None
    nonprojective: Nonprojective | None = None
    conllx: Attachment | None = None
    conll18: Conll18 | None = None
    tables: Tables | None = None
    gold_problems: Counter[TreeFlaw] = field(default_factory=Counter)
    system_problems: Counter[TreeFlaw] = field(default_factory=Counter)
    worst: list[Analysed] = field(default_factory=list)
    outcomes: Outcomes | None = None


@dataclass(frozen=True)
class Difference:
    """One score of two systems, and whether they differ."""

    first: float
    second: float
    mcnemar: McNemar
    bootstrap: Bootstrap | None


@dataclass(frozen=True)
class Comparison:
    """Two systems on the same gold file."""

    uas: Difference
    las: Difference


def evaluate(
    gold: Source,
    system: Source,
    *,
    policy: Policy | None = None,
    format: str | Format | None = None,
    tables: bool = False,
    worst: int = 0,
    outcomes: bool = False,
    official: bool = False,
) -> Evaluation:
    """Score ``system`` against ``gold``; both are read once, in memory that does not grow with them.

    ``tables`` counts scores by relation, length and tag, ``worst`` keeps so many sentences with the most
    errors, ``outcomes`` (a byte or two for each word) is what `compare` needs. ``official`` refuses what the
    program of the CoNLL 2018 shared task refuses: trees with cycles, several roots or missing heads.
    """
    counting = _Counting(policy or Policy(), tables, worst, outcomes, official)
    for pair in read_pairs(gold, system, format=format, with_ranges=counting.policy.ranges == "align"):
        counting.add(pair)
    return counting.result()


class _Counting:
    """Adds up pair by pair."""

    def __init__(self, policy: Policy, tables: bool, worst: int, outcomes: bool, official: bool) -> None:
        self.policy, self.official, self.keep, self.scope = policy, official, worst, Scope()
        self.found = Evaluation(policy)
        self.attachment, self.conllx = Attachment(policy), Attachment(CONLLX)
        self.nonprojective, self.conll18 = Nonprojective.none(), Conll18()
        self.tables = Tables() if tables else None
        self.worst: list[tuple[int, int, Analysed]] = []
        self.outcomes: list[tuple[Judgement, NDArray[np.int64]]] | None = [] if outcomes else None

    def add(self, pair: Pair) -> None:
        found, gold, system = self.found, pair.gold, pair.system
        if not found.words:
            found.gold_file, found.system_file = (str(side.block.file) for side in (gold, system))
            found.format = gold.block.format.name
        found.without_gold_head += int(np.count_nonzero(gold.heads < 0))
        flaws = problems(gold), problems(system)
        for counter, side, codes in zip(
            (found.gold_problems, found.system_problems), (gold, system), flaws, strict=True
        ):
            _count_problems(counter, side, codes, self.official)
        if pair.alignment is not None and not found.first_difference:
            found.first_difference = str(system.place(0))
        if not found.first_difference:
            self._add_in_step(pair, flaws)
        found.sentences += gold.sentences
        found.words += gold.words
        if found.format == CONLLU.name:
            self.conll18.add(pair)

    def _add_in_step(self, pair: Pair, flaws: tuple[NDArray[np.uint8], NDArray[np.uint8]]) -> None:
        judged = judge(pair, self.policy, self.scope)
        self.attachment.add(pair, judged)
        self.nonprojective.add(
            nonprojective_arcs(pair.gold, flaws[0]), nonprojective_arcs(pair.system, flaws[1]), judged
        )
        self.conllx.add(pair, judged if self.policy == CONLLX else judge(pair, CONLLX, self.scope))
        if self.tables:
            self.tables.add(pair, judged, cut=self.policy.subtypes == "cut")
        if self.keep:
            self._keep_worst(pair, judged)
        if self.outcomes is not None:
            self.outcomes.append((judged, np.diff(pair.gold.offsets)))

    def _keep_worst(self, pair: Pair, judged: Judgement) -> None:
        wrong = judged.scored & ~(judged.head & judged.label)
        errors = per_sentence(wrong, pair.gold.offsets)
        least = self.worst[0][0] if len(self.worst) == self.keep else 0
        for sentence in np.flatnonzero(errors > least).tolist():
            count = int(errors[sentence])
            if len(self.worst) < self.keep:
                heappush(
                    self.worst, (count, -self.found.sentences - sentence, _analysed(pair, sentence, count))
                )
            elif count > self.worst[0][0]:
                heapreplace(
                    self.worst, (count, -self.found.sentences - sentence, _analysed(pair, sentence, count))
                )

    def result(self) -> Evaluation:
        found = self.found
        if not found.words:
            raise UsageError("the files hold no sentences")
        if found.without_gold_head == found.words:
            raise InputError(f"{found.gold_file}: the gold file has no heads", code="heads")
        if found.format == CONLLU.name:
            found.conll18 = self.conll18
        if not found.first_difference:
            found.attachment, found.conllx = self.attachment, self.conllx
            found.nonprojective, found.tables = self.nonprojective, self.tables
            found.worst = [kept for _, _, kept in sorted(self.worst, key=lambda kept: (-kept[0], -kept[1]))]
            found.outcomes = _joined(self.outcomes) if self.outcomes else None
        return found


def _count_problems(counter: Counter[TreeFlaw], side: Side, codes: NDArray[np.uint8], official: bool) -> None:
    if not codes.any():
        return
    for code, count in zip(*np.unique(codes[codes > 0], return_counts=True), strict=True):
        counter[TreeFlaw(int(code))] += int(count)
    if official:
        sentence = int(np.argmax(codes > 0))
        begin, end = side.offsets[sentence : sentence + 2].tolist()
        what = problem(side.heads[begin:end])
        hint = "the official program refuses such files; without --official they are scored"
        raise InputError(str(what), side.place(sentence), code="tree", hint=hint)


def _joined(kept: list[tuple[Judgement, NDArray[np.int64]]]) -> Outcomes:
    scored, head, both = (
        np.concatenate(flags)
        for flags in zip(
            *((one.scored, one.scored & one.head, one.scored & one.head & one.label) for one, _ in kept),
            strict=True,
        )
    )
    return Outcomes(scored, head, both, np.concatenate([lengths for _, lengths in kept]))


def _analysed(pair: Pair, sentence: int, errors: int) -> Analysed:
    mine, other = (side.block[side.first + sentence] for side in (pair.gold, pair.system))
    format = mine._block.format
    tags = mine.column("upos" if format.column("upos") >= 0 else "xpos")
    analyses = [(one.heads.tolist(), one.labels) for one in (mine, other)]
    return Analysed(mine.id or str(mine.number), mine.forms, tags, analyses[0], analyses[1], errors)


def compare(first: Evaluation, second: Evaluation, *, samples: int = 10_000, seed: int = 0) -> Comparison:
    """Test whether two systems differ, given their evaluations with outcomes; no samples, no bootstrap."""
    a, b = first.outcomes, second.outcomes
    if a is None or b is None or len(a.scored) != len(b.scored):
        raise UsageError(
            "two systems are compared word by word: the words of all three files must be the same"
        )
    offsets = np.concatenate([[0], np.cumsum(a.lengths)])
    words = per_sentence(a.scored, offsets)

    def difference(mine: Flags, other: Flags) -> Difference:
        total = max(1, int(words.sum()))
        sums = per_sentence(mine, offsets), per_sentence(other, offsets)
        return Difference(
            int(sums[0].sum()) / total,
            int(sums[1].sum()) / total,
            significance.mcnemar(mine, other),
            significance.bootstrap(words, *sums, samples=samples, seed=seed) if samples else None,
        )

    return Comparison(difference(a.head, b.head), difference(a.both, b.both))
