"""The scores of the CoNLL 2018 shared task (Zeman et al. 2018), equal to those of conll18_ud_eval.

Each is an F1 score over all words, punctuation included, of two files that may divide the text differently;
see `arclift.evaluate.align`. Labels are compared up to their first colon, of FEATS only the universal
features.

=========== ===========================================================================================
Tokens      the same characters
Sentences   the same characters
Words       words that correspond; all that follow are looked at on these
UPOS, XPOS  the same tag
UFeats      the same universal features, in any order
AllTags     UPOS, XPOS and UFeats
Lemmas      the same lemma, or none in the gold file (``_``)
UAS         the head corresponds to the gold head, or both are the root
LAS         UAS, and the same label
CLAS        LAS over words whose label is a content relation (of the gold file for recall and what is right,
            of the system for precision)
MLAS        CLAS, and the same UPOS and UFeats, and the same functional dependents, one by one, each with
            the same label, UPOS and UFeats
BLEX        CLAS and Lemmas
=========== ===========================================================================================

The official program refuses files with cycles, several roots or missing heads. Here a missing head is wrong,
and everything else is scored as it stands.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arclift.evaluate.labels import Kind
from arclift.evaluate.pairs import NO_HEAD, ROOT, Pair, Words
from arclift.evaluate.scores import Score

Flags = NDArray[np.bool_]

METRICS = (
    *("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"),
    *("UAS", "LAS", "CLAS", "MLAS", "BLEX"),
)

_UNALIGNED = -3


@dataclass
class Conll18:
    """The counts behind each score, by its name."""

    scores: dict[str, Score] = field(default_factory=lambda: {name: Score() for name in METRICS})

    def add(self, pair: Pair) -> None:
        """Count a pair of CoNLL-U."""
        gold, system = pair.gold, pair.system
        alignment = pair.alignment
        tokens = gold.tokens if alignment is None else alignment.tokens
        sentences = gold.sentences if alignment is None else alignment.sentences
        self.scores["Tokens"].add(tokens, gold.tokens, system.tokens if alignment else gold.tokens)
        self.scores["Sentences"].add(sentences, gold.sentences, system.sentences)
        words = pair.aligned
        self.scores["Words"].add(words, gold.words, system.words)
        checks = _check(pair)
        for name, right in checks.words.items():
            self.scores[name].add(int(np.count_nonzero(right)), gold.words, system.words, words)
        content = [int(np.count_nonzero(flags)) for flags in checks.content]
        for name, right in checks.content_words.items():
            self.scores[name].add(int(np.count_nonzero(right)), *content)


class _Checks(NamedTuple):
    """What is right of each pair of words that correspond."""

    words: dict[str, Flags]
    content_words: dict[str, Flags]
    content: tuple[Flags, Flags, Flags]  # of the gold words, of the system words, of the pairs (by gold)


def _check(pair: Pair) -> _Checks:
    kinds = pair.kinds
    content = (kinds[0] & Kind.CONTENT) > 0, (kinds[1] & Kind.CONTENT) > 0
    upos, xpos, feats = pair.same("upos"), pair.same("xpos"), _same_features(pair)
    lemma = _same_lemmas(pair)
    gold_parents, parents = _parents(pair)
    head = (gold_parents == parents) & (parents != NO_HEAD)
    las = head & pair.same_labels(cut=True)
    aligned_content = pair.of_gold(content[0])
    clas = las & aligned_content
    tags = upos & feats
    return _Checks(
        {
            "UPOS": upos,
            "XPOS": xpos,
            "UFeats": feats,
            "AllTags": tags & xpos,
            "Lemmas": lemma,
            "UAS": head,
            "LAS": las,
        },
        {
            "CLAS": clas,
            "MLAS": clas & tags & _same_function_words(pair, las & tags),
            "BLEX": clas & lemma,
        },
        (*content, aligned_content),
    )


def _parents(pair: Pair) -> tuple[Words, Words]:
    """Return for each pair the head in the gold file and, as a gold word, that in the system's."""
    if pair.alignment is None:
        return pair.gold.parents, pair.system.parents
    words, others, *_ = pair.alignment
    gold_word = np.full(pair.system.words + 2, _UNALIGNED, dtype=np.int64)
    gold_word[others] = words
    gold_word[[ROOT, NO_HEAD]] = ROOT, NO_HEAD  # the two places behind the words
    return pair.gold.parents[words], gold_word[pair.system.parents[others]]


def _same_lemmas(pair: Pair) -> Flags:
    same = pair.same("lemma")
    differing = np.flatnonzero(~same)
    if len(differing):
        starts, ends = pair.gold.spans("lemma", pair.words_of(differing)[0])
        same[differing] = (ends - starts == 1) & (pair.gold.bytes[starts] == ord("_"))
    return same


def _same_features(pair: Pair) -> Flags:
    same = pair.same("feats")
    differing = np.flatnonzero(~same)
    if len(differing):
        gold, system = pair.words_of(differing)
        features = pair.strings.features
        same[differing] = features.ids(pair.gold, gold) == features.ids(pair.system, system)
    return same


def _same_function_words(pair: Pair, right: Flags) -> Flags:
    """Return for each pair whether both words have the same functional dependents.

    ``right`` says of each pair whether head, label, UPOS and features agree. Words correspond in order, so
    that two lists of dependents are the same if both are as long as the list of those that are right.
    """
    gold, system = pair.gold, pair.system
    functional = [(kinds & Kind.FUNCTIONAL) > 0 for kinds in pair.kinds]
    right = right & pair.of_gold(functional[0])
    wanted = _count_below(gold.parents[functional[0]], gold.words)
    given = _count_below(system.parents[functional[1]], system.words)
    found = pair.of_gold(_count_below(pair.of_gold(gold.parents)[right], gold.words))
    same: Flags = (pair.of_gold(wanted) == found) & (pair.of_system(given) == found)
    return same


def _count_below(parents: Words, words: int) -> Words:
    return np.bincount(parents[parents >= 0], minlength=words)
