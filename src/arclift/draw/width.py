"""How many terminal columns a text takes, and texts made fit to be shown.

A terminal works in cells. What a reader takes for one sign (a *cluster*: a letter with its marks, a flag, a
family joined by zero-width joiners) takes no, one or two of them:

* East Asian Wide and Fullwidth (UAX 11) two; Ambiguous one, as in every terminal of today;
* marks (Mn, Me), variation selectors, joiners, Hangul medial vowels and finals none; spacing marks (Mc) one;
* emoji sequences two: pairs of regional indicators, joined by U+200D, with U+FE0F or with a skin tone.

Everything that would act on the terminal or break a page is *made visible* first: control characters as their
pictures (U+2400), directional controls, lone surrogates and what XML forbids as escapes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

ELLIPSIS = "…"
LONGEST = 400  # characters of one text that are looked at: a form may be a whole book
_JOINER, _NONJOINER, _EMOJI_STYLE = "\u200d", "\u200c", "\ufe0f"
_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"
_DOTTED_CIRCLE = "\u25cc"
# Number and verse signs: formats by category, but with a shape (Prepended_Concatenation_Mark).
_PRINTED_FORMATS = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"


def visible(text: str, encoding: str = "utf-8") -> str:
    """Return ``text`` with nothing in it that hides, moves the cursor, or is not in ``encoding``."""
    if text.isascii() and text.isprintable():
        return text
    shown: list[str] = []
    for char in text:
        if _needs_base(char) and not shown:
            shown.append(_encodable(_DOTTED_CIRCLE, encoding))
        shown.append(_encodable(_picture(char), encoding))
    return "".join(shown)


def clusters(text: str) -> Iterator[str]:
    """Cut ``text`` (already visible) into signs that must not be torn apart."""
    cluster = ""
    for char in text:
        if cluster and _continues(cluster, char):
            cluster += char
            continue
        if cluster:
            yield cluster
        cluster = char
    if cluster:
        yield cluster


def width(text: str) -> int:
    """Return the number of terminal columns of ``text`` (already visible)."""
    return len(text) if text.isascii() else sum(map(_cluster_width, clusters(text)))


def fit(text: str, columns: int, ellipsis: str = ELLIPSIS) -> str:
    """Return ``text``, or as much of its beginning as fits into ``columns`` with an ellipsis at the end."""
    if width(text) <= columns:
        return text
    kept, left = "", columns - width(ellipsis)
    for cluster in clusters(text):
        left -= _cluster_width(cluster)
        if left < 0:
            break
        kept += cluster
    return kept + ellipsis


def is_rtl(text: str) -> bool:
    """Say whether most letters of ``text`` belong to a script that is written from right to left."""
    classes = [unicodedata.bidirectional(char) for char in text]
    return classes.count("R") + classes.count("AL") > classes.count("L")


def isolate(text: str) -> str:
    """Wrap ``text`` in directional isolates (UAX 9) if it holds anything that is written from right to left.

    A terminal that reorders text would otherwise draw the numbers and lines around an Arabic or Hebrew word
    on its wrong side; a terminal that does not reorder ignores the isolates, which take no column.
    """
    if text.isascii() or not any(unicodedata.bidirectional(char) in {"R", "AL", "AN"} for char in text):
        return text
    return f"{_ISOLATE}{text}{_END_ISOLATE}"


def _encodable(text: str, encoding: str) -> str:
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _needs_base(char: str) -> bool:
    return _takes_no_cell(char) and char not in {_ISOLATE, _END_ISOLATE}


def _picture(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return char.encode("ascii", "backslashreplace").decode("ascii") if _is_hidden(char) else char


def _is_hidden(char: str) -> bool:
    category = unicodedata.category(char)
    if category == "Cf":
        return not (char in {_JOINER, _NONJOINER} or char in _PRINTED_FORMATS or _is_tag(char))
    noncharacter = ord(char) & 0xFFFE == 0xFFFE or "\ufdd0" <= char <= "\ufdef"
    return category in {"Cc", "Cs", "Zl", "Zp"} or noncharacter


def _is_tag(char: str) -> bool:
    return "\U000e0020" <= char <= "\U000e007f"


def _is_regional(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _is_skin_tone(char: str) -> bool:
    return "\U0001f3fb" <= char <= "\U0001f3ff"


def _takes_no_cell(char: str) -> bool:
    return (
        unicodedata.category(char) in {"Mn", "Me"}
        or char in {_JOINER, _NONJOINER, _ISOLATE, _END_ISOLATE}
        or "\u1160" <= char <= "\u11ff"
        or "\ud7b0" <= char <= "\ud7fb"
        or _is_tag(char)
    )


def _continues(cluster: str, char: str) -> bool:
    if _takes_no_cell(char):
        return True
    wide = unicodedata.east_asian_width(cluster[0]) == "W"
    if _is_skin_tone(char):
        return wide or cluster[-1] == _EMOJI_STYLE
    if _is_regional(char):
        return len(cluster) == 1 and _is_regional(cluster)
    return cluster[-1] == _JOINER and unicodedata.category(char) == "So"


def _cluster_width(cluster: str) -> int:
    if _takes_no_cell(cluster[0]):
        return 0
    if _EMOJI_STYLE in cluster or (len(cluster) == 2 and _is_regional(cluster[0])):
        return 2
    return 2 if unicodedata.east_asian_width(cluster[0]) in {"W", "F"} else 1
