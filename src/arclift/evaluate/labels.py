"""Relations and features as small integers, with what is known of each.

The classes are those of the CoNLL 2018 shared task (Zeman et al. 2018, section 4): content relations are
scored by CLAS, MLAS and BLEX; functional ones are looked at by MLAS below content words; ``punct`` and
whatever else a treebank may use are neither.
"""

from __future__ import annotations

from enum import IntFlag
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arclift.treebank import StringTable

if TYPE_CHECKING:
    from arclift.evaluate.pairs import Side, Words

CONTENT = frozenset(
    {"nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl"}
    | {"advmod", "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound"}
    | {"list", "parataxis", "orphan", "goeswith", "reparandum", "root", "dep"}
)
FUNCTIONAL = frozenset({"aux", "cop", "mark", "det", "clf", "case", "cc"})
PUNCTUATION = frozenset({"punct", "p"})

UNIVERSAL_FEATURES = frozenset(
    {b"PronType", b"NumType", b"Poss", b"Reflex", b"Foreign", b"Abbr", b"Gender", b"Animacy", b"Number"}
    | {b"Case", b"Definite", b"Degree", b"VerbForm", b"Mood", b"Tense", b"Aspect", b"Voice", b"Evident"}
    | {b"Polarity", b"Person", b"Polite"}
)


class Kind(IntFlag):
    """What a relation is, whatever its subtype."""

    CONTENT = 1
    FUNCTIONAL = 2
    PUNCTUATION = 4

    @classmethod
    def of(cls, base: str) -> Kind:
        """Return the kind of a relation without subtype."""
        if base in CONTENT:
            return cls.CONTENT
        if base in FUNCTIONAL:
            return cls.FUNCTIONAL
        return cls.PUNCTUATION if base.lower() in PUNCTUATION else cls(0)


class LabelTable:
    """A table of relations; the arrays have an entry for each id: its base's id, and its `Kind`."""

    def __init__(self) -> None:
        self.strings = StringTable()
        self.base = np.zeros(0, dtype=np.int32)
        self.kinds = np.zeros(0, dtype=np.uint8)

    def ids(self, side: Side, words: Words | None = None) -> NDArray[np.int32]:
        """Return the relations of a side, or of some of its words, as ids."""
        ids = side.ids("deprel", self.strings, words)
        if len(self.base) < len(self.strings):
            self._learn()
        return ids

    def name(self, label: int) -> str:
        """Return the relation with this id."""
        return self.strings[label].decode()

    def _learn(self) -> None:
        bases: list[int] = []
        while len(self.base) + len(bases) < len(self.strings):  # a base can be new itself
            label = self.strings[len(self.base) + len(bases)]
            bases.append(self.strings.add(label.split(b":", 1)[0]))
        kinds = [Kind.of(self.name(base)) for base in bases]
        self.base = np.concatenate([self.base, np.array(bases, dtype=np.int32)])
        self.kinds = np.concatenate([self.kinds, np.array(kinds, dtype=np.uint8)])


class FeatureTable:
    """The universal features of FEATS as ids, the same whatever their order and what else stands there.

    Only values of FEATS that differ between two files come here, so that the table stays small.
    """

    def __init__(self) -> None:
        self._strings = StringTable()
        self._universal: dict[bytes, int] = {}
        self._ids = np.zeros(0, dtype=np.int32)

    def ids(self, side: Side, words: Words) -> NDArray[np.int32]:
        """Return an id for the universal features of each of the words."""
        ids = side.ids("feats", self._strings, words)
        if len(self._ids) < len(self._strings):
            new = [self._universal_id(self._strings[i]) for i in range(len(self._ids), len(self._strings))]
            self._ids = np.concatenate([self._ids, np.array(new, dtype=np.int32)])
        return self._ids[ids]

    def _universal_id(self, features: bytes) -> int:
        known = (one for one in features.split(b"|") if one.split(b"=", 1)[0] in UNIVERSAL_FEATURES)
        return self._universal.setdefault(b"|".join(sorted(known)), len(self._universal))
