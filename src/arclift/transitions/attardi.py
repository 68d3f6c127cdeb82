"""Attardi's system for non-projective trees (Attardi 2006, and as changed by Attardi et al. 2007).

To the rules of ``yamada`` it adds arcs between the next word and the second or third node of the stack (the
*degree* of an arc is that place), and a second stack T: Extract moves the second node to T and shifts, Insert
brings it back, on top. Settings: ``degree`` is the highest one; ``rewrite`` 2006 leaves the nodes over the
dependent of a Right2 or Right3 on the stack, 2007 puts them back on the input, in the order printed there.
There is no root; what is headless at the end is one.

Bound. Let g = 0 for 2006 and (degree - 1)(n - 1) for 2007. Each arc takes a word away for good: at most n - 1
arcs. Only Right2 and Right3 of 2007 make the input longer, by degree - 1 nodes at most: at most g in all.
Shift and Extract take a node off the input: at most n + g. Each Insert undoes one Extract. So there are at
most (n + g) + (n - 1) transitions, and n + g more with Extract and Insert.

**The oracle** is ours; the papers give none. A dependent goes away with its arc, so an arc is *safe* once all
dependents of its dependent are attached. The oracle takes the safe gold arc of the lowest degree; if there is
none, it inserts the front of T where that makes one possible; else it shifts. Without Extract and Insert that
is all. For the 2006 rewrite nothing more can be had then: all trees of up to five words that the system can
derive are rebuilt (tests/transitions). In the 2007 rewrite four trees of five words are missed at degree 2,
and ten at degree 3.

With Extract and Insert the oracle looks ahead before it shifts: it runs on, as above, to the end. Where words
would get no gold head, it also tries what comes of Extract, of Extract and Insert at once, and of Insert, and
does the best of these if more words get their heads than by shifting. Each trial costs O(n); after
``_BUDGET`` transitions of trials in one sentence, and in projective ones, it does not look ahead. It is no
proof of impossibility where an arc is missed; docs/transitions.md has its coverage on treebanks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from arclift.errors import UsageError
from arclift.transitions import yamada
from arclift.transitions.configuration import Configuration
from arclift.transitions.gold import Gold
from arclift.transitions.system import Oracle, Root, Sizes, System
from arclift.trees.projectivity import is_projective

SHIFT = yamada.SHIFT
_FURTHER = {
    2006: (
        "right2: s1 s2 | n | -> s1 | n | ; n > s2",
        "left2: s1 s2 | n | -> s2 | s1 | ; s2 > n",
        "right3: s1 s2 s3 | n | -> s1 s2 | n | ; n > s3",
        "left3: s1 s2 s3 | n | -> s2 s3 | s1 | ; s3 > n",
    ),
    2007: (
        "right2: s1 s2 | n | -> | s1 n | ; n > s2",
        "left2: s1 s2 | n | -> s2 | s1 | ; s2 > n",
        "right3: s1 s2 s3 | n | -> | s1 s2 n | ; n > s3",
        "left3: s1 s2 s3 | n | -> s2 s3 | s1 | ; s3 > n",
    ),
}
_THROUGH_T = (
    "extract: s1 s2 | n | -> n s1 | | s2",
    "insert: | | s1 -> s1 | |",
)


@dataclass(frozen=True, kw_only=True)
class Attardi(System):
    """Bottom-up, with arcs of degree 1 to 3, and Extract and Insert."""

    name: ClassVar[str] = "attardi"
    root: ClassVar[Root] = "none"
    rewrite: Literal[2006, 2007] = 2006
    degree: Literal[1, 2, 3] = 3
    extract_insert: bool = True

    def __post_init__(self) -> None:
        if self.rewrite not in (2006, 2007):
            raise UsageError(f"the rewrite of attardi is 2006 or 2007, not {self.rewrite!r}")
        if self.degree not in (1, 2, 3):
            raise UsageError(f"the degree of attardi is 1, 2 or 3, not {self.degree!r}")

    def texts(self) -> tuple[str, ...]:
        """Return the rules."""
        further = _FURTHER[self.rewrite][: 2 * (self.degree - 1)]
        return (*yamada.RULES, *further, *(_THROUGH_T if self.extract_insert else ()))

    def bound(self, words: int) -> int:
        """Return (n + g) + (n - 1), with Extract and Insert n + g more; see the module."""
        if not words:
            return 0
        shifts = words + ((self.degree - 1) * (words - 1) if self.rewrite == 2007 else 0)
        return shifts + words - 1 + (shifts if self.extract_insert else 0)

    @property
    def final(self) -> Sizes:
        """Return when it ends: the input is empty, and T."""
        return -1, 0, 0

    def covers(self, heads: list[int]) -> bool:
        """Return whether the tree is projective; the oracle rebuilds many more."""
        return is_projective(heads)

    def oracle(self, gold: Gold) -> Oracle:
        """Return the static oracle."""
        return _Oracle(self, gold)


_BUDGET = 50_000


class _Oracle:
    """The static oracle for one tree, following one run."""

    def __init__(self, system: Attardi, gold: Gold) -> None:
        self.system = system
        self.gold = gold
        self.extract = system.number.get("extract", SHIFT)
        self.insert = system.number.get("insert", SHIFT)
        useful = system.extract_insert and not is_projective(gold.head[1:])
        self.budget = _BUDGET if useful else 0
        self.forget()

    def forget(self) -> None:
        """Start anew: nothing is known of the configuration to come."""
        self.missed = -1  # words that would not get their heads without another Extract; -1: not known
        self.planned: list[int] = []
        self.expected = (-1, -1)  # the length and the end of the history, if the advice was followed

    def __call__(self, configuration: Configuration) -> int:
        history = configuration.history
        if (len(history), history[-1] if history else -1) != self.expected:
            self.forget()
        transition = self.planned.pop(0) if self.planned else self.choose(configuration)
        self.expected = (len(history) + 1, transition)
        return transition

    def choose(self, configuration: Configuration) -> int:
        """Return the next transition, after looking ahead where that may help."""
        transition = self.simple(configuration)
        if transition != SHIFT or len(configuration.stack) < 2 or self.budget <= 0 or self.missed == 0:
            return transition
        if self.missed < 0:
            self.missed = self.missing(configuration, [])
        trials = [[self.extract], [self.extract, self.insert]]
        trials += [[self.insert]] if configuration.second else []
        missed, trial = min((self.missing(configuration, trial), trial) for trial in trials)
        if missed >= self.missed:
            return SHIFT
        self.missed, self.planned = missed, trial[1:]
        return trial[0]

    def missing(self, configuration: Configuration, trial: list[int]) -> int:
        """Return how many words do not get their heads by a trial and simple choices to the end."""
        copy = configuration.copy()
        for transition in trial:
            self.system.apply(copy, transition)
        while not self.system.is_final(copy):
            self.system.apply(copy, self.simple(copy))
            self.budget -= 1
        return sum(a != b for a, b in zip(self.system.heads(copy), self.gold.head[1:], strict=True))

    def simple(self, configuration: Configuration) -> int:
        """Return the safe gold arc of the lowest degree, else an Insert that leads to one, else a shift."""
        if not configuration.input:
            return self.insert
        n = configuration.input[-1]
        for k, s in enumerate(configuration.stack[: -1 - self.system.degree : -1], start=1):
            if self.safe(configuration, n, s):
                return 2 * k - 1
            if self.safe(configuration, s, n):
                return 2 * k
        if configuration.second:
            t = configuration.second[-1]
            if self.safe(configuration, n, t) or self.safe(configuration, t, n):
                return self.insert
        return SHIFT

    def safe(self, configuration: Configuration, head: int, dependent: int) -> bool:
        """Return whether this is a gold arc, and nothing is to be attached to the dependent any more."""
        return self.gold.head[dependent] == head and self.gold.complete(dependent, configuration)
