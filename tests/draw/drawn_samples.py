"""Sentences of our own to be drawn, and the golden files they are held against."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

GOLDEN = Path(__file__).with_name("golden")


@dataclass(frozen=True)
class Sample:
    forms: list[str]
    heads: list[int | None]
    labels: list[str]
    tags: list[str]

    @property
    def tree(self) -> tuple[list[str], list[int | None], list[str]]:
        return self.forms, self.heads, self.labels


def sample(text: str) -> Sample:
    """Read lines of form, tag, label and head, parted by white space; ``_`` is a missing head."""
    rows = [line.split() for line in text.strip().splitlines()]
    heads = [None if row[3] == "_" else int(row[3]) for row in rows]
    return Sample([row[0] for row in rows], heads, [row[2] for row in rows], [row[1] for row in rows])


ENGLISH = sample("""
    The     DET    det        3
    grey    ADJ    amod       3
    heron   NOUN   nsubj      4
    caught  VERB   root       0
    a       DET    det        6
    fish    NOUN   obj        4
    that    PRON   obj       10
    nobody  PRON   nsubj     10
    had     AUX    aux       10
    seen    VERB   acl:relcl  6
    .       PUNCT  punct      4
""")

# Cross-serial: each noun depends on its own verb, and the verbs stand in the order of the nouns.
DUTCH = sample("""
    dat       SCONJ  mark   7
    Kees      PROPN  nsubj  7
    Anna      PROPN  nsubj  8
    Sofie     PROPN  nsubj  9
    de        DET    det    6
    schapen   NOUN   obj   10
    zag       VERB   root   0
    helpen    VERB   xcomp  7
    leren     VERB   xcomp  8
    scheren   VERB   xcomp  9
""")
DUTCH_PARSED: tuple[list[int | None], list[str]] = (
    [7, 7, 9, 9, 6, 10, 0, 7, 8, 9],
    ["mark", "nsubj", "obj", "nsubj", "det", "nsubj", "root", "xcomp", "xcomp", "xcomp"],
)

HEBREW = sample("""
    הילדה   NOUN   nsubj  2
    קראה    VERB   root   0
    שלושה   NUM    nummod 4
    ספרים   NOUN   obj    2
    .       PUNCT  punct  2
""")

JAPANESE = sample("""
    猫     NOUN   nsubj  5
    が     ADP    case   1
    静かに ADV    advmod 5
    魚を   NOUN   obj    5
    食べた VERB   root   0
    。     PUNCT  punct  5
""")

# Faults of every kind: a cycle of 1, 2 and 3, its own head, outside, missing; two roots.
BROKEN = sample("""
    one    NUM  a  2
    two    NUM  b  3
    three  NUM  c  1
    four   NUM  d  4
    five   NUM  e 99
    six    NUM  f  _
    seven  NUM  g  0
    eight  NUM  h  7
    nine   NUM  i  0
""")


def hold_against_golden(name: str, drawn: str) -> None:
    """Compare with the file of that name; ``ARCLIFT_UPDATE_GOLDEN=1`` writes the file instead."""
    file = GOLDEN / name
    if os.environ.get("ARCLIFT_UPDATE_GOLDEN") == "1":
        file.write_bytes(f"{drawn}\n".encode())
    assert file.read_bytes().decode() == f"{drawn}\n", f"{name} is drawn differently; look, then update it"
