"""The network of a graph parser in training: embeddings, a bidirectional LSTM, scorers of arcs and labels.

A word is the sum of the embeddings of its values (form, lemma, tags, each feature of FEATS, affixes),
normalised to mean 0 and variance 1 (Ba, Kiros & Hinton 2016). Layers of `arclift.graph.recurrent` run over
the sentence; `arclift.graph.biaffine` scores arcs and labels. The loss of a word is
-log P(head) - log P(label), each by softmax; steps are those of Adam (Kingma & Ba 2015), embeddings that do
not occur in a batch rest.

Dropout: whole units for a whole sentence (Gal & Ghahramani 2016) at the input of each layer and of the
scorers, single units within the scorers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arclift.graph.biaffine import CLASSES, Tree, Weights
from arclift.graph.packing import Packed
from arclift.graph.recurrent import GATES, Layer, Trace, run, run_back
from arclift.native import accelerated

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
EPSILON = 1e-5
SCALE = 0.3
"""The standard deviation of untrained embeddings."""
BETA1, BETA2, TINY = 0.9, 0.95, 1e-8


@dataclass(frozen=True)
class Shape:
    """The sizes of a network."""

    values: int
    labels: int
    embedding: int = 128
    state: int = 64
    layers: int = 2
    arc: int = 64
    label: int = 64

    @property
    def word(self) -> int:
        """How long the vectors of words are."""
        return 2 * self.state


@dataclass(frozen=True, eq=False)
class Batch:
    """Sentences to learn from, words in the packed order; -1 is a head or a label that is not known."""

    packed: Packed
    ids: Ints
    """The values of all words, those of a word next to each other."""
    begins: NDArray[np.int64]
    """Where the values of each word begin; every word has one."""
    heads: Ints
    labels: Ints
    counts: Floats
    """How often the head of each word counts in the loss."""


def untrained(shape: Shape, seed: int) -> Weights:
    """Return the weights of a network that has learned nothing, the same for the same seed."""
    rng = np.random.default_rng([seed, 0])
    h = shape.state

    def uniform(*size: int, gain: float = 1.0) -> Floats:
        bound = gain * np.sqrt(6.0 / (size[-2] + size[-1]))
        return rng.uniform(-bound, bound, size).astype(np.float32)

    def zeros(*size: int) -> Floats:
        return np.zeros(size, dtype=np.float32)

    weights = {
        "embeddings": (rng.standard_normal((shape.values, shape.embedding)) * SCALE).astype(np.float32)
    }
    weights["gain"], weights["shift"] = np.ones(shape.embedding, dtype=np.float32), zeros(shape.embedding)
    width = shape.embedding
    for layer in range(shape.layers):
        bias = zeros(2, GATES, h)
        bias[:, 0] = 1  # at first a cell keeps more than it takes in
        states = np.concatenate([_orthogonal(rng, h) for _ in range(2 * GATES)], axis=1)
        states = states.reshape(h, 2, GATES * h).transpose(1, 0, 2).copy()
        states[:, :, :h] *= 0.5
        weights[f"inputs{layer}"] = uniform(width, 2 * GATES * h)
        weights[f"bias{layer}"] = bias.reshape(-1)
        weights[f"states{layer}"] = states
        width = 2 * h
    weights |= {
        "root": zeros(width),
        "head": uniform(width, shape.arc),
        "head_bias": zeros(shape.arc),
        "dependent": uniform(width, shape.arc),
        "dependent_bias": zeros(shape.arc),
        "bilinear": (np.eye(shape.arc) / np.sqrt(shape.arc)).astype(np.float32),
        "distance": zeros(CLASSES),
        "label_head": uniform(width, shape.label),
        "label_dependent": uniform(width, shape.label),
        "label_bias": zeros(shape.label),
        "label": uniform(shape.label, shape.labels),
        "label_out": zeros(shape.labels),
    }
    return weights


def _orthogonal(rng: np.random.Generator, n: int) -> Floats:
    q, r = np.linalg.qr(rng.standard_normal((n, n)))
    return (q * np.sign(np.diag(r))).astype(np.float32)


class Network:
    """Weights and what is done with them; ``layers`` are views of the weights."""

    def __init__(self, shape: Shape, weights: Weights) -> None:
        self.shape, self.weights = shape, weights

    def layer(self, number: int) -> Layer:
        """Return the weights of one recurrent layer."""
        w = self.weights
        return Layer(w[f"inputs{number}"], w[f"bias{number}"], w[f"states{number}"])

    def vectors(self, batch: Batch, drop: Dropout | None = None) -> tuple[Floats, list[tuple[Floats, Trace]]]:
        """Return the vectors of the words, and what went into each layer with its trace."""
        w = self.weights
        x = _sums_of_rows(w["embeddings"], batch.ids, batch.begins)
        self.normal, self.spread = normalised(x)
        x = self.normal * w["gain"] + w["shift"]
        passed = []
        for number in range(self.shape.layers):
            if drop:
                x *= drop.input(number)
            out, trace = run(self.layer(number), x, batch.packed)
            passed.append((x, trace))
            x = out
        if drop:
            x *= drop.input(self.shape.layers)
        return x, passed

    def gradients(self, batch: Batch, drop: Dropout | None = None) -> tuple[float, Weights, Ints, Floats]:
        """Return the mean loss, gradients by the dense weights, the values met, and those by these."""
        x, passed = self.vectors(batch, drop)
        tree = Tree(self.weights, batch.packed)
        scores = tree.score(x, *(drop.units(2) if drop else ()))
        arc_loss, by_arcs = tree.arc_loss(scores, batch.heads, batch.counts)
        known = np.maximum(batch.heads, 0)
        label_scores = tree.label_scores(known, drop.units(1, self.shape.label)[0] if drop else None)
        label_loss, by_labels = tree.label_loss(label_scores, np.where(batch.heads < 0, -1, batch.labels))
        words = np.float32(1 / max(len(batch.packed), 1))
        by_x, gradient = tree.score_back(by_arcs * words)
        by_x2, others = tree.label_scores_back(by_labels * words)
        gradient["root"] = gradient["root"] + others.pop("root")
        gradient |= others
        by_x += by_x2
        for number in range(self.shape.layers - 1, -1, -1):
            if drop:
                by_x *= drop.input(number + 1)
            below, trace = passed[number]
            by_x, by = run_back(self.layer(number), below, batch.packed, trace, by_x)
            gradient[f"inputs{number}"], gradient[f"bias{number}"], gradient[f"states{number}"] = by
        if drop:
            by_x *= drop.input(0)
        gradient["gain"], gradient["shift"] = (by_x * self.normal).sum(axis=0), by_x.sum(axis=0)
        by_x *= self.weights["gain"]
        by_x -= by_x.mean(axis=1, keepdims=True) + self.normal * (by_x * self.normal).mean(
            axis=1, keepdims=True
        )
        by_x /= self.spread
        met, by_values = _sums_by_row(batch.ids, batch.begins, by_x)
        return (arc_loss + label_loss) * float(words), gradient, met, by_values

    def tops(self, batch: Batch) -> dict[str, float]:
        """Return the greatest values of the scorers' units on a sample: what ``quantise`` asks for."""
        x, _ = self.vectors(batch)
        tree = Tree(self.weights, batch.packed)
        tree.score(x)
        tree.label_scores(np.maximum(batch.heads, 0))
        units = {"head": tree.head, "dependent": tree.dependent, "hidden": tree.hidden, "turned": tree.turned}
        return {name: float(np.abs(values).max(initial=0)) for name, values in units.items()}


def normalised(x: Floats) -> tuple[Floats, Floats]:
    """Return the rows with mean 0 and variance 1, and what they were divided by."""
    centred = x - x.mean(axis=1, keepdims=True)
    spread = np.sqrt(np.square(centred).mean(axis=1, keepdims=True) + np.float32(EPSILON))
    return centred / spread, spread


@accelerated
def _sums_of_rows(table: Floats, ids: Ints, begins: NDArray[np.int64]) -> Floats:
    """Return for each word the sum of its rows of a table; every word has one."""
    sums: Floats = np.add.reduceat(table[ids], begins, axis=0)
    return sums


@accelerated
def _sums_by_row(ids: Ints, begins: NDArray[np.int64], of_words: Floats) -> tuple[Ints, Floats]:
    """Return the rows that words have and, for each row, the sum of what these words have."""
    words = np.repeat(np.arange(len(begins)), np.diff(np.append(begins, len(ids))))
    order = np.argsort(ids, kind="stable")
    met, first = np.unique(ids[order], return_index=True)
    return met, np.add.reduceat(of_words[words[order]], first, axis=0)


class Dropout:
    """The units left out in one step; what is kept is scaled up to make up for them."""

    def __init__(self, shape: Shape, packed: Packed, share: float, rng: np.random.Generator) -> None:
        self._shape, self._packed, self._share, self._rng = shape, packed, share, rng
        sentences = len(packed.lengths)
        widths = [shape.embedding, *[shape.word] * shape.layers]
        self._inputs = [self._kept(sentences, width)[packed.sentence] for width in widths]

    def _kept(self, rows: int, width: int) -> Floats:
        keep = self._rng.random((rows, width), dtype=np.float32) >= self._share
        kept: Floats = keep * np.float32(1 / (1 - self._share))
        return kept

    def input(self, number: int) -> Floats:
        """Return the factors of what goes into a layer, or (the last) into the scorers."""
        factors: Floats = self._inputs[number]
        return factors

    def units(self, count: int, width: int = 0) -> list[Floats]:
        """Return factors of single units, drawn anew."""
        return [self._kept(len(self._packed), width or self._shape.arc) for _ in range(count)]


class Adam:
    """The optimiser: two moments for every weight."""

    def __init__(self, weights: Weights) -> None:
        self.first = {name: np.zeros_like(w) for name, w in weights.items()}
        self.second = {name: np.zeros_like(w) for name, w in weights.items()}
        self.steps = 0

    def step(
        self, weights: Weights, gradient: Weights, met: Ints, by_values: Floats, rate: float, clip: float
    ) -> None:
        """Change the weights in place; the norm of the whole gradient is at most ``clip``."""
        self.steps += 1
        squares = sum(float(np.vdot(g, g)) for g in gradient.values()) + float(np.vdot(by_values, by_values))
        by = (
            BETA1,
            BETA2,
            rate / (1 - BETA1**self.steps),
            (1 - BETA2**self.steps) ** -0.5,
            TINY,
            min(1.0, clip / max(squares**0.5, 1e-30)),
        )
        for name, g in [*gradient.items(), ("embeddings", by_values)]:
            w, first, second = (
                each[name].reshape(-1, g.shape[-1]) for each in (weights, self.first, self.second)
            )
            rows = met if name == "embeddings" else np.arange(g.size // g.shape[-1], dtype=np.int32)
            _adam(w, first, second, rows, np.ascontiguousarray(g).reshape(-1, g.shape[-1]), by)


class Mean:
    """A running mean of the weights, which parses better than the weights of any one step.

    (Polyak & Juditsky 1992.) It looks back over a tenth of all steps, or half of those done if that is less.
    """

    EVERY, PART = 10, 10

    def __init__(self, weights: Weights, steps: int) -> None:
        self.weights = {name: w.copy() for name, w in weights.items()}
        self._span = steps / self.PART

    def follow(self, weights: Weights, done: int) -> None:
        """Take in the weights as they are after so many steps."""
        if done % self.EVERY:
            return
        share = np.float32(min(1.0, self.EVERY / min(self._span, done / 2)))
        for name, mean in self.weights.items():
            mean += share * (weights[name] - mean)


@accelerated
def _adam(
    w: Floats, first: Floats, second: Floats, rows: Ints, gradient: Floats, by: tuple[float, ...]
) -> None:
    """Change some rows of the weights in place; ``by``: both betas, the rate, corrections, the scale."""
    beta1, beta2, rate, root, tiny, scale = map(np.float32, by)
    g = gradient * scale
    first[rows] = beta1 * first[rows] + (1 - beta1) * g
    second[rows] = beta2 * second[rows] + (1 - beta2) * g * g
    w[rows] -= rate * first[rows] / (np.sqrt(second[rows]) * root + tiny)
