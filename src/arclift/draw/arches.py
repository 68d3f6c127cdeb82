"""Where the arches of a diagram stand: levels, feet and labels, for words on one line.

* *Levels.* Arcs are taken from the shortest to the longest; each is put one level above whatever already
  stands over any gap between words that it spans. An arc is thus above all arcs within it, and two arcs that
  cross do so at right angles, never on top of each other. Quadratic at worst (the total length of the arcs).
* *Feet.* Each end of an arc has its own place at the word: at each side the longest arc innermost, so that
  arcs of one word never cross each other.
* *Words* stand as close as their own width, their arcs' feet and their arcs' labels allow.
* *Labels* stand on the middle of their arc, or of its longest piece that no other arc runs through.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

FOOT = 7.0  # between two feet at one word
GAP = 14.0  # between two words
CORNER = 7.0  # radius of an arch's corners
_WIDEST_FOOTHOLD = 240.0  # a word with hundreds of arcs has its feet closer together


@dataclass(eq=False)
class Arch:
    """One arc: from ``head`` (0: from above, a root or a head that is not drawn) to ``word``."""

    word: int
    head: int
    label: str
    label_width: float
    style: str = ""
    hint: str = ""
    below: bool = False
    level: int = 0
    foot: dict[int, float] = field(default_factory=dict)  # by word, relative to its middle
    label_x: float = 0.0

    @property
    def span(self) -> tuple[int, int]:
        """The words at its left and right end."""
        return min(self.word, self.head or self.word), max(self.word, self.head)


def stack(arches: Sequence[Arch], words: int) -> int:
    """Give each arch its level, from 1 upwards, and return the highest."""
    skyline = [0] * (words + 2)  # over the gap right of each word
    upright = [arch for arch in arches if not arch.head]
    for arch in sorted((a for a in arches if a.head), key=lambda a: (a.span[1] - a.span[0], a.span)):
        left, right = arch.span
        arch.level = 1 + max(skyline[left:right])
        skyline[left:right] = [arch.level] * (right - left)
    for arch in upright:
        arch.level = 1 + max(skyline[arch.word - 1 : arch.word + 1])
    return max((arch.level for arch in arches), default=0)


def set_feet(arches: Sequence[Arch], words: int) -> list[float]:
    """Give each end of each arch its place at its word; return the room each word needs for its feet."""
    at: list[list[tuple[int, int, Arch]]] = [[] for _ in range(words + 1)]
    for arch in arches:
        for word in {arch.word, arch.head} - {0}:
            left, right = arch.span
            side = 0 if left == right else 1 if word == left else -1
            # From left to right: arcs to the left, short ones first; from above; to the right, long first.
            at[word].append((side, -side * arch.level, arch))
    room = [0.0]
    for word, ends in enumerate(at[1:], start=1):
        ends.sort(key=lambda end: end[:2])
        step = min(FOOT, _WIDEST_FOOTHOLD / max(1, len(ends)))
        for i, (_, _, arch) in enumerate(ends):
            arch.foot[word] = (i - (len(ends) - 1) / 2) * step
        upright = max((arch.label_width for side, _, arch in ends if side == 0), default=0.0)
        room.append(max(step * len(ends), upright))
    return room


def set_words(arches: Sequence[Arch], rooms: Sequence[float]) -> list[float]:
    """Return the middle of each word, given the room each needs; one pass from left to right."""
    ending: list[list[Arch]] = [[] for _ in rooms]
    for arch in arches:
        if arch.head:
            ending[arch.span[1]].append(arch)
    middles = [0.0] * len(rooms)
    for word in range(1, len(rooms)):
        x = rooms[word] / 2 + (middles[word - 1] + rooms[word - 1] / 2 + GAP if word > 1 else GAP)
        for arch in ending[word]:
            left = arch.span[0]
            x = max(x, middles[left] + arch.foot[left] - arch.foot[word] + arch.label_width + 2 * CORNER)
        middles[word] = x
    return middles


def set_labels(arches: Sequence[Arch], middles: Sequence[float]) -> None:
    """Put each label on the longest piece of its arch that no other arch runs through."""
    at: list[list[Arch]] = [[] for _ in middles]
    for arch in arches:
        for word in {arch.word, arch.head} - {0}:
            at[word].append(arch)
    for arch in arches:
        left, right = arch.span
        if not arch.head:
            arch.label_x = middles[arch.word] + arch.foot[arch.word]
            continue
        ends = [middles[word] + arch.foot[word] for word in (left, right)]
        through = [
            middles[word] + other.foot[word]
            for word in range(left, right + 1)
            for other in at[word]
            if other.level > arch.level
        ]
        marks = sorted([*ends, *(x for x in through if ends[0] < x < ends[1])])
        start, end = max(pairwise(marks), key=lambda piece: piece[1] - piece[0])
        arch.label_x = (start + end) / 2
