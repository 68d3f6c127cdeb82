"""The language of features: text in, `FeatureSet` out, and errors that point at the place.

::

    text      = { [ feature | parameter ] [ "#" comment ] newline }
    feature   = term { "+" term }
    term      = node "." attribute | "history" number | "valency" "(" node [ ".left" | ".right" ] ")"
              | "distance" "(" node "," node ")" | "arc" "(" node "," node ")"
    node      = ( "s" | "i" | "t" ) [ "-" ] number { "." step } | ( "l" | "r" ) number { "." step }
    step      = "head" | "lc" number | "rc" number | "next" | "prev"
    attribute = "form" | "lower" | "lemma" | "stem" | "shape" | "prefix" number | "suffix" number
              | "upos" | "xpos" | "feats" | "feats*" | "feats." name { "|" name } | "label"

``cpostag``, ``postag`` and ``deprel`` are accepted for ``upos``, ``xpos`` and ``label``. A parameter is a
line of DeSR (Attardi 2006, section 4): a name and numbers, where -1 is the top of the stack, -2 the word
below it, and 0, 1, ... are the input; see `PLACED` and `COUNTED`. The paper does not say of which words
``PosLeftChildren`` and ``PosRightChildren`` are the children; we take the two focus words, s0 and i0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NoReturn

from arclift.errors import UsageError
from arclift.features.address import (
    BOTH_ENDED,
    COUNTED_ATTRIBUTES,
    COUNTED_STEPS,
    LISTS,
    SOURCES,
    STAR,
    STEPS,
    Attribute,
    Feature,
    FeatureSet,
    Node,
    Step,
    Term,
)

GREATEST = 99
"""The greatest number a feature may hold: no place, child or suffix is further away."""

MORPHOLOGY = Attribute("feats", "Gender|Number|Person|Case")
"""FEATS as Attardi (2006) uses it: one token of gender, number, person and case."""

_ALIASES = {"cpostag": "upos", "postag": "xpos", "deprel": "label"}
_PAIRED = ("distance", "arc")
_SIDES = ("left", "right")
_WORD = re.compile(r"[a-z]+")
_NUMBER = re.compile(r"[0-9]+")
_NAME = re.compile(r"[^\s+|#*(),.]+")
_PARAMETER = re.compile(r"[A-Z][A-Za-z]*")


def parse_features(text: str) -> FeatureSet:
    """Return the features that ``text`` lists, each once and in order; a mistake is a ``UsageError``."""
    features: dict[Feature, None] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        features |= dict.fromkeys(_Line(line, number).features())
    if not features:
        raise UsageError("a feature set needs at least one feature, such as: s0.form")
    return FeatureSet(tuple(features))


def parse_attribute(text: str) -> Attribute:
    """Return the attribute that ``text`` names, such as ``suffix3``."""
    line = _Line(text, 1)
    attribute = line.attribute(line.expect(_WORD, "an attribute"))
    line.end()
    return attribute


class _Line:
    """One line of text and how far it is read."""

    def __init__(self, text: str, number: int) -> None:
        self.text = text
        self.number = number
        self.at = 0
        self.skip_blanks()

    # -- scanning -----------------------------------------------------------------------------------------

    def fail(self, expected: str, at: int | None = None) -> NoReturn:
        place = self.at if at is None else at
        raise UsageError(
            f"feature line {self.number}, character {place + 1}: expected {expected}\n"
            f"  {self.text}\n  {' ' * place}^"
        )

    def skip_blanks(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in " \t":
            self.at += 1

    def match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if found is None:
            return ""
        self.at = found.end()
        return found.group()

    def expect(self, pattern: re.Pattern[str], expected: str) -> str:
        return self.match(pattern) or self.fail(expected)

    def take(self, sign: str) -> bool:
        found = self.text.startswith(sign, self.at)
        self.at += len(sign) * found
        return found

    def take_or_fail(self, sign: str, expected: str) -> None:
        self.skip_blanks()
        if not self.take(sign):
            self.fail(expected)
        self.skip_blanks()

    def done(self) -> bool:
        return self.at == len(self.text) or self.text[self.at] == "#"

    def end(self) -> None:
        if self.at < len(self.text):
            self.fail("nothing more")

    def count(self, smallest: int, what: str) -> int:
        start = self.at
        number = int((self.match(_NUMBER) or "-1")[:9])
        if not smallest <= number <= GREATEST:
            self.fail(f"{what}: a number from {smallest} to {GREATEST}", start)
        return number

    # -- grammar ------------------------------------------------------------------------------------------

    def features(self) -> Iterable[Feature]:
        if self.done():
            return []
        if name := self.match(_PARAMETER):
            return self.parameter(name)
        terms = [self.term()]
        self.skip_blanks()
        while not self.done():
            self.take_or_fail("+", "'+' and another term, or the end of the line")
            terms.append(self.term())
            self.skip_blanks()
        return [tuple(terms)]

    def term(self) -> Term:
        start = self.at
        word = self.match(_WORD)
        if word == "history":
            return Term(Attribute("history", str(self.count(1, "which transition back"))))
        if word == "valency":
            return self.valency()
        if word in _PAIRED:
            return self.pair(word)
        self.at = start
        node = self.node("a term: a node, history1, valency(, distance( or arc(")
        steps, name = self.steps(node_ends=False)
        return Term(self.attribute(name), node._replace(steps=steps))

    def valency(self) -> Term:
        self.take_or_fail("(", "'('")
        node = self.node("a node")
        steps, side = self.steps(node_ends=True, last=_SIDES)
        self.take_or_fail(")", "')' or a step")
        return Term(Attribute("valency", side), node._replace(steps=steps))

    def pair(self, name: str) -> Term:
        self.take_or_fail("(", "'('")
        node = self.node("a node")
        steps, _ = self.steps(node_ends=True)
        self.take_or_fail(",", "',' and a second node, or a step")
        other = self.node("a node")
        other_steps, _ = self.steps(node_ends=True)
        self.take_or_fail(")", "')' or a step")
        return Term(Attribute(name), node._replace(steps=steps), other._replace(steps=other_steps))

    def node(self, expected: str) -> Node:
        start = self.at
        name = self.match(_WORD)
        if name not in LISTS:
            self.fail(f"{expected} (a node begins with {', '.join(LISTS)} and a number)", start)
        if name in BOTH_ENDED and self.take("-"):
            return Node(name, -self.count(1, "a place from the far end"))
        return Node(name, self.count(0, "a place in the list"))

    def steps(self, *, node_ends: bool, last: tuple[str, ...] = ()) -> tuple[tuple[Step, ...], str]:
        """Read steps; return them and the word after them, which is "" where a node may end."""
        steps: list[Step] = []
        while True:
            if not self.take("."):
                return (tuple(steps), "") if node_ends else self.fail("'.' and a step or an attribute")
            start = self.at
            word = self.match(_WORD)
            if word in COUNTED_STEPS:
                steps.append(Step(word, self.count(1, "which child")))
            elif word in STEPS:
                steps.append(Step(word))
            elif not node_ends or word in last:
                self.at = start + len(word)
                return tuple(steps), word
            else:
                self.fail("a step: " + ", ".join([*STEPS, *last]), start)

    def attribute(self, word: str) -> Attribute:
        name = _ALIASES.get(word, word)
        if name in COUNTED_ATTRIBUTES:
            return Attribute(name, str(self.count(1, "how many characters")))
        if name != "feats" and name != "label" and name not in SOURCES:
            known = ", ".join([*STEPS, *SOURCES, "label"])
            self.fail(f"a step or an attribute: {known}", self.at - len(word))
        if name == "feats":
            if self.take(STAR):
                return Attribute(name, STAR)
            if self.take("."):
                names = [self.expect(_NAME, "the name of a feature")]
                while self.take("|"):
                    names.append(self.expect(_NAME, "the name of a feature"))
                return Attribute(name, "|".join(names))
        return Attribute(name)

    def parameter(self, name: str) -> Iterable[Feature]:
        if name in PLACED:
            attribute, steps = PLACED[name]
            nodes = [_word(index)._replace(steps=steps) for index in self.indices()]
            return [(Term(attribute, node),) for node in nodes]
        if name not in COUNTED:
            self.fail(f"a parameter: {', '.join([*PLACED, *COUNTED])}", self.at - len(name))
        self.skip_blanks()
        counts = range(1, self.count(1, "how many") + 1)
        self.skip_blanks()
        if not self.done():
            self.fail("nothing more")
        if name == "PastActions":
            return [(Term(Attribute("history", str(back))),) for back in counts]
        focus = (_word(-1), _word(0))
        steps_to = [(Step(COUNTED[name], count),) for count in counts]
        return [(Term(_UPOS, node._replace(steps=steps)),) for node in focus for steps in steps_to]

    def indices(self) -> Iterable[int]:
        self.skip_blanks()
        while True:
            sign = -1 if self.take("-") else 1
            yield sign * self.count(0 if sign == 1 else 1, "an index")
            self.skip_blanks()
            if self.done():
                return


# -- the parameters of DeSR -------------------------------------------------------------------------------


def _word(index: int) -> Node:
    return Node("s", -1 - index) if index < 0 else Node("i", index)


_UPOS, _LABEL = Attribute("upos"), Attribute("label")
_LEFT, _RIGHT = Step("lc", 1), Step("rc", 1)

PLACED: dict[str, tuple[Attribute, tuple[Step, ...]]] = {
    "LemmaFeatures": (Attribute("lemma"), ()),
    "PosFeatures": (_UPOS, ()),
    "MorphoFeatures": (MORPHOLOGY, ()),
    "DepFeatures": (_LABEL, ()),
    "PosLeftChild": (_UPOS, (_LEFT,)),
    "DepLeftChild": (_LABEL, (_LEFT,)),
    "PosRightChild": (_UPOS, (_RIGHT,)),
    "DepRightChild": (_LABEL, (_RIGHT,)),
}
"""Parameters that list words: what is read of each, after which step."""

COUNTED = {"PosLeftChildren": "lc", "PosRightChildren": "rc", "PastActions": ""}
"""Parameters that say how many: the outermost children of the two focus words, the latest transitions."""
