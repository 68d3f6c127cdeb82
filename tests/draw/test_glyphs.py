"""The table of box-drawing characters against the names that Unicode gives them."""

from __future__ import annotations

import unicodedata

import pytest

from arclift.draw import glyphs

ARMS = {"UP": "u", "DOWN": "d", "LEFT": "l", "RIGHT": "r", "VERTICAL": "ud", "HORIZONTAL": "lr"}


def arms_by_name(glyph: str) -> dict[str, int]:
    """Read the arms of ``glyph`` off its Unicode name: 1 is light, 2 heavy."""
    words = unicodedata.name(glyph).removeprefix("BOX DRAWINGS ").replace("ARC ", "").split()
    weights = {"LIGHT": 1, "HEAVY": 2}
    if words[0] in weights:  # one weight for all: LIGHT UP AND RIGHT
        words = [*words[1:], words[0]]
    if len([word for word in words if word in weights]) == 1:
        words = [word for word in words if word != "AND"]
    found: dict[str, int] = {}
    for part in " ".join(words).split(" AND "):
        *directions, weight = part.split()
        found |= {arm: weights[weight] for direction in directions for arm in ARMS[direction]}
    return found


ALL = sorted(glyphs._BY_ARMS.items())


@pytest.mark.parametrize(("arms", "glyph"), [item for item in ALL if item[1] != " "])
def test_each_glyph_has_the_arms_it_stands_for(arms: str, glyph: str) -> None:
    expected = {name: int(weight) for name, weight in zip("urdl", arms, strict=True) if weight != "0"}
    assert arms_by_name(glyph) == expected


@pytest.mark.parametrize("glyph", [glyph for _, glyph in ALL if glyph != " "])
def test_a_mirrored_glyph_has_its_arms_exchanged(glyph: str) -> None:
    exchanged = {{"l": "r", "r": "l"}.get(arm, arm): weight for arm, weight in arms_by_name(glyph).items()}
    assert arms_by_name(glyphs.mirrored(glyph)) == exchanged


def test_every_sign_has_its_ascii() -> None:
    line = "".join(glyph for _, glyph in ALL) + "►↺…≠?"
    for drawn in (line, glyphs.mirrored(line)):
        assert glyphs.in_ascii(drawn).isascii()


def test_encodings_without_the_signs_are_known() -> None:
    assert glyphs.are_in("utf-8")
    assert not any(map(glyphs.are_in, ["ascii", "latin-1", "cp437", "cp1252"]))
    assert not glyphs.is_known("no such encoding")
