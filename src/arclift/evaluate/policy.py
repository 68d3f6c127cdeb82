"""What is scored: which words count, and how much of a label.

========== ============================================================================================
all        every word
conllx     not the words whose FORM consists of Unicode punctuation (categories P*) only: the rule of the
           CoNLL-X program eval.pl (Buchholz & Marsi 2006); symbols such as $ and + do count, _ does not
upos       not the words whose UPOS in the gold file is PUNCT
label      not the words whose relation in the gold file is punct or p (with any subtype, in any case)
========== ============================================================================================

Whatever the policy, the gold file says which words are punctuation, and a word without a gold head is not
scored. Labels are compared in full (``keep``) or up to their first colon (``cut``). Multiword tokens are
looked at (``align``: both files must hold the same text) or not (``ignore``: the same words).
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from arclift.errors import UsageError
from arclift.evaluate.labels import Kind
from arclift.evaluate.pairs import Pair, Side
from arclift.treebank import StringTable

Punctuation = Literal["all", "conllx", "upos", "label"]
Subtypes = Literal["keep", "cut"]
Ranges = Literal["align", "ignore"]

PUNCTUATION: tuple[str, ...] = get_args(Punctuation)
SUBTYPES: tuple[str, ...] = get_args(Subtypes)
RANGES: tuple[str, ...] = get_args(Ranges)

_RULES = {
    "all": "all words",
    "conllx": "without words that are all Unicode punctuation",
    "upos": "without words tagged PUNCT in the gold file",
    "label": "without words labelled punct or p in the gold file",
}
_MOST_KNOWN = 1 << 16


@dataclass(frozen=True)
class Policy:
    """Which words are scored, how labels are compared, and whether multiword tokens play a part."""

    punctuation: Punctuation = "all"
    subtypes: Subtypes = "keep"
    ranges: Ranges = "align"

    def __post_init__(self) -> None:
        if self.punctuation not in PUNCTUATION:
            raise UsageError(f"punctuation is one of {', '.join(PUNCTUATION)}, not {self.punctuation!r}")
        if self.subtypes not in SUBTYPES:
            raise UsageError(f"subtypes is keep or cut, not {self.subtypes!r}")
        if self.ranges not in RANGES:
            raise UsageError(f"ranges is align or ignore, not {self.ranges!r}")

    def __str__(self) -> str:
        labels = "labels in full" if self.subtypes == "keep" else "labels up to the first colon"
        return f"{_RULES[self.punctuation]}, {labels}"


CONLLX = Policy("conllx", "keep")


class Scope:
    """Tells which words of the gold side are scored."""

    def __init__(self) -> None:
        self._characters, self._forms = _Known(), _Known()

    def scored(self, pair: Pair, policy: Policy) -> NDArray[np.bool_]:
        """Return for each word of the gold side whether it counts."""
        counted = pair.gold.heads >= 0
        if policy.punctuation == "conllx":
            counted[self._punctuation_forms(pair.gold)] = False
        elif policy.punctuation == "upos":
            counted &= pair.tags[0] != pair.strings.tags.add(b"PUNCT")
        elif policy.punctuation == "label":
            counted &= (pair.kinds[0] & Kind.PUNCTUATION) == 0
        return counted

    def _punctuation_forms(self, side: Side) -> NDArray[np.intp]:
        """Return the words that are punctuation: first bytes tell most, then first characters, then forms."""
        starts, ends = side.spans("form")
        leads = side.bytes[np.minimum(starts, len(side.bytes) - 1)]
        words = np.flatnonzero(_MAY_BEGIN_PUNCTUATION[leads])
        starts, ends, lengths = starts[words], ends[words], _CHARACTER_BYTES[leads[words]]
        begins = self._characters.are_punctuation(side.block.data, starts, np.minimum(starts + lengths, ends))
        words, starts, ends = words[begins], starts[begins], ends[begins]
        return words[self._forms.are_punctuation(side.block.data, starts, ends)]


class _Known:
    """Strings of which it is known whether they are punctuation; forgotten when they grow many."""

    def __init__(self) -> None:
        self._strings = StringTable()
        self._are_punctuation = np.zeros(0, dtype=np.bool_)

    def are_punctuation(
        self, data: bytes, starts: NDArray[np.uint32], ends: NDArray[np.uint32]
    ) -> NDArray[np.bool_]:
        if len(self._strings) > _MOST_KNOWN:
            self._strings, self._are_punctuation = StringTable(), np.zeros(0, dtype=np.bool_)
        ids = self._strings.add_spans(data, starts, ends)
        new = range(len(self._are_punctuation), len(self._strings))
        if new:
            flags = np.array([is_punctuation(self._strings[i].decode()) for i in new], dtype=np.bool_)
            self._are_punctuation = np.concatenate([self._are_punctuation, flags])
        return self._are_punctuation[ids]


def is_punctuation(form: str) -> bool:
    """Return whether every character of ``form``, and there is one, has a Unicode category P*."""
    return bool(form) and all(unicodedata.category(character)[0] == "P" for character in form)


_MAY_BEGIN_PUNCTUATION = np.array([byte >= 0x80 or is_punctuation(chr(byte)) for byte in range(256)])
_CHARACTER_BYTES = np.array(  # of the character that a byte of UTF-8 begins
    [1 if byte < 0xC0 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4 for byte in range(256)],
    dtype=np.uint32,
)
