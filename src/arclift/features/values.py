"""Attributes of words as value ids: vocabularies learned from training data, then frozen.

A column comes as the distinct strings of a treebank and one id a word (`arclift.treebank.strings`). All that
looks at text is done once for each distinct string; a word costs one look-up a column. Ids are those of
`arclift.features.program`: 2 is a value that training did not show often enough, the others follow from 3
in order of falling frequency. A word without a feature has the empty value, which is a value like any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from arclift.errors import InputError, UsageError
from arclift.features.address import FIRST, SOURCES, STAR, UNKNOWN, Attribute
from arclift.features.template import parse_attribute
from arclift.features.text import Texts, decoded, named_features
from arclift.native import accelerated

Ids = NDArray[np.int32]


class Strings(Protocol):
    """Distinct byte strings by id; a table may grow between two uses but never change what it has."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> bytes: ...


def joined(strings: Strings, first: int) -> tuple[bytes, NDArray[np.int64]]:
    """Return the strings from ``first`` on as one, and where each ends in it."""
    if isinstance(strings, Joins):
        return strings.joined(first)
    texts = [strings[index] for index in range(first, len(strings))]
    return b"".join(texts), np.cumsum([len(text) for text in texts], dtype=np.int64)


@runtime_checkable
class Joins(Protocol):
    """Strings that can do so at once, as a string table can."""

    def joined(self, first: int, /) -> tuple[bytes, NDArray[np.int64]]:
        """Return what the function of this name does."""


class Column(NamedTuple):
    """One column of a treebank: the distinct strings, and for each word which it has."""

    strings: Strings
    ids: Ids


Columns = Mapping[str, Column]
"""Columns by the names in `SOURCES`; ``form`` must be there, others that are absent count as ``_``."""


_ABSENT = (b"_",)


def absent(words: int) -> Column:
    """Return a column of nothing but ``_``."""
    return Column(_ABSENT, np.zeros(words, dtype=np.int32))


def _columns(columns: Columns, sources: Sequence[str]) -> dict[str, Column]:
    """Return the columns asked for, checked, those that are absent filled with ``_``."""
    if "form" not in columns:
        raise UsageError("the column 'form' is missing: without words there are no features of words")
    words = len(columns["form"].ids)
    found: dict[str, Column] = {}
    for source in sources:
        column = columns.get(source) or absent(words)
        if len(column.ids) != words:
            raise UsageError(f"the column {source!r} has {len(column.ids)} words, the column 'form' {words}")
        if words and not 0 <= column.ids.min() <= column.ids.max() < len(column.strings):
            raise UsageError(f"the column {source!r} has ids that are not in its strings")
        found[source] = column
    return found


def feature_names(column: Column, minimum: int = 2) -> tuple[str, ...]:
    """Return the names in a FEATS column that at least ``minimum`` words have, in order of the alphabet."""
    counts: Counter[str] = Counter()
    for text, count in _counted(column):
        counts.update(dict.fromkeys(named_features(text), count))
    names = (name for name, count in counts.items() if count >= minimum)
    return tuple(sorted(name for name in names if name not in ("", STAR)))  # these mean FEATS as a whole


def _counted(column: Column) -> list[tuple[str, int]]:
    """Return the strings that words have, as text, and how many words have each."""
    counts = np.bincount(column.ids, minlength=len(column.strings))
    return [(decoded(column.strings[k]), int(counts[k])) for k in np.flatnonzero(counts).tolist()]


class Values:
    """The frozen vocabularies of some attributes.

    Attributes:
        attributes: what each column of the encoded words is.
        vocabularies: for each attribute its values; the id of ``vocabulary[k]`` is k + 3.
        sizes: for each attribute how many ids there are, with those below 3.

    """

    def __init__(self, attributes: Sequence[Attribute], vocabularies: Sequence[Sequence[str]]) -> None:
        self.attributes = tuple(attributes)
        self.vocabularies = tuple(tuple(vocabulary) for vocabulary in vocabularies)
        self.sizes = tuple(FIRST + len(vocabulary) for vocabulary in self.vocabularies)

    @classmethod
    def learn(
        cls, attributes: Sequence[Attribute], columns: Columns, minimum: int | Mapping[str, int] = 2
    ) -> Values:
        """Return the vocabularies of training data: values that at least ``minimum`` words have.

        ``minimum`` may give a number for some attributes by their text, such as ``{"suffix3": 5}``; the
        others get 2. A minimum of 1 leaves nothing unknown in training, so that nothing is learned about
        unknown values.
        """
        least = dict.fromkeys(map(str, attributes), minimum) if isinstance(minimum, int) else dict(minimum)
        sources = dict.fromkeys(SOURCES[attribute.name] for attribute in attributes)
        counted = {name: _counted(column) for name, column in _columns(columns, list(sources)).items()}
        texts = {name: Texts([text for text, _ in pairs]) for name, pairs in counted.items()}
        vocabularies = []
        for attribute in attributes:
            source = SOURCES[attribute.name]
            counts: Counter[str] = Counter()
            for value, (_, count) in zip(texts[source].values(attribute), counted[source], strict=True):
                counts[value] += count
            kept = [item for item in counts.items() if item[1] >= least.get(str(attribute), 2)]
            vocabularies.append([text for text, _ in sorted(kept, key=lambda item: (-item[1], item[0]))])
        return cls(attributes, vocabularies)

    @cached_property
    def groups(self) -> list[Group]:
        """The attributes that are next to each other and come from one column."""
        grouped = groupby(enumerate(self.attributes), key=lambda item: SOURCES[item[1].name])
        places = [(source, [place for place, _ in items]) for source, items in grouped]
        return [
            Group(
                source,
                slice(own[0], own[-1] + 1),
                _TextIds([self.attributes[k] for k in own], [self.vocabularies[k] for k in own]),
            )
            for source, own in places
        ]

    # -- on disk ------------------------------------------------------------------------------------------

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return a JSON-able dict and arrays from which `restore` makes these values again."""
        arrays: dict[str, NDArray[Any]] = {}
        for place, vocabulary in enumerate(self.vocabularies):
            texts = [text.encode() for text in vocabulary]
            arrays[f"{place}.text"] = np.frombuffer(b"".join(texts), dtype=np.uint8)
            arrays[f"{place}.ends"] = np.cumsum([len(text) for text in texts], dtype=np.int64)
        return {"attributes": [list(attribute) for attribute in self.attributes]}, arrays

    @classmethod
    def restore(cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Values:
        """Return the values that `state` described; raise ``InputError`` where the parts are damaged."""
        listed = settings.get("attributes")
        if not isinstance(listed, list):
            raise InputError("the attributes of words are not listed", code="values")
        attributes = [_attribute(parts) for parts in listed]
        return cls(attributes, [_vocabulary(arrays, place) for place in range(len(attributes))])


def _attribute(parts: object) -> Attribute:
    """Return an attribute of words from its name and argument; names of features may hold any character."""
    match parts:
        case ["feats", str(argument)] if argument != STAR:
            return Attribute("feats", argument)
        case [str(name), str(argument)] if name in SOURCES and name != "feats":
            attribute = Attribute(name, argument)
            try:
                if parse_attribute(str(attribute)) == attribute:
                    return attribute
            except UsageError:
                pass
    raise InputError(f"{parts!r} is not an attribute of words", code="values")


def _vocabulary(arrays: Mapping[str, NDArray[Any]], place: int) -> list[str]:
    text, ends = arrays.get(f"{place}.text"), arrays.get(f"{place}.ends")
    if text is None or ends is None or text.dtype != np.uint8 or ends.dtype != np.int64:
        raise InputError(f"the vocabulary {place} is missing or of a wrong type", code="values")
    starts = np.concatenate([np.zeros(1, dtype=np.int64), ends.ravel()])
    if text.ndim != 1 or ends.ndim != 1 or starts[-1] != len(text) or np.any(np.diff(starts) < 0):
        raise InputError(f"the vocabulary {place} is cut at places outside its text", code="values")
    data = text.tobytes()
    try:
        values = [data[a:b].decode() for a, b in zip(starts[:-1].tolist(), ends.tolist(), strict=True)]
    except UnicodeDecodeError as error:
        raise InputError(f"the vocabulary {place} is not UTF-8", code="values") from error
    if len(set(values)) < len(values):
        raise InputError(f"the vocabulary {place} has a value twice", code="values")
    return values


class Group(NamedTuple):
    """Attributes of one column."""

    source: str
    places: slice
    ids: _TextIds


@accelerated
class _TextIds:
    """The value ids of texts for attributes of one column; it never changes."""

    def __init__(self, attributes: Sequence[Attribute], vocabularies: Sequence[Sequence[str]]) -> None:
        self._attributes = attributes
        self._ids = [
            {text: FIRST + number for number, text in enumerate(vocabulary)} for vocabulary in vocabularies
        ]

    def ids(self, data: bytes, ends: NDArray[np.int64]) -> Ids:
        """Return int32[texts, attributes]; the texts stand in ``data`` one after the other."""
        bounds = pairwise([0, *ends.tolist()])
        texts = Texts([decoded(data[begin:end]) for begin, end in bounds])
        table = np.empty((len(ends), len(self._attributes)), dtype=np.int32)
        for place, (attribute, known) in enumerate(zip(self._attributes, self._ids, strict=True)):
            table[:, place] = [known.get(value, UNKNOWN) for value in texts.values(attribute)]
        return table


class Encoder:
    """Turns columns into value ids, and remembers those of the strings it has seen.

    What is remembered grows with the string tables it is given and goes when a column comes with another
    table. Not for several threads at a time: each may have its own, they share the `Values`.
    """

    def __init__(self, values: Values) -> None:
        self.values = values
        empty = np.empty(0, dtype=np.int32)
        self._known: list[tuple[Strings, Ids]] = [(_ABSENT, empty)] * len(values.groups)

    def encode(self, columns: Columns) -> Ids:
        """Return int32[words, attributes], the value of each attribute of each word."""
        groups = self.values.groups
        found = _columns(columns, ["form", *(group.source for group in groups)])
        table = np.empty((len(found["form"].ids), len(self.values.attributes)), dtype=np.int32)
        for number, group in enumerate(groups):
            column = found[group.source]
            table[:, group.places] = self._lookup(number, column.strings)[column.ids]
        return table

    def _lookup(self, number: int, strings: Strings) -> Ids:
        """Return int32[strings, attributes of the group], worked out only for strings not seen before."""
        before, known = self._known[number]
        if before is not strings or not len(known):
            known = self.values.groups[number].ids.ids(*joined(strings, 0))
        elif len(known) < len(strings):
            new = self.values.groups[number].ids.ids(*joined(strings, len(known)))
            known = np.concatenate([known, new])
        self._known[number] = strings, known
        return known
