"""How a transition parser came to its tree: every configuration, what it could have done, and what it did.

It runs in the plain engine and takes the decisions that ``Machine.decode`` takes: of the permitted classes
(a class is a transition with a label) the one with the highest score, the first of equals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from arclift.draw.width import fit, isolate, visible, width
from arclift.errors import UsageError
from arclift.features.evaluator import row
from arclift.parsing.parser import Parser
from arclift.parsing.transition_parser import TransitionParser
from arclift.parsing.worker import Ids
from arclift.treebank import Block

SHOWN = 4
"""How many classes are shown of each step."""
_NODES, _COLUMNS = 4, 14  # of a list that are shown in text, and how wide a form may be


@dataclass(frozen=True)
class Choice:
    """A class that is permitted, and its score."""

    transition: str
    label: str | None
    score: float

    def __str__(self) -> str:
        return f"{self.transition}:{self.label}" if self.label is not None else self.transition


@dataclass(frozen=True)
class Step:
    """One configuration, and what is done there. In all lists the front comes first: the top of the stack."""

    stack: list[int]
    input: list[int]
    second: list[int]
    choices: list[Choice]
    """The best permitted classes; the first is taken."""
    arc: tuple[int, int] | None
    """Head and dependent of the arc that is added."""

    @property
    def taken(self) -> Choice:
        """What is done."""
        return self.choices[0]


@dataclass(frozen=True)
class Trace:
    """The way to the tree of one sentence."""

    number: int
    """The place of the sentence in its file, counted from 1."""
    id: str | None
    forms: list[str]
    steps: list[Step]
    heads: list[int]
    """What the transitions built, -1 for no head."""
    labels: list[str | None]
    tree: list[tuple[int, str]]
    """Head and label of each word in the end: repaired, and lowered."""

    def as_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON; nodes are pairs of number and form, the root ``[0, null]``."""
        return {
            "sentence": self.number,
            "id": self.id,
            "words": self.forms,
            "steps": [self._step_as_dict(step) for step in self.steps],
            "built": {"heads": self.heads, "labels": self.labels},
            "tree": {"heads": [head for head, _ in self.tree], "labels": [label for _, label in self.tree]},
        }

    def _step_as_dict(self, step: Step) -> dict[str, Any]:
        nodes = [None, *self.forms]
        lists = {"stack": step.stack, "input": step.input, "second": step.second}
        arc = {"head": step.arc[0], "dependent": step.arc[1], "label": step.taken.label} if step.arc else None
        return {
            **{name: [[node, nodes[node]] for node in numbers] for name, numbers in lists.items()},
            "choices": [vars(choice) for choice in step.choices],
            "taken": vars(step.taken),
            "arc": arc,
        }

    def as_text(self) -> str:
        """Return a table with one line a step; the fronts of stack and input meet, as papers print them."""
        head = [f"sentence {self.number}{f' ({visible(self.id)})' if self.id else ''}"]
        rows = [["step", "stack", "input", "second", "takes", "score", "adds", "next best"]]
        rows += [self._row(number, step) for number, step in enumerate(self.steps, 1)]
        if not any(step.second for step in self.steps):
            rows = [[*cells[:3], *cells[4:]] for cells in rows]
        return "\n".join([*head, *_aligned(rows, right=("step", "stack", "score")), *self._changes(), ""])

    def _row(self, number: int, step: Step) -> list[str]:
        arc = f"{self._node(step.arc[0])} → {self._node(step.arc[1])}" if step.arc else ""
        others = ", ".join(f"{choice} {choice.score:.2f}" for choice in step.choices[1:])
        stack, input, second = (self._nodes(nodes) for nodes in (step.stack, step.input, step.second))
        return [
            str(number), " ".join(reversed(stack)), " ".join(input), " ".join(second),
            visible(str(step.taken)), f"{step.taken.score:.2f}", arc, visible(others),
        ]  # fmt: skip

    def _changes(self) -> Iterator[str]:
        """Yield what repairing and lowering made different."""
        built = zip(self.heads, self.labels, strict=True)
        for word, ((head, label), (new, name)) in enumerate(zip(built, self.tree, strict=True), 1):
            if head != new or (label is not None and label != name):
                before = f"{self._node(head)} ({visible(label or '')})" if head >= 0 else "no head"
                after = f"{self._node(new)} ({visible(name)})"
                yield f"in the end {self._node(word)} hangs on {after}; the transitions gave it {before}"

    def _nodes(self, nodes: Sequence[int]) -> list[str]:
        more = ["…"] if len(nodes) > _NODES else []
        return [self._node(node) for node in nodes[:_NODES]] + more

    def _node(self, node: int) -> str:
        return f"{node}:{isolate(fit(visible(self.forms[node - 1]), _COLUMNS))}" if node else "0"


def _aligned(rows: list[list[str]], right: Sequence[str]) -> Iterator[str]:
    """Yield the rows with their columns one below the other."""
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for cells in rows:
        line = ""
        for name, cell, columns in zip(rows[0], cells, widths, strict=True):
            gap = " " * (columns - width(cell))
            line += f"{gap}{cell}  " if name in right else f"{cell}{gap}  "
        yield line.rstrip()


def traces(parser: Parser, block: Block, shown: int = SHOWN) -> Iterator[Trace]:
    """Yield how the parser comes to the trees of the sentences; ``shown`` classes are kept of each step."""
    if not isinstance(parser, TransitionParser):
        raise UsageError(
            f"only transition parsers go step by step, so that there is a trace; "
            f"this is a {parser.kind.replace('-', ' ')}, which scores all arcs at once"
        )
    worker = parser.worker()
    words = worker.words(block)
    heads, labels, names = worker.trees(block)
    for sentence, (begin, end) in zip(block, pairwise(block.offsets.tolist()), strict=True):
        steps, built, built_labels = _run(parser, words[begin:end], shown)
        found = [names[label] for label in labels[begin:end].tolist()]
        tree = list(zip(heads[begin:end].tolist(), found, strict=True))
        yield Trace(sentence.number, sentence.id, sentence.forms, steps, built, built_labels, tree)


def _run(parser: TransitionParser, words: Ids, shown: int) -> tuple[list[Step], list[int], list[str | None]]:
    """Return the steps of one sentence, and the heads and labels that they give."""
    engine, system = parser.engine, parser.engine.system
    state = system.start(len(words))
    steps: list[Step] = []
    while not system.is_final(state):
        permitted = np.flatnonzero(np.isin(engine.transitions, system.permitted(state)))
        if not len(permitted):
            break  # nothing the learner has seen is permitted: what is left stays headless
        values = np.array([row(engine.program, state, words)], dtype=np.int32)
        scores = parser.learner.scorer.scores(values)[0]
        best = permitted[np.argsort(-scores[permitted], kind="stable")]
        transition, label = int(engine.transitions[best[0]]), int(engine.labels[best[0]])
        choices = [
            Choice(
                system.rules[engine.transitions[chosen]].name,
                _name(parser, int(engine.labels[chosen])),
                float(scores[chosen]),
            )
            for chosen in best[: max(shown, 1)].tolist()
        ]
        stack, input, second = (nodes[::-1] for nodes in state.lists)
        steps.append(Step(stack, input, second, choices, system.arc(state, transition)))
        system.apply(state, transition, label)
    return steps, state.head[1:], [_name(parser, label) for label in state.label[1:]]


def _name(parser: TransitionParser, label: int) -> str | None:
    return parser.names[label] if label >= 0 else None
