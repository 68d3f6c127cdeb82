"""Training of transition parsers: the oracle's transitions, and a learner that learns to take them.

With ``oracle.exploration`` the rows of each epoch but the first are those that the parser meets on its own
way; see `arclift.parsing.exploration`. They depend on nothing but the learner, so that its state is all there
is to a training.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arclift.errors import UsageError
from arclift.features import Encoder, Program, Values, feature_names
from arclift.learners import Learner, Sets, create, restore
from arclift.parsing.calibration import Calibration
from arclift.parsing.config import Config
from arclift.parsing.data import Steps, TrainingData, golds, oracle_steps
from arclift.parsing.engine import Engine
from arclift.parsing.exploration import explorers, mixed, right_classes
from arclift.parsing.parser import Arrays
from arclift.parsing.transition_parser import TransitionParser, program_of, system_of
from arclift.transitions.gold import Gold
from arclift.transitions.registry import title, variants

Ids = NDArray[np.int32]


class TransitionTraining:
    """The state of a training: the learner, and the rows it learns from."""

    def __init__(self, config: Config, data: TrainingData) -> None:
        self.config, self.data = config, data
        system = system_of(config)
        if config.oracle.exploration and not system.dynamic:
            able = ", ".join(dict.fromkeys(each.name for each in variants() if each.dynamic))
            raise UsageError(
                f"oracle.exploration needs a dynamic oracle, which {title(system)} has not; "
                f"these have: {able}"
            )
        self.feature_names = feature_names(data.columns["feats"]) if "feats" in data.columns else ()
        program = program_of(config, self.feature_names)
        self.values = Values.learn(program.words, data.columns, config.features.minimum)
        self._oracle = steps = oracle_steps(system, data)
        classes, targets = _classes(steps.transitions, steps.labels)
        self.lost = steps.lost
        self.rounds = 1
        self.engine = Engine(system, program, classes[:, 0].copy(), classes[:, 1].copy())
        self._words = Encoder(self.values).encode(data.columns)
        self._examine(steps)
        self.right = Sets.singletons(len(classes), targets)
        self.learner = self._begin(program.sizes(self.values.sizes, len(data.names), len(system.rules)))
        once = self.learner.one_pass and not config.oracle.exploration
        self.epochs = 1 if once else config.training.epochs

    def _examine(self, steps: Steps) -> None:
        """Take the rows on the way of these steps."""
        self.rows, permitted = self.engine.machine.replay(
            steps.transitions, steps.labels, steps.begins, self._words, self.data.offsets
        )
        self.permitted = _permitted(permitted, self.engine.transitions)

    def _begin(self, sizes: list[int]) -> Learner:
        name = self.config.learner.name
        shape = SHAPES[name](self.engine.program) if name in SHAPES else {}
        learner = create(name, **(shape | self.config.learner.settings))
        return learner.begin(sizes, len(self.engine.transitions), self.config.training.seed)

    def about(self) -> str:
        """Say what is learned, for whoever waits."""
        return f"{len(self.rows):,} transitions of {len(self.engine.transitions):,} kinds"

    def fit_epoch(self, on_share: Callable[[float], None] | None = None) -> float:
        """Go through the training data once and return the mean loss."""
        if self.config.oracle.exploration and self.learner.epochs:
            self._explore()
        (loss,) = self.learner.fit(
            self.rows,
            self.right,
            self.permitted,
            epochs=1,
            planned=self.epochs,
            on_share=on_share,
        )
        return loss

    def _explore(self) -> None:
        """Take the rows on the parser's own way, and what costs least there."""
        engine, offsets = self.engine, self.data.offsets
        share, seed = self.config.oracle.exploration, self.config.training.seed
        explored = explorers(len(offsets) - 1, share, seed, self.learner.epochs)
        taken, begins = engine.walk(self.learner.finish(), self._words, offsets)
        own = Steps(engine.transitions[taken], engine.labels[taken], begins, 0)
        steps = mixed(self._oracle, own, explored)
        self._examine(steps)
        self.right = right_classes(engine.system, self._golds, steps, engine.transitions, engine.labels)

    @cached_property
    def _golds(self) -> list[Gold]:
        """The trees; kept, because dynamic oracles ask them for more each time."""
        return list(golds(self.data))

    def parser(self) -> TransitionParser:
        """Return the parser as training has made it so far."""
        data = self.data
        return TransitionParser(
            config=self.config,
            names=data.names,
            root_label=data.root_label,
            several_roots=data.several_roots,
            card={},
            calibration=Calibration(),
            feature_names=tuple(self.feature_names),
            values=self.values,
            engine=self.engine,
            learner=self.learner.finish(),
            other_label=data.names[int(np.bincount(data.labels).argmax())],
        )

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return settings and arrays from which ``restore`` goes on as if nothing had been."""
        return self.learner.settings(), self.learner.arrays()

    def restore(self, settings: dict[str, Any], arrays: Arrays) -> None:
        """Take over what ``state`` returned."""
        self.learner = restore(settings, arrays)


def _conjunctions(program: Program) -> dict[str, Any]:
    """Return what the perceptron joins: the conjunctions of the feature set."""
    return {"conjunctions": [list(cells) for cells in program.features if len(cells) > 1]}


EMBEDDINGS = {"form": 64, "lemma": 48, "upos": 24, "xpos": 24, "feats": 24, "label": 24}
"""The length of the embeddings of an attribute; 12 for one feature of FEATS, 8 for all else."""


def _embeddings(program: Program) -> dict[str, Any]:
    """Return how the network embeds: terms of one attribute share a table, words drop out."""
    attributes = list(dict.fromkeys(term.attribute for term in program.terms))
    dims = [
        12 if attribute.name == "feats" and attribute.argument else EMBEDDINGS.get(attribute.name, 8)
        for attribute in attributes
    ]
    return {
        "groups": [attributes.index(term.attribute) for term in program.terms],
        "dims": dims,
        "word_groups": [place for place, each in enumerate(attributes) if each.name in ("form", "lemma")],
    }


SHAPES: dict[str, Callable[[Program], dict[str, Any]]] = {
    "maxent": _conjunctions,
    "perceptron": _conjunctions,
    "mlp": _embeddings,
}
"""What a learner needs to know of the features, beyond their rows."""


def _classes(transitions: Ids, labels: Ids) -> tuple[Ids, Ids]:
    """Return the different pairs of transition and label, and which of them each step takes."""
    classes, targets = np.unique(np.stack([transitions, labels], axis=1), axis=0, return_inverse=True)
    return classes, targets.reshape(-1).astype(np.int32)


def _permitted(masks: NDArray[np.uint32], transitions: Ids) -> Sets:
    distinct, ids = np.unique(masks, return_inverse=True)
    table = (distinct[:, None] >> transitions[None, :].astype(np.uint32)) & 1
    return Sets(table.astype(np.uint8), ids.reshape(-1).astype(np.int32))
