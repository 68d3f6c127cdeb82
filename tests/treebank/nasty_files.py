"""Files that are hard to read and hard to give back: generated, for every format, valid and broken."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest
from hypothesis import strategies as st

HERE = Path(__file__).parent
SHARED = Path(os.environ.get("ARCLIFT_SHARED", HERE.parents[2] / "shared"))
TREEBANKS = sorted((SHARED / "treebanks").glob("*/*.conll*"))

each_treebank = pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=f"{path.parent.name}/{path.name}", marks=pytest.mark.corpora)
        for path in TREEBANKS
    ]
    or [pytest.param(None, marks=pytest.mark.skip(reason="no treebanks beside the project"))],
)

COLUMNS = {"conllu": 10, "conllx": 10, "conll09": 15, "vertical": 2}
HEAD_COLUMN = {"conllu": 6, "conllx": 6, "conll09": 8}

_ODD_CELLS = ["_", "a", "#", "  ", " a b ", "a  b", "\u2028", "x\u0085y", "\u00a0", "é", "e\u0301", "漢字"]
_ODD_CELLS += ["🙂", "\u202eأ", "/", "a/b", "\\", '"', "a\rb", "x=y", "1-2", "\ufeff", "\x0c", "=" * 300]
_PLANES = [(32, 126), (128, 0x2FF), (0x300, 0xD7FF), (0xE000, 0x10FFFF)]
_COMMENTS = ["#", "# no equals", "# sent_id = s", "#\t1\t2", "# text = \u2028", "## = =", "#\r#"]
_DAMAGE = [
    b"\t",
    b"\n",
    b"\n\n",
    b"\r",
    b"\0",
    b"\xff",
    b"\xc3",
    b"-",
    b".",
    b"1",
    b"#",
    b" ",
    b"\xed\xa0\x80",
]


def _cell(rng: Random) -> str:
    if rng.random() < 0.7:
        return rng.choice(_ODD_CELLS)
    return "".join(chr(rng.randint(*rng.choice(_PLANES))) for _ in range(rng.randint(1, 6)))


def _rows(rng: Random, format: str) -> list[str]:
    """Make the rows of one sentence, ranges and empty nodes among them."""
    words = rng.randint(1, 4)
    lines = []
    range_end = 0
    for word in range(1, words + 1):
        if format == "conllu" and word > range_end and rng.random() < 0.2:
            range_end = rng.randint(word, words)
            lines.append("\t".join([f"{word}-{range_end}", *(_cell(rng) for _ in range(9))]))
        row = [_cell(rng) for _ in range(COLUMNS[format])]
        if format == "vertical":
            row[0] = "a" if word == 1 else row[0]  # U+FEFF at the start of a file is no form
        else:
            row[0] = str(word)
            row[HEAD_COLUMN[format]] = rng.choice(["_", *map(str, range(words + 1))])
        lines.append("\t".join(row))
        if format == "conllu" and rng.random() < 0.2:
            lines += [f"{word}.{i}" + "\tx" * 9 for i in range(1, rng.randint(2, 3))]
    return lines


def valid_file(rng: Random, format: str) -> bytes:
    """Make a file that can be read: sentences, and everything that may stand around them."""
    lines = []
    for _ in range(rng.randint(1, 4)):
        lines += [""] * rng.choice([0, 0, 1, 2])
        if format == "lines":
            tokens = ["a/b", *(_cell(rng).strip(" ") or "c" for _ in range(rng.randint(0, 4)))]
            lines.append(rng.choice(["", " "]) + rng.choice([" ", "  "]).join(tokens))
            continue
        if format == "tokens":
            lines += ["a/b", *(_cell(rng) for _ in range(rng.randint(0, 4))), ""]
            continue
        if format != "vertical":
            lines += rng.sample(_COMMENTS, rng.randint(0, 3))
        lines += [*_rows(rng, format), ""]
    lines += [""] * rng.choice([0, 0, 1, 2])
    text = "".join(line + rng.choice(["\n", "\r\n"]) for line in lines)
    if rng.random() < 0.3:
        text = text.removesuffix("\n").removesuffix("\r")
    return rng.choice([b"", b"\xef\xbb\xbf"]) + text.encode()


def broken_file(rng: Random, format: str) -> bytes:
    """Make a file with a few bytes put in or taken out anywhere."""
    data = valid_file(rng, format)
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(0, len(data))
        data = data[:at] + rng.choice(_DAMAGE) + data[at + rng.randint(0, 3) :]
    return data


# Files are made from a seed: drawing each cell from Hypothesis costs a hundred times more.
_seeds = st.integers(0, 2**32).map(Random)


def valid_files(format: str) -> st.SearchStrategy[bytes]:
    """Any file that can be read."""
    return _seeds.map(lambda rng: valid_file(rng, format))


def broken_files(format: str) -> st.SearchStrategy[bytes]:
    """Any file, most of them with flaws."""
    return _seeds.map(lambda rng: broken_file(rng, format))


any_bytes = st.binary(max_size=60) | st.lists(
    st.sampled_from(
        [b"\t" * 9, b"1\t", b"2", b"\t", b"\n", b"\r\n", b"#", b"_", b"1-2", b"1.1", b"\xff", b"\0"]
    ),
    max_size=60,
).map(b"".join)
