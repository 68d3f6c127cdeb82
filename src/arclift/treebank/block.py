"""A run of sentences in memory: their bytes, and arrays that say where everything is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arclift.errors import InputError, Place, UsageError
from arclift.treebank import flaws
from arclift.treebank.formats import TOKENS, Format
from arclift.treebank.plain import scan_tagged
from arclift.treebank.scan import Extra, Scan, scan
from arclift.treebank.sentence import Sentence
from arclift.treebank.splice import Edit, splice
from arclift.treebank.strings import StringTable
from arclift.trees.repair import filled
from arclift.trees.structure import Heads, TreeFlaw, problem, tree_problems

_SENT_ID = re.compile(rb"^# *sent_id *= *(\S+)", re.MULTILINE)

Labels = tuple[NDArray[np.int32], Sequence[str]]
"""Ids, one a word, and what they stand for."""


class Block:
    """Whole sentences as they stand in a file, with their columns as arrays.

    ``heads``, ``offsets`` and the columns hold the words of all sentences one after the other; see
    `arclift.treebank.scan` for the arrays. A sentence with a flaw has no words here but keeps its bytes.
    """

    def __init__(
        self,
        data: bytes,
        format: Format,
        *,
        file: str | None = None,
        first_line: int = 1,
        first_sentence: int = 1,
    ) -> None:
        self.data = data
        self.format = format
        self.file = file
        self.first_line = first_line
        self.first_sentence = first_sentence
        found = self._scan(skip_bom=first_line == 1)
        self.fields, self.heads, self.offsets, self.starts, self.extras, self.flaws = found
        self._tree_errors: list[tuple[int, InputError]] = []

    def _scan(self, skip_bom: bool) -> Scan:
        if self.format.slashes:
            return scan_tagged(self.data, skip_bom, one_a_line=self.format.name == TOKENS.name)
        layout = self.format
        return Scan(
            *scan(
                self.data,
                len(layout.columns),
                layout.open_ended,
                layout.has_ids,
                layout.head_column,
                skip_bom,
            )
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def words(self) -> int:
        """How many words the sentences have together."""
        return len(self.fields)

    def __getitem__(self, index: int) -> Sentence:
        if not -len(self) <= index < len(self):
            raise IndexError("no such sentence")
        return Sentence(self, index % len(self))

    def __iter__(self) -> Iterator[Sentence]:
        return (Sentence(self, index) for index in range(len(self)))

    # -- columns ------------------------------------------------------------------------------------------

    def ids(self, column: str, strings: StringTable) -> NDArray[np.int32]:
        """Return the column as ids of ``strings``, which grows by what is new."""
        starts, ends = self.spans(column)
        return strings.add_spans(self.data, starts, ends)

    def spans(self, column: str) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Return where the column begins and ends in ``data``, for each word."""
        place = self._column(column)
        starts = np.minimum(self.fields[:, place], len(self.data))  # a missing last column starts behind it
        return starts, np.maximum(starts, self.fields[:, place + 1] - 1)

    def _column(self, name: str) -> int:
        place = self.format.column(name)
        if place < 0:
            raise UsageError(f"the format {self.format.name} has no column {name!r}")
        return place

    # -- writing ------------------------------------------------------------------------------------------

    def replaced(
        self, *, heads: ArrayLike | None = None, columns: Mapping[str, Labels] | None = None
    ) -> bytes:
        """Return this block's bytes with other heads and other columns where they differ.

        ``columns`` maps a name to (ids, texts), one id a word. A head or id of -1 leaves the word alone.
        """
        edits: list[Edit] = []
        if heads is not None:
            edits.append(self._head_edit(np.ascontiguousarray(heads, dtype=np.int32)))
        for name, (ids, texts) in (columns or {}).items():
            edits.append((self._column(name), np.ascontiguousarray(ids, np.int32), _cells(texts)))
        edits.sort(key=lambda edit: edit[0])
        return splice(self.data, 0, len(self.data), self.fields, edits)

    def _head_edit(self, heads: NDArray[np.int32]) -> Edit:
        ids = np.where(heads == self.heads, np.int32(-1), heads)
        return self._column("head"), ids, decimals(int(heads.max(initial=0)))

    # -- places and errors --------------------------------------------------------------------------------

    def line_at(self, byte: int) -> int:
        """Return the number of the line, in the file, that holds this byte of the block."""
        return self.first_line + int(np.searchsorted(self._newlines, byte))

    @cached_property
    def _newlines(self) -> NDArray[np.intp]:
        return np.flatnonzero(np.frombuffer(self.data, dtype=np.uint8) == ord("\n"))

    def place(self, index: int, byte: int | None = None) -> Place:
        """Return where sentence ``index``, or this byte of it, stands in the file."""
        line = self[index].line if byte is None else self.line_at(byte)
        return Place(self.file, line, self._name(index))

    def _name(self, index: int) -> str:
        """Return the ``sent_id``, or else the number, from the bytes: a flawed sentence has no metadata."""
        found = _SENT_ID.search(self.data, *self.starts[index : index + 2].tolist())
        return found[1].decode("utf-8", "replace") if found else str(self.first_sentence + index)

    def flaw_error(self, flaw: int) -> InputError:
        """Return the error that describes row ``flaw`` of ``flaws``."""
        what, byte, index = self.flaws[flaw].tolist()
        return flaws.describe(self.data, self.format, what, byte, self.place(index, byte))

    def errors(self) -> list[tuple[int, InputError]]:
        """Return (sentence, error) for each sentence that has no words here because something is wrong."""
        format_errors = [(int(row[2]), self.flaw_error(flaw)) for flaw, row in enumerate(self.flaws)]
        return sorted(format_errors + self._tree_errors, key=lambda pair: pair[0])

    def require_trees(self, *, partial: bool = False, single_root: bool = False) -> None:
        """Take the words out of sentences whose heads are no tree, and note the error; their bytes stay.

        Several roots are an error only with ``single_root``: there are treebanks that have them. With
        ``partial`` words may lack a head, as long as there is a tree that has all the others.
        """
        if self.format.head_column < 0:
            raise UsageError(f"the format {self.format.name} has no heads, and trees are needed here")
        most = TreeFlaw.NONE if single_root else TreeFlaw.SEVERAL_ROOTS
        heads = filled(self.heads, self.offsets) if partial else self.heads
        bad = tree_problems(heads, self.offsets) > most
        if not bad.any():
            return
        for index in np.flatnonzero(bad).tolist():
            own = slice(*self.offsets[index : index + 2].tolist())
            self._tree_errors.append((index, self._tree_error(index, heads[own], partial)))
        lengths = np.diff(self.offsets)
        kept = ~np.repeat(bad, lengths)
        self.fields, self.heads = self.fields[kept], self.heads[kept]
        self.offsets = np.concatenate(([0], np.cumsum(np.where(bad, 0, lengths))))

    def _tree_error(self, index: int, heads: Heads, partial: bool) -> InputError:
        found = problem(heads)
        if found is None:
            raise AssertionError("only sentences with a problem come here")
        first = int(self.offsets[index]) + (found.words[0] - 1 if found.words else 0)
        place = self.place(index, int(self.fields[first, 0]))
        return InputError(
            str(found),
            place,
            code=found.flaw.name.lower().replace("_", "-"),
            hint="no tree has all the heads that are given" if partial else "the heads must form a tree",
        )

    def head(self, sentences: int) -> Block:
        """Return a block of only the first sentences."""
        return Block(
            self.data[: self.starts[sentences]],
            self.format,
            file=self.file,
            first_line=self.first_line,
            first_sentence=self.first_sentence,
        )

    def extra_rows(self, index: int, kind: Extra) -> list[bytes]:
        """Return the rows of this kind in sentence ``index``."""
        first, last = np.searchsorted(self.extras[:, 1], self.starts[index : index + 2])
        return [
            self.data[begin:end] for row, begin, end, _ in self.extras[first:last].tolist() if row == kind
        ]


def _cells(texts: Sequence[str]) -> list[bytes]:
    cells = [text.encode() for text in texts]
    for cell in cells:
        if b"\t" in cell or b"\n" in cell or not cell:
            raise UsageError(
                f"{cell.decode()!r} cannot stand in a column: it is empty or has a tab or a line end"
            )
    return cells


_DECIMALS = [b"0"]


def decimals(highest: int) -> list[bytes]:
    """Return the texts of the numbers 0 to ``highest``."""
    if len(_DECIMALS) <= highest:
        _DECIMALS.extend(b"%d" % number for number in range(len(_DECIMALS), 2 * highest + 1))
    return _DECIMALS[: highest + 1]
