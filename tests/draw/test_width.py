from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arclift.draw.width import clusters, fit, is_rtl, isolate, visible, width

any_text = st.text(st.characters())  # lone surrogates included


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("", 0),
        ("tree", 4),
        ("árbol", 5),
        ("a\u0301rbol", 5),
        ("日本語", 6),
        ("ｈａｌｆ", 8),
        ("ﾊﾝｶｸ", 4),
        ("한국어", 6),
        ("\u1112\u1161\u11ab", 2),  # one syllable spelt as three jamo
        ("שָׁלוֹם", 4),
        ("العَرَبِيَّة", 7),
        ("हिन्दी", 5),  # four letters, one of them with a spacing mark of its own cell
        ("می\u200cخواهم", 7),
        ("👍", 2),
        ("👍🏽", 2),
        ("👩\u200d👩\u200d👧", 2),
        ("🏳\ufe0f\u200d🌈", 2),
        ("❤", 1),
        ("❤\ufe0f", 2),
        ("🇳🇱", 2),
        ("🇳🇱🇧🇪", 4),
        ("🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", 2),
        ("─┼╂►", 4),
    ],
)
def test_width_of_known_texts(text: str, columns: int) -> None:
    assert visible(text) == text
    assert width(text) == columns


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\n", "a␉b␊"),
        ("\x1b[31mred", "␛[31mred"),
        ("\x7f\x85", "␡\\x85"),
        ("\u202eevil", "\\u202eevil"),
        ("\u200fmark", "\\u200fmark"),
        ("soft\xadhyphen", "soft\\xadhyphen"),
        ("\u2028", "\\u2028"),
        ("\udc80", "\\udc80"),
        ("\ufffe\ufdd0", "\\ufffe\\ufdd0"),
        ("\u0301", "◌\u0301"),
        ("\u200d", "◌\u200d"),
        ("\u06dd", "\u06dd"),
    ],
)
def test_what_hides_is_made_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_what_an_encoding_lacks_is_escaped() -> None:
    assert visible("naïve 木", "latin-1") == "naïve \\u6728"
    assert visible("naïve 木\n", "ascii") == "na\\xefve \\u6728\\u240a"


@given(any_text)
def test_visible_text_has_no_controls_and_stays_as_it_is(text: str) -> None:
    shown = visible(text)
    assert not any(unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} for char in shown)
    assert not any(unicodedata.bidirectional(char) in {"RLO", "LRO", "RLE", "LRE", "PDF"} for char in shown)
    assert visible(shown) == shown
    assert shown.encode().decode() == shown


@given(any_text)
def test_clusters_tile_the_text_and_none_is_wider_than_two(text: str) -> None:
    shown = visible(text)
    assert "".join(clusters(shown)) == shown
    assert all(0 < width(cluster) <= 2 for cluster in clusters(shown))


@given(any_text, st.integers(1, 12))
def test_fitted_text_fits_and_is_cut_only_if_it_must_be(text: str, columns: int) -> None:
    shown = visible(text)
    fitted = fit(shown, columns)
    assert width(fitted) <= columns
    assert fitted == shown or (fitted.endswith("…") and shown.startswith(fitted[:-1]))
    assert (fitted == shown) == (width(shown) <= columns)


def test_as_much_as_fits_is_kept() -> None:
    assert fit("heron", 5) == "heron"
    assert fit("herons", 5) == "hero…"
    assert fit("日本語文", 6) == "日本…"
    assert fit("e\u0301e\u0301e\u0301", 2) == "e\u0301…"


def test_direction_follows_most_letters() -> None:
    assert is_rtl("שלום")
    assert is_rtl("مرحبا 123 x")
    assert not is_rtl("hello")
    assert not is_rtl("123 !?")


def test_only_right_to_left_text_is_isolated() -> None:
    assert isolate("שלום!") == "\u2068שלום!\u2069"
    assert isolate("Ελλάδα") == "Ελλάδα"
    assert width(isolate("שלום")) == 4
