"""From one format to another, and a count of everything the other one cannot hold.

Columns that mean the same keep their text. What the target has no place for is left out and counted; a cell
that cannot stand as it is is changed and counted:

- CoNLL-X, ``tokens`` and ``lines`` take no space inside a cell: it becomes ``_``. The last two take no slash
  in a tag: it becomes ``|``. A slash in a form is kept: the last slash of a token is the one before its tag,
  and a form with a slash inside that has no tag gets the tag ``_``. An empty cell becomes ``_``.
- A token of ``tokens`` is a whole line and may have tabs, which no other format can hold: they become ``_``.
- CoNLL-X wants two tags: if the source has one kind of tag only, it serves as both. In ``lines``, ``tokens``
  and ``vertical`` the language's own tag stands in where the source has no universal ones.
- PHEAD is the projective head in CoNLL-X, the predicted one in CoNLL 2009; neither becomes the other.
- A head ``_`` stays ``_``, and no ``sent_id`` or ``text`` is made up.

Line ends become LF and one empty line ends each sentence; CR LF and a byte order mark count as lost. To the
same format nothing is converted: the bytes stay as they are, those of bad sentences that were skipped too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from arclift.errors import UsageError
from arclift.treebank.block import Block
from arclift.treebank.formats import CONLLU, CONLLX, LINES, TOKENS, VERTICAL, Format, by_name
from arclift.treebank.scan import Extra

TARGETS = ("conllu", "conllx", "vertical", "tokens", "lines")

_OF_ITS_OWN = frozenset({"phead", "pdeprel", "pred"})  # what they mean depends on the format
_EXTRAS = {
    Extra.COMMENT: "comments",
    Extra.RANGE: "multiword ranges",
    Extra.EMPTY_NODE: "empty nodes",
}
_BOM = b"\xef\xbb\xbf"
_EMPTY = re.compile(rb"\A\Z")
_TAB = re.compile(rb"\t")
_SPACE = re.compile(rb"[ \r]")
_SLASH = re.compile(rb"/")
_FINAL_RETURN = re.compile(rb"\r\Z")


class Converter:
    """Turns blocks of any format into bytes of another; ``lost`` counts what the other cannot hold."""

    def __init__(self, target: str | Format) -> None:
        self.target = by_name(target) if isinstance(target, str) else target
        if self.target.name not in TARGETS:
            raise UsageError(f"{self.target.name} is only read; convert to {', '.join(TARGETS)}")
        self.lost: Counter[str] = Counter()
        self.sentences = self.words = 0

    def convert(self, blocks: Iterable[Block]) -> Iterator[bytes]:
        """Yield the bytes of each block in the target's format."""
        for block in blocks:
            self.sentences += int(np.count_nonzero(np.diff(block.offsets)))
            self.words += block.words
            if self._is_same(block.format):
                yield block.data
            else:
                self._count_lost(block)
                data = self._convert(block)
                if data.startswith(_BOM) and self.words == block.words:
                    yield _BOM  # so that the first form's own U+FEFF is not taken for one
                yield data

    def _is_same(self, source: Format) -> bool:
        """Whether nothing is to be done; ``vertical`` without column names takes what columns there are."""
        return source == self.target or (source.name == VERTICAL.name and self.target == VERTICAL)

    def _convert(self, block: Block) -> bytes:
        columns = [self._cells(block, name) for name in self.target.columns]
        join = _tagged if self.target.slashes else b"\t".join
        rows = list(map(join, zip(*columns, strict=True)))
        pieces = []
        for index, (first, last) in enumerate(pairwise(block.offsets.tolist())):
            if first == last:
                continue
            if self.target.name == LINES.name:
                pieces += [b" ".join(rows[first:last]), b"\n"]
                continue
            if self.target == CONLLU:
                pieces += [comment + b"\n" for comment in block.extra_rows(index, Extra.COMMENT)]
            pieces += [b"\n".join(rows[first:last]), b"\n\n"]
        return b"".join(pieces)

    def _source_of(self, name: str, source: Format) -> str | None:
        """Return the column of the source that fills the target's column ``name``."""
        if name in _OF_ITS_OWN and source.name != self.target.name:
            return None
        if source.column(name) >= 0:
            return name
        other = {"upos": "xpos", "xpos": "upos"}.get(name, "")
        return other if self.target != CONLLU and source.column(other) >= 0 else None

    def _cells(self, block: Block, name: str) -> list[bytes]:
        if name == "id":
            bounds = pairwise(block.offsets.tolist())
            return [b"%d" % number for first, last in bounds for number in range(1, last - first + 1)]
        source = self._source_of(name, block.format)
        if source is None:
            return [b"_"] * block.words
        starts, ends = (bounds.tolist() for bounds in block.spans(source))
        cells = [block.data[start:end] for start, end in zip(starts, ends, strict=True)]
        if block.format.slashes:
            cells = [cell or b"_" for cell in cells]  # a token without a tag
        if block.format == TOKENS:  # whose tokens are whole lines
            cells = self._changed(cells, f"{name.upper()} cells with tabs (written with _)", _TAB, b"_")
        return cells if block.format == LINES else self._fitted(cells, name)

    def _fitted(self, cells: list[bytes], name: str) -> list[bytes]:
        """Change the cells that cannot stand in the target, and count them."""
        cells = self._changed(cells, f"empty {name.upper()} cells (written as _)", _EMPTY, b"_")
        if self.target == CONLLX or self.target.slashes:
            cells = self._changed(cells, f"{name.upper()} cells with spaces (written with _)", _SPACE, b"_")
        elif name == self.target.columns[-1]:
            kind = f"{name.upper()} cells that end with CR (written with _)"
            cells = self._changed(cells, kind, _FINAL_RETURN, b"_")
        if self.target.slashes and name == "upos":
            cells = self._changed(cells, "tags with a slash (written with |)", _SLASH, b"|")
        return cells

    def _changed(self, cells: list[bytes], kind: str, bad: re.Pattern[bytes], instead: bytes) -> list[bytes]:
        change = {cell: bad.sub(instead, cell) for cell in set(cells) if bad.search(cell)}
        if not change:
            return cells
        self.lost[kind] += sum(cell in change for cell in cells)
        return [change.get(cell, cell) for cell in cells]

    def _count_lost(self, block: Block) -> None:
        for kind, name in _EXTRAS.items():
            if self.target != CONLLU or kind != Extra.COMMENT:
                self._count(name, int(np.count_nonzero(block.extras[:, 0] == kind)))
        used = {self._source_of(name, block.format) for name in self.target.columns}
        for name in block.format.columns:
            if name != "id" and name not in used:
                self._count(f"{name.upper()} cells", _filled(block, name))
        self._count("CR LF line ends", block.data.count(b"\r\n"))
        self._count("byte order mark", int(block.first_line == 1 and block.data.startswith(_BOM)))

    def _count(self, kind: str, count: int) -> None:
        if count:
            self.lost[kind] += count


def _tagged(cells: tuple[bytes, ...]) -> bytes:
    form, tag = cells
    return form if tag == b"_" and b"/" not in form[1:-1] else form + b"/" + tag


def _filled(block: Block, name: str) -> int:
    """Count the cells of a column that say something."""
    starts, ends = block.spans(name)
    if block.format.open_ended and name == block.format.columns[-1]:
        cells = (block.data[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True))
        return sum(not set(cell.split(b"\t")) <= {b"_", b""} for cell in cells)
    lengths = ends - starts
    text = np.frombuffer(block.data + b"_", dtype=np.uint8)
    return int(np.count_nonzero((lengths > 1) | ((lengths == 1) & (text[starts] != ord("_")))))
