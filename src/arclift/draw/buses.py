"""Arcs of a tree as vertical lines beside its words, one line of text per word.

All arcs that leave one head share one vertical line, its *bus*. It stands right of the bus of the head's own
head and reaches from the first to the last of head and dependents. Each word has one horizontal line: it
comes from the bus of its head, passes the place where its own bus hangs, and ends in an arrow at the word::

       ╭─► 1 the          A horizontal line meets a bus it has nothing to do with exactly where that bus
     ╭─┴─► 2 dog          jumps over a word its head does not dominate: the arc is not projective. Such arcs
    ─┼───► 3 sleeps       are heavy, and where two lines cross the horizontal one is interrupted (─┃─),
     ╰───► 4 .            so a crossing never looks like a joint (─┼─).

Why: let the bus of x pass over the line of word r without belonging to it. If x dominated r, its bus would
stand left of the line's beginning. So x does not, and all arcs that use this piece of the bus are
non-projective. In a projective tree nothing crosses at all.

Columns are given top-down, each bus the first column right of its parent's that is free on its whole length.
Linear in words times columns.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from dataclasses import dataclass

from arclift.draw.analysis import Analysis, Fault
from arclift.draw.glyphs import ARROW, CUT, NOT_SHOWN, UNKNOWN, glyph

MAX_COLUMNS = 100  # deeper buses are left out: their dependents begin with an ellipsis


@dataclass
class Bus:
    """The vertical line of one head, from word ``first`` to ``last``; heavy but within ``light``."""

    column: int
    first: int
    last: int
    light: tuple[int, int]

    def weight_below(self, word: int) -> int:
        """Return 0, 1 or 2: the line between ``word`` and the next is absent, light or heavy."""
        if not self.first <= word < self.last:
            return 0
        return 1 if self.light[0] <= word < self.light[1] else 2


@dataclass(frozen=True)
class Buses:
    """The buses of the first ``words`` words of an analysis, by head; too deep ones are left out."""

    analysis: Analysis
    words: int
    of: dict[int, Bus]

    @property
    def columns(self) -> int:
        """The number of columns taken."""
        return max((bus.column for bus in self.of.values()), default=0)


def place(analysis: Analysis, words: int) -> Buses:
    """Return where the buses of the first ``words`` words stand."""
    dependents: list[list[int]] = [[] for _ in range(words + 1)]
    top: list[int] = []
    for word in range(1, words + 1):
        head = analysis.heads[word]
        (dependents[head] if 0 < head <= words else top).append(word)
    buses: dict[int, Bus] = {}
    taken: list[list[tuple[int, int]]] = [[] for _ in range(MAX_COLUMNS + 1)]
    level = [(word, 0) for word in top]
    while level:
        below = []
        for head, left in level:
            if not dependents[head]:
                continue
            bus = _bus(analysis, head, dependents[head])
            column = _first_free(taken, left + 1, bus.first, bus.last)
            if column <= MAX_COLUMNS:
                bus.column = column
                buses[head] = bus
                below += [(word, column) for word in dependents[head]]
        level = below
    return Buses(analysis, words, buses)


def _bus(analysis: Analysis, head: int, dependents: list[int]) -> Bus:
    light = [head, *(word for word in dependents if not analysis.crossing[word])]
    first, last = min(head, dependents[0]), max(head, dependents[-1])
    return Bus(0, first, last, (min(light), max(light)))


def _first_free(taken: list[list[tuple[int, int]]], column: int, first: int, last: int) -> int:
    """Enter ``first..last`` into the first column from ``column`` on where nothing overlaps it."""
    while column < len(taken):
        spans = taken[column]
        at = bisect_right(spans, (first, last))
        clear = (at == 0 or spans[at - 1][1] < first) and (at == len(spans) or last < spans[at][0])
        if clear:
            insort(spans, (first, last))
            break
        column += 1
    return column


def lines(buses: Buses, columns: int, pitch: int) -> list[str]:
    """Return the drawing of each word's arcs: ``columns`` columns, ``pitch`` cells for each."""
    owner = [0] * (columns + 1)  # whose bus runs through the column
    begins: dict[int, list[int]] = {}
    for head, bus in buses.of.items():
        if bus.column <= columns:
            begins.setdefault(bus.first, []).append(head)
    drawn = []
    for word in range(1, buses.words + 1):
        for head in begins.get(word, ()):
            owner[buses.of[head].column] = head
        drawn.append(_line(buses, word, owner, pitch))
        for column, head in enumerate(owner):
            if head and buses.of[head].last == word:
                owner[column] = 0
    return drawn


def _line(buses: Buses, word: int, owner: list[int], pitch: int) -> str:
    start, mark = _beginning(buses, word, len(owner))
    weight = 2 if buses.analysis.crossing[word] else 1
    rule = glyph(0, weight, 0, weight)
    cells = [mark if start == 0 else " "]
    for column in range(1, len(owner)):
        plain = rule if column > start else " "
        cells.append(plain * (pitch - 1))
        bus = buses.of.get(owner[column])
        cells.append(
            plain if bus is None else _meeting(bus, word, owner[column] == word, column, start, weight)
        )
    cells.append(mark if start == len(owner) else rule)
    return "".join(cells) + ARROW


def _beginning(buses: Buses, word: int, end: int) -> tuple[int, str]:
    """Return the column where the line of ``word`` begins; and its mark if it begins at no bus."""
    analysis, head = buses.analysis, buses.analysis.heads[word]
    if word in analysis.faults:
        return 0, CUT if analysis.faults[word] is Fault.CYCLE else UNKNOWN
    if head == 0:
        return 0, glyph(0, 1, 0, 1)
    if head > buses.words:
        return 0, NOT_SHOWN
    bus = buses.of.get(head)
    return (bus.column, "") if bus is not None and bus.column < end else (end, NOT_SHOWN)


def _meeting(bus: Bus, word: int, own: bool, column: int, start: int, weight: int) -> str:
    """Return how ``bus`` looks on the line of ``word``, which begins in column ``start``."""
    up, down = bus.weight_below(word - 1), bus.weight_below(word)
    if column == start:
        return glyph(up, weight, down, 0)
    return glyph(up, weight, down, weight) if own else glyph(up, 0, down, 0)
