"""Files of TiMBL: instances as text, and what it answered."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import pytest

from arclift.learners import create
from arclift.learners.contract import UNKNOWN
from arclift.learners.memory_search import EPSILON
from arclift.native import PAIRS

METRICS = {"O": "overlap", "M": "mvdm", "J": "jeffrey", "S": "jensen_shannon"}
WEIGHTS = ["none", "gain_ratio", "information_gain", "chi_squared", "shared_variance"]
VOTES = {"Z": "majority", "ID": "inverse_distance", "IL": "inverse_linear", "ED": "exponential_decay"}
NAME = re.compile(
    r"m(?P<m>\w)-w(?P<w>\d)-d(?P<d>Z|ID|IL|ED)(?P<a>\d*)-k(?P<k>\d+)(?:-L(?P<L>\d+))?(?P<x>-x)?"
)
ANSWER = re.compile(r"(?P<instance>.*) (?P<chosen>\S+) \{ (?P<votes>.*) \}\s+(?P<nearest>\S+)$")


class Answer(NamedTuple):
    chosen: str
    votes: dict[str, float]
    nearest: float


def settings(name: str) -> dict[str, object]:
    """Return hyper-parameters from options as the names of the files have them: ``mM-w1-dID-k5``."""
    found = NAME.fullmatch(name)
    assert found, name
    return {
        "metric": METRICS[found["m"]],
        "weights": WEIGHTS[int(found["w"])],
        "votes": VOTES[found["d"]],
        "decay": float(found["a"] or 1),
        "k": int(found["k"]),
        "limit": int(found["L"] or 1),
        "exact": True if found["x"] else None,
    }


def options(name: str) -> list[str]:
    """Return the same as options of the program."""
    found = NAME.fullmatch(name)
    assert found, name
    decay = f"ED:{found['a'] or 1}" if found["d"] == "ED" else found["d"]
    more = [f"-L{found['L']}"] if found["L"] else []
    return ["-a", "IB1", f"-m{found['m']}", f"-w{found['w']}", f"-d{decay}", f"-k{found['k']}", *more] + (
        ["+x"] if found["x"] else []
    )


def instances(text: str) -> list[list[str]]:
    """Return the fields of each line."""
    return [line.split() for line in text.splitlines()]


def answers(text: str) -> list[Answer]:
    """Return what an output file says; lines about neighbours are passed over."""
    found = []
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        parts = ANSWER.fullmatch(line)
        assert parts, line
        pairs = [pair.rsplit(" ", 1) for pair in parts["votes"].split(", ") if pair.strip()]
        votes = {name: float(count) for name, count in pairs}
        found.append(Answer(parts["chosen"], votes, float(parts["nearest"])))
    return found


class Memory:
    """A memory that has learned from lines of text, and answers lines of text."""

    def __init__(self, lines: list[list[str]], **settings: object) -> None:
        self._vocabularies = [
            {value: number for number, value in enumerate(dict.fromkeys(column), 3)}
            for column in zip(*(line[:-1] for line in lines), strict=True)
        ]
        self.names = list(dict.fromkeys(line[-1] for line in lines))
        right = np.eye(len(self.names), dtype=np.uint8)[[self.names.index(line[-1]) for line in lines]]
        sizes = [3 + len(vocabulary) for vocabulary in self._vocabularies]
        learner = create("memory", **settings).begin(sizes, len(self.names))
        learner.update(self.rows(lines), right, np.ones_like(right))
        self.learner = learner.finish()

    def rows(self, lines: list[list[str]]) -> np.ndarray:
        return np.array(
            [
                [
                    known.get(value, UNKNOWN)
                    for known, value in zip(self._vocabularies, line[:-1], strict=True)
                ]
                for line in lines
            ],
            dtype=np.int32,
        )

    def answers(self, lines: list[list[str]]) -> list[Answer]:
        chosen, votes, nearest = self.learner.scorer.answers(self.rows(lines))
        return [
            Answer(self.names[best], {self.names[c]: row[c] for c in np.flatnonzero(row)}, distance)
            for best, row, distance in zip(chosen, votes, nearest, strict=True)
        ]


class FaultyLinear(PAIRS["MemoryScorer"].python):
    """Votes by inverse linear distance as TiMBL 6.5 counts them, one fault of its program included.

    It has room for k distances, and after the first tie for k + 1. Where fewer are found, the last one counts
    as endless, and so every neighbour fully.
    """

    room = 0

    def _answer(self, row):
        self.room = self.room or self._setting.k
        return super()._answer(row)

    def _groups(self, row, k):
        self.room = max(self.room, k)
        return super()._groups(row, k)

    def _votes(self, groups, alone=None):
        if len(groups) < self.room:
            return sum(self._counted(self._table, np.array(places)) for _, places in groups)
        return super()._votes(groups, alone)


def answers_as_timbl(
    lines: list[list[str]],
    test: list[list[str]],
    settings: dict[str, object],
    monkeypatch: pytest.MonkeyPatch,
) -> list[Answer]:
    """Return our answers, with TiMBL's fault where it has one."""
    if settings["votes"] == "inverse_linear":
        monkeypatch.setattr("arclift.learners.memory._MemoryScorer", FaultyLinear)
    return Memory(lines, **settings).answers(test)


def same(ours: Answer, theirs: Answer) -> bool:
    """Return whether two answers are the same, as far as TiMBL prints them."""
    printed = {name for name, votes in ours.votes.items() if votes > EPSILON}
    return (
        ours.chosen == theirs.chosen
        and printed == theirs.votes.keys()
        and all(abs(ours.votes[name] - votes) <= 1e-5 * abs(votes) for name, votes in theirs.votes.items())
        and abs(ours.nearest - theirs.nearest) <= 1e-12 * max(1.0, theirs.nearest)
    )
