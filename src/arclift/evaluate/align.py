"""Which words correspond where two files divide the same text differently (Zeman et al. 2018, section 4.1).

Both files must hold the same characters, white space (Unicode Zs) apart. Outside of multiword tokens two
words correspond when they cover the same characters. The words of a multiword token need not be spelt like
it, so around each of them the smallest region is taken that no multiword token of either file leaves; in it
words correspond along a longest common subsequence of their lower-cased forms. Both rules walk through the
files from left to right, and where several subsequences are longest, a gold word is left out first.

Cost: linear, but for the product of the two sides in each region of multiword tokens.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from arclift.errors import InputError
from arclift.evaluate.pairs import Alignment, Side

SPACES = (
    "\u0020\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
"""The characters of category Zs, which are no part of a token's span."""

MAX_REGION = 1 << 22
"""The most pairs of words that are compared around multiword tokens that overlap."""

_NO_SPACES = str.maketrans("", "", SPACES)
_CONTEXT = 20


@dataclass(frozen=True)
class Layout:
    """Where the words, tokens and sentences of one side lie in its characters."""

    text: str
    forms: list[str]
    begins: list[int]
    ends: list[int]
    in_range: list[bool]
    tokens: list[tuple[int, int]]
    sentence_ends: list[int]
    opens_with_range: list[bool]

    @classmethod
    def of(cls, side: Side) -> Layout:
        """Lay out a side."""
        forms = side.forms()  # only outside of multiword tokens are spaces taken out of words
        ranges = {
            int(word): (int(length), side.block.data[int(begin) : int(end)].split(b"\t", 2)[1].decode())
            for (begin, end, word), length in zip(side.ranges, side.range_lengths, strict=True)
        }
        pieces: list[str] = []
        begins, ends, in_range, tokens = [], [], [], []
        word = at = 0
        while word < len(forms):
            length, form = ranges.get(word, (1, forms[word]))
            piece = form.translate(_NO_SPACES)
            if word not in ranges:
                forms[word] = piece
            tokens.append((at, at + len(piece)))
            begins += [at] * length
            at += len(piece)
            ends += [at] * length
            in_range += [word in ranges] * length
            pieces.append(piece)
            word += length
        lasts = (side.offsets[1:] - 1).tolist()
        firsts = side.offsets[:-1].tolist()
        return cls(
            "".join(pieces),
            forms,
            begins,
            ends,
            in_range,
            tokens,
            [ends[last] for last in lasts],
            [in_range[first] for first in firsts],
        )


def aligned_prefix(
    gold: Side, system: Side, *, ended: tuple[bool, bool]
) -> tuple[Alignment, int, int] | None:
    """Align as many sentences as can be: return the alignment, and how many sentences of each side it spans.

    A run may end where a sentence ends in both files, unless a multiword token follows, since its region can
    reach back. ``ended`` says for each side that nothing comes after it. None means that more is needed.
    """
    a, b = Layout.of(gold), Layout.of(system)
    _check_characters((gold, a), (system, b), ended)
    cut = _last_cut(a, b, all(ended))
    if cut is None:
        return None
    gold_words, system_words = int(gold.offsets[cut[0]]), int(system.offsets[cut[1]])
    words = np.array(list(_walk(a, b, gold_words, system_words, system)), dtype=np.intp).reshape(-1, 2)
    end = a.sentence_ends[cut[0] - 1]
    tokens = sum(1 for token in set(a.tokens) & set(b.tokens) if token[1] <= end)
    ends = a.sentence_ends[: cut[0]], b.sentence_ends[: cut[1]]
    sentences = len(set(pairwise([0, *ends[0]])) & set(pairwise([0, *ends[1]])))
    return Alignment(words[:, 0], words[:, 1], tokens, sentences), *cut


def _check_characters(
    gold: tuple[Side, Layout], system: tuple[Side, Layout], ended: tuple[bool, bool]
) -> None:
    """Raise unless both texts are the same as far as both are at hand."""
    (side, a), (other, b) = gold, system
    shared = min(len(a.text), len(b.text))
    longer_than_whole = (ended[0] and len(b.text) > shared) or (ended[1] and len(a.text) > shared)
    if a.text[:shared] == b.text[:shared] and not longer_than_whole:
        return
    at = next((i for i in range(shared) if a.text[i] != b.text[i]), shared)
    mine, theirs = (text[at : at + _CONTEXT] or "the end of the file" for text in (a.text, b.text))
    line = side.place(_sentence_at(a, at)).line
    needed = "white space apart, both files must hold the same characters"
    if len(side.ranges) + len(other.ranges):
        needed += ", those of multiword tokens; --ranges ignore compares words as they stand"
    raise InputError(
        f"the text differs: {theirs!r}, in the gold file {mine!r}",
        other.place(_sentence_at(b, at)),
        code="text",
        hint=f"the gold sentence stands at line {line} of {side.block.file}; {needed}",
    )


def _sentence_at(layout: Layout, character: int) -> int:
    return min(bisect_right(layout.sentence_ends, character), len(layout.sentence_ends) - 1)


def _last_cut(a: Layout, b: Layout, ended: bool) -> tuple[int, int] | None:
    """Return the largest numbers of sentences that end together and may be cut off; see `aligned_prefix`."""
    of_system = {end: count for count, end in enumerate(b.sentence_ends, start=1)}
    for count in range(len(a.sentence_ends), 0, -1):
        other = of_system.get(a.sentence_ends[count - 1])
        if other is None:
            continue
        last = count == len(a.sentence_ends), other == len(b.sentence_ends)
        if all(last) and ended:
            return count, other
        if not any(last) and not a.opens_with_range[count] and not b.opens_with_range[other]:
            return count, other
    return None


def _walk(
    a: Layout, b: Layout, gold_words: int, system_words: int, system: Side
) -> Iterator[tuple[int, int]]:
    """Yield the words that correspond, from left to right."""
    g = s = 0
    while g < gold_words and s < system_words:
        if a.in_range[g] or b.in_range[s]:
            gold, other = _region(a, b, g, s, gold_words, system_words)
            if len(gold) * len(other) > MAX_REGION:
                place = system.place(system.sentence_of(other.start))
                raise InputError("multiword tokens too long to align", place, code="range")
            yield from _common_subsequence(a.forms, b.forms, gold, other)
            g, s = gold.stop, other.stop
        elif a.begins[g] == b.begins[s] and a.ends[g] == b.ends[s]:
            yield g, s
            g, s = g + 1, s + 1
        elif a.begins[g] <= b.begins[s]:
            g += 1
        else:
            s += 1


def _region(a: Layout, b: Layout, g: int, s: int, gold_words: int, system_words: int) -> tuple[range, range]:
    """Return the words of both sides around the multiword token at g or s."""
    if a.in_range[g]:
        end = a.ends[g]
        s += not b.in_range[s] and b.begins[s] < a.begins[g]
    else:
        end = b.ends[s]
        g += a.begins[g] < b.begins[s]
    first_gold, first_system = g, s

    def inside(side: Layout, word: int, words: int) -> bool:
        if word >= words:
            return False
        return side.begins[word] < end if side.in_range[word] else side.ends[word] <= end

    while inside(a, g, gold_words) or inside(b, s, system_words):
        if g < gold_words and (s >= system_words or a.begins[g] <= b.begins[s]):
            end = max(end, a.ends[g]) if a.in_range[g] else end
            g += 1
        else:
            end = max(end, b.ends[s]) if b.in_range[s] else end
            s += 1
    return range(first_gold, g), range(first_system, s)


def _common_subsequence(
    gold_forms: list[str], system_forms: list[str], gold: range, system: range
) -> Iterator[tuple[int, int]]:
    """Yield a longest common subsequence of the lower-cased forms of two ranges."""
    mine = [gold_forms[word].lower() for word in gold]
    other = [system_forms[word].lower() for word in system]
    longest = [[0] * (len(other) + 1) for _ in range(len(mine) + 1)]  # of what begins at (i, j)
    for i in range(len(mine) - 1, -1, -1):
        for j in range(len(other) - 1, -1, -1):
            if mine[i] == other[j]:
                longest[i][j] = longest[i + 1][j + 1] + 1
            else:
                longest[i][j] = max(longest[i + 1][j], longest[i][j + 1])
    i = j = 0
    while i < len(mine) and j < len(other):
        if mine[i] == other[j]:
            yield gold[i], system[j]
            i, j = i + 1, j + 1
        elif longest[i][j] == longest[i + 1][j]:
            i += 1
        else:
            j += 1
