"""Transition parsers: a tree is built step by step, by the transitions that a learner chooses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arclift.features import Encoder, Program, Values, compile_features, parse_features, preset
from arclift.learners import Learner, restore
from arclift.parsing.config import NO_LIFTING, Config
from arclift.parsing.engine import Engine
from arclift.parsing.options import DEFAULTS, Options
from arclift.parsing.parser import Arrays, Parser, checked_labels, part
from arclift.parsing.worker import Doubles, Ids, Ranked, Trees, Worker
from arclift.transitions.registry import make
from arclift.transitions.system import System
from arclift.treebank import Block
from arclift.trees.labels import Scheme
from arclift.trees.lowering import lower
from arclift.trees.repair import repair_all
from arclift.trees.structure import Offsets

BEAM = 8
"""The least width of a beam."""


def system_of(config: Config) -> System:
    """Return the transition system of a configuration."""
    return make(config.system.name, **config.system.settings)


def program_of(config: Config, feature_names: Iterable[str]) -> Program:
    """Return the compiled features of a configuration; ``feature_names`` are those of FEATS."""
    chosen = config.features
    features = parse_features(chosen.text) if chosen.text else preset(chosen.preset)
    return compile_features(features, tuple(feature_names))


@dataclass(frozen=True, eq=False)
class TransitionParser(Parser):
    """A transition system, features and a learner."""

    kind = "transition-parser"

    feature_names: tuple[str, ...]
    values: Values
    engine: Engine
    learner: Learner
    other_label: str
    """The label of a word that was left without one and is no root."""

    def worker(self, options: Options = DEFAULTS) -> TransitionWorker:
        """Return what one thread parses with."""
        return TransitionWorker(self, options)

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        value_settings, value_arrays = self.values.state()
        settings = {
            "feature_names": list(self.feature_names),
            "values": value_settings,
            "classes": [self.engine.transitions.tolist(), self.engine.labels.tolist()],
            "learner": self.learner.settings(),
            "other_label": self.other_label,
        }
        arrays = {f"values/{name}": array for name, array in value_arrays.items()}
        arrays |= {f"learner/{name}": array for name, array in self.learner.arrays().items()}
        return settings, arrays

    @classmethod
    def restored(
        cls, common: dict[str, Any], settings: Mapping[str, Any], arrays: Arrays
    ) -> TransitionParser:
        """Return the parser that ``_state`` described."""
        config: Config = common["config"]
        if not settings["learner"]["finished"]:
            raise ValueError("the learner has not finished learning")
        transitions, labels = (np.array(ids, dtype=np.int32) for ids in settings["classes"])
        program = program_of(config, settings["feature_names"])
        parser = cls(
            **common,
            feature_names=tuple(settings["feature_names"]),
            values=Values.restore(settings["values"], part(arrays, "values/")),
            engine=Engine(system_of(config), program, transitions, labels),
            learner=restore(settings["learner"], part(arrays, "learner/")),
            other_label=checked_labels([settings["other_label"]])[0],
        )
        if parser.values.attributes != program.words:
            raise ValueError("the values of words are made for other features")
        parser.engine.check(parser.learner)
        if labels.max(initial=-1) >= len(parser.names):
            raise ValueError("a class has a label that is not there")
        return parser


class TransitionWorker(Worker):
    """Parses step by step, repairs what is no tree, and lowers."""

    def __init__(self, parser: TransitionParser, options: Options) -> None:
        self.parser = parser
        super().__init__(parser, options)

    def _begin(self) -> None:
        super()._begin()
        self._encoder = Encoder(self.parser.values)

    def trees(self, block: Block) -> Trees:
        """Return the tree of each sentence that the best transitions build, one by one."""
        found = self.parser.engine.decode(self.parser.learner, self.words(block), block.offsets)
        return self._mended(*found, block.offsets)

    def best_trees(self, block: Block, k: int) -> list[Ranked]:
        """Return up to k trees of each sentence, found by a beam; its first may be better than ``trees``."""
        parser, width = self.parser, max(BEAM, 2 * k)
        beams = parser.engine.decode_beam(parser.learner, self.words(block), block.offsets, width, width)
        ends = block.offsets[1:] + np.arange(width)[:, None] * block.words
        offsets = np.append(0, ends.ravel())
        heads, labels, names = self._mended(beams.heads.ravel(), beams.labels.ravel(), offsets)
        heads, labels = heads.reshape(width, -1), labels.reshape(width, -1)
        chosen = _different(heads, labels, beams.totals, block.offsets, k)
        return [Ranked(Trees(heads, labels, names), scores) for heads, labels, scores in chosen]

    def confidence(self, block: Block, trees: Trees) -> tuple[Doubles, Doubles]:
        """Return the log-odds of the heads and of the labels.

        Those of the transition that attached a word against all others, and of the transition with its label.
        A word that no transition attached has even odds; for another head or label than that of the best
        transitions the odds turn round.
        """
        parser, values = self.parser, self.words(block)
        own = self._mended(*parser.engine.decode(parser.learner, values, block.offsets), block.offsets)
        of_heads, of_labels = parser.engine.log_odds(parser.learner, values, block.offsets)
        own_names, names = np.array(own.names, dtype=object), np.array(trees.names, dtype=object)
        same = own_names[own.labels] == names[trees.labels]
        return (
            np.where(own.heads == trees.heads, of_heads, -of_heads),
            np.where(same.astype(np.bool_), of_labels, -of_labels),
        )

    def words(self, block: Block) -> Ids:
        """Return the values of the words, as features read them."""
        return self._encoder.encode(self.reading.columns(block))

    def _mended(self, heads: Ids, labels: Ids, offsets: Offsets) -> Trees:
        """Return trees made of what transitions have built: repaired, and lowered."""
        parser = self.parser
        names, root, other = self._names
        if parser.engine.system.root == "none":
            labels = np.where(heads < 0, root, labels)
            heads = np.maximum(heads, 0)
        repaired = repair_all(heads, offsets, single_root=self.single_root)
        labels = np.where((repaired != heads) & (repaired == 0), root, labels)
        labels = np.where((labels < 0) | ((labels == root) & (repaired != 0) & (heads == 0)), other, labels)
        labels = labels.astype(np.int32)
        if parser.config.lifting.scheme == NO_LIFTING:
            return Trees(repaired, labels, names)
        done = lower(repaired, labels, offsets, names, Scheme(parser.config.lifting.scheme))
        return Trees(done.heads, done.labels, done.names)

    @cached_property
    def _names(self) -> tuple[list[str], int, int]:
        """The names of all labels, and the numbers of those for roots and for words left without one."""
        names = list(dict.fromkeys([*self.parser.names, self.parser.root_label, self.parser.other_label]))
        return names, names.index(self.parser.root_label), names.index(self.parser.other_label)


def _different(
    heads: Ids, labels: Ids, totals: NDArray[np.float64], offsets: Offsets, k: int
) -> list[tuple[Ids, Ids, NDArray[np.float64]]]:
    """Return the first k trees of each sentence that differ: repairing and lowering may make trees equal."""
    best_heads, best_labels = (np.full((k, heads.shape[1]), -1, dtype=np.int32) for _ in range(2))
    best_totals = np.full((k, totals.shape[1]), -np.inf)
    for sentence, (begin, end) in enumerate(pairwise(offsets.tolist())):
        seen: set[tuple[bytes, bytes]] = set()
        for rank in np.flatnonzero(totals[:, sentence] > -np.inf).tolist():
            tree = heads[rank, begin:end].tobytes(), labels[rank, begin:end].tobytes()
            if tree in seen or len(seen) == k:
                continue
            best_heads[len(seen), begin:end] = heads[rank, begin:end]
            best_labels[len(seen), begin:end] = labels[rank, begin:end]
            best_totals[len(seen), sentence] = totals[rank, sentence]
            seen.add(tree)
    return list(zip(best_heads, best_labels, best_totals, strict=True))
