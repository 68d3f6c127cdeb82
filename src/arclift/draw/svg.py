"""Arc diagrams as SVG: words on a line, arcs above them; of two analyses, what only the second says below.

The drawing stands alone as a file and within a page. Its lines and words take the colour of the text around
them (``currentColor``); as a file it follows ``prefers-color-scheme``. All rules and ids begin with a name
made from the drawing's content: many drawings on one page do not disturb each other, and the same input gives
the same bytes. Words are text that can be selected. No script, no font, nothing loaded.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from hashlib import blake2b
from xml.sax.saxutils import escape

from arclift.draw import arches
from arclift.draw.analysis import Analysis, Heads, analyse_all
from arclift.draw.arches import CORNER, Arch
from arclift.draw.width import ELLIPSIS, LONGEST, clusters, fit, is_rtl, visible

MAX_WORDS = 250
_LONGEST_FORM = 60  # terminal columns
_LEVEL, _FIRST_LEVEL = 21, 22  # from one level of arcs to the next, and to the first
_FORM_SIZE, _TAG_SIZE, _LABEL_SIZE = 16, 11, 11

# The plain colours are for programs that do not know color-mix; elsewhere the colour of the text is mixed in,
# which makes them darker on light pages and lighter on dark ones.
_COLORS = {
    "cross": "#cf1f7a",
    "first": "#0b78b8",
    "second": "#cc5c12",
    "unlike": "#8a5fd0",
    "fault": "#c62f2f",
}
_STYLE = (
    """
#N:root{color:#1c1e21;background:#fff}
@media (prefers-color-scheme:dark){#N:root{color:#e4e6ea;background:#15171a}}
#N{font-family:system-ui,'Segoe UI','Noto Sans','DejaVu Sans',sans-serif}
#N text{fill:currentColor;text-anchor:middle}
#N path{fill:none;stroke:currentColor;stroke-width:1.2}
#N .tip{fill:currentColor;stroke:none}
#N .tag{opacity:.65}
#N .agree path{opacity:.75}
#N .cross path{stroke-width:2;opacity:1}
#N .second path,#N .fault path{stroke-dasharray:5 3}
#N g:hover>path{stroke-width:3}
"""
    + "".join(f"#N .{style}{{color:{color}}}\n" for style, color in _COLORS.items())
    + "@supports (color:color-mix(in srgb,red,blue)){\n"
    + "".join(
        f"#N .{style}{{color:color-mix(in srgb,{color} 82%,currentColor)}}\n"
        for style, color in _COLORS.items()
    )
    + "}\n"
)


def draw_svg(
    forms: Sequence[str],
    heads: Heads,
    labels: Sequence[str],
    *,
    tags: Sequence[str] | None = None,
    other: tuple[Heads, Sequence[str]] | None = None,
    title: str | None = None,
    max_words: int = MAX_WORDS,
) -> str:
    """Return the tree, or what should be one, as an SVG document.

    ``other`` holds the heads and labels of a second analysis: arcs of the first only stand above in blue,
    those of the second only below in orange and dashed, differing labels stand on their arc as
    ``first≠second``. ``title`` is what a screen reader announces, by default the sentence. Words after the
    first ``max_words`` are counted instead of drawn.
    """
    words = len(forms)
    shown = max(0, min(words, max_words))
    analyses = analyse_all(words, heads, labels, tags, other, shown)
    names = [_text(form) for form in forms[:shown]]
    upos = [_text(tag) for tag in tags[:shown]] if tags is not None else []
    rest = f"… +{words - shown}" if shown < words else ""
    diagram = _Diagram(names, upos, _arches(names, analyses), rest)
    return _document(
        diagram, visible(title) if title is not None else " ".join(names), _told(names, analyses)
    )


def draw_html(svg: str) -> str:
    """Return a drawing as a piece of a page, in a box that scrolls where the page is narrower."""
    return f'<div style="overflow-x:auto;max-width:100%">{svg}</div>'


def _text(text: str, columns: int = _LONGEST_FORM) -> str:
    return fit(visible(text[:LONGEST] + ELLIPSIS * (len(text) > LONGEST)), columns)


def _text_width(text: str, size: float) -> float:
    """Estimate the width of ``text`` in a common sans-serif face, rather too wide than too narrow."""
    return size * sum(_em(cluster[0]) for cluster in clusters(text))


def _em(char: str) -> float:
    if unicodedata.east_asian_width(char) in {"W", "F"}:
        return 1.05
    if char in "ijlI.,:;'|!()[] ftr-":
        return 0.4
    if char in "mwMW@%…—":
        return 0.95
    return 0.72 if char.isupper() else 0.61


def _arches(names: list[str], analyses: list[Analysis]) -> list[Arch]:
    """Return the arcs to be drawn: one for each word, two where the analyses give it different heads."""
    drawn = []
    first, second = analyses[0], analyses[-1]
    for word in range(1, len(names) + 1):
        agree = first.given[word] == second.given[word]
        label = _text(first.labels[word])
        if agree and first.labels[word] != second.labels[word]:
            drawn.append(_arch(names, first, word, f"{label}≠{_text(second.labels[word])}", "agree unlike"))
        elif agree:
            drawn.append(_arch(names, first, word, label, "agree"))
        else:
            drawn.append(_arch(names, first, word, label, "first"))
            drawn.append(_arch(names, second, word, _text(second.labels[word]), "second"))
    return drawn


def _arch(names: list[str], analysis: Analysis, word: int, label: str, style: str) -> Arch:
    head = analysis.given[word] or 0
    fault = analysis.faults.get(word)
    hint = f"{names[word - 1]}: {label}"
    if fault is not None:
        style, hint = f"{style} fault", f"{hint}, {fault.value} ({analysis.given_head(word)})"
    elif analysis.crossing[word]:
        style += " cross"
    inside = 0 < head <= len(names) and head != word
    if inside:
        hint += f" of {names[head - 1]}"
    elif fault is not None:
        label += f" {analysis.given_head(word)}?"
    elif head:
        label += f" …{head}"
    size = _text_width(label, _LABEL_SIZE)
    return Arch(word, head if inside else 0, label, size, style, hint, below=style.startswith("second"))


def _told(names: list[str], analyses: list[Analysis]) -> str:
    """Say in words what is drawn, for those who do not see it."""
    told = []
    for word, name in enumerate(names, start=1):
        relations = [f"{_text(each.labels[word])} of {each.given_head(word)}" for each in analyses]
        told.append(f"{word} {name}: {' or '.join(dict.fromkeys(relations))}")
    return "; ".join(told)


class _Diagram:
    """A diagram laid out: words, arcs and labels with their places."""

    def __init__(self, names: list[str], tags: list[str], drawn: list[Arch], rest: str) -> None:
        self.names, self.tags, self.drawn, self.rest = names, tags, drawn, rest
        sides = [[arch for arch in drawn if arch.below is below] for below in (False, True)]
        above, below = (arches.stack(side, len(names)) for side in sides)
        feet = [arches.set_feet(side, len(names)) for side in sides]
        sizes = [_text_width(name, _FORM_SIZE) for name in names]
        if tags:
            sizes = [max(size, _text_width(tag, _TAG_SIZE)) for size, tag in zip(sizes, tags, strict=True)]
        rooms = [max(each) for each in zip([0.0, *sizes], *feet, strict=True)]
        self.middles = arches.set_words(drawn, rooms)
        for side in sides:
            arches.set_labels(side, self.middles)
        self.rtl = sum(map(is_rtl, names)) * 2 > len(names)
        self.top = _FIRST_LEVEL + above * _LEVEL
        self.bottom = self.top + (38 if tags else 24)
        self.height = self.bottom + (_FIRST_LEVEL + below * _LEVEL if below else 4)
        self.rest_x = self.middles[-1] + rooms[-1] / 2 + arches.GAP
        self.width = self.rest_x + (_text_width(rest, _FORM_SIZE) + arches.GAP if rest else 0)

    def body(self) -> str:
        """Return all elements: the arcs, then the words, which are on top and selected together."""
        direction = ' direction="rtl"' if self.rtl else ""
        lines = [self.arch(arch) for arch in self.drawn]
        lines.append(f'<g font-size="{_FORM_SIZE}"{direction}>')
        for middle, name in zip(self.middles[1:], self.names, strict=True):
            lines.append(f'<text x="{self.x(middle)}" y="{self.top + 17}">{escape(name)}</text>')
        if self.rest:
            middle = (self.rest_x + self.width - arches.GAP) / 2
            lines.append(f'<text x="{self.x(middle)}" y="{self.top + 17}">{self.rest}</text>')
        lines.append(f'</g>\n<g class="tag" font-size="{_TAG_SIZE}">')
        for middle, tag in zip(self.middles[1:], self.tags, strict=False):
            lines.append(f'<text x="{self.x(middle)}" y="{self.top + 32}">{escape(tag)}</text>')
        return "\n".join([*lines, "</g>"])

    def x(self, x: float) -> str:
        """Return a coordinate as it is written: from right to left where the words are."""
        return _number(self.width - x if self.rtl else x)

    def arch(self, arch: Arch) -> str:
        """Return an arc with its arrow head and its label."""
        base, away = (self.bottom, 1) if arch.below else (self.top, -1)
        crown = base + away * (_FIRST_LEVEL + (arch.level - 1) * _LEVEL)
        end = self.middles[arch.word] + arch.foot[arch.word]
        tip = f"M{self.x(end)} {base}l-3.5 {7 * away}h7z"
        label_y = crown + (-4 if away < 0 else 12)
        if arch.head:
            start = self.middles[arch.head] + arch.foot[arch.head]
            path = self.bridge(start, end, base, crown, away)
        else:
            path = f"M{self.x(end)} {crown}V{base + 6 * away}"
        return (
            f'<g class="{arch.style}"><title>{escape(arch.hint)}</title><path d="{path}"/>'
            f'<path class="tip" d="{tip}"/><text font-size="{_LABEL_SIZE}" x="{self.x(arch.label_x)}" '
            f'y="{label_y}">{escape(arch.label)}</text></g>'
        )

    def bridge(self, start: float, end: float, base: int, crown: int, away: int) -> str:
        """Return the path up from one word, over, and down to the other, with round corners."""
        corner = min(CORNER, abs(end - start) / 2)
        inward = corner if end > start else -corner
        spring = _number(crown - away * corner)
        return (
            f"M{self.x(start)} {base}V{spring}Q{self.x(start)} {crown} {self.x(start + inward)} {crown}"
            f"H{self.x(end - inward)}Q{self.x(end)} {crown} {self.x(end)} {spring}V{base + 6 * away}"
        )


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _document(diagram: _Diagram, title: str, description: str) -> str:
    told = f"{escape(title)}|{escape(description)}"
    body = diagram.body()
    name = "arclift-" + blake2b(f"{told}|{body}".encode(), digest_size=5).hexdigest()
    width, height = _number(diagram.width), _number(diagram.height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" id="{name}" role="img" '
        f'aria-labelledby="{name}-title" aria-describedby="{name}-desc" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
        f'<title id="{name}-title">{escape(title)}</title>\n'
        f'<desc id="{name}-desc">{escape(description)}</desc>\n'
        f"<style>{_STYLE.replace('#N', f'#{name}')}</style>\n{body}\n</svg>\n"
    )
