"""Small files of analysed sentences for the tests of scores, and ways to spoil them as a parser does."""

from __future__ import annotations

import io
from random import Random

from arclift.evaluate import Evaluation, evaluate

LABELS = ("nsubj", "obj", "aux", "case", "det", "nmod:poss", "flat", "punct", "mark", "cc", "dep")
FORMS = ("the", "a", "Dog", "dog", "cats", "run", "…", ".", "$", "_", "日本", "وكتب", "e\u0301t", "New York")

Row = list[str]
Token = tuple[str | None, list[Row]]
"""The form of a multiword token, or None, and its words as CoNLL-U columns."""


def conllu(*sentences: str) -> bytes:
    """Write sentences given as lines of ``form head label upos feats lemma xpos``, as many as matter.

    ``2-3 form`` is the line of a multiword token; ``␣`` stands for a space within a form.
    """
    return "".join(f"{_sentence(text)}\n" for text in sentences).encode()


def _sentence(text: str) -> str:
    lines, number = [], 0
    for line in text.strip().splitlines():
        cells = [cell.replace("␣", " ") for cell in line.split()]
        if len(cells) == 2:
            lines.append("\t".join([*cells, *"________"]))
            continue
        number += 1
        form, head, label, upos, feats, lemma, xpos = (cells + ["_"] * 7)[:7]
        lines.append("\t".join([str(number), form, lemma, upos, xpos, feats, head, label, "_", "_"]))
    return "".join(f"{line}\n" for line in lines)


def scored(gold: bytes, system: bytes, **options: object) -> Evaluation:
    """Evaluate files that are given as bytes."""
    return evaluate(io.BytesIO(gold), io.BytesIO(system), **options)  # type: ignore[arg-type]


def random_tokens(rng: Random, words: int) -> list[Token]:
    """Return a sentence of about ``words`` words, some of them within multiword tokens, without heads."""
    tokens: list[Token] = []
    while sum(len(rows) for _, rows in tokens) < words:
        size = rng.choice((1, 1, 1, 2, 3))
        rows = [_random_row(rng) for _ in range(size)]
        form = "".join(row[1] for row in rows) if rng.random() < 0.5 else rng.choice(FORMS)
        tokens.append((form if size > 1 or rng.random() < 0.05 else None, rows))
    return tokens


def _random_row(rng: Random) -> Row:
    feats = rng.choice(("_", "Case=Nom", "Case=Nom|Odd=Yes", "Number=Sing|Case=Nom", "Case=Nom|Number=Sing"))
    tags = rng.choice(("NOUN", "VERB", "ADP")), rng.choice(("N", "V"))
    form = rng.choice(FORMS)
    return ["", form, rng.choice(("_", "dog", "run")), *tags, feats, "", rng.choice(LABELS), "_", "_"]


def spoilt(rng: Random, tokens: list[Token], often: float) -> list[Token]:
    """Return the same text with other labels, tags and tokens here and there."""
    found: list[Token] = []
    waiting = [(form, [list(row) for row in rows]) for form, rows in tokens]
    while waiting:
        form, rows = waiting.pop(0)
        for row in rows:
            if rng.random() < often:
                row[2:6], row[7] = (other := _random_row(rng))[2:6], other[7]
        text = form or rows[0][1]
        if rng.random() >= often:
            found.append((form, rows))
        elif rng.random() < 0.3 and waiting:
            next_form, next_rows = waiting.pop(0)
            found.append((text + (next_form or next_rows[0][1]), rows + next_rows))
        elif rng.random() < 0.5 and len(text) > 1:
            at = rng.randrange(1, len(text))
            halves = [_with_form(rng, text[:at]), _with_form(rng, text[at:])]
            found += [(text, halves)] if rng.random() < 0.5 else [(None, [half]) for half in halves]
        else:
            found.append((None, [_with_form(rng, text)]))
    return found


def _with_form(rng: Random, form: str) -> Row:
    row = _random_row(rng)
    row[1] = form if form.strip() else "x"
    return row


def written(rng: Random, sentences: list[list[Token]]) -> bytes:
    """Write sentences with random trees of one root."""
    lines = []
    for tokens in sentences:
        rows = [row for _, token in tokens for row in token]
        order = rng.sample(range(1, len(rows) + 1), len(rows))
        heads = {word: order[rng.randrange(place)] if place else 0 for place, word in enumerate(order)}
        number = 1
        for form, token in tokens:
            if form is not None:
                lines.append("\t".join([f"{number}-{number + len(token) - 1}", form, *"________"]))
            for row in token:
                lines.append("\t".join([str(number), *row[1:6], str(heads[number]), *row[7:]]))
                number += 1
        lines.append("")
    return "".join(f"{line}\n" for line in lines).encode()


def random_files(seed: int, sentences: int = 12, often: float = 0.25) -> tuple[bytes, bytes]:
    """Return a gold file and a system's, which divides the same text otherwise where ``often`` is not 0."""
    rng = Random(seed)
    gold = [random_tokens(rng, rng.randint(1, 8)) for _ in range(sentences)]
    system: list[list[Token]] = []
    for tokens in gold:
        other = (
            spoilt(rng, tokens, often)
            if often
            else [(form, [list(r) for r in rows]) for form, rows in tokens]
        )
        if system and rng.random() < often:
            system[-1] += other
        elif len(other) > 1 and rng.random() < often:
            at = rng.randrange(1, len(other))
            system += [other[:at], other[at:]]
        else:
            system.append(other)
    return written(rng, gold), written(rng, system)


REACHING_BACK = (
    conllu("abc 0 root", "1-2 xy\n b 0 root\n z 1 obj"),
    conllu("a 0 root\n b 1 x\n c 1 x", "1-2 xy\n b 0 root\n z 1 obj"),
)
"""Words of a multiword token correspond to words of the sentence before it."""
