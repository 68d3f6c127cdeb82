"""The comments of one sentence: sent_id and text, and the forms that the text is made of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b

from arclift.treebank.validation.rows import Paragraph

_FORM, _MISC = 1, 9
_SENT_ID = re.compile(r"[^\s/]+(?:/[^\s/]+)?")
_SPACE = re.compile(r"\s")
_SHOWN = 24


def check_sent_id(paragraph: Paragraph, seen: set[bytes]) -> None:
    """Check that the sentence has one id, and that no other in ``seen`` is the same."""
    ids = paragraph.metadata("sent_id")
    if not ids:
        paragraph.report("missing-sent-id", paragraph.first_line)
        return
    line, id = ids[0]
    if len(ids) > 1:
        paragraph.report("several-sent-ids", ids[1][0], ids[1][1])
    if not _SENT_ID.fullmatch(id):
        paragraph.report("invalid-sent-id", line, id)
    digest = blake2b(id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    if digest in seen:
        paragraph.report("duplicate-sent-id", line, id)
    seen.add(digest)


def check_text(paragraph: Paragraph) -> None:
    """Check that the sentence has one text, and that it is made of the forms; needs numbered rows."""
    texts = paragraph.metadata("text")
    if not texts:
        paragraph.report("missing-text", paragraph.first_line)
        return
    line, text = texts[0]
    if len(texts) > 1:
        paragraph.report("several-texts", texts[1][0], texts[1][1])
    if text != text.strip():
        paragraph.report("text-outer-white-space", line, text)
    if not paragraph.numbered:
        return
    made = "".join(_tokens(paragraph)).strip()
    text = text.strip()
    if made != text and _SPACE.sub(" ", made) != _SPACE.sub(" ", text):  # a no-break space is a space
        same = next((i for i, pair in enumerate(zip(made, text, strict=False)) if pair[0] != pair[1]), 0)
        begin = max(0, same - 8)
        paragraph.report(
            "text-mismatch",
            line,
            f"{text[begin : same + _SHOWN]!r} in the text, {made[begin : same + _SHOWN]!r} from the forms",
        )


def _tokens(paragraph: Paragraph) -> Iterator[str]:
    """Yield the forms of words and ranges, each with the space after it."""
    words = paragraph.words.cells
    if not paragraph.ranges.cells:
        for row in words:
            misc = row[_MISC]
            yield row[_FORM] if misc != "_" and glued(misc) else row[_FORM] + " "
        return
    ranges = paragraph.words_in_ranges()
    covered = 0
    for number, word in enumerate(words, 1):
        if number <= covered:
            continue
        row = word
        if number in ranges:
            place, covered = ranges[number]
            row = paragraph.ranges.cells[place]
        yield row[_FORM] if glued(row[_MISC]) else row[_FORM] + " "


def glued(misc: str) -> bool:
    """Whether MISC says that no space follows."""
    return "SpaceAfter=No" in misc and "SpaceAfter=No" in misc.split("|")


def check_spaces_in_ranges(paragraph: Paragraph) -> None:
    """Find words of ranges that say whether a space follows, which is for the range to say."""
    for first, (_, last) in paragraph.words_in_ranges().items():
        for number in range(first, last + 1):
            row = paragraph.words.cells[number - 1]
            if any(item.startswith("SpaceAfter=") for item in row[_MISC].split("|")):
                paragraph.report("space-after-in-range", paragraph.words.lines[number - 1], row[_MISC])
