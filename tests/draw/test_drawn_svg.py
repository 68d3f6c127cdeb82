from __future__ import annotations

import re
import time
from itertools import pairwise, permutations
from xml.etree import ElementTree

import pytest
from drawn_samples import (
    BROKEN,
    DUTCH,
    DUTCH_PARSED,
    ENGLISH,
    HEBREW,
    JAPANESE,
    Sample,
    hold_against_golden,
)
from hypothesis import given
from hypothesis import strategies as st

from arclift.draw import draw_html, draw_svg
from arclift.draw.width import fit, visible
from strategies import EXTREMES, Heads, arbitrary_strategy, heads_strategy

SAMPLES = {
    "english": ENGLISH,
    "dutch": DUTCH,
    "hebrew": HEBREW,
    "japanese": JAPANESE,
    "broken": BROKEN,
}
SVG = "{http://www.w3.org/2000/svg}"
Point = tuple[float, float]


def drawn(sample: Sample, **options: object) -> str:
    return draw_svg(*sample.tree, tags=sample.tags, **options)  # type: ignore[arg-type]


def plain(heads: Heads | list[int], **options: object) -> str:
    words = len(heads)
    labels = [f"r{word}" for word in range(1, words + 1)]
    return draw_svg([f"w{word}" for word in range(1, words + 1)], list(heads), labels, **options)  # type: ignore[arg-type]


class Page:
    """A drawing taken apart again."""

    def __init__(self, svg: str) -> None:
        self.root = ElementTree.fromstring(svg)
        groups = self.root.findall(f"{SVG}g")
        self.arcs = [group for group in groups if group.find(f"{SVG}path") is not None]
        self.words, self.tags = (list(group) for group in groups[len(self.arcs) :])
        self.style = self.root.findtext(f"{SVG}style") or ""

    def styles(self) -> dict[str, set[str]]:
        """Return the classes of the arcs by label."""
        return {arc.findtext(f"{SVG}text") or "": set(arc.attrib["class"].split()) for arc in self.arcs}


def line(arc: ElementTree.Element) -> tuple[Point, float, Point]:
    """Return where the line of an arc begins, how high it gets, and where its arrow points."""
    path, tip = (element.attrib["d"] for element in arc.findall(f"{SVG}path"))
    start = re.match(r"M([\d.]+) ([\d.]+)", path)
    end = re.match(r"M([\d.]+) ([\d.]+)", tip)
    crown = re.search(r"Q[\d.]+ ([\d.]+)", path) or start
    assert start
    assert end
    assert crown
    height = float(crown[crown.lastindex or 1])
    return (float(start[1]), float(start[2])), height, (float(end[1]), float(end[2]))


# --- arcs ------------------------------------------------------------------------------------------------


@given(heads_strategy(14, single_root=False))
def test_each_arc_leads_from_its_head_to_its_word(heads: Heads) -> None:
    """From left to right, the ends of arcs are those of word 1, those of word 2, and so on; no two meet."""
    page = Page(plain(heads))
    assert [arc.findtext(f"{SVG}text") for arc in page.arcs] == [f"r{w}" for w in range(1, len(heads) + 1)]
    feet = []
    for word, (arc, head) in enumerate(zip(page.arcs, heads.tolist(), strict=True), start=1):
        (start, _), _, (end, _) = line(arc)
        feet.append((end, word))
        if head:
            feet.append((start, head))
        else:
            assert start == end
    feet.sort()
    assert all(a < b for (a, _), (b, _) in pairwise(feet))
    assert [word for _, word in feet] == sorted(word for _, word in feet)


@given(heads_strategy(14))
def test_no_two_lines_lie_on_one_another(heads: Heads) -> None:
    spans: dict[float, list[tuple[float, float]]] = {}
    for arc in Page(plain(heads)).arcs:
        (start, _), height, (end, _) = line(arc)
        if start != end:
            spans.setdefault(height, []).append((min(start, end), max(start, end)))
    for pieces in spans.values():
        assert all(a[1] < b[0] for a, b in pairwise(sorted(pieces)))


@given(heads_strategy(10, single_root=False))
def test_lines_cross_where_arcs_cross_and_nowhere_else(heads: Heads) -> None:
    """An arc from above has the span of its word alone: it crosses the arcs that pass over the word."""
    lines = [line(arc) for arc in Page(plain(heads)).arcs]
    spans = [tuple(sorted((word, head or word))) for word, head in enumerate(heads.tolist(), start=1)]
    for low, high in permutations(range(len(lines)), 2):
        (start, _), height, (end, _) = lines[low]
        (one, _), other_height, (two, _) = lines[high]
        if other_height < height:
            meetings = sum(min(start, end) < x < max(start, end) for x in {one, two})
            (a, b), (c, d) = spans[low], spans[high]
            assert meetings == (a < c < b < d or c < a < d < b or a < c == d < b)


@given(heads_strategy(10))
def test_the_root_stands_above_the_arcs_of_its_word(heads: Heads) -> None:
    given_heads = heads.tolist()
    heights = [line(arc)[1] for arc in Page(plain(heads)).arcs]
    root = given_heads.index(0) + 1
    for word, head in enumerate(given_heads, start=1):
        if head == root:
            assert heights[root - 1] < heights[word - 1]


def test_crossing_arcs_stand_out() -> None:
    styles = Page(drawn(DUTCH)).arcs
    assert [number for number, arc in enumerate(styles, 1) if "cross" in arc.attrib["class"]] == [3, 4, 6]
    assert "cross" not in " ".join(arc.attrib["class"] for arc in Page(drawn(ENGLISH)).arcs)


def test_faults_stand_out_and_are_told() -> None:
    page = Page(drawn(BROKEN))
    faulty = {label for label, style in page.styles().items() if "fault" in style}
    assert faulty == {"a", "d 4?", "e 99?", "f _?"}
    assert page.arcs[4].findtext(f"{SVG}title") == "five: e, head outside the sentence (99)"


# --- text ------------------------------------------------------------------------------------------------


@st.composite
def sentences(draw: st.DrawFn) -> Sample:
    heads = draw(arbitrary_strategy(8)).tolist()
    text = st.text(st.characters(), max_size=12)
    columns = [draw(st.lists(text, min_size=len(heads), max_size=len(heads))) for _ in range(3)]
    return Sample(columns[0], heads, columns[1], columns[2])


@given(sentences())
def test_any_sentence_is_drawn_with_each_word_once(sample: Sample) -> None:
    page = Page(drawn(sample))
    assert [text.text or "" for text in page.words] == [fit(visible(form), 60) for form in sample.forms]
    assert [text.text or "" for text in page.tags] == [fit(visible(tag), 60) for tag in sample.tags]
    assert len(page.arcs) == len(sample.forms)


def test_markup_in_words_stays_text() -> None:
    hostile = ["<script>", "&amp;", "]]>", "'\"", "</style>", "</svg>"]
    svg = draw_svg(hostile, [0, 1, 1, 1, 1, 1], hostile, tags=hostile, title="</title>")
    page = Page(svg)
    assert [text.text for text in page.words] == hostile
    assert page.root.findtext(f"{SVG}title") == "</title>"
    assert "<script" not in svg
    assert svg.count("</svg>") == 1


def test_a_drawing_tells_itself_to_those_who_do_not_see_it() -> None:
    root = Page(drawn(DUTCH)).root
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert description is not None
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"] == title.attrib["id"]
    assert root.attrib["aria-describedby"] == description.attrib["id"]
    assert title.text == " ".join(DUTCH.forms)
    assert (description.text or "").startswith("1 dat: mark of 7; 2 Kees: nsubj of 7; 3 Anna: nsubj of 8;")


def test_sentences_run_in_the_direction_of_their_script() -> None:
    for sample, sign in ((ENGLISH, 1), (HEBREW, -1)):
        places = [sign * float(text.attrib["x"]) for text in Page(drawn(sample)).words]
        assert places == sorted(places)
    assert 'direction="rtl"' in drawn(HEBREW)
    assert "direction" not in drawn(ENGLISH)


# --- pages -----------------------------------------------------------------------------------------------


def test_two_drawings_on_a_page_share_no_name() -> None:
    pages = [Page(drawn(sample)) for sample in SAMPLES.values()]
    ids = [element.attrib["id"] for page in pages for element in page.root.iter() if "id" in element.attrib]
    assert len(set(ids)) == len(ids) == 3 * len(pages)


def test_rules_touch_nothing_but_the_drawing() -> None:
    page = Page(drawn(DUTCH))
    selectors = re.findall(r"[^{}]+(?=\{)", re.sub(r"@[^{]+\{", "", page.style))
    assert len(selectors) > 10
    for selector in ",".join(selectors).split(","):
        assert selector.strip().startswith(f"#{page.root.attrib['id']}")


def test_light_and_dark() -> None:
    svg = drawn(DUTCH)
    assert "prefers-color-scheme:dark" in svg
    assert "currentColor" in svg
    assert not re.search(r'(fill|stroke)="#', svg)


def test_the_same_input_gives_the_same_bytes() -> None:
    assert drawn(DUTCH, other=DUTCH_PARSED) == drawn(DUTCH, other=DUTCH_PARSED)


def test_html_scrolls() -> None:
    svg = drawn(ENGLISH)
    assert draw_html(svg) == f'<div style="overflow-x:auto;max-width:100%">{svg}</div>'


# --- two analyses ----------------------------------------------------------------------------------------


@given(heads_strategy(8, min_size=8), heads_strategy(8, min_size=8))
def test_a_comparison_shows_what_only_one_says_on_its_own_side(first: Heads, second: Heads) -> None:
    page = Page(plain(first, other=(second.tolist(), [f"r{word}" for word in range(1, 9)])))
    base = max(line(arc)[0][1] for arc in page.arcs if "second" not in arc.attrib["class"])
    kinds = [arc.attrib["class"].split()[0] for arc in page.arcs]
    differing = int(sum(first != second))
    assert kinds.count("first") == kinds.count("second") == differing
    assert kinds.count("agree") == 8 - differing
    for arc, kind in zip(page.arcs, kinds, strict=True):
        assert (line(arc)[2][1] > base) == (kind == "second")


def test_a_comparison_of_labels_alone_marks_the_label() -> None:
    page = Page(drawn(DUTCH, other=DUTCH_PARSED))
    assert page.styles()["obj≠nsubj"] == {"agree", "unlike", "cross"}
    assert page.styles()["obj"] == {"second", "cross"}


# --- limits ----------------------------------------------------------------------------------------------


def test_words_beyond_the_limit_are_counted() -> None:
    page = Page(plain([3, 1, 0, 3], max_words=2))
    assert [text.text for text in page.words] == ["w1", "w2", "… +2"]
    assert list(page.styles()) == ["r1 …3", "r2"]


def test_an_empty_sentence_is_an_empty_drawing() -> None:
    page = Page(plain([]))
    assert (page.arcs, page.words) == ([], [])


@pytest.mark.parametrize("name", EXTREMES)
def test_a_very_long_sentence_costs_little(name: str) -> None:
    heads = EXTREMES[name](100_000)
    begin = time.perf_counter()
    svg = plain(heads)
    assert time.perf_counter() - begin < 5
    assert len(svg) < 150_000
    assert Page(svg).words[-1].text == "… +99750"


# --- golden files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
def test_golden_svg(name: str) -> None:
    hold_against_golden(f"{name}.svg", drawn(SAMPLES[name]).rstrip("\n"))


def test_golden_comparison() -> None:
    hold_against_golden("dutch-compared.svg", drawn(DUTCH, other=DUTCH_PARSED).rstrip("\n"))
