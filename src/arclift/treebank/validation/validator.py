"""Is this treebank what its format says? Everything that is not, with line, sentence and what to do.

CoNLL-U and CoNLL-X are checked line by line, without the reader's help: it gives up a sentence at its first
flaw, and here one flaw must not hide the next. Of the other formats the reader's flaws are reported. What is
looked for stands in `arclift.treebank.validation.rules`.

The input is streamed. Cost: linear; each distinct cell of a column is looked at once. Memory: a chunk, a
bounded number of cells for each column, and a hash of each sent_id.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from arclift.errors import InputError, UsageError
from arclift.treebank.block import Block
from arclift.treebank.formats import CONLLU, CONLLX, Format, by_name, detect
from arclift.treebank.stream import Source, open_bytes, read_chunks, read_some
from arclift.treebank.validation import cells
from arclift.treebank.validation.cells import Check, Column, text_problems
from arclift.treebank.validation.rows import (
    Paragraph,
    Rows,
    check_empty_nodes,
    check_ranges,
    read_paragraph,
)
from arclift.treebank.validation.rules import RULES, Severity
from arclift.treebank.validation.text import check_sent_id, check_spaces_in_ranges, check_text
from arclift.treebank.validation.tree import (
    check_graph,
    check_projective_heads,
    check_root_relation,
    check_tree,
)

_BOM = b"\xef\xbb\xbf"
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong at one place."""

    file: str
    line: int
    sentence: str | None
    id: str
    level: int
    severity: Severity
    message: str
    seen: str
    hint: str

    def __str__(self) -> str:
        warning = "warning: " if self.severity == "warning" else ""
        seen = f": {self.seen}" if self.seen else ""
        where = f" (sentence {self.sentence})" if self.sentence else ""
        what = f"{warning}{self.message}{seen}; {self.hint}"
        return f"{self.file}:{self.line}: [L{self.level} {self.id}] {what}{where}"

    def as_dict(self) -> dict[str, object]:
        """Return the finding for JSON."""
        return asdict(self)


class Validator:
    """Goes through a treebank once; afterwards the counts are complete.

    ::

        validator = Validator("train.conllu")
        for finding in validator.findings():
            print(finding)
        print(validator.errors, validator.counts["cycle"])
    """

    def __init__(self, source: Source, *, format: str | Format | None = None, level: int = 2) -> None:
        if level not in (1, 2):
            raise UsageError(f"level is 1 or 2, not {level!r}")
        self.source = source
        self.format = by_name(format) if isinstance(format, str) else format
        self.level = level
        self.sentences = self.words = self.errors = self.warnings = 0
        self.counts: Counter[str] = Counter()
        self.file = ""
        self._columns: dict[str, list[Column]] = {}
        self._sent_ids: set[bytes] = set()
        self._carriage_return_seen = False

    def findings(self) -> Iterator[Finding]:
        """Yield all that is wrong, in the order of the file."""
        for finding in self._read():
            self.counts[finding.id] += 1
            if finding.severity == "error":
                self.errors += 1
            else:
                self.warnings += 1
            yield finding

    def _read(self) -> Iterator[Finding]:
        line = 1
        with open_bytes(self.source) as (stream, self.file):
            start = read_some(stream, self.file)
            try:
                self.format = self.format or detect(start, self.file)
                self._columns = _columns_of(self.format, self.level)
                for data in read_chunks(stream, self.file, start, self.format):
                    yield from self._chunk(data, line)
                    line += data.count(b"\n")
            except InputError as error:
                if error.code not in _UNREADABLE:
                    raise
                yield self._finding(_UNREADABLE[error.code], line)
                return
        if not self.sentences and not self.counts:
            yield self._finding("empty-file", line)

    def _chunk(self, data: bytes, first_line: int) -> Iterator[Finding]:
        if self.format not in (CONLLU, CONLLX):
            yield from self._flaws(data, first_line)
            return
        if first_line == 1 and data.startswith(_BOM):
            yield self._finding("byte-order-mark", 1)
            data = data[len(_BOM) :]
        lines, broken = _decode(data)
        if not self._carriage_return_seen and "\r" in "".join(line[-1:] for line in lines):
            self._carriage_return_seen = True
            first = next(number for number, line in enumerate(lines) if line.endswith("\r"))
            yield self._finding("carriage-return", first_line + first)
        if self._carriage_return_seen:
            lines = [line.removesuffix("\r") for line in lines]
        last = first_line + len(lines) - 1
        yield from self._paragraphs(lines, first_line, broken)
        if not data.endswith(b"\n"):
            yield self._finding("missing-final-newline", last)
        elif not _ENDS_WITH_EMPTY_LINE.search(data):
            yield self._finding("missing-final-empty-line", last - 1)

    def _paragraphs(self, lines: list[str], first_line: int, broken: set[int]) -> Iterator[Finding]:
        begin = 0
        lines += [""] * (len(lines[-1]) > 0)  # what follows the last line end is an empty line to us
        while begin < len(lines):
            end = lines.index("", begin)
            if end > begin:
                paragraph = read_paragraph(lines[begin:end], first_line + begin, len(CONLLU.columns))
                for number in range(begin, end) if broken else ():
                    if number in broken:
                        paragraph.report("invalid-utf8", first_line + number, lines[number])
                yield from self._check(paragraph)
            elif end < len(lines) - 1:
                yield self._finding("extra-empty-line", first_line + begin)
            begin = end + 1

    def _check(self, paragraph: Paragraph) -> Iterator[Finding]:
        self.sentences += paragraph.is_sentence
        self.words += len(paragraph.words.cells)
        for line, comment in paragraph.comments:
            for rule, seen in text_problems(comment):
                paragraph.report(rule, line, seen)
        for kind in ("words", "ranges", "empty_nodes"):
            self._check_cells(paragraph, getattr(paragraph, kind), self._columns[kind])
        if paragraph.words.cells:
            if self.format == CONLLX:
                _check_conllx(paragraph, self.level)
            elif self.level > 1:
                _check_conllu(paragraph, self._sent_ids)
        elif not paragraph.found:
            paragraph.report("no-words", paragraph.first_line)
        if paragraph.found:
            ids = paragraph.metadata("sent_id")
            sentence = ids[0][1] if ids else str(self.sentences)
            for rule, line, seen in sorted(paragraph.found, key=lambda found: found[1]):
                yield self._finding(rule, line, sentence, seen)

    def _check_cells(self, paragraph: Paragraph, rows: Rows, columns: list[Column]) -> None:
        for column, cells_of_column in zip(columns, zip(*rows.cells, strict=True), strict=False):
            for row, rule, seen in column.problems(cells_of_column):
                paragraph.report(rule, rows.lines[row], seen)

    def _finding(self, rule: str, line: int, sentence: str | None = None, seen: str = "") -> Finding:
        id, level, severity, what, hint = RULES[rule]
        shown = seen if len(seen) <= _SHOWN else seen[:_SHOWN] + "…"
        return Finding(self.file, line, sentence, id, level, severity, what, shown, hint)

    def _flaws(self, data: bytes, first_line: int) -> Iterator[Finding]:
        """Report what the reader of another format finds."""
        assert self.format is not None
        block = Block(
            data, self.format, file=self.file, first_line=first_line, first_sentence=self.sentences + 1
        )
        self.sentences += len(block)
        self.words += block.words
        for _, error in block.errors():
            place = error.place
            yield Finding(
                self.file, place.line or 0, place.sentence, error.code, 1, "error", error.what, "", error.hint
            )


_ENDS_WITH_EMPTY_LINE = re.compile(rb"(?:\A|\n)\r?\n\Z")
_UNREADABLE = {"binary": "binary-file", "endless-sentence": "endless-sentence"}


def _decode(data: bytes) -> tuple[list[str], set[int]]:
    """Return the lines as text, and the numbers of those that are no UTF-8."""
    try:
        return data.decode().split("\n"), set()
    except UnicodeDecodeError:
        pass
    lines = []
    broken = set()
    for number, line in enumerate(data.split(b"\n")):
        try:
            lines.append(line.decode())
        except UnicodeDecodeError:
            lines.append(line.decode("utf-8", "backslashreplace"))
            broken.add(number)
    return lines, broken


def _columns_of(format: Format, level: int) -> dict[str, list[Column]]:
    """Return what is checked in each column of words, ranges and empty nodes."""
    spaced = {"form", "lemma", "misc"} if format == CONLLU else set()
    contents = _CONTENTS_OF_X if format == CONLLX else _CONTENTS
    return {
        kind: [
            Column(
                cells.with_spaces if name in spaced else cells.without_spaces,
                *([check[name]] if level > 1 and name in check else []),
            )
            for name in format.columns
        ]
        for kind, check in contents.items()
    }


_FEATS_AND_MISC: dict[str, Check] = {"feats": cells.feats, "misc": cells.misc}
_CONTENTS: dict[str, dict[str, Check]] = {
    "words": {
        **_FEATS_AND_MISC,
        "upos": cells.upos,
        "head": cells.head,
        "deprel": cells.deprel,
        "deps": cells.deps,
    },
    "ranges": _FEATS_AND_MISC,
    "empty_nodes": {**_FEATS_AND_MISC, "upos": cells.upos_or_none, "deps": cells.deps},
}
_CONTENTS_OF_X: dict[str, dict[str, Check]] = {
    "words": {
        "upos": cells.specified,
        "xpos": cells.specified,
        "feats": cells.feature_list,
        "head": cells.head,
        "deprel": cells.specified,
        "phead": cells.projective_head,
    },
    "ranges": {},
    "empty_nodes": {},
}


def _check_conllu(paragraph: Paragraph, sent_ids: set[bytes]) -> None:
    check_sent_id(paragraph, sent_ids)
    check_text(paragraph)
    check_ranges(paragraph)
    check_empty_nodes(paragraph)
    check_root_relation(paragraph)
    if paragraph.numbered:
        check_spaces_in_ranges(paragraph)
        check_tree(paragraph, single_root=True)
        check_graph(paragraph)


def _check_conllx(paragraph: Paragraph, level: int) -> None:
    for line, comment in paragraph.comments:
        paragraph.report("conllx-comment", line, comment)
    for rows in (paragraph.ranges, paragraph.empty_nodes):
        for row, line in zip(rows.cells, rows.lines, strict=True):
            paragraph.report("conllx-row", line, row[0])
    if level > 1:
        check_projective_heads(paragraph)
        if paragraph.numbered:
            check_tree(paragraph, single_root=False)
