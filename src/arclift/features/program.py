"""Feature sets compiled to two integer tables, which `arclift.features.evaluator` runs.

``nodes`` finds nodes, each from a list or by one step from a node of an earlier row, so that a node many
features share is looked up once. Columns:

=========  =================================================================================
operation  a `Find`
argument   the place in the list (negative: from the far end), or which child, from 1; else 0
origin     the row of the node the step starts from, -1 for a list
=========  =================================================================================

``cells`` reads one value for each distinct term, in the order of first use. Columns:

=========  =================================================================================
operation  a `Read`
argument   WORD: column of the word values; HISTORY: how far back, from 1;
           VALENCY: 0 both sides, 1 left, 2 right; else 0
node       row of ``nodes``, -1 for HISTORY
other      row of the second node of DISTANCE and ARC, else -1
=========  =================================================================================

The value ids of a cell: 0 nothing (no such node, no label yet, history too short), 1 the artificial root
(for two nodes: either is), 2 a value not seen in training, 3 and more the values themselves. Labels and
transitions are their number + 3; a distance or a valency is its class + 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from arclift.errors import UsageError
from arclift.features.address import (
    FIRST,
    SOURCES,
    STAR,
    Attribute,
    Feature,
    FeatureSet,
    Node,
    Term,
)

DISTANCES = (1, 2, 3, 4, 6, 10)
"""Upper ends of the classes of distance (1, 2, 3, 4, 5-6, 7-10); one more class holds what is further."""
GREATEST_VALENCY = 7
"""From here on all valencies are one class."""


class Find(IntEnum):
    """How a row of ``nodes`` finds its node."""

    STACK = 0
    INPUT = 1
    SECOND = 2
    LOOKAHEAD = 3
    RETURNED = 4
    HEAD = 5
    LEFT_CHILD = 6
    RIGHT_CHILD = 7
    NEXT = 8
    PREVIOUS = 9


class Read(IntEnum):
    """What a row of ``cells`` reads."""

    WORD = 0
    LABEL = 1
    HISTORY = 2
    DISTANCE = 3
    VALENCY = 4
    ARC = 5


_FIND = {"s": Find.STACK, "i": Find.INPUT, "t": Find.SECOND, "l": Find.LOOKAHEAD, "r": Find.RETURNED}
_FIND |= {"head": Find.HEAD, "lc": Find.LEFT_CHILD, "rc": Find.RIGHT_CHILD}
_FIND |= {"next": Find.NEXT, "prev": Find.PREVIOUS}
_READ = {"label": Read.LABEL, "history": Read.HISTORY, "distance": Read.DISTANCE}
_READ |= {"valency": Read.VALENCY, "arc": Read.ARC}
SIDES = ("", "left", "right")


@dataclass(frozen=True, eq=False)
class Program:
    """A compiled feature set.

    ``words`` names the columns that the matrix of word values must have; ``terms`` what each cell reads;
    ``features`` the cells each feature conjoins (one for a plain feature).
    """

    nodes: NDArray[np.int32]
    cells: NDArray[np.int32]
    words: tuple[Attribute, ...]
    terms: tuple[Term, ...]
    features: tuple[tuple[int, ...], ...]

    def sizes(self, words: Sequence[int], labels: int, transitions: int) -> list[int]:
        """Return for each cell how many value ids it may have, from those of each word column."""
        classes = {Read.LABEL: labels, Read.HISTORY: transitions, Read.DISTANCE: 2 * len(DISTANCES) + 3}
        classes |= {Read.VALENCY: GREATEST_VALENCY + 1, Read.ARC: 3}
        return [
            words[argument] if operation == Read.WORD else FIRST + classes[Read(operation)]
            for operation, argument, *_ in self.cells.tolist()
        ]


def compile_features(features: FeatureSet, names: Sequence[str] = ()) -> Program:
    """Return the program of a feature set; ``feats*`` becomes one cell for each of ``names``.

    In a conjunction every ``feats*`` takes the same name at a time: ``s0.feats* + i0.feats*`` compares the
    two words' cases, then their genders, and so on. Without names such features fall away.
    """
    expanded = [each for feature in features.features for each in _expand(feature, names)]
    terms = dict.fromkeys(term for feature in expanded for term in feature)
    if not terms:
        raise UsageError("no feature is left: the set has only feats* and the treebank no feature names")
    found = {term.attribute for term in terms if term.attribute.name in SOURCES}
    columns = list(dict.fromkeys(SOURCES.values()))
    words = sorted(found, key=lambda word: (columns.index(SOURCES[word.name]), str(word)))
    rows: dict[tuple[int, int, int], int] = {}
    cells = [_cell(term, words, rows) for term in terms]
    place = {term: cell for cell, term in enumerate(terms)}
    return Program(
        np.array(list(rows), dtype=np.int32).reshape(-1, 3),
        np.array(cells, dtype=np.int32),
        tuple(words),
        tuple(terms),
        tuple(tuple(place[term] for term in feature) for feature in dict.fromkeys(expanded)),
    )


def _expand(feature: Feature, names: Sequence[str]) -> Iterator[Feature]:
    star = Attribute("feats", STAR)
    if all(term.attribute != star for term in feature):
        yield feature
        return
    for name in names:
        named = Attribute("feats", name)
        yield tuple(term._replace(attribute=named) if term.attribute == star else term for term in feature)


def _cell(
    term: Term, words: list[Attribute], rows: dict[tuple[int, int, int], int]
) -> tuple[int, int, int, int]:
    name, argument = term.attribute
    node, other = _find(term.node, rows), _find(term.other, rows)
    if name in SOURCES:
        return Read.WORD, words.index(term.attribute), node, other
    number = SIDES.index(argument) if name == "valency" else int(argument or 0)
    return _READ[name], number, node, other


def _find(node: Node | None, rows: dict[tuple[int, int, int], int]) -> int:
    """Return the row that finds ``node``, entering it and those before it where they are new."""
    if node is None:
        return -1
    row = rows.setdefault((_FIND[node.list], node.place, -1), len(rows))
    for step in node.steps:
        row = rows.setdefault((_FIND[step.name], step.number, row), len(rows))
    return row
