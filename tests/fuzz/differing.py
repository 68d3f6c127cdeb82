"""Random parsers decide alike in the compiled loops and in the plain ones, to the bit, step by step."""

from __future__ import annotations

from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np

from arclift.features import Encoder
from arclift.learners import mlp, perceptron, restore
from arclift.native import PAIRS
from arclift.parsing import engine, graph_parser
from arclift.parsing.data import Reading
from arclift.parsing.graph_parser import GraphParser, GraphWorker
from arclift.parsing.options import DEFAULTS
from arclift.parsing.transition_parser import TransitionParser
from arclift.treebank import Block
from arclift.treebank.formats import CONLLU
from fuzz import parsers
from fuzz.texts import sentence

INPUTS = 6
LONGEST = 9


def run(seed: int) -> int:
    """Compare on a few sentences with a new graph parser and a new transition parser; none without a core."""
    if PAIRS["Machine"].native is None:
        return 0
    rng = Random(f"differing {seed}")
    text = "".join(sentence(rng, rng.randint(1, LONGEST)) for _ in range(INPUTS // 2))
    block = Block(text.encode(), CONLLU)
    for make, answers in ((parsers.graph_parser, _by_graph), (parsers.transition_parser, _by_transitions)):
        parser = make(rng)
        plain, native = (answers(parser, block, kind) for kind in ("python", "native"))
        for one, other in zip(plain, native, strict=True):
            np.testing.assert_array_equal(one, other)
    return INPUTS


def _by_graph(parser: GraphParser, block: Block, kind: str) -> list[Any]:
    """Return heads, labels and the scores of the first sentence's arcs."""
    with patch.object(graph_parser, "_GraphWords", getattr(PAIRS["GraphWords"], kind)):
        worker = GraphWorker(parser, DEFAULTS)
    ids = worker.ids(block)
    scorer = getattr(PAIRS["GraphScorer"], kind)(parser.arrays)
    first = ids[: block.offsets[1]]
    scores = scorer.arc_scores(worker._words, first)
    scores[np.arange(len(first)), np.arange(1, len(first) + 1)] = 0  # no word is its own head
    return [*scorer.parse(worker._words, ids, block.offsets, not parser.several_roots), scores]


def _by_transitions(parser: TransitionParser, block: Block, kind: str) -> list[Any]:
    """Return heads and labels, the transitions taken on the way, and what a beam finds."""
    words = Encoder(parser.values).encode(Reading().columns(block))
    with (
        patch.object(engine, "Machine", getattr(PAIRS["Machine"], kind)),
        patch.object(perceptron, "_SparseScorer", getattr(PAIRS["SparseScorer"], kind)),
        patch.object(mlp, "_MlpScorer", getattr(PAIRS["MlpScorer"], kind)),
    ):
        scorer = restore(parser.learner.settings(), parser.learner.arrays()).scorer
        parts = parser.engine
        machine = engine.Engine(parts.system, parts.program, parts.transitions, parts.labels).machine
    limits = np.array([parts.system.bound(n) for n in np.diff(block.offsets).tolist()], dtype=np.int64)
    run = (scorer, words, block.offsets, limits)
    return [*machine.decode(*run), *machine.walk(*run), *machine.beam(*run, 3, 2)]
