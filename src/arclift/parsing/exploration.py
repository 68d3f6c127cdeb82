"""Exploration: learning from the configurations that the parser itself gets into (Goldberg & Nivre 2012).

The static oracle only shows configurations that lead to the right tree. A parser that has made a mistake is
in one that it has never seen. With exploration the parser as it is so far, the averaged or quantised one that
would be written to a file, goes through the training sentences; where it goes, the dynamic oracle says which
transitions cost least, and all of them are right. In the paper each *step* is the parser's with some
probability; here each *sentence* is: the others go along the static oracle's way, as in the first epoch. So
all sentences are parsed in one go, by the loop that parses.

An arc that is not in the gold tree can be free of cost, when the dependent's head is lost already. It is to
get the label that the dependent has in the gold tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from arclift.learners import Sets
from arclift.parsing.data import Ids, Steps
from arclift.transitions.configuration import Configuration
from arclift.transitions.gold import Gold
from arclift.transitions.system import System


def explorers(sentences: int, share: float, seed: int, epoch: int) -> NDArray[np.bool_]:
    """Return for each sentence whether the parser goes through it in this epoch."""
    chosen: NDArray[np.bool_] = np.random.default_rng([seed, epoch, 1]).random(sentences) < share
    return chosen


def mixed(oracle: Steps, parser: Steps, explored: NDArray[np.bool_]) -> Steps:
    """Return the parser's steps of the sentences that are explored, and the oracle's of the others."""
    lengths = np.where(explored, np.diff(parser.begins), np.diff(oracle.begins))
    begins = np.append(0, np.cumsum(lengths))
    sources = [parser if each else oracle for each in explored.tolist()]
    places = [slice(*source.begins[i : i + 2].tolist()) for i, source in enumerate(sources)]
    transitions, labels = (
        np.concatenate([getattr(source, name)[place] for source, place in zip(sources, places, strict=True)])
        for name in ("transitions", "labels")
    )
    return Steps(transitions, labels, begins, oracle.lost)


def right_classes(system: System, golds: Sequence[Gold], steps: Steps, transitions: Ids, labels: Ids) -> Sets:
    """Return the classes that cost least before each step; class c is ``transitions[c]`` with a label."""
    classes = {pair: c for c, pair in enumerate(zip(transitions.tolist(), labels.tolist(), strict=True))}
    taken = list(zip(steps.transitions.tolist(), steps.labels.tolist(), strict=True))
    distinct: dict[tuple[int, ...], int] = {}
    ids: list[int] = []
    for gold, (first, last) in zip(golds, pairwise(steps.begins.tolist()), strict=True):
        state = system.start(gold.words)
        for transition, label in taken[first:last]:
            pairs = _cheapest(system, state, gold)
            right = tuple(classes[pair] for pair in pairs if pair in classes)
            ids.append(distinct.setdefault(right, len(distinct)))
            system.apply(state, transition, label)
    table = np.zeros((len(distinct), len(classes)), dtype=np.uint8)
    for right, row in distinct.items():
        table[row, list(right)] = 1
    return Sets(table, np.array(ids, dtype=np.int32))


def _cheapest(system: System, state: Configuration, gold: Gold) -> list[tuple[int, int]]:
    """Return the transitions that cost least, with their labels."""
    costs = system.costs(state, gold)
    least = min(cost for cost in costs if cost >= 0)
    cheapest = [transition for transition, cost in enumerate(costs) if cost == least]
    arcs = [system.arc(state, transition) for transition in cheapest]
    return [(t, gold.label[arc[1]] if arc else -1) for t, arc in zip(cheapest, arcs, strict=True)]
