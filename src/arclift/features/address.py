"""What a feature is made of: nodes of a configuration, and what is read there.

A feature is a conjunction of terms. A term reads one attribute at a node, such as the part of speech at
``s0.lc1``; a node is a place in a list followed by steps along the arcs built so far. Everything here is an
immutable value whose ``str`` is its text in the language of `arclift.features.template`.
"""

from __future__ import annotations

from typing import NamedTuple

NOTHING, ROOT, UNKNOWN, FIRST = range(4)
"""The first ids of a cell: no such node, the artificial root, a value unseen in training, the first value."""

LISTS = {
    "s": "the stack",
    "i": "the input",
    "t": "the second stack",
    "l": "the lookahead: the end of the input that is still as in the sentence, up to the last word",
    "r": "the words given back to the input, which stand before the lookahead",
}
BOTH_ENDED = ("s", "i", "t")
"""Lists whose places may also be counted from the far end: s-1 is the bottom of the stack."""

STEPS = {
    "head": "the head",
    "lc": "the k-th dependent on the left, from the outermost",
    "rc": "the k-th dependent on the right, from the outermost",
    "next": "the next dependent of the same head, in sentence order",
    "prev": "the one before",
}
COUNTED_STEPS = ("lc", "rc")

SOURCES = {
    "form": "form",
    "lower": "form",
    "stem": "form",
    "shape": "form",
    "prefix": "form",
    "suffix": "form",
    "lemma": "lemma",
    "upos": "upos",
    "xpos": "xpos",
    "feats": "feats",
}
"""Attributes of words, and the column of the treebank each is computed from."""

COUNTED_ATTRIBUTES = ("prefix", "suffix")
STAR = "*"
"""The argument of ``feats`` that stands for every feature name of the treebank, one after the other."""


class Step(NamedTuple):
    """One step from a node to another."""

    name: str
    number: int = 0

    def __str__(self) -> str:
        return f"{self.name}{self.number}" if self.name in COUNTED_STEPS else self.name


class Node(NamedTuple):
    """A place in a list (from the front; negative from the far end) and steps from there."""

    list: str
    place: int
    steps: tuple[Step, ...] = ()

    def __str__(self) -> str:
        return ".".join([f"{self.list}{self.place}", *map(str, self.steps)])


class Attribute(NamedTuple):
    """What is read: a name and, for some, an argument (a length, names of features, a side)."""

    name: str
    argument: str = ""

    def __str__(self) -> str:
        named = self.name == "feats" and self.argument not in ("", STAR)
        return f"{self.name}.{self.argument}" if named else self.name + self.argument


class Term(NamedTuple):
    """An attribute at a node, of two nodes, or of none (the history)."""

    attribute: Attribute
    node: Node | None = None
    other: Node | None = None

    def __str__(self) -> str:
        name, argument = self.attribute
        if self.other is not None:
            return f"{name}({self.node}, {self.other})"
        if name == "valency":
            return f"valency({self.node}.{argument})" if argument else f"valency({self.node})"
        return str(self.attribute) if self.node is None else f"{self.node}.{self.attribute}"


Feature = tuple[Term, ...]


class FeatureSet(NamedTuple):
    """Features in the order of the model; its text has one a line."""

    features: tuple[Feature, ...]

    def __str__(self) -> str:
        return "".join(" + ".join(map(str, feature)) + "\n" for feature in self.features)
