"""The lines of one sentence, sorted into comments, words, ranges and empty nodes, and their numbering."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_WORD = re.compile(r"[1-9][0-9]{0,8}")
_RANGE = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})")
_EMPTY_NODE = re.compile(r"(0|[1-9][0-9]{0,8})\.([1-9][0-9]{0,8})")

_NUMBERS: list[str] = []


@dataclass(slots=True)
class Rows:
    """One kind of rows of a sentence: their cells, and the line each stands on."""

    cells: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def add(self, cells: list[str], line: int) -> None:
        """Add a row."""
        self.cells.append(cells)
        self.lines.append(line)


@dataclass(slots=True)
class Paragraph:
    """The lines between two empty lines, and what is found wrong with them."""

    first_line: int
    comments: list[tuple[int, str]] = field(default_factory=list)
    words: Rows = field(default_factory=Rows)
    ranges: Rows = field(default_factory=Rows)
    empty_nodes: Rows = field(default_factory=Rows)
    is_sentence: bool = False
    """Whether there are rows, and not comments alone."""
    numbered: bool = True
    """Whether the words are 1..n and ranges and empty nodes are in their places."""
    found: list[tuple[str, int, str]] = field(default_factory=list)
    """(rule, line, seen)"""

    def report(self, rule: str, line: int, seen: str = "") -> None:
        """Note what is wrong in a line."""
        self.found.append((rule, line, seen))

    def metadata(self, key: str) -> list[tuple[int, str]]:
        """Return the line and value of each comment ``# key = value``."""
        pairs = ((line, comment[1:].partition("=")) for line, comment in self.comments if key in comment)
        return [
            (line, value.removeprefix(" "))
            for line, (name, found, value) in pairs
            if found and name.strip() == key
        ]

    def words_in_ranges(self) -> dict[int, tuple[int, int]]:
        """Return for the first word of each range: the range's place in ``ranges``, and its last word."""
        bounds = (row[0].split("-") for row in self.ranges.cells)
        return {int(first): (place, int(last)) for place, (first, last) in enumerate(bounds)}


def read_paragraph(lines: list[str], first_line: int, columns: int) -> Paragraph:
    """Sort the lines of a sentence and check their numbering."""
    paragraph = Paragraph(first_line)
    rows = Rows()
    for line, text in enumerate(lines, first_line):
        if text[0] == "#":
            if rows.lines:
                paragraph.report("misplaced-comment", line, text)
            else:
                paragraph.comments.append((line, text))
            continue
        paragraph.is_sentence = True
        cells = text.split("\t")
        if len(cells) == columns:
            rows.add(cells, line)
        else:
            paragraph.numbered = False
            if text.isspace():
                paragraph.report("white-space-line", line, text)
            else:
                paragraph.report("column-count", line, f"{len(cells)} column{'s' * (len(cells) != 1)}")
    if paragraph.numbered and [cells[0] for cells in rows.cells] == _numbers(len(rows.cells)):
        paragraph.words = rows
    else:
        _number(paragraph, rows)
    return paragraph


def _numbers(n: int) -> list[str]:
    if len(_NUMBERS) < n:
        _NUMBERS.extend(str(number) for number in range(len(_NUMBERS) + 1, 2 * n + 1))
    return _NUMBERS[:n]


def _number(paragraph: Paragraph, rows: Rows) -> None:
    """Tell words, ranges and empty nodes apart and check that each stands where its id says."""
    complete = paragraph.numbered  # if rows are missing, so are ids, and that has been said
    known = len(paragraph.found)
    count = range_end = 0
    last_empty = (-1, 0)
    for cells, line in zip(rows.cells, rows.lines, strict=True):
        id = cells[0]
        if _WORD.fullmatch(id):
            if int(id) != count + 1 and complete:
                paragraph.report("id-sequence", line, id)
            count = int(id)
            paragraph.words.add(cells, line)
        elif match := _RANGE.fullmatch(id):
            first, last = int(match[1]), int(match[2])
            if last <= first:
                paragraph.report("range-order", line, id)
            elif first <= range_end:
                paragraph.report("overlapping-range", line, id)
            elif first != count + 1 and complete:
                paragraph.report("misplaced-range", line, id)
            range_end = max(range_end, last)
            paragraph.ranges.add(cells, line)
        elif match := _EMPTY_NODE.fullmatch(id):
            after, rank = int(match[1]), int(match[2])
            expected = last_empty[1] + 1 if after == last_empty[0] else 1
            if (after != count or rank != expected) and complete:
                paragraph.report("misplaced-empty-node", line, id)
            last_empty = after, rank
            paragraph.empty_nodes.add(cells, line)
        else:
            paragraph.report("invalid-id", line, id)
    if range_end > count and complete:
        _report_range_beyond(paragraph, count)
    paragraph.numbered = complete and len(paragraph.found) == known


def _report_range_beyond(paragraph: Paragraph, count: int) -> None:
    for cells, line in zip(paragraph.ranges.cells, paragraph.ranges.lines, strict=True):
        if int(cells[0].partition("-")[2]) > count:
            paragraph.report("range-beyond-sentence", line, f"the last word is {count}")


_FEATS, _HEAD, _DEPREL, _DEPS = 5, 6, 7, 8
_ANALYSIS = (2, 3, 4, 6, 7, 8)  # what the words of a range have in its place


def check_ranges(paragraph: Paragraph) -> None:
    """Find ranges that have an analysis of their own."""
    for row, line in zip(paragraph.ranges.cells, paragraph.ranges.lines, strict=True):
        filled = [row[column] for column in _ANALYSIS if row[column] != "_"]
        if row[_FEATS] not in ("_", "Typo=Yes"):
            filled.append(row[_FEATS])
        if filled:
            paragraph.report("range-cells", line, filled[0])


def check_empty_nodes(paragraph: Paragraph) -> None:
    """Find empty nodes with a place in the basic tree, or without one in the enhanced graph."""
    for row, line in zip(paragraph.empty_nodes.cells, paragraph.empty_nodes.lines, strict=True):
        if row[_HEAD] != "_" or row[_DEPREL] != "_":
            paragraph.report("empty-node-cells", line, f"{row[_HEAD]} {row[_DEPREL]}")
        if row[_DEPS] == "_":
            paragraph.report("empty-node-deps", line)
