"""What is wrong with a sentence, in words a person can act on."""

from __future__ import annotations

from arclift.errors import InputError, Place
from arclift.treebank.formats import Format
from arclift.treebank.scan import Flaw

CODES = {
    Flaw.COLUMNS: "columns",
    Flaw.ID: "id",
    Flaw.ORDER: "id-order",
    Flaw.HEAD: "head",
    Flaw.HEAD_RANGE: "head-range",
    Flaw.RANGE: "range",
    Flaw.EMPTY_NODE: "empty-node",
    Flaw.UTF8: "utf8",
    Flaw.NUL: "nul",
    Flaw.NO_WORDS: "no-words",
}


def describe(data: bytes, format: Format, flaw: int, byte: int, place: Place) -> InputError:
    """Return the error for a flaw found by the scan at ``byte`` of ``data``."""
    kind = Flaw(flaw)
    cells = _line(data, byte).split(b"\t")
    what, hint = _WORDS[kind](format, cells, data[byte : byte + 1])
    return InputError(what, place, code=CODES[kind], hint=hint)


def _line(data: bytes, byte: int) -> bytes:
    end = data.find(b"\n", byte)
    return data[byte : len(data) if end < 0 else end].rstrip(b"\r")


def _show(cell: bytes) -> str:
    text = cell.decode("utf-8", "backslashreplace")
    return repr(text if len(text) <= 40 else text[:40] + "…")


def _columns(format: Format, cells: list[bytes], _: bytes) -> tuple[str, str]:
    wanted = f"at least {len(format.columns)}" if format.open_ended else str(len(format.columns))
    if not b"".join(cells).strip():
        return "the line holds only white space", "an empty line ends a sentence: remove the spaces"
    if len(cells) == 1 and b"  " in cells[0]:
        return f"1 column, {format.name} has {wanted}", "columns are separated by one tab, not by spaces"
    return (
        f"{len(cells)} column{'s' * (len(cells) != 1)}, {format.name} has {wanted}",
        f"the line begins {_show(cells[0])}; --format forces another format",
    )


def _id(format: Format, cells: list[bytes], _: bytes) -> tuple[str, str]:
    return f"the id {_show(cells[0])} is no number", "ids are 1, 2, 3, ..., a range 3-4 or an empty node 5.1"


def _order(format: Format, cells: list[bytes], _: bytes) -> tuple[str, str]:
    return f"the id {_show(cells[0])} is out of order", "words are numbered 1, 2, 3, ... in each sentence"


def _head_cell(format: Format, cells: list[bytes]) -> str:
    return _show(cells[format.head_column])


def _head(format: Format, cells: list[bytes], _: bytes) -> tuple[str, str]:
    return (
        f"the head {_head_cell(format, cells)} is no number",
        "a head is the id of a word, 0 for the root, or _",
    )


def _head_range(format: Format, cells: list[bytes], _: bytes) -> tuple[str, str]:
    return (
        f"the head {_head_cell(format, cells)} is beyond the last word",
        "a head is a word of the same sentence",
    )


def _range(format: Format, cells: list[bytes], _: bytes) -> tuple[str, str]:
    return (
        f"the range {_show(cells[0])} does not fit here",
        "a range stands before its first word, ends within the sentence and overlaps no other",
    )


def _empty_node(format: Format, cells: list[bytes], _: bytes) -> tuple[str, str]:
    return f"the empty node {_show(cells[0])} does not fit here", "after word 5 come 5.1, 5.2, ..."


def _utf8(format: Format, cells: list[bytes], byte: bytes) -> tuple[str, str]:
    return f"byte 0x{byte.hex()} is no UTF-8", "convert the file to UTF-8 first"


def _nul(format: Format, cells: list[bytes], _: bytes) -> tuple[str, str]:
    return "the line has a NUL byte", "is this a text file?"


def _no_words(format: Format, cells: list[bytes], _: bytes) -> tuple[str, str]:
    return "the sentence has no words", "only ranges or empty nodes stand here"


_WORDS = {
    Flaw.COLUMNS: _columns,
    Flaw.ID: _id,
    Flaw.ORDER: _order,
    Flaw.HEAD: _head,
    Flaw.HEAD_RANGE: _head_range,
    Flaw.RANGE: _range,
    Flaw.EMPTY_NODE: _empty_node,
    Flaw.UTF8: _utf8,
    Flaw.NUL: _nul,
    Flaw.NO_WORDS: _no_words,
}
