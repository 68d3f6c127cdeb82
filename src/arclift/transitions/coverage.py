"""How much of a treebank the oracle of a transition system rebuilds, and how many transitions that takes.

Counted are words whose head is right in the end (a word that stays headless where there is no artificial root
is attached to 0), and sentences in which all are. With lifting, the system runs on the lifted trees, which
are projective, and what it builds is lowered again; this is counted for each scheme.

Sentences of more than ``LONGEST`` words are left out and counted as such: the transitions of some systems may
grow with the square of their length.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np

from arclift.transitions.gold import Gold
from arclift.transitions.system import System
from arclift.trees.encoding import encode
from arclift.trees.labels import Scheme
from arclift.trees.lowering import Ids, lower
from arclift.trees.projectivity import nonprojective
from arclift.trees.recovery import select
from arclift.trees.repair import repair_all
from arclift.trees.structure import Heads, Offsets

LONGEST = 1000
LIFTING = (Scheme.HEAD, Scheme.HEAD_PATH, Scheme.PATH, Scheme.EXACT)


class Coverage:
    """Counts for one system, gathered batch by batch.

    With ``schemes`` the trees are lifted, and the figures are those of the lifted trees; ``back`` counts the
    words that have their head and label again after lowering, by scheme.
    """

    def __init__(self, system: System, schemes: tuple[Scheme, ...] = ()) -> None:
        self.system = system
        self.sentences = self.words = self.left_out = 0
        self.rebuilt_sentences = self.rebuilt_words = 0
        self.nonprojective = self.rebuilt_nonprojective = 0
        self.taken: Counter[str] = Counter()
        """How often each transition was taken."""
        self.back = dict.fromkeys(schemes, 0)

    def add(self, heads: Heads, labels: Ids, offsets: Offsets, names: list[str]) -> None:
        """Run the oracle on some trees, and count; ``labels`` are indices into ``names``."""
        kept = np.diff(offsets) <= LONGEST
        self.left_out += int((~kept).sum())
        heads, labels, offsets = select(kept, heads, labels, offsets)
        if not self.back:
            self._count(heads, offsets)
            return
        encoded = {scheme: encode(heads, labels, offsets, names, scheme) for scheme in self.back}
        lifted = next(iter(encoded.values())).heads  # the same for all schemes
        built = repair_all(self._count(lifted, offsets), offsets, single_root=False)
        for scheme, done in encoded.items():
            lowered = lower(built, done.labels, offsets, done.names, scheme)
            self.back[scheme] += int(((lowered.heads == heads) & (lowered.labels == labels)).sum())

    def _count(self, heads: Heads, offsets: Offsets) -> Heads:
        found = self._rebuild(heads, offsets)
        right = found == heads
        crossing = nonprojective(heads, offsets).astype(bool)
        self.sentences += len(offsets) - 1
        self.words += len(heads)
        self.rebuilt_words += int(right.sum())
        self.rebuilt_sentences += sum(bool(right[a:b].all()) for a, b in pairwise(offsets.tolist()))
        self.nonprojective += int(crossing.sum())
        self.rebuilt_nonprojective += int((right & crossing).sum())
        return found

    def _rebuild(self, heads: Heads, offsets: Offsets) -> Heads:
        """Return the heads that the oracle ends with, -1 where there is none; count the transitions."""
        found: list[int] = []
        taken = [0] * len(self.system.rules)
        for begin, end in pairwise(offsets.tolist()):
            configuration = self.system.run(Gold(heads[begin:end].tolist()))
            for transition in configuration.history:
                taken[transition] += 1
            found += self.system.heads(configuration)
        self.taken.update({rule.name: count for rule, count in zip(self.system.rules, taken, strict=True)})
        return np.array(found, dtype=np.int32)

    def as_dict(self) -> dict[str, Any]:
        """Return the figures by name, shares in per cent (100 of nothing)."""
        transitions = self.taken.total()
        return {
            "words": self.words,
            "sentences": self.sentences,
            "left_out_sentences": self.left_out,
            "rebuilt_words": self.rebuilt_words,
            "rebuilt_words_percent": _percent(self.rebuilt_words, self.words),
            "rebuilt_sentences": self.rebuilt_sentences,
            "rebuilt_sentences_percent": _percent(self.rebuilt_sentences, self.sentences),
            "nonprojective_arcs": self.nonprojective,
            "rebuilt_nonprojective_arcs": self.rebuilt_nonprojective,
            "rebuilt_nonprojective_arcs_percent": _percent(self.rebuilt_nonprojective, self.nonprojective),
            "transitions": transitions,
            "transitions_per_word": round(transitions / self.words, 4) if self.words else 0.0,
            "taken": {rule.name: self.taken[rule.name] for rule in self.system.rules},
            "lowered_percent": {
                scheme.value: _percent(back, self.words) for scheme, back in self.back.items()
            },
        }


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 4) if whole else 100.0


def coverage(system: System, heads: Heads, offsets: Offsets) -> Coverage:
    """Return the counts for one batch of trees, without lifting."""
    found = Coverage(system)
    found.add(heads, np.zeros_like(heads), offsets, [""])
    return found
