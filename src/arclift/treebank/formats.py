"""The file formats: which columns they have, and how a file's format is recognised.

======== =========================================================================================
conllu   Universal Dependencies: comments, multiword ranges, empty nodes, ten columns
conllx   CoNLL-X 2006: ten columns, the last two are PHEAD and PDEPREL
conll09  CoNLL 2009: fourteen columns and one more for each predicate
vertical one token a line, columns separated by tabs, an empty line after each sentence
tokens   one token a line, ``form/tag`` or ``form``, an empty line after each sentence
lines    one sentence a line, tokens separated by spaces, each ``form/tag`` or ``form``
======== =========================================================================================

Column names are the same in all formats where they mean the same: CoNLL-X's CPOSTAG is ``upos``, its POSTAG
and CoNLL 2009's POS are ``xpos``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from arclift.errors import InputError, Place, UsageError


@dataclass(frozen=True)
class Format:
    """The layout of a kind of file."""

    name: str
    columns: tuple[str, ...]
    has_ids: bool = True
    open_ended: bool = False
    slashes: bool = False

    def column(self, name: str) -> int:
        """Return the place of the column called ``name``, -1 if this format has none."""
        return self.columns.index(name) if name in self.columns else -1

    @property
    def head_column(self) -> int:
        """The place of the HEAD column, -1 if there is none."""
        return self.column("head")


CONLLU = Format("conllu", ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"))
CONLLX = Format(
    "conllx", ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "phead", "pdeprel")
)
CONLL09 = Format(
    "conll09",
    (
        *("id", "form", "lemma", "plemma", "xpos", "pxpos", "feats", "pfeats"),
        *("head", "phead", "deprel", "pdeprel", "fillpred", "pred"),
    ),
    open_ended=True,
)
VERTICAL = Format("vertical", ("form", "upos"), has_ids=False)
TOKENS = Format("tokens", ("form", "upos"), has_ids=False, slashes=True)
LINES = Format("lines", ("form", "upos"), has_ids=False, slashes=True)

FORMATS = {format.name: format for format in (CONLLU, CONLLX, CONLL09, VERTICAL, TOKENS, LINES)}

_TAGS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
UPOS = frozenset(_TAGS.split())
"""The seventeen tags of Universal Dependencies 2."""

_UPOS_OF_ANY_VERSION = UPOS | {"CONJ"}

_KNOWN_COLUMNS = frozenset(column for format in FORMATS.values() for column in format.columns)


def by_name(name: str) -> Format:
    """Return the format called ``name``; ``vertical:form,lemma,xpos`` names the columns as well."""
    base, _, columns = name.partition(":")
    if base not in FORMATS:
        raise UsageError(f"no format {base!r}; there are {', '.join(FORMATS)}")
    if not columns:
        return FORMATS[base]
    names = tuple(columns.split(","))
    if base != "vertical":
        raise UsageError(f"the columns of {base} are fixed; only vertical:form,... takes column names")
    if "form" not in names or len(set(names)) != len(names):
        raise UsageError(f"{name!r}: the columns must be distinct, and one of them must be form")
    unknown = [column for column in names if column not in _KNOWN_COLUMNS and not column.startswith("_")]
    if unknown:
        raise UsageError(
            f"{name!r}: no column {unknown[0]!r}; call a column _1, _2, ... if it has no name here"
        )
    return replace(VERTICAL, columns=names)


_ROW = re.compile(rb"\d+(-\d+|\.\d+)?\t")
_SPACED_ROW = re.compile(rb"\d+(-\d+|\.\d+)? +(\S+ +){6,}\S")
_FEWEST_COLUMNS = 8  # what has a numbered first column and as many columns is CoNLL of some kind, if broken
_VERTICAL_DEFAULTS = {1: ("form",), 2: ("form", "upos"), 3: ("form", "lemma", "upos")}


def detect(start: bytes, file: str | None = None) -> Format:
    """Return the format of a file that begins with ``start`` (as many bytes as are at hand)."""
    if b"\0" in start:
        raise InputError(
            "this is a binary file", Place(file), code="binary", hint="arclift reads text in UTF-8"
        )
    lines = [line.rstrip(b"\r") for line in start.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
    if len(lines) > 1:
        lines.pop()  # it may be cut
    content = [line for line in lines if line and not line.isspace()]
    if _is_conll(content):
        rows = [line for line in content if _ROW.match(line)]
        return _detect_conll(rows, lines, file) if rows else CONLLU  # whose reader will ask for tabs
    if not content or (content[0].startswith(b"#") and b"=" in content[0] and b"\t" not in content[0]):
        return CONLLU  # a sentence's comments may fill all we have seen
    if any(b"\t" in line for line in content):
        width = content[0].count(b"\t") + 1
        return replace(VERTICAL, columns=_vertical_columns(width))
    if b"" in lines[:-1] and not any(b" " in line for line in content):
        tagged = sum(b"/" in line[1:-1] for line in content)
        return TOKENS if 2 * tagged > len(content) else replace(VERTICAL, columns=("form",))
    return LINES


def _is_conll(content: list[bytes]) -> bool:
    """Whether the rows are numbered; a numeral may begin a line of a vertical text, too."""
    rows = [line for line in content if not line.startswith(b"#")]
    if any(_ROW.match(line) and line.count(b"\t") + 1 >= _FEWEST_COLUMNS for line in rows):
        return True
    return bool(rows) and (
        all(_ROW.match(line) for line in rows) or all(_SPACED_ROW.match(line) for line in rows)
    )


def _vertical_columns(width: int) -> tuple[str, ...]:
    if width in _VERTICAL_DEFAULTS:
        return _VERTICAL_DEFAULTS[width]
    return ("form", "lemma", "upos", *(f"_{i}" for i in range(4, width + 1)))


def _detect_conll(rows: list[bytes], lines: list[bytes], file: str | None) -> Format:
    width = rows[0].count(b"\t") + 1
    if width >= 14:
        return CONLL09
    if width != 10:
        return CONLLU  # the reader will say which line has how many columns
    name = (file or "").removesuffix(".gz").removesuffix(".xz")
    columns = [row.split(b"\t") for row in rows if row.count(b"\t") == 9]
    marks_of_u = (
        any(line.startswith(b"#") for line in lines)
        or any(not cells[0].isdigit() for cells in columns)
        or any(b":" in cells[8] or b"=" in cells[9] for cells in columns)
    )
    if marks_of_u or name.endswith(".conllu"):
        return CONLLU
    tags = {cells[3].decode("utf-8", "replace") for cells in columns} - {"_", "X"}
    marks_of_x = any(cells[8].isdigit() for cells in columns) or (tags and not tags & _UPOS_OF_ANY_VERSION)
    return CONLLX if marks_of_x or name.endswith((".conll", ".conllx")) else CONLLU
