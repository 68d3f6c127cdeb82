"""What is computed from the text of a column: prefixes, suffixes, shape, stem, the features in FEATS.

Characters are user-perceived ones: a letter and the marks on it are never parted, so that a suffix is the
same in composed and decomposed text of one spelling in all but its code points. (A mark is any character of
Unicode category M, a joiner, or what a joiner joins; the full grapheme rules of Unicode Annex 29, which also
join flags and Hangul jamo, are not followed.)
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cached_property

from arclift.features.address import Attribute

_JOINER, _SIGMA = "\u200d", "\u03a3"
STEM_LENGTH = 5
"""Words cut to five characters: what Can et al. (2008) find to do as well as a lemmatiser in retrieval."""
_LONGEST_RUN = 2


def decoded(data: bytes) -> str:
    r"""Return the text of ``data``; bytes that are no UTF-8 become ``\xff`` and the like, still distinct."""
    return data.decode("utf-8", "backslashreplace")


def characters(text: str) -> list[str]:
    """Return the user-perceived characters of ``text``."""
    found: list[str] = []
    for char in text:
        joined = char == _JOINER or unicodedata.category(char)[0] == "M"
        if found and (joined or found[-1].endswith(_JOINER)):
            found[-1] += char
        else:
            found.append(char)
    return found


def shape(text: str) -> str:
    """Return the word's shape: ``McDonald's`` is ``XxXxx'x``.

    A capital gives X, a small letter x, another letter c (scripts without case), a digit or number d, all
    else itself; marks give nothing, and of a run of equal signs two are kept.
    """
    signs: list[str] = []
    for char in text:
        sign = _sign(char)
        if sign and signs[-_LONGEST_RUN:] != [sign] * _LONGEST_RUN:
            signs.append(sign)
    return "".join(signs)


def _sign(char: str) -> str:
    category = unicodedata.category(char)
    if category in ("Lu", "Lt"):
        return "X"
    if category == "Ll":
        return "x"
    return {"L": "c", "N": "d", "M": ""}.get(category[0], char)


def page_of(number: int) -> tuple[list[int], bytes]:
    """Return what the compiled code asks of 256 characters: their small letters, and what they are.

    A small letter is a code point, or -1 where one does not say it: a capital sigma becomes what its word
    asks for, and some characters become two. What a character is: its sign in a shape, a space for a mark,
    j for the joiner, 0 for all else.
    """
    lower, signs = [], bytearray()
    for code in range(number << 8, (number + 1) << 8):
        char = chr(code)
        small = char.lower()
        lower.append(ord(small) if len(small) == 1 and char != _SIGMA else -1)
        sign = "j" if char == _JOINER else _sign(char) or " "
        signs.append(ord(sign) if sign != char else 0)
    return lower, bytes(signs)


def named_features(feats: str) -> dict[str, str]:
    """Return the features of a FEATS cell by name, ``_`` has none.

    An atom without ``=``, as CoNLL-X has them, is its own name and has the value ``yes``. The values of a
    name that comes twice are joined by a comma.
    """
    found: dict[str, str] = {}
    for atom in feats.split("|") if feats != "_" else ():
        name, equals, value = atom.partition("=")
        value = value if equals else "yes"
        found[name] = f"{found[name]},{value}" if name in found else value
    return found


class Texts:
    """The distinct texts of a column, and what several attributes need of them, worked out once."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = list(texts)

    @cached_property
    def lower(self) -> list[str]:
        """The texts in lower case."""
        return [text.lower() for text in self.texts]

    @cached_property
    def characters(self) -> list[str | list[str]]:
        """The characters of ``lower``: the text itself where each code point is one, as letters are."""
        return [text if text.isascii() or text.isalpha() else characters(text) for text in self.lower]

    @cached_property
    def features(self) -> list[dict[str, str]]:
        """The features by name."""
        return [named_features(text) for text in self.texts]

    def values(self, attribute: Attribute) -> list[str]:
        """Return the value of an attribute of words for each text.

        Affixes are those of the lower case, all of it if it has no more characters.
        """
        name, argument = attribute
        if name == "feats" and argument:
            names = argument.split("|")
            return ["|".join([features.get(name, "") for name in names]) for features in self.features]
        if name == "lower":
            return self.lower
        if name == "shape":
            return [shape(text) for text in self.texts]
        if name in ("prefix", "stem"):
            return self._parts(slice(int(argument) if argument else STEM_LENGTH))
        if name == "suffix":
            return self._parts(slice(-int(argument), None))
        return self.texts

    def _parts(self, part: slice) -> list[str]:
        return [text[part] if isinstance(text, str) else "".join(text[part]) for text in self.characters]
