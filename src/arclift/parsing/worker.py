"""What one thread does with a block: trees for its sentences, written into its bytes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arclift.parsing.data import Reading
from arclift.parsing.options import Options
from arclift.parsing.output import in_turn, score_cells, with_rank
from arclift.treebank import Block
from arclift.treebank.convert import Converter
from arclift.treebank.formats import CONLLU
from arclift.trees.repair import complete
from arclift.trees.structure import Heads

if TYPE_CHECKING:
    from arclift.parsing.parser import Parser

Ids = NDArray[np.int32]
Doubles = NDArray[np.float64]


class Trees(NamedTuple):
    """One tree for each sentence of a block; labels are indices into ``names``."""

    heads: Heads
    labels: Ids
    names: list[str]


class Ranked(NamedTuple):
    """Trees, and the logarithm of each one's probability; -inf where a sentence has no tree of this rank."""

    trees: Trees
    scores: Doubles


class Worker(ABC):
    """What one thread needs to parse: string tables, and what is known of the strings in them, which grow.

    They are thrown away when they have become large, so that memory stays flat on endless text.
    """

    MOST_STRINGS = 1 << 18

    def __init__(self, parser: Parser, options: Options) -> None:
        self.options = options
        self.single_root = options.single_root or not parser.several_roots
        self._calibration = parser.calibration
        self._begin()

    def _begin(self) -> None:
        self.reading = Reading()

    @abstractmethod
    def trees(self, block: Block) -> Trees:
        """Return the best tree of each sentence."""

    @abstractmethod
    def best_trees(self, block: Block, k: int) -> list[Ranked]:
        """Return up to k different trees of each sentence, the best ones first; at least one rank."""

    @abstractmethod
    def confidence(self, block: Block, trees: Trees) -> tuple[Doubles, Doubles]:
        """Return the log-odds of the heads and of the labels, as the learner gives them."""

    def keeping(self, block: Block) -> Trees:
        """Return trees that have the heads and labels that the block has already."""
        found = self.trees(block)
        heads = found.heads.copy()
        for begin, end in pairwise(block.offsets.tolist()):
            kept = block.heads[begin:end]
            if (kept >= 0).any():
                heads[begin:end] = complete(heads[begin:end], kept, single_root=self.single_root)
        return found._replace(heads=heads)

    def weighed(self, block: Block) -> tuple[Doubles, NDArray[np.bool_], Doubles, NDArray[np.bool_]]:
        """Return the confidence in heads and labels of the block's sentences, and which of them are right."""
        trees = self.trees(block)
        of_heads, of_labels = self.confidence(block, trees)
        _, same = self._old_labels(block, [name or "_" for name in trees.names])
        return of_heads, trees.heads == block.heads, of_labels, trees.labels == same

    def __call__(self, block: Block) -> bytes:
        """Return the block's bytes with trees; a format without heads becomes CoNLL-U."""
        if block.format.head_column < 0:
            data = b"".join(Converter(CONLLU).convert([block]))
            block = Block(data, CONLLU, file=block.file)
        if sum(len(strings) for strings in self.reading.strings.values()) > self.MOST_STRINGS:
            self._begin()
        if self.options.best > 1:
            return in_turn(
                [
                    with_rank(block, self._written(block, trees), scores, rank)
                    for rank, (trees, scores) in enumerate(self.best_trees(block, self.options.best), 1)
                ]
            )
        return self._written(block, self.keeping(block) if self.options.keep else self.trees(block))

    def _written(self, block: Block, trees: Trees) -> bytes:
        """Return the block's bytes with these trees."""
        heads, labels, names = trees
        texts = [name or "_" for name in names]
        given, same = self._old_labels(block, texts)
        stays = (same == labels) | (given & self.options.keep)
        columns = {"deprel": (np.where(stays, np.int32(-1), labels), texts)}
        if self.options.scores:
            if self.options.keep:
                trees = trees._replace(labels=np.where(given & (same >= 0), same, labels))
            columns["misc"] = score_cells(block, *self._calibration(*self.confidence(block, trees)))
        return block.replaced(heads=heads, columns=columns)

    def _old_labels(self, block: Block, texts: list[str]) -> tuple[NDArray[np.bool_], Ids]:
        """Return which words have a label already, and which of the texts it is, -1 for another."""
        strings = self.reading.labels
        old = block.ids("deprel", strings)
        places = {text.encode(): place for place, text in enumerate(texts)}
        known = [strings[id] for id in range(len(strings))]
        same = np.array([places.get(text, -1) for text in known], dtype=np.int32)
        given = np.array([text != b"_" for text in known], dtype=np.bool_)
        return (given[old], same[old]) if len(old) else (np.zeros(0, np.bool_), old)
