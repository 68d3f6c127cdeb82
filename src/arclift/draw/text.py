"""Dependency trees on the terminal: a line per word, its arcs at the left (``buses`` says how to read them).

A second analysis, if there is one, is drawn in mirror image at the right, and what it says differently about
a word stands between the two. Marks at the beginning of a line: ``?`` no head or none in the sentence, ``↺``
the arc that would close a cycle (its head is only named), ``…`` a head that is outside the drawing.
"""

from __future__ import annotations

from collections.abc import Sequence

from arclift.draw import buses, glyphs
from arclift.draw.analysis import Analysis, Heads, analyse_all
from arclift.draw.width import ELLIPSIS, LONGEST, fit, isolate, visible, width

MAX_WORDS = 500

# Columns that forms, and that tags and labels take at most; and the same on a terminal that is too narrow.
_WIDE, _NARROW = (40, 20), (12, 8)
_ENDS = 3  # cells of an arc drawing beside its columns: margin, line, arrow

_DIM, _BOLD, _CYAN, _GREEN, _RED, _MAGENTA, _YELLOW = "2", "1", "36", "32", "31", "1;35", "1;33"


def draw_text(
    forms: Sequence[str],
    heads: Heads,
    labels: Sequence[str],
    *,
    tags: Sequence[str] | None = None,
    other: tuple[Heads, Sequence[str]] | None = None,
    columns: int | None = None,
    color: bool = False,
    encoding: str = "utf-8",
    max_words: int = MAX_WORDS,
) -> str:
    """Return the tree, or what should be one, as lines of text.

    ``other`` holds the heads and labels of a second analysis to compare with. Lines keep to ``columns``, the
    width of the terminal, down to about 50 (70 with ``other``): deep arcs move closer, texts are cut, and the
    deepest arcs are left out. Where ``encoding`` has no box-drawing characters everything is drawn in ASCII.
    Words after the first ``max_words`` are counted instead of drawn.
    """
    words, shown = len(forms), max(0, min(len(forms), max_words))
    analyses = analyse_all(words, heads, labels, tags, other, shown)
    pen = _Pen(color, encoding)
    table = _table(forms[:shown], None if tags is None else tags[:shown], analyses, pen)
    placed = [buses.place(analysis, shown) for analysis in analyses]
    most, pitch = _squeeze(table, [each.columns for each in placed], columns)
    sides = [buses.lines(each, min(each.columns, most), pitch) for each in placed]
    lines = []
    for i in range(shown):
        cells = " ".join(column.cell(i) for column in table)
        right = " " + pen.arcs(glyphs.mirrored(sides[1][i])) if other else ""
        lines.append(f"{pen.arcs(sides[0][i])} {cells}{right}".rstrip())
    if shown < words:
        lines.append(pen.sign(f"… {words - shown} more words are not drawn (max_words={max_words})"))
    if other is not None:
        lines.append(_summary(*analyses))
    return "\n".join(lines)


class _Pen:
    """What the terminal can show: colours, and characters."""

    def __init__(self, color: bool, encoding: str) -> None:
        self.color = color
        self.encoding = encoding if glyphs.is_known(encoding) else "ascii"
        self.unicode = glyphs.are_in(self.encoding)

    def sign(self, text: str) -> str:
        return text if self.unicode else glyphs.in_ascii(text)

    def text(self, text: str) -> str:
        return visible(text if len(text) <= LONGEST else text[:LONGEST] + self.sign(ELLIPSIS), self.encoding)

    def ink(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and code and text else text

    def arcs(self, line: str) -> str:
        line = glyphs.HEAVY.sub(lambda found: self.ink(found[0], _MAGENTA), line)
        return self.sign(glyphs.MARK.sub(lambda found: self.ink(found[0], _YELLOW), line))


class _Column:
    """A column of the table: its texts, what colour each has, and how wide the widest is."""

    def __init__(self, pen: _Pen, texts: Sequence[str], codes: Sequence[str], *, right: bool = False) -> None:
        self.pen, self.codes, self.right = pen, codes, right
        self.texts = [pen.text(text) for text in texts]
        self.width = max(map(width, self.texts), default=0)

    def limit(self, columns: int) -> None:
        """Cut what is longer than ``columns``."""
        if self.width > columns:
            self.texts = [fit(text, columns, self.pen.sign(ELLIPSIS)) for text in self.texts]
            self.width = columns

    def cell(self, i: int) -> str:
        text = self.texts[i]
        spaces = " " * (self.width - width(text))
        inked = self.pen.ink(isolate(text) if self.pen.unicode else text, self.codes[i])
        return spaces + inked if self.right else inked + spaces


def _table(
    forms: Sequence[str], tags: Sequence[str] | None, analyses: list[Analysis], pen: _Pen
) -> list[_Column]:
    """Return the columns between the arcs: number, form, tag, label, head; the other label and head."""
    words = range(1, len(forms) + 1)
    first = analyses[0]
    differ = [_differ(analyses, word) for word in words]
    table = [
        _Column(pen, [str(word) for word in words], [_DIM] * len(words), right=True),
        _Column(pen, forms, [_BOLD] * len(words)),
    ]
    if tags is not None:
        table.append(_Column(pen, tags, [_DIM] * len(words)))
    colors = [_GREEN if each else _CYAN for each in differ]
    table.append(_Column(pen, [first.labels[word] for word in words], colors))
    table.append(
        _Column(pen, [first.given_head(word) for word in words], _head_colors(first, words), right=True)
    )
    for second in analyses[1:]:
        sign, red = pen.sign(glyphs.DIFFERS), [_RED] * len(words)
        labels = [second.labels[word] if other else "" for word, other in zip(words, differ, strict=True)]
        heads = [second.given_head(word) if other else "" for word, other in zip(words, differ, strict=True)]
        table.append(_Column(pen, [sign if other else "" for other in differ], red))
        table.append(_Column(pen, labels, red))
        table.append(_Column(pen, heads, red, right=True))
    return table


def _head_colors(analysis: Analysis, words: range) -> list[str]:
    return [_YELLOW if word in analysis.faults else _DIM for word in words]


def _differ(analyses: list[Analysis], word: int) -> bool:
    return len({(each.given[word], each.labels[word]) for each in analyses}) > 1


def _summary(first: Analysis, second: Analysis) -> str:
    words = range(1, len(first) + 1)
    heads = sum(first.given[word] != second.given[word] for word in words)
    labels = sum(first.labels[word] != second.labels[word] for word in words)
    return f"{len(first)} words, {heads} with another head, {labels} with another label"


def _squeeze(table: list[_Column], needed: list[int], columns: int | None) -> tuple[int, int]:
    """Cut the table where it must be; return how many columns of arcs fit, and the cells for each."""
    most = max(needed)
    for form, name in (_WIDE, _NARROW):
        for i, column in enumerate(table):
            column.limit(form if i == 1 else name)
        if columns is None:
            return most, 2
        left = columns - sum(column.width + 1 for column in table) - (len(needed) - 1)
        for pitch in (2, 1):
            if sum(pitch * each + _ENDS for each in needed) <= left:
                return most, pitch
    return max(1, left // len(needed) - _ENDS), 1
