"""Graph parsers: a network scores all arcs of a sentence, and the best tree is taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arclift.graph.inputs import Inputs
from arclift.graph.scorer import LONGEST, _GraphScorer, _GraphWords
from arclift.graph.scorer import Arrays as ScorerArrays
from arclift.parsing.calibration import log_odds
from arclift.parsing.options import DEFAULTS, Options
from arclift.parsing.parser import Arrays, Parser, part
from arclift.parsing.worker import Doubles, Ids, Ranked, Trees, Worker
from arclift.treebank import Block
from arclift.trees.kbest import best_spanning_trees
from arclift.trees.repair import repair_all
from arclift.trees.spanning import Scores, maximum_spanning_tree
from arclift.trees.structure import Heads, Offsets


@dataclass(frozen=True, eq=False)
class GraphParser(Parser):
    """Inputs and a quantised network."""

    kind = "graph-parser"

    inputs: Inputs
    arrays: ScorerArrays

    @cached_property
    def scorer(self) -> _GraphScorer:
        """What scores; it never changes."""
        return _GraphScorer(self.arrays)

    def worker(self, options: Options = DEFAULTS) -> GraphWorker:
        """Return what one thread parses with."""
        return GraphWorker(self, options)

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        settings, inputs = self.inputs.state()
        arrays = {f"inputs/{name}": array for name, array in inputs.items()}
        return {"inputs": settings}, arrays | {
            f"network/{name}": array for name, array in self.arrays.items()
        }

    @classmethod
    def restored(cls, common: dict[str, Any], settings: Mapping[str, Any], arrays: Arrays) -> GraphParser:
        """Return the parser that ``_state`` described."""
        inputs = Inputs.restore(settings["inputs"], part(arrays, "inputs/"))
        parser = cls(**common, inputs=inputs, arrays=part(arrays, "network/"))
        if len(parser.arrays["embeddings"]) != inputs.size:
            raise ValueError("the network has embeddings for other inputs")
        if parser.arrays["label"].shape[1] != len(parser.names):
            raise ValueError("the network has other labels")
        if parser.root_label not in parser.names:
            raise ValueError("the label of roots is none of the labels")
        _ = parser.scorer  # refuses arrays that do not fit
        return parser


class GraphWorker(Worker):
    """Keeps the sums of embeddings of the strings met, and parses."""

    def __init__(self, parser: GraphParser, options: Options) -> None:
        self.parser = parser
        super().__init__(parser, options)

    def _begin(self) -> None:
        super()._begin()
        self._columns = self.parser.inputs.columns()
        self._words = _GraphWords(self.parser.arrays["embeddings"], len(self._columns))

    def ids(self, block: Block) -> Ids:
        """Return the number of the string of each word in each column, [words, columns]."""
        known = self.reading.columns(block)
        table = np.empty((block.words, len(self._columns)), dtype=np.int32)
        for place, column in enumerate(self._columns):
            strings, table[:, place] = column.strings_of(known, block.words)
            done = self._words.count(place)
            if done < len(strings):
                self._words.extend(place, column.rows(strings, done))
        return table

    def trees(self, block: Block) -> Trees:
        """Return the best tree of each sentence."""
        parser = self.parser
        heads, labels = parser.scorer.parse(self._words, self.ids(block), block.offsets, self.single_root)
        repaired = repair_all(heads, block.offsets, single_root=self.single_root)
        root = parser.names.index(parser.root_label)
        labels = np.where((repaired != heads) & (repaired == 0), np.int32(root), labels)
        return Trees(repaired, labels, parser.names)

    def keeping(self, block: Block) -> Trees:
        """Return the best of the trees that have the heads and labels that the block has already."""
        ids, heads = self.ids(block), super().keeping(block).heads
        for begin, end in pairwise(block.offsets.tolist()):
            kept = block.heads[begin:end]
            if (kept >= 0).any() and end - begin <= LONGEST:
                scores = self._arc_scores(ids[begin:end])
                for word in np.flatnonzero(kept >= 0).tolist():
                    forbidden = np.arange(len(scores)) != kept[word]
                    scores[forbidden, word + 1] = -np.inf
                heads[begin:end] = maximum_spanning_tree(scores, single_root=self.single_root)
        return self._named(block, ids, heads)

    def best_trees(self, block: Block, k: int) -> list[Ranked]:
        """Return up to k trees of each sentence by the probability of their heads, each with its best labels.

        A sentence of more than ``LONGEST`` words has one.
        """
        ids, first = self.ids(block), self.trees(block)
        ranks = [first.heads, *(np.full(block.words, -1, dtype=np.int32) for _ in range(k - 1))]
        for begin, end in pairwise(block.offsets.tolist()):
            if begin < end <= begin + LONGEST:
                scores = self._arc_scores(ids[begin:end])
                found = best_spanning_trees(scores, k, single_root=self.single_root)
                for heads, tree in zip(ranks, found, strict=False):
                    heads[begin:end] = tree
        return [self._ranked(block, ids, heads) for heads in ranks]

    def _ranked(self, block: Block, ids: Ids, heads: Ids) -> Ranked:
        """Return trees with labels and scores; where heads are -1 there is none."""
        there = np.diff(np.append(0, np.cumsum(heads >= 0))[block.offsets]) > 0
        trees = self._named(block, ids, _with_any(heads, block.offsets))
        of_heads, _ = self._log_probabilities(block, trees)
        summed = np.append(0, np.cumsum(of_heads))[block.offsets]
        scores = np.where(there, np.diff(summed), -np.inf)
        return Ranked(trees._replace(heads=heads), scores)

    def _named(self, block: Block, ids: Ids, heads: Ids) -> Trees:
        labels = self.parser.scorer.labels_of(self._words, ids, block.offsets, heads)
        return Trees(heads, labels, self.parser.names)

    def confidence(self, block: Block, trees: Trees) -> tuple[Doubles, Doubles]:
        """Return the log-odds of the heads and of the labels; of any tree where there is none of its rank."""
        found = trees._replace(heads=_with_any(trees.heads, block.offsets))
        of_heads, of_labels = self._log_probabilities(block, found)
        return log_odds(of_heads), log_odds(of_labels)

    def _log_probabilities(self, block: Block, trees: Trees) -> tuple[Doubles, Doubles]:
        return self.parser.scorer.log_probabilities(
            self._words, self.ids(block), block.offsets, trees.heads, trees.labels
        )

    def _arc_scores(self, ids: Ids) -> Scores:
        """Return the scores of all arcs of one sentence, [heads, dependents], as logarithms."""
        scores = self.parser.scorer.arc_scores(self._words, ids) * self.parser.arrays["units"][0]
        return np.vstack([np.zeros(len(scores) + 1), scores]).T


def _with_any(heads: Heads, offsets: Offsets) -> Heads:
    """Return the heads with some tree, a chain, for each sentence whose heads are all -1."""
    chain = np.arange(len(heads)) - np.repeat(offsets[:-1], np.diff(offsets))
    return np.where(heads < 0, chain, heads).astype(np.int32)
