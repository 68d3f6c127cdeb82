"""The network of ``mlp`` in training: its weights in one array, and one step of stochastic gradient descent.

Value v of column c contributes ``embedding[group of c][v] @ input[c]`` to the first hidden layer; the sum of
the contributions and a bias is rectified, passes through further dense layers if there are any, and ends in
one score per class. The loss of a row is ``-log(P(right) / P(permitted))``, the negative logarithm of the
share that the right classes have, under softmax over the permitted ones. Steps are those of Adam (Kingma &
Ba 2015) on the mean gradient of a batch, its norm bounded; moments and weights of embeddings that do not
occur in the batch rest.

The compiled loop computes each distinct (column, value) of a batch once: at 512 rows of 60 columns that is
about a fifth of the arithmetic. The plain one below does it row by row. They agree up to the rounding of
sums (about 1e-5), not to the bit; each alone is deterministic on one machine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arclift.learners.contract import UNKNOWN, Matrix, Rows, mix, within
from arclift.native import accelerated

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
LINE = 16  # floats in a cache line: each part begins at one, each layer is padded to full ones


def padded(n: int) -> int:
    """Return n or the next multiple of a cache line's floats."""
    return -(-n // LINE) * LINE


def aligned(n: int) -> Floats:
    """Return n zeros that begin at a cache line."""
    room = np.zeros(n + LINE, dtype=np.float32)
    skip = (-room.ctypes.data // room.itemsize) % LINE
    return room[skip : skip + n]


class Dense(NamedTuple):
    """Where a layer's weights [inputs, padded outputs] and bias begin."""

    inputs: int
    outputs: int
    weights: int
    bias: int


class Layout:
    """Where each part of the network stands in the one array of its weights."""

    def __init__(self, sizes: Ints, groups: Ints, dims: Ints, layers: Ints) -> None:
        self.sizes, self.groups, self.dims = sizes, groups.tolist(), dims.tolist()
        self.values = [max(sizes[groups == g], default=0) for g in range(len(dims))]
        self.total = 0
        self.tables = [self._place(int(v) * d) for v, d in zip(self.values, self.dims, strict=True)]
        self.shared = self.total  # weights from here on are used by every row
        hidden = padded(int(layers[0]))
        self.inputs = [self._place(self.dims[g] * hidden) for g in self.groups]
        self.dense = [Dense(0, int(layers[0]), 0, self._place(hidden))]
        for outputs in layers[1:].tolist():
            inputs = padded(self.dense[-1].outputs)
            weights = self._place(inputs * padded(outputs))
            self.dense.append(Dense(inputs, outputs, weights, self._place(padded(outputs))))

    def _place(self, n: int) -> int:
        begin = self.total
        self.total += padded(n)
        return begin

    def table(self, weights: Floats, group: int) -> Floats:
        """Return the view of a group's embeddings [values, dim]."""
        begin, values, dim = self.tables[group], int(self.values[group]), self.dims[group]
        return weights[begin : begin + values * dim].reshape(values, dim)

    def input(self, weights: Floats, column: int) -> Floats:
        """Return the view of the weights [dim, hidden] from a column to the first hidden layer."""
        begin, dim, width = self.inputs[column], self.dims[self.groups[column]], padded(self.dense[0].outputs)
        return weights[begin : begin + dim * width].reshape(dim, width)

    def weights(self, weights: Floats, layer: int) -> Floats:
        """Return the view of a further layer's weights [inputs, outputs], both padded."""
        _, outputs, begin, _ = self.dense[layer]
        inputs, width = self.dense[layer].inputs, padded(outputs)
        return weights[begin : begin + inputs * width].reshape(inputs, width)

    def bias(self, weights: Floats, layer: int) -> Floats:
        """Return the view of a layer's bias, padded."""
        begin = self.dense[layer].bias
        return weights[begin : begin + padded(self.dense[layer].outputs)]


def numbers(seed: int, update: int, use: int, shape: tuple[int, int]) -> NDArray[np.uint32]:
    """Return the random numbers of one update for one use: a function of their places alone."""
    key = np.array([use + 1], dtype=np.uint32)
    for part in (update, seed):
        key = mix(key) ^ np.uint32(part & 0xFFFFFFFF)
    places = np.arange(shape[0] * shape[1], dtype=np.uint32).reshape(shape)
    return mix(places ^ mix(key))


def threshold(share: float) -> int:
    """Return the bound below which that share of all 32-bit numbers lies."""
    return int(min(share * 4294967296.0, 4294967295.0))


@accelerated
class _MlpNet:
    """The network's two operations; it keeps no weights, they are given to each."""

    def __init__(self, sizes: Ints, groups: Ints, dims: Ints, layers: Ints) -> None:
        self._layout = Layout(sizes, groups, dims, layers)

    def step(
        self,
        weights: Floats,
        first: Floats,
        second: Floats,
        rows: Rows,
        right: Matrix,
        permitted: Matrix,
        droppable: Matrix,
        update: int,
        seed: int,
        settings: NDArray[np.float64],
    ) -> float:
        """Take one step in place (weights and Adam's two moments) and return the mean loss before it.

        ``droppable`` marks the columns with word dropout; ``settings`` are the learning rate, beta1, beta2,
        epsilon, the bound of the gradient's norm (0: none), dropout and word dropout.
        """
        n, dropout = len(rows), float(settings[5])
        ids = within(rows, self._layout.sizes)
        lost = numbers(seed, update, 0, ids.shape) < threshold(settings[6])
        ids = np.where(lost & (droppable != 0) & (ids > UNKNOWN), np.int32(UNKNOWN), ids)
        keep = [
            np.where(
                numbers(seed, update, layer + 1, (n, padded(dense.outputs))) >= threshold(dropout),
                np.float32(1 / (1 - dropout)),
                np.float32(0),
            )
            for layer, dense in enumerate(self._layout.dense[:-1])
        ]
        outputs = self._forward(weights, ids, keep)
        loss, gradient = self._loss(outputs[-1], right, permitted)
        changes, touched = self._backward(weights, ids, keep, outputs, gradient)
        self._descend(weights, first, second, changes, touched, update, settings)
        return loss

    def scores(self, weights: Floats, rows: Rows) -> Floats:
        """Return the scores [rows, classes], without any dropout."""
        keep = [np.ones((1, 1), dtype=np.float32)] * (len(self._layout.dense) - 1)
        outputs = self._forward(weights, within(rows, self._layout.sizes), keep)
        return outputs[-1][:, : self._layout.dense[-1].outputs].copy()

    def _forward(self, weights: Floats, ids: Rows, keep: list[Floats]) -> list[Floats]:
        """Return what each layer puts out."""
        layout = self._layout
        hidden = np.tile(layout.bias(weights, 0), (len(ids), 1))
        for column, group in enumerate(layout.groups):
            hidden += layout.table(weights, group)[ids[:, column]] @ layout.input(weights, column)
        outputs = [hidden]
        for layer in range(1, len(layout.dense)):
            outputs[-1] = np.maximum(outputs[-1], 0) * keep[layer - 1]
            outputs.append(outputs[-1] @ layout.weights(weights, layer) + layout.bias(weights, layer))
        return outputs

    def _loss(self, scores: Floats, right: Matrix, permitted: Matrix) -> tuple[float, Floats]:
        """Return the mean loss and its gradient by the scores."""
        allowed = np.zeros(scores.shape, dtype=bool)
        good = allowed.copy()
        allowed[:, : permitted.shape[1]] = permitted != 0
        good[:, : right.shape[1]] = (right != 0) & (permitted != 0)
        told = good.any(axis=1)
        gradient, losses = np.zeros_like(scores), np.zeros(len(scores))
        for among, sign in ((allowed, 1), (good, -1)):
            kept = np.where(among[told], scores[told], np.float32(-np.inf))
            top = kept.max(axis=1, keepdims=True, initial=np.finfo(np.float32).min)
            powers = np.exp(kept - top)
            total = powers.sum(axis=1, keepdims=True)
            losses[told] += sign * (np.log(total) + top)[:, 0]
            gradient[told] += sign * powers / total
        return float(losses.mean()), gradient / np.float32(len(scores))

    def _backward(
        self, weights: Floats, ids: Rows, keep: list[Floats], outputs: list[Floats], gradient: Floats
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the gradient by all weights, and which weights the batch touches."""
        layout = self._layout
        changes, touched = np.zeros_like(weights), np.zeros(weights.shape, dtype=bool)
        touched[layout.shared :] = True
        for layer in range(len(layout.dense) - 1, 0, -1):
            layout.bias(changes, layer)[:] = gradient.sum(axis=0)
            layout.weights(changes, layer)[:] = outputs[layer - 1].T @ gradient
            gradient = gradient @ layout.weights(weights, layer).T
            gradient = np.where(outputs[layer - 1] > 0, gradient * keep[layer - 1], np.float32(0))
        layout.bias(changes, 0)[:] = gradient.sum(axis=0)
        for column, group in enumerate(layout.groups):
            chosen = ids[:, column]
            layout.input(changes, column)[:] = layout.table(weights, group)[chosen].T @ gradient
            np.add.at(layout.table(changes, group), chosen, gradient @ layout.input(weights, column).T)
            begin, dim = layout.tables[group], layout.dims[group]
            for value in np.unique(chosen).tolist():
                touched[begin + value * dim : begin + (value + 1) * dim] = True
        return changes, touched

    def _descend(
        self,
        weights: Floats,
        first: Floats,
        second: Floats,
        changes: Floats,
        touched: NDArray[np.bool_],
        update: int,
        settings: NDArray[np.float64],
    ) -> None:
        rate, beta1, beta2, epsilon, bound = settings[:5].tolist()
        norm = float(np.sqrt(np.square(changes, dtype=np.float64).sum()))
        g = changes[touched] * np.float32(bound / norm if bound > 0 and norm > bound else 1.0)
        m = first[touched] * np.float32(beta1) + g * np.float32(1 - beta1)
        v = second[touched] * np.float32(beta2) + g * g * np.float32(1 - beta2)
        root = np.sqrt(v) * np.float32(1 / np.sqrt(1 - beta2**update))
        weights[touched] -= np.float32(rate / (1 - beta1**update)) * m / (root + np.float32(epsilon))
        first[touched], second[touched] = m, v
