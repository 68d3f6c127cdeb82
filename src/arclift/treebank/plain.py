"""Tagged text: ``The/DET dog/NOUN barks/VERB``, a sentence a line or a token a line.

What follows the last slash of a token is its tag; a token without a slash, or with one only at its beginning
or end, is all form. With a sentence a line, tokens are separated by spaces; with a token a line, the token is
the whole line, and an empty line ends the sentence. The arrays are those of `arclift.treebank.scan`.
"""

from __future__ import annotations

import re

import numpy as np

from arclift.treebank.scan import FlawError, Scan, check_text, lines_of

_TOKEN = re.compile(rb"[^ \t]+")


def scan_tagged(data: bytes, skip_bom: bool, one_a_line: bool) -> Scan:
    """Find the tokens and tags of ``data``, a whole number of sentences."""
    fields: list[tuple[int, int, int]] = []
    offsets, starts = [0], [0]
    flaws: list[tuple[int, int, int]] = []
    sentence: list[tuple[int, int]] = []

    def end_sentence(end: int, next_start: int) -> None:
        try:
            check_text(data, sentence[0][0], end)
            fields.extend(_split(data, *span) for span in sentence)
        except FlawError as found:
            flaws.append((found.flaw, found.at, len(starts) - 1))
        sentence.clear()
        starts.append(min(next_start, len(data)))
        offsets.append(len(fields))

    first = 3 if skip_bom and data.startswith(b"\xef\xbb\xbf") else 0
    for begin, end, following in lines_of(data, first):
        if not one_a_line:
            sentence += [match.span() for match in _TOKEN.finditer(data, begin, end)]
        elif begin < end:
            sentence.append((begin, end))
            continue
        if sentence:
            end_sentence(end, following)
    if sentence:
        end_sentence(len(data), len(data))
    if len(starts) > 1:
        starts[-1] = len(data)
    return Scan(
        np.array(fields, dtype=np.uint32).reshape(-1, 3),
        np.array([], dtype=np.int32),
        np.array(offsets, dtype=np.int64),
        np.array(starts, dtype=np.uint32),
        np.empty((0, 4), dtype=np.int64),
        np.array(flaws, dtype=np.int64).reshape(-1, 3),
    )


def _split(data: bytes, begin: int, end: int) -> tuple[int, int, int]:
    slash = data.rfind(b"/", begin + 1, end - 1)
    return (begin, slash + 1, end + 1) if slash >= 0 else (begin, end + 1, end + 1)
