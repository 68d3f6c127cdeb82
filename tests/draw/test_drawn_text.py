"""Terminal drawings, read back: the picture alone must tell which head each word has."""

from __future__ import annotations

import re
import time
import unicodedata

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

from arclift.draw import draw_text
from arclift.draw.width import fit, visible, width
from arclift.errors import UsageError
from strategies import EXTREMES, Heads, arbitrary_strategy, heads_strategy, projective_strategy, random_tree

SAMPLES = {
    "english": ENGLISH,
    "dutch": DUTCH,
    "hebrew": HEBREW,
    "japanese": JAPANESE,
    "broken": BROKEN,
}
ESCAPES = re.compile("\x1b\\[[0-9;]*m")


def drawn(sample: Sample, **options: object) -> str:
    return draw_text(*sample.tree, tags=sample.tags, **options)  # type: ignore[arg-type]


def plain(heads: Heads | list[int], **options: object) -> str:
    """Draw heads over words and labels of no interest."""
    words = len(heads)
    return draw_text(["w"] * words, list(heads), ["x"] * words, **options)  # type: ignore[arg-type]


# --- reading a drawing -----------------------------------------------------------------------------------


def arms(glyph: str) -> set[str]:
    name = unicodedata.name(glyph, "")
    if not name.startswith("BOX DRAWINGS"):
        return set()
    sides = {"UP": "u", "DOWN": "d", "LEFT": "l", "RIGHT": "r", "VERTICAL": "ud", "HORIZONTAL": "lr"}
    return {arm for word in name.split() if word in sides for arm in sides[word]}


def read_heads(picture: str) -> list[int | str]:
    """Follow the lines of a drawing: for each word its head, or the mark its line begins with."""
    rows = [line[: line.index("►")] for line in picture.splitlines()]
    return [_follow(rows, row) for row in range(len(rows))]


def _follow(rows: list[str], row: int) -> int | str:
    line = rows[row]
    for column in range(len(line) - 1, -1, -1):
        if line[column] in "?↺…":
            return line[column]
        here = arms(line[column])
        if "r" in here and "l" not in here:
            return _owner(rows, row, column)
    return 0


def _owner(rows: list[str], row: int, column: int) -> int:
    """Go up and down a bus from one of its dependents to the word it hangs from."""
    found = []
    for step, arm in ((-1, "u"), (1, "d")):
        at = row
        while arm in arms(rows[at][column]):
            at += step
            if "l" in arms(rows[at][column]):
                found.append(at + 1)
    assert len(found) == 1
    return found[0]


@given(heads_strategy(14, single_root=False))
def test_heads_can_be_read_off_the_lines(heads: Heads) -> None:
    assert read_heads(plain(heads)) == heads.tolist()


@given(heads_strategy(14))
def test_heads_can_be_read_off_close_lines(heads: Heads) -> None:
    """Five columns are too few for these words, so that lines stand side by side; some may be left out."""
    for read, head in zip(read_heads(plain(heads, columns=5)), heads.tolist(), strict=True):
        assert read in {head, "…"}
    assert "…" not in read_heads(plain(heads, columns=40))


@pytest.mark.parametrize("name", EXTREMES)
def test_heads_of_extreme_trees_can_be_read(name: str) -> None:
    heads = EXTREMES[name](60)
    assert read_heads(plain(heads)) == heads.tolist()


@given(arbitrary_strategy(14, min_size=1))
def test_faulty_heads_are_marked_and_named(heads: Heads) -> None:
    picture = plain(heads)
    for line, read, head in zip(picture.splitlines(), read_heads(picture), heads.tolist(), strict=True):
        assert read == head or read in {"?", "↺"}
        assert line.split()[-1] == ("_" if head < 0 else str(head))


@given(projective_strategy(14, single_root=False))
def test_projective_trees_have_no_crossing_and_no_heavy_line(heads: Heads) -> None:
    picture = plain(heads)
    assert "HEAVY" not in "".join(unicodedata.name(char, "") for char in picture)
    assert not re.search("[─┴┬┼├╭╰]│", picture)


@given(heads_strategy(14, single_root=False))
def test_only_heavy_lines_cross(heads: Heads) -> None:
    rows = plain(heads).splitlines()
    for line in rows:
        crossed = re.findall("(?<=[─━])[│┃](?=[─━])", line)
        assert set(crossed) <= {"┃"}


@given(heads_strategy(12))
def test_an_arrow_is_heavy_if_its_arc_is_not_projective(heads: Heads) -> None:
    head = [0, *heads.tolist()]

    def descends(word: int, ancestor: int) -> bool:
        while word and word != ancestor:
            word = head[word]
        return word == ancestor

    for word, line in enumerate(plain(heads).splitlines(), start=1):
        between = range(min(word, head[word]) + 1, max(word, head[word]))
        assert ("━►" in line) != all(descends(other, head[word]) for other in between)


# --- words, columns, colours -----------------------------------------------------------------------------


@st.composite
def sentences(draw: st.DrawFn) -> Sample:
    heads = draw(arbitrary_strategy(8)).tolist()
    text = st.text(st.characters(), max_size=12)
    columns = [draw(st.lists(text, min_size=len(heads), max_size=len(heads))) for _ in range(3)]
    return Sample(columns[0], heads, columns[1], columns[2])


@given(sentences())
def test_every_word_stands_on_its_own_line(sample: Sample) -> None:
    lines = drawn(sample).splitlines()
    assert len(lines) == len(sample.forms)
    for number, (line, form, label) in enumerate(zip(lines, sample.forms, sample.labels, strict=True), 1):
        told = re.sub("[\u2068\u2069]", "", line).split("► ", 1)[1].lstrip()
        assert told.startswith(f"{number} {fit(visible(form), 40)}".rstrip())
        assert fit(visible(label), 20).strip() in told


@given(sentences(), sentences())
def test_colours_change_nothing_but_colours(sample: Sample, other: Sample) -> None:
    words = min(len(sample.forms), len(other.forms))
    sample = Sample(sample.forms[:words], sample.heads[:words], sample.labels[:words], sample.tags[:words])
    options = {"other": (other.heads[:words], other.labels[:words])}
    strip = [line.rstrip() for line in ESCAPES.sub("", drawn(sample, color=True, **options)).split("\n")]
    assert strip == drawn(sample, **options).split("\n")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437", "cp1255", "shift_jis", "utf-8", "utf-16"])
@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_what_is_drawn_can_be_encoded(sample: Sample, encoding: str) -> None:
    same: tuple[list[int | None], list[str]] = (sample.heads[::-1], sample.labels)
    for options in ({}, {"other": same}, {"max_words": 3, "columns": 30}):
        assert drawn(sample, encoding=encoding, **options).encode(encoding)


def test_an_unknown_encoding_is_taken_for_ascii() -> None:
    assert drawn(JAPANESE, encoding="no such encoding") == drawn(JAPANESE, encoding="ascii")


@given(sentences(), st.integers(50, 120))
def test_lines_keep_to_the_width_of_the_terminal(sample: Sample, columns: int) -> None:
    for line in drawn(sample, columns=columns).splitlines():
        assert width(line) <= columns


@pytest.mark.parametrize("columns", [50, 80, 200])
@pytest.mark.parametrize("name", EXTREMES)
def test_deep_trees_keep_to_the_width_of_the_terminal(name: str, columns: int) -> None:
    heads = EXTREMES[name](300)
    for line in plain(heads, columns=columns).splitlines():
        assert width(line) <= columns


@given(heads_strategy(10, min_size=10), heads_strategy(10, min_size=10), st.integers(70, 100))
def test_comparisons_keep_to_the_width_of_the_terminal(first: Heads, second: Heads, columns: int) -> None:
    forms, labels = ["a long form of a word"] * 10, ["label:subtype"] * 10
    picture = draw_text(forms, first.tolist(), labels, tags=labels, other=(second, labels), columns=columns)
    for line in picture.splitlines():
        assert width(line) <= columns


def test_no_column_of_a_narrow_terminal_is_wasted() -> None:
    assert max(map(width, plain(EXTREMES["chain"](300), columns=60).splitlines())) == 60


def test_columns_are_aligned_whatever_the_script() -> None:
    sample = Sample(["日本", "שלום", "a\u0301b", "👩\u200d🚀"], [0, 1, 1, 1], ["x"] * 4, ["T"] * 4)
    starts = {width(line[: line.index("T")]) for line in drawn(sample).splitlines()}
    assert len(starts) == 1


# --- two analyses ----------------------------------------------------------------------------------------


@given(heads_strategy(10, min_size=10), heads_strategy(10, min_size=10))
def test_both_analyses_can_be_read_off_a_comparison(first: Heads, second: Heads) -> None:
    picture = plain(first, other=(second.tolist(), ["x"] * 10)).splitlines()
    *lines, summary = picture
    assert read_heads("\n".join(lines)) == first.tolist()
    end = max(map(len, lines))
    turned = str.maketrans("◄╮╯┓┛┤┥┦┧┨┩┪┫", "►╭╰┏┗├┝┞┟┠┡┢┣")
    mirror = [line.ljust(end)[::-1].translate(turned) for line in lines]
    assert read_heads("\n".join(mirror)) == second.tolist()
    differing = [line for line in lines if "≠" in line]
    assert len(differing) == sum(first != second)
    assert summary == f"10 words, {len(differing)} with another head, 0 with another label"


# --- limits ----------------------------------------------------------------------------------------------


def test_words_beyond_the_limit_are_counted() -> None:
    lines = plain(random_tree(700)).splitlines()
    assert len(lines) == 501
    assert lines[-1] == "… 200 more words are not drawn (max_words=500)"
    assert plain([0, 1, 2], max_words=0) == "… 3 more words are not drawn (max_words=0)"


def test_heads_beyond_the_limit_are_marked() -> None:
    assert read_heads("\n".join(plain([3, 1, 0], max_words=2).splitlines()[:2])) == ["…", 1]


def test_an_empty_sentence_is_drawn_as_nothing() -> None:
    assert plain([]) == ""


def test_tags_must_be_as_many_as_words() -> None:
    with pytest.raises(UsageError, match="1 words and 2 tags"):
        draw_text(["a"], [0], ["x"], tags=["T", "U"])


@pytest.mark.parametrize("name", EXTREMES)
def test_a_very_long_sentence_costs_little(name: str) -> None:
    heads = EXTREMES[name](100_000)
    begin = time.perf_counter()
    picture = plain(heads)
    assert time.perf_counter() - begin < 5
    assert len(picture) < 200_000


def test_a_very_long_form_costs_little() -> None:
    begin = time.perf_counter()
    picture = draw_text(["x" * 10_000_000, "e" + "\u0301" * 10_000_000], [0, 1], ["a", "b"])
    assert time.perf_counter() - begin < 1
    assert len(picture) < 1000


# --- golden files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
def test_golden_text(name: str) -> None:
    hold_against_golden(f"{name}.txt", drawn(SAMPLES[name]))


def test_golden_variants() -> None:
    hold_against_golden("dutch-ascii.txt", drawn(DUTCH, encoding="ascii"))
    hold_against_golden("dutch-narrow.txt", drawn(DUTCH, columns=38))
    hold_against_golden("dutch-compared.txt", drawn(DUTCH, other=DUTCH_PARSED))
    hold_against_golden("dutch-compared-color.txt", drawn(DUTCH, other=DUTCH_PARSED, color=True))
