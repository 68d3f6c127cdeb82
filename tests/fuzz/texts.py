"""Treebanks as bytes: those that can be read, those that were damaged, and those that never were any."""

from __future__ import annotations

import gzip
from random import Random

from treebank.nasty_files import broken_file, valid_file

FORMATS = ("conllu", "conllx", "conll09", "vertical", "tokens", "lines")
LABELS = ("root", "nsubj", "obj", "punct", "obl:arg", "dep")

_FORMS = [*(f"w{number}" for number in range(20)), "The", "ÜBER", "dogs", "#", "a b", "\u2028", "🙂"]
_FORMS += ["e\u0301", "شمس", "漢字", "\ufeffx", "x\u0085", "a\rb", "=" * 300, "/", "_", "1-2", "\u202eأ", "İ"]
_TAGS = ["NOUN", "VERB", "ADJ", "X", "_", "PUNCT", "new", "|"]
_FEATS = ["_", "_", "Case=Nom|Number=Sing", "Case=Acc", "Number=Plur|Person=3", "A", "=", "A=|B", "||"]
_LENGTHS = [0, 1, 2, 3, 5, 8, 13, 21]
_WEIGHTS = [1, 4, 4, 4, 8, 8, 4, 2]


def sentence(rng: Random, words: int, format: str = "conllu") -> str:
    """Return a sentence that can be read, its heads and labels anything."""
    lines = []
    if rng.random() < 0.2:
        lines.append(rng.choice(["# sent_id = s", "#", "# text = a\tb"]))
    for word in range(1, words + 1):
        head = rng.randint(0, words) if rng.random() < 0.8 else "_"
        form, tag, feats = rng.choice(_FORMS), rng.choice(_TAGS), rng.choice(_FEATS)
        if format == "conll09":
            cells = (
                word,
                form,
                form,
                "_",
                tag,
                "_",
                feats,
                "_",
                head,
                "_",
                rng.choice(LABELS),
                "_",
                "_",
                "_",
            )
            lines.append("\t".join(map(str, cells)))
            continue
        if format == "conllu" and rng.random() < 0.03:
            lines.append(f"{word}-{words}" + "\t_" * 9)
            format = "conllu without ranges"
        lines.append(
            f"{word}\t{form}\t{form[:2]}\t{tag}\t{tag}\t{feats}\t{head}\t{rng.choice(LABELS)}\t_\tM=1"
        )
        if format.startswith("conllu") and rng.random() < 0.03:
            lines.append(f"{word}.1" + "\tx" * 9)
    return "\n".join([*lines, "", ""])


def sentences(rng: Random, count: int, format: str = "conllu", longest: int = 40) -> bytes:
    """Return so many sentences that can be read."""
    text = []
    for _ in range(count):
        (words,) = rng.choices(_LENGTHS, _WEIGHTS)
        if rng.random() < 0.02:
            words = rng.randint(1, longest)
        text.append(sentence(rng, max(words, 1), format))
    return "".join(text).encode()


# --- damage ----------------------------------------------------------------------------------------------

_PIECES = [b"\t", b"\n", b"\n\n", b"\r", b"\r\n", b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf"]
_PIECES += [b"1", b"0", b"-1", b"2147483647", b"2147483648", b"4294967296", b"9" * 9, b"9" * 10, b"9" * 400]
_PIECES += [b"1-2", b"2-1", b"1.1", b"0.1", b"1-", b".", b"#", b"_", b" ", b"/", b"\t" * 9, b"\t" * 40]
_PIECES += [b"\xf4\x90\x80\x80", b"\xc0\x80", b"\xc2\x85", b"1\tx" + b"\t_" * 8 + b"\n", b"\n\n\n# c\n\n"]
_PIECES += [bytes([byte]) for byte in (1, 11, 12, 0x1C, 0x7F, 0x80, 0xBF, 0xE2, 0xF0, 0xFE)]


def damaged(rng: Random, data: bytes) -> bytes:
    """Return the bytes with a few of them changed, lost, doubled, moved or put in."""
    for _ in range(rng.choice([1, 1, 2, 3, 8])):
        begin, size = rng.randint(0, len(data)), rng.choice([0, 1, 1, 2, 5, 30, 200])
        part = data[begin : begin + size]
        match rng.randrange(8):
            case 0:
                instead = bytes(byte ^ 1 << rng.randrange(8) for byte in part)
            case 1:
                instead = b""
            case 2:
                instead = part * rng.choice([2, 2, 3, 20])
            case 3:
                at = rng.randint(0, len(data))
                instead = data[at : at + rng.choice([1, 10, 100])]
            case 4:
                instead = rng.randbytes(rng.randint(1, 6))
            case _:
                instead = rng.choice(_PIECES)
        data = data[:begin] + instead + data[begin + len(part) :]
    match rng.randrange(20):
        case 0:
            return data.replace(b"\n", b"\r\n")
        case 1:
            return b"\xef\xbb\xbf" + data
        case 2:
            return data[: rng.randint(0, len(data))]
    return data


def any_bytes(rng: Random) -> tuple[bytes, str]:
    """Return bytes, and the format that they are most like."""
    format = rng.choice(FORMATS)
    kind = rng.random()
    if kind < 0.15:
        return rng.randbytes(rng.choice([0, 1, 5, 60, 400])), format
    if kind < 0.3:
        return b"".join(rng.choices(_PIECES, k=rng.randint(0, 40))), format
    if kind < 0.4:
        return valid_file(rng, format), format
    if kind < 0.5:
        return broken_file(rng, format), format
    if kind < 0.52:
        return damaged(rng, gzip.compress(valid_file(rng, format), mtime=0)), format
    if kind < 0.7:
        return damaged(rng, valid_file(rng, format)), format
    rows = rng.choice(["conllu", "conllx", "conll09"])
    return damaged(rng, sentences(rng, rng.randint(1, 4), rows)), rows
