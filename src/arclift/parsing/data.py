"""Training data: trees lifted as the configuration says, and the transitions an oracle takes through them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arclift.errors import InputError
from arclift.features import Column
from arclift.features.address import SOURCES
from arclift.parsing.config import NO_LIFTING
from arclift.transitions.gold import Gold
from arclift.transitions.system import System
from arclift.treebank import Block, StringTable
from arclift.trees.encoding import encode
from arclift.trees.labels import Scheme
from arclift.trees.lowering import lower
from arclift.trees.structure import Heads, Offsets

Ids = NDArray[np.int32]

WORD_COLUMNS = tuple(dict.fromkeys(SOURCES.values()))


class Reading:
    """Columns of blocks as ids of string tables that stay the same from block to block."""

    def __init__(self) -> None:
        self.strings = {name: StringTable() for name in WORD_COLUMNS}
        self.labels = StringTable()

    def columns(self, block: Block) -> dict[str, Column]:
        """Return the columns that features may ask for, as far as the format has them."""
        names = (name for name in WORD_COLUMNS if block.format.column(name) >= 0)
        return {name: Column(self.strings[name], block.ids(name, self.strings[name])) for name in names}


@dataclass(frozen=True, eq=False)
class TrainingData:
    """A treebank in arrays: trees as they are, trees as the parser is to build them, and columns."""

    heads: Heads
    """Heads after lifting."""
    labels: Ids
    """Labels after lifting, indices into ``names``."""
    names: list[str]
    offsets: Offsets
    columns: dict[str, Column]
    several_roots: bool
    """Whether some sentence has several roots, so that the parser may give several, too."""
    root_label: str
    """The label that most roots have."""
    not_lowered: int
    """Words whose head or label lowering does not bring back."""


def gather(blocks: Iterable[Block], scheme: str) -> TrainingData:
    """Return all sentences of the blocks, their trees lifted."""
    reading, labels = Reading(), StringTable()
    parts = [
        (block.heads, block.ids("deprel", labels), np.diff(block.offsets), reading.columns(block))
        for block in blocks
    ]
    heads = np.concatenate([part[0] for part in parts] or [np.zeros(0, np.int32)])
    if not len(heads):
        raise InputError("there is no sentence to learn from", code="no-data")
    ids = np.concatenate([part[1] for part in parts])
    lengths = np.concatenate([part[2] for part in parts])
    offsets = np.append(0, np.cumsum(lengths[lengths > 0]))
    columns = {
        name: Column(reading.strings[name], np.concatenate([part[3][name].ids for part in parts]))
        for name in parts[0][3]
    }
    names = [labels[id].decode() for id in range(len(labels))]
    roots = heads == 0
    root_label = names[int(np.bincount(ids[roots]).argmax())]
    several = bool((np.diff(np.append(0, np.cumsum(roots))[offsets]) > 1).any())
    not_lowered = 0
    if scheme != NO_LIFTING:
        lifted = encode(heads, ids, offsets, names, Scheme(scheme))
        back = lower(lifted.heads, lifted.labels, offsets, lifted.names, Scheme(scheme))
        not_lowered = int(((back.heads != heads) | (back.labels != ids)).sum())
        heads, ids, names = lifted.heads, lifted.labels, lifted.names
    return TrainingData(heads, ids, names, offsets, columns, several, root_label, not_lowered)


class Steps(NamedTuple):
    """The transitions an oracle takes through a treebank."""

    transitions: Ids
    labels: Ids
    """Those of the arcs that are added, -1 where none is."""
    begins: Offsets
    """Where the steps of each sentence begin."""
    lost: int
    """How many words do not get their head: what the system cannot build."""


def golds(data: TrainingData) -> Iterator[Gold]:
    """Yield the trees that an oracle aims at."""
    for begin, end in pairwise(data.offsets.tolist()):
        yield Gold(data.heads[begin:end].tolist(), data.labels[begin:end].tolist())


def oracle_steps(system: System, data: TrainingData) -> Steps:
    """Return what the static oracle does with each tree."""
    transitions: list[int] = []
    labels: list[int] = []
    begins = [0]
    lost = 0
    for gold in golds(data):
        state = system.start(gold.words)
        oracle = system.oracle(gold)
        while not system.is_final(state):
            transition = oracle(state)
            arc = system.arc(state, transition)
            label = gold.label[arc[1]] if arc else -1
            system.apply(state, transition, label)
            transitions.append(transition)
            labels.append(label)
        begins.append(len(transitions))
        lost += sum(head != right for head, right in zip(system.heads(state), gold.head[1:], strict=True))
    return Steps(
        np.array(transitions, np.int32), np.array(labels, np.int32), np.array(begins, np.int64), lost
    )
