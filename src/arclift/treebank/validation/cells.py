"""What may stand in one cell: a function for each column, and a memory of the cells that are all right.

A treebank says the same things again and again, so each distinct cell is looked at once.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

from arclift.treebank.formats import UPOS

Problem = tuple[str, str]
"""The id of a rule, and what was seen."""

Check = Callable[[str], Iterator[Problem]]

_RELATIONS = (
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated "
    "expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum "
    "root vocative xcomp"
)
RELATIONS = frozenset(_RELATIONS.split())
"""The 37 relations of Universal Dependencies 2, without subtypes."""

_REMEMBERED = 1 << 16

NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
_CONTROL = re.compile(r"[\x01-\x08\x0b-\x1f\x7f]")
_DOUBLE_SPACE = re.compile(r"\s\s")
_SPACE = re.compile(r"\s")
_FEATURE = re.compile(r"[A-Z][A-Za-z0-9]*(?:\[[a-z0-9]+\])?=[A-Z0-9][A-Za-z0-9]*(?:,[A-Z0-9][A-Za-z0-9]*)*")
_DEPREL = re.compile(r"[a-z]+(?::[a-z]+)?")
NODE = re.compile(r"(0|[1-9][0-9]{0,8})(?:\.([1-9][0-9]{0,8}))?")
_ARC = re.compile(NODE.pattern + r":([a-z]+(?::[^\s:|A-Z]+)*)")


class Column:
    """Checks the cells of one column, each distinct one once, until a check finds something."""

    def __init__(self, *checks: Check) -> None:
        self._checks = checks
        self._good: set[str] = set()

    def problems(self, cells: Sequence[str]) -> Iterator[tuple[int, str, str]]:
        """Yield (index, rule, seen) for all that is wrong with ``cells``."""
        if self._good.issuperset(cells):
            return
        if len(self._good) > _REMEMBERED:
            self._good.clear()
        for index, cell in enumerate(cells):
            if cell in self._good:
                continue
            found = next(filter(None, (list(check(cell)) for check in self._checks)), [])
            for rule, seen in found:
                yield index, rule, seen
            if not found:
                self._good.add(cell)


def text_problems(text: str) -> Iterator[Problem]:
    """Find characters that should not be in any text."""
    if "\0" in text:
        yield "nul-byte", text
    if not text.isprintable() and _CONTROL.search(text):
        yield "control-character", text
    if not text.isascii() and not unicodedata.is_normalized("NFC", text):
        yield "not-nfc", text


def with_spaces(cell: str) -> Iterator[Problem]:
    """Check a cell in which single spaces may stand."""
    yield from text_problems(cell)
    if not cell:
        yield "empty-cell", cell
    elif cell[0].isspace() or cell[-1].isspace():
        yield "outer-white-space", cell
    if _DOUBLE_SPACE.search(cell):
        yield "double-white-space", cell


def without_spaces(cell: str) -> Iterator[Problem]:
    """Check a cell in which no white space may stand."""
    yield from with_spaces(cell)
    if _SPACE.search(cell.strip()):
        yield "inner-white-space", cell


def upos(cell: str) -> Iterator[Problem]:
    """Check a universal tag."""
    if cell not in UPOS:
        yield "invalid-upos", cell


def upos_or_none(cell: str) -> Iterator[Problem]:
    """Check the tag of an empty node, which may have none."""
    if cell != "_":
        yield from upos(cell)


def feats(cell: str) -> Iterator[Problem]:
    """Check the features of UD."""
    if cell == "_":
        return
    features = cell.split("|")
    wrong = [feature for feature in features if not _FEATURE.fullmatch(feature)]
    if wrong:
        yield "invalid-feats", wrong[0]
        return
    names = [feature.partition("=")[0].lower() for feature in features]
    if names != sorted(names):
        yield "unsorted-feats", cell
    if len(set(names)) < len(names):
        yield "duplicate-feature", cell
    for feature in features:
        values = feature.partition("=")[2].split(",")
        if values != sorted(set(values), key=str.lower):
            yield "feature-values", feature


def head(cell: str) -> Iterator[Problem]:
    """Check that a head is a number."""
    if not NUMBER.fullmatch(cell):
        yield "invalid-head", cell


def deprel(cell: str) -> Iterator[Problem]:
    """Check how a relation of UD is written."""
    if not _DEPREL.fullmatch(cell):
        yield "invalid-deprel", cell
    elif cell.partition(":")[0] not in RELATIONS:
        yield "unknown-deprel", cell


def deps(cell: str) -> Iterator[Problem]:
    """Check how DEPS is written."""
    if cell == "_":
        return
    arcs = [_ARC.fullmatch(item) for item in cell.split("|")]
    if not all(arcs):
        yield "invalid-deps", cell
        return
    keys = [((int(arc[1]), int(arc[2] or 0)), arc[3]) for arc in arcs if arc]
    if keys != sorted(keys):
        yield "unsorted-deps", cell
    if len(set(keys)) < len(keys):
        yield "duplicate-deps", cell
    for _, relation in keys:
        if relation.partition(":")[0] not in RELATIONS and relation != "ref":
            yield "unknown-deprel", relation
    if any((key == (0, 0)) != (relation == "root") for key, relation in keys):
        yield "deps-root", cell


def misc(cell: str) -> Iterator[Problem]:
    """Check MISC."""
    if cell == "_":
        return
    items = cell.split("|")
    if "" in items and cell:
        yield "invalid-misc", cell
    for item in items:
        name, _, value = item.partition("=")
        if name == "SpaceAfter" and value != "No":
            yield "invalid-space-after", item


def specified(cell: str) -> Iterator[Problem]:
    """Check that there is a value."""
    if cell == "_":
        yield "unspecified-cell", cell


def feature_list(cell: str) -> Iterator[Problem]:
    """Check the features of CoNLL-X, which are any words with | between them."""
    if cell and "" in cell.split("|"):
        yield "empty-feature", cell


def projective_head(cell: str) -> Iterator[Problem]:
    """Check PHEAD."""
    if cell != "_" and not NUMBER.fullmatch(cell):
        yield "invalid-phead", cell
