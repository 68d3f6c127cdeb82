"""What a graph parser knows of a word: a set of values, each with a row in one table of embeddings.

The attributes are those of `arclift.features.values`: forms in small letters, affixes, tags, FEATS whole and
feature by feature. A word has one value of each; empty ones, such as a feature the word has not, are left
out, so that FEATS enter as the set that they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arclift.errors import UsageError
from arclift.features.address import FIRST, SOURCES, STAR, UNKNOWN, Attribute
from arclift.features.template import parse_attribute
from arclift.features.values import Column, Columns, Group, Strings, Values, absent, feature_names, joined
from arclift.graph.scorer import MOST_ROWS

Ints = NDArray[np.int32]
LEFT_OUT = ("", "_")
"""Values that say nothing."""
DROPPED = ("form", "lower", "lemma")
"""What is taken for unknown now and then in training, so that something is learned about unknown words."""


def attributes_of(text: str, columns: Columns) -> list[Attribute]:
    """Return the attributes that a text names, one after the other, as far as the columns have them.

    ``feats*`` becomes one for each feature of the treebank.
    """
    found: list[Attribute] = []
    for word in text.split():
        attribute = parse_attribute(word)
        if SOURCES[attribute.name] not in columns:
            continue
        if attribute == Attribute("feats", STAR):
            found += [Attribute("feats", name) for name in feature_names(columns["feats"])]
        else:
            found.append(attribute)
    order = list(dict.fromkeys(SOURCES.values()))
    return sorted(dict.fromkeys(found), key=lambda each: order.index(SOURCES[each.name]))


class Inputs:
    """The values of words as rows of the table of embeddings; attributes that are never filled have none."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.offsets = np.append(0, np.cumsum(values.sizes)).astype(np.int32)
        self.silent = np.array(
            [
                next((FIRST + k for k, text in enumerate(vocabulary) if text in LEFT_OUT), -1)
                for vocabulary in values.vocabularies
            ],
            dtype=np.int32,
        )
        """For each attribute the id of the value that says nothing, -1 where there is none."""
        counts = [
            (source, len(list(items)))
            for source, items in groupby(SOURCES[each.name] for each in values.attributes)
        ]
        if not counts or len(dict(counts)) < len(counts):
            raise UsageError("attributes stand in order of their columns, and there is at least one")
        for source, count in counts:
            if count > MOST_ROWS:
                raise UsageError(
                    f"the column {source} has {count} attributes, of which {MOST_ROWS} are the most: "
                    "graph.inputs may name those features of FEATS that matter instead of feats*"
                )

    @classmethod
    def learn(cls, text: str, columns: Columns, minimum: int) -> Inputs:
        """Return the inputs of training data; values that fewer than ``minimum`` words have are unknown."""
        named = attributes_of(text, columns)
        if not named:
            raise UsageError(f"graph.inputs names nothing that the treebank has: {text}")
        told = [each for each in named if len(Values.learn([each], columns, 1).vocabularies[0]) > 1]
        return cls(Values.learn(told or named[:1], columns, minimum))

    @property
    def size(self) -> int:
        """How many rows the table has."""
        return int(self.offsets[-1])

    def rows(self, table: Ints) -> tuple[Ints, NDArray[np.int64]]:
        """Return the rows of all words one after the other, and where those of each word begin.

        ``table`` [words, attributes] is what an ``Encoder`` of the values returns. The first attribute of a
        word always counts, so that each has a row.
        """
        heard = table != self.silent
        heard[:, 0] = True
        rows = (table + self.offsets[:-1])[heard]
        counts = heard.sum(axis=1)
        return rows, np.append(0, np.cumsum(counts))[:-1]

    def with_unknown(self, table: Ints, share: float, rng: np.random.Generator) -> Ints:
        """Return the table with a share of the forms and lemmas unknown, drawn one by one."""
        table = table.copy()
        for place, attribute in enumerate(self.values.attributes):
            if attribute.name in DROPPED:
                table[rng.random(len(table)) < share, place] = UNKNOWN
        return table

    def columns(self) -> list[InputColumn]:
        """Return the columns of a treebank that words are known by."""
        return [InputColumn(self, group) for group in self.values.groups]

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return a JSON-able dict and arrays from which `restore` makes these inputs again."""
        return self.values.state()

    @classmethod
    def restore(cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Inputs:
        """Return the inputs that `state` described."""
        return cls(Values.restore(settings, arrays))


class InputColumn:
    """One column of a treebank, and the rows of embeddings that a string in it stands for."""

    def __init__(self, inputs: Inputs, group: Group) -> None:
        self.source = group.source
        self._ids = group.ids
        self._offsets = inputs.offsets[:-1][group.places]
        self._silent = inputs.silent[group.places]
        self._heard = group.places.start == 0
        """Whether the first attribute always counts, see ``Inputs.rows``."""

    def strings_of(self, columns: Columns, words: int) -> Column:
        """Return the column, one of nothing but ``_`` where it is absent."""
        return columns.get(self.source) or absent(words)

    def rows(self, strings: Strings, first: int) -> Ints:
        """Return the rows of the strings from ``first`` on, [strings, attributes], -1 for none."""
        table = self._ids.ids(*joined(strings, first))
        rows = table + self._offsets
        silent = table == self._silent
        silent[:, 0] &= not self._heard
        rows[silent] = -1
        return rows
