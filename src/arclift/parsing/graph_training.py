"""Training of graph parsers: batches of sentences of about the same length, in a new order each epoch."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arclift.errors import InputError
from arclift.features import Encoder
from arclift.graph.biaffine import Weights
from arclift.graph.inputs import Inputs
from arclift.graph.network import Adam, Batch, Dropout, Mean, Network, Shape, untrained
from arclift.graph.packing import Packed
from arclift.graph.scorer import quantise
from arclift.parsing.calibration import Calibration
from arclift.parsing.config import Config
from arclift.parsing.data import TrainingData
from arclift.parsing.graph_parser import GraphParser
from arclift.parsing.parser import Arrays, part
from arclift.trees.projectivity import nonprojective

CLIP = 5.0
WARMING = 100
"""The rate rises over so many steps, and then falls evenly to nearly nothing over the planned epochs."""
LEAST_RATE = 0.02
POOL = 400
"""Sentences are sorted by length among so many at a time: enough for even batches, few enough to mix."""
SAMPLE = 300
"""How many sentences show what the units of the scorers come to."""
LONGEST = 1000
"""Longer sentences are left out of training: the table of their arcs is too large."""


class GraphTraining:
    """The state of a training: the network, the optimiser, and the sentences."""

    lost = 0
    """Arcs that cannot be represented: any tree can be."""

    def __init__(self, config: Config, data: TrainingData) -> None:
        self.config, self.data = config, data
        self.epochs = config.training.epochs
        self._lengths = np.diff(data.offsets)
        self._sentences = np.flatnonzero((self._lengths > 0) & (self._lengths <= LONGEST))
        self._leave_out_long()
        graph = config.graph
        self.inputs = Inputs.learn(graph.inputs, data.columns, graph.minimum)
        self._table = Encoder(self.inputs.values).encode(data.columns)
        crossing = nonprojective(data.heads, data.offsets).astype(np.bool_)
        self._counts = np.where(crossing, np.float32(graph.crossing), np.float32(1))
        shape = Shape(
            self.inputs.size,
            len(data.names),
            graph.embedding,
            graph.state,
            graph.layers,
            graph.arc,
            graph.label,
        )
        self.network = Network(shape, untrained(shape, config.training.seed))
        self.optimiser = Adam(self.network.weights)
        self.epoch = 0
        words = int(self._lengths[self._sentences].sum())
        once = max(1, round(words / graph.batch))
        self.rounds = max(1, round(graph.steps / once))
        self._words = words * self.rounds
        self.steps = self.epochs * self.rounds * once
        self.mean = Mean(self.network.weights, self.steps)

    def _leave_out_long(self) -> None:
        long = int((self._lengths > LONGEST).sum())
        if not len(self._sentences):
            raise InputError(
                f"there is no sentence to learn from: all {long:,} have more than {LONGEST:,} words",
                code="no-data",
                hint="split them, or train a transition parser: --preset classic",
            )
        if long:
            warnings.warn(
                f"{long:,} of {long + len(self._sentences):,} training sentences have more than "
                f"{LONGEST:,} words and are left out",
                UserWarning,
                stacklevel=2,
            )

    def about(self) -> str:
        """Say what is learned, for whoever waits."""
        epochs = self.config.training.epochs
        times = f", each {self.rounds} times through the treebank" if self.rounds > 1 else ""
        return (
            f"{len(self.data.names):,} labels; "
            f"{self.steps:,} steps in {epochs} epoch{'s' * (epochs > 1)}{times}"
        )

    def fit_epoch(self, on_share: Callable[[float], None] | None = None) -> float:
        """Go through the training data, a small treebank several times, and return the mean loss."""
        graph = self.config.graph
        self.epoch += 1
        rng = np.random.default_rng([self.config.training.seed, self.epoch])
        total = words = 0.0
        for sentences in chain.from_iterable(self._batches(rng) for _ in range(self.rounds)):
            batch = self._batch(sentences, rng)
            drop = Dropout(self.network.shape, batch.packed, graph.dropout, rng) if graph.dropout else None
            loss, gradient, met, by_values = self.network.gradients(batch, drop)
            self.optimiser.step(self.network.weights, gradient, met, by_values, self._rate(), CLIP)
            self.mean.follow(self.network.weights, self.optimiser.steps)
            total += loss * len(batch.packed)
            words += len(batch.packed)
            if on_share:
                on_share(words / self._words)
        return total / max(words, 1)

    def _rate(self) -> float:
        done = self.optimiser.steps
        return (
            self.config.graph.rate * min(1.0, (done + 1) / WARMING) * max(LEAST_RATE, 1 - done / self.steps)
        )

    def _batches(self, rng: np.random.Generator) -> list[NDArray[np.int64]]:
        """Return all sentences in batches of about the words that the configuration says."""
        order = rng.permutation(self._sentences)
        pools = np.array_split(order, max(1, len(order) // POOL))
        order = np.concatenate([pool[np.argsort(self._lengths[pool], kind="stable")] for pool in pools])
        number = np.cumsum(self._lengths[order]) // self.config.graph.batch
        batches = np.split(order, np.flatnonzero(np.diff(number)) + 1)
        return [batches[place] for place in rng.permutation(len(batches))]

    def _batch(self, sentences: NDArray[np.int64], rng: np.random.Generator | None) -> Batch:
        data, lengths = self.data, self._lengths[sentences]
        packed = Packed(lengths)
        starts = np.repeat(data.offsets[sentences] - np.append(0, np.cumsum(lengths))[:-1], lengths)
        words = (starts + np.arange(len(starts)))[packed.words]
        table = self._table[words]
        if rng is not None and self.config.graph.unknown:
            table = self.inputs.with_unknown(table, self.config.graph.unknown, rng)
        ids, begins = self.inputs.rows(table)
        return Batch(packed, ids, begins, data.heads[words], data.labels[words], self._counts[words])

    def parser(self) -> GraphParser:
        """Return the parser as training has made it so far, quantised."""
        rng = np.random.default_rng([self.config.training.seed, 0])
        sample = self._batch(rng.permutation(self._sentences)[:SAMPLE], None)
        data, network = self.data, Network(self.network.shape, self.mean.weights)
        return GraphParser(
            config=self.config,
            names=data.names,
            root_label=data.root_label,
            several_roots=data.several_roots,
            card={},
            calibration=Calibration(),
            inputs=self.inputs,
            arrays=quantise(network.weights, network.shape.layers, network.tops(sample)),
        )

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return settings and arrays from which ``restore`` goes on as if nothing had been."""
        arrays = {
            f"{name}/{key}": array for name, each in self._kept().items() for key, array in each.items()
        }
        return {"epoch": self.epoch, "steps": self.optimiser.steps}, arrays

    def restore(self, settings: dict[str, Any], arrays: Arrays) -> None:
        """Take over what ``state`` returned."""
        self.epoch, self.optimiser.steps = int(settings["epoch"]), int(settings["steps"])
        for name, weights in self._kept().items():
            found = part(arrays, f"{name}/")
            for key, array in weights.items():
                array[...] = found[key]

    def _kept(self) -> dict[str, Weights]:
        return {
            "weights": self.network.weights,
            "mean": self.mean.weights,
            "first": self.optimiser.first,
            "second": self.optimiser.second,
        }
