"""The rewrite rules of transition systems: a small language, compiled to rows of integers.

A rule is written as the papers print it (Attardi 2006, section 2): the fronts of the lists S (stack), I
(input) and T (second stack) before and after, the nearest node first; the arc it adds; what must hold. ::

    left2: s1 s2 | n | -> s2 | s1 | ; s2 > n
    reduce: s | | -> | | ; ; s has a head

What is not named stays where it is. ``T*`` at the end of a list is all the rest of T: ``S* | | T* -> T* | |
S*`` exchanges two lists, ``| n | T* -> n | |`` drops T, and ``T^R`` is the rest of T the other way round, as
it comes to lie when it is moved node by node: ``| n | T* -> n T^R | |``.

The tests: ``x is headless``, ``x has a head``, ``x is not root``, ``x before y`` (in the sentence; 0 before
all), ``no path x to y`` (y is neither x nor below it; x must be headless) and ``last was not NAME``.

**Op-codes.** Every engine runs the same rows of three integers (op, a, b). A program has two parts. The
*guard* changes nothing; the transition is permitted iff none of its rows fails. It fills the registers 0, 1,
... with the nodes that the rule names, in the order of its LOAD rows. The *effect* then uses these registers.

==========  =========  ==========  ===================================================================
op          a          b           meaning
==========  =========  ==========  ===================================================================
NEED        list       count       fail if the list has fewer nodes
LOAD        list       place       next register = the node at this place from the front (0: the front)
HEADLESS    register               fail if the node has a head
HEADED      register               fail if it has none
NOT_ROOT    register               fail if it is 0
BEFORE      register   register    fail unless the number of a is less than that of b
NO_PATH     register   register    fail if the topmost node above b is a
LAST_NOT    rule                   fail if this was the last transition
DROP        list       count       remove so many nodes from the front
CLEAR       list                   remove all nodes
POUR        list       list        move all nodes of a, one by one, to the front of b
EXCHANGE    list       list        exchange all nodes of two lists
PUSH        list       register    put the node at the front
ARC         register   register    a becomes the head of b, with the label of the action
==========  =========  ==========  ===================================================================

Lists are numbered S = 0, I = 1, T = 2. Each row costs O(1), but for POUR and EXCHANGE (POUR is linear in what
is moved) and NO_PATH (logarithmic, amortised).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from arclift.errors import UsageError

LISTS = "SIT"


class Op(IntEnum):
    """What a row does; up to ``LAST_NOT`` in guards, from ``DROP`` on in effects."""

    NEED = 0
    LOAD = 1
    HEADLESS = 2
    HEADED = 3
    NOT_ROOT = 4
    BEFORE = 5
    NO_PATH = 6
    LAST_NOT = 7
    DROP = 8
    CLEAR = 9
    POUR = 10
    EXCHANGE = 11
    PUSH = 12
    ARC = 13


Row = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Front:
    """The front of a list: its nodes, and what stands behind them (empty: as it was; ``T*``, ``T^R``)."""

    nodes: tuple[str, ...]
    rest: str = ""


@dataclass(frozen=True)
class Rule:
    """One rule, as written and compiled."""

    name: str
    before: tuple[Front, ...]
    after: tuple[Front, ...]
    arc: tuple[str, str] | None
    tests: tuple[str, ...]
    guard: tuple[Row, ...]
    effect: tuple[Row, ...]

    @cached_property
    def arc_registers(self) -> tuple[int, int] | None:
        """The registers of the head and the dependent of the arc, None if there is no arc."""
        return next(((a, b) for op, a, b in self.effect if op == Op.ARC), None)

    def program(self) -> NDArray[np.int32]:
        """Return guard and effect as one matrix with three columns."""
        return np.array([*self.guard, *self.effect], dtype=np.int32).reshape(-1, 3)

    def __str__(self) -> str:
        """Return the rule in the notation of Attardi (2006), in which an arc is (dependent, r, head)."""
        arcs = f"A ∪ ({self.arc[1]}, r, {self.arc[0]})" if self.arc else "A"
        gone = {front.rest[0] for front in self.before if front.rest} - {
            front.rest for front in self.after if front.rest.endswith("*")
        }
        before = [_printed(front, name, name) for name, front in zip(LISTS, self.before, strict=True)]
        after = [
            _printed(front, "" if name in gone else name, name)
            for name, front in zip(LISTS, self.after, strict=True)
        ]
        where = f"  if {', '.join(self.tests)}" if self.tests else ""
        return f"{self.name}: ⟨{', '.join(before)}, A⟩ → ⟨{', '.join(after)}, {arcs}⟩{where}"


def _printed(front: Front, own: str, name: str) -> str:
    """Return a front as printed; ``own`` is what is left of the list itself, empty if nothing is."""
    if front.rest.endswith("*") and front.rest[0] != name:
        own = front.rest[0]
    poured = [front.rest] if front.rest.endswith("^R") else []
    return "|".join([*front.nodes, *poured, *([own] if own else [])]) or "()"


def parse_rules(texts: Sequence[str]) -> tuple[Rule, ...]:
    """Compile the rules of one system; ``UsageError`` points at what is wrong."""
    names: list[str] = []
    rules = []
    for text in texts:
        rules.append(_Parser(text, names).rule())
        names.append(rules[-1].name)
    return tuple(rules)


_TOKEN = re.compile(r"\s*(->|[SIT]\*|[SIT]\^R|[a-z][a-z0-9_]*|[:|;,>])")
_TESTS = {
    ("is", "headless"): Op.HEADLESS,
    ("has", "a", "head"): Op.HEADED,
    ("is", "not", "root"): Op.NOT_ROOT,
    ("before",): Op.BEFORE,
}


class _Parser:
    """Reads one rule from left to right; ``names`` are those of the rules before it."""

    def __init__(self, text: str, names: list[str]) -> None:
        self.text = text
        self.names = names
        self.tokens: list[tuple[str, int]] = []
        place = 0
        while text[place:].strip():
            found = _TOKEN.match(text, place)
            if not found:
                start = len(text) - len(text[place:].lstrip())
                self.fail("this is no part of a rule", start)
            self.tokens.append((found[1], found.start(1)))
            place = found.end()
        self.tokens.append(("", len(text)))
        self.next = 0
        self.registers: dict[str, int] = {}

    def fail(self, what: str, place: int | None = None) -> NoReturn:
        """Raise an error that shows the rule and points at the next token, or at a place."""
        where = self.tokens[self.next][1] if place is None else place
        raise UsageError(f"{what}\n  {self.text}\n  {' ' * where}^")

    def peek(self) -> str:
        """Return the next token, empty at the end."""
        return self.tokens[self.next][0]

    def take(self, wanted: str) -> None:
        """Go past a token that must come now."""
        if self.peek() != wanted:
            self.fail(f"expected {wanted!r}" if wanted else "nothing more can follow")
        self.next += 1

    def word(self, what: str) -> str:
        """Go past a word and return it."""
        token = self.peek()
        if not token[:1].islower():
            self.fail(f"expected {what}")
        self.next += 1
        return token

    def node(self) -> str:
        """Go past the name of a node that stands on the left side."""
        if self.peek()[:1].islower() and self.peek() not in self.registers:
            self.fail("no node of this name stands on the left")
        return self.word("the name of a node")

    def rule(self) -> Rule:
        """Read the whole rule."""
        name = self.word("the name of the rule")
        if name in self.names:
            self.next -= 1
            self.fail("there is a rule of this name already")
        self.take(":")
        before = self.fronts(left=True)
        self.take("->")
        after = self.fronts(left=False)
        moves = self.moves(before, after)
        arc = None
        tests: list[tuple[str, Row]] = []
        if self.peek() == ";":
            self.take(";")
            arc = self.arc()
        if self.peek() == ";":
            self.take(";")
            tests.append(self.test())
            while self.peek() == ",":
                self.take(",")
                tests.append(self.test())
        self.take("")
        needs = [(int(Op.NEED), i, len(front.nodes)) for i, front in enumerate(before) if front.nodes]
        loads = [
            (int(Op.LOAD), i, place) for i, front in enumerate(before) for place in range(len(front.nodes))
        ]
        arcs = [(int(Op.ARC), self.registers[arc[0]], self.registers[arc[1]])] if arc else []
        return Rule(
            name,
            before,
            after,
            arc,
            tuple(text for text, _ in tests),
            (*needs, *loads, *(row for _, row in tests)),
            (*moves, *arcs),
        )

    def fronts(self, left: bool) -> tuple[Front, ...]:
        """Read the three lists of one side."""
        fronts = [self.front(left)]
        for _ in LISTS[1:]:
            self.take("|")
            fronts.append(self.front(left, LISTS[len(fronts)]))
        return tuple(fronts)

    def front(self, left: bool, own: str = "S") -> Front:
        """Read one list, whose letter is ``own``."""
        nodes: list[str] = []
        while self.peek()[:1].islower():
            if left and self.peek() in self.registers:
                self.fail("this node stands somewhere else already")
            if left:
                self.registers[self.peek()] = len(self.registers)
            nodes.append(self.node())
        rest = self.peek()
        if rest[:1] not in LISTS or not rest:
            return Front(tuple(nodes))
        if left and rest != f"{own}*":
            self.fail(f"expected {own}*, the rest of this list")
        self.next += 1
        return Front(tuple(nodes), rest)

    def moves(self, before: tuple[Front, ...], after: tuple[Front, ...]) -> list[Row]:
        """Compile what happens to the lists."""
        rests = {LISTS[i]: front.rest for i, front in enumerate(after) if front.rest}
        starred = [front.rest[0] for front in before if front.rest]
        sources = [rest[0] for rest in rests.values()]
        if len(set(sources)) < len(sources) or not set(sources) <= set(starred):
            self.fail("the rest of a list must stand on the left side, and can go to one place only")
        drops: list[Row] = []
        pushes: list[Row] = []
        for i, (old, new) in enumerate(zip(before, after, strict=True)):
            kept = 0  # nodes that stay, counted from behind
            if old.rest == new.rest == "":
                while (
                    kept < min(len(old.nodes), len(new.nodes))
                    and old.nodes[-1 - kept] == new.nodes[-1 - kept]
                ):
                    kept += 1
            if len(old.nodes) > kept:
                drops.append((int(Op.DROP), i, len(old.nodes) - kept))
            going = new.nodes[: len(new.nodes) - kept]
            pushes += [(int(Op.PUSH), i, self.registers[node]) for node in reversed(going)]
        return [*drops, *self.whole_lists(starred, rests), *pushes]

    def whole_lists(self, starred: list[str], rests: dict[str, str]) -> list[Row]:
        """Compile what is done with the rests of lists."""
        exchanged = [name for name, rest in rests.items() if rest != f"{name}*" and rest[1:] == "*"]
        if exchanged:
            one, other = exchanged if len(exchanged) == 2 else (exchanged[0], exchanged[0])
            if rests[one] != f"{other}*" or one == other:
                self.fail("whole lists can only be exchanged, two of them")
            return [(int(Op.EXCHANGE), LISTS.index(one), LISTS.index(other))]
        poured = {rest[0]: name for name, rest in rests.items() if rest[1:] == "^R"}
        rows: list[Row] = []
        for name in starred:
            if name in poured:
                if poured[name] == name:
                    self.fail("a list cannot be poured onto itself")
                rows.append((int(Op.POUR), LISTS.index(name), LISTS.index(poured[name])))
            elif f"{name}*" not in rests.values():
                rows.append((int(Op.CLEAR), LISTS.index(name), 0))
        return rows

    def arc(self) -> tuple[str, str] | None:
        """Read ``head > dependent``, or nothing."""
        if self.peek() in (";", ""):
            return None
        head = self.node()
        self.take(">")
        dependent = self.node()
        if head == dependent:
            self.next -= 1
            self.fail("a node cannot be its own head")
        return head, dependent

    def test(self) -> tuple[str, Row]:
        """Read one test; return how it is written, and its row."""
        start = self.next
        row = self.test_row()
        return " ".join(token for token, _ in self.tokens[start : self.next]), row

    def test_row(self) -> Row:
        """Read one test and compile it."""
        if self.peek() == "last":
            for word in ("last", "was", "not"):
                self.take(word)
            name = self.word("the name of a rule")
            own = self.tokens[0][0]
            if name not in (*self.names, own):
                self.next -= 1
                self.fail("no rule of this name stands before this one")
            return int(Op.LAST_NOT), [*self.names, own].index(name), 0
        if self.peek() == "no":
            self.take("no")
            self.take("path")
            above = self.registers[self.node()]
            self.take("to")
            return int(Op.NO_PATH), above, self.registers[self.node()]
        node = self.registers[self.node()]
        for words, op in _TESTS.items():
            if tuple(token for token, _ in self.tokens[self.next : self.next + len(words)]) == words:
                self.next += len(words)
                other = self.registers[self.node()] if op == Op.BEFORE else 0
                return int(op), node, other
        return self.fail("expected 'is headless', 'has a head', 'is not root' or 'before'")
