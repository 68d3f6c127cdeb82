"""Whole treebanks lifted and lowered, block by block: bytes in, the same with other heads and labels out."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from arclift.treebank.block import Block
from arclift.treebank.strings import StringTable
from arclift.trees.encoding import encode
from arclift.trees.labels import PAPER, Markers, Scheme
from arclift.trees.lowering import lower

Ids = NDArray[np.int32]


class Transform:
    """What lifting and lowering share: the labels seen so far, and how a block is written with new ones."""

    def __init__(self, scheme: Scheme, markers: Markers = PAPER) -> None:
        self.scheme = scheme
        self.markers = markers
        self._strings = StringTable()
        self._names: list[str] = []

    def _labels(self, block: Block) -> tuple[Ids, list[str]]:
        ids = block.ids("deprel", self._strings)
        self._names += [self._strings[id].decode() for id in range(len(self._names), len(self._strings))]
        return ids, self._names

    def _written(self, block: Block, heads: Ids, old: Ids, labels: Ids, names: list[str]) -> bytes:
        places = {name: place for place, name in enumerate(names)}
        same = np.array([places.get(name, -1) for name in self._names], dtype=np.int32)
        changed = np.where(same[old] == labels, np.int32(-1), labels)
        return block.replaced(heads=heads, columns={"deprel": (changed, names)})


class Projectivizer(Transform):
    """Lifts the arcs of one block after the other until they are projective."""

    def __init__(self, scheme: Scheme, markers: Markers = PAPER) -> None:
        super().__init__(scheme, markers)
        self.words = 0
        self.lifted: Counter[tuple[str, int]] = Counter()
        """How many arcs with this label were lifted so many times."""

    def __call__(self, block: Block) -> bytes:
        """Return the block's bytes with projective trees, and labels that tell of the lifts."""
        labels, names = self._labels(block)
        done = encode(block.heads, labels, block.offsets, names, self.scheme, markers=self.markers)
        self.words += block.words
        lifted = np.flatnonzero(done.lifts)
        self.lifted.update(
            (names[label], lifts)
            for label, lifts in zip(labels[lifted].tolist(), done.lifts[lifted].tolist(), strict=True)
        )
        return self._written(block, done.heads, labels, done.labels, done.names)


class Deprojectivizer(Transform):
    """Lowers the arcs of one block after the other that their labels call lifted."""

    def __call__(self, block: Block) -> bytes:
        """Return the block's bytes with lowered trees, and labels without marks."""
        labels, names = self._labels(block)
        done = lower(block.heads, labels, block.offsets, names, self.scheme, markers=self.markers)
        return self._written(block, done.heads, labels, done.labels, done.names)
