"""The network of ``mlp`` for parsing: whole numbers only, so that every machine decides alike.

Embeddings and weights become 16-bit integers. The contribution of value v of column c to the hidden layer,

    (embedding[v] @ input[c] + half) >> shift[c],

is a vector of 16-bit integers too; those of the pairs (c, v) most often seen in training are computed when
the scorer is made, the others when they are met: the result is the same. Hence a score costs one vector
addition for each column and one small product with the output layer.

Nothing overflows, by construction: units are chosen so that the greatest sum of contributions that any row
can have, found by going through the whole vocabulary, fits into 16 bits; and the weights of each further
layer so that the greatest possible sum fits into 32. Further hidden layers are cut off at four times what
a sample of training rows reaches. This file and native/mlp_scorer.cpp agree to the bit.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arclift.learners.contract import Arrays, Rows, within
from arclift.learners.mlp_net import Floats, Ints, Layout, padded
from arclift.native import accelerated

Shorts = NDArray[np.int16]
FINEST = 4095  # the greatest quantised embedding or input weight
TOP = 32767


@accelerated
class _MlpScorer:
    """Scores rows by the arrays that ``quantise`` returns; thread-safe."""

    def __init__(
        self,
        sizes: Ints,
        groups: Ints,
        dims: Ints,
        layers: Ints,
        embeddings: Shorts,
        inputs: Shorts,
        shifts: Ints,
        dense: Shorts,
        biases: Ints,
        unit: float,
        frequent: Ints,
    ) -> None:
        """Take the arrays apart: those of all groups, columns and layers follow each other.

        ``shifts`` are those of the columns, then those of the further hidden layers; ``unit`` is what 1
        means in the last layer. The plain scorer has no use for the ``frequent`` pairs [column, value].
        """
        self._sizes, self._groups, self._layers = sizes, groups, layers
        self._shifts, self._unit = shifts, np.float32(unit)
        if len(shifts) != len(sizes) + len(layers) - 2:
            raise ValueError("not the shifts needed")
        widths = [padded(n) for n in layers.tolist()]
        values = [int(max(sizes[groups == g], default=0)) for g in range(len(dims))]
        wide = [even(d) for d in dims.tolist()]
        self._embeddings = _pieces(embeddings, [(v, d) for v, d in zip(values, wide, strict=True)])
        self._inputs = _pieces(inputs, [(wide[g], widths[0]) for g in groups])
        self._dense = _pieces(dense, list(pairwise(widths)))
        self._biases = _pieces(biases, [(width,) for width in widths])

    def scores(self, rows: Rows) -> Floats:
        """Return the scores [rows, classes]."""
        ids = within(rows, self._sizes)
        hidden = np.tile(self._biases[0], (len(ids), 1))
        for column, group in enumerate(self._groups):
            hidden += self._contribution(column, self._embeddings[group][ids[:, column]])
        for layer, weights in enumerate(self._dense):
            if layer:
                shift = self._shifts[len(self._sizes) + layer - 1]
                hidden = np.minimum(_shifted(hidden, shift), TOP)
            hidden = np.maximum(hidden, 0) @ weights.astype(np.int32) + self._biases[layer + 1]
        return hidden[:, : self._layers[-1]].astype(np.float32) * self._unit

    def _contribution(self, column: int, embedded: Shorts) -> Ints:
        product = embedded.astype(np.int32) @ self._inputs[column].astype(np.int32)
        return _shifted(product, self._shifts[column])


def _shifted(sums: Ints, shift: int) -> Ints:
    """Divide by a power of two, to the nearest, halves upwards."""
    return (sums + ((1 << int(shift)) >> 1)) >> int(shift)


def _pieces(array: NDArray[Any], shapes: list[tuple[int, ...]]) -> list[NDArray[Any]]:
    """Cut an array into consecutive pieces of these shapes."""
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    if len(array) != (ends[-1] if len(ends) else 0):
        raise ValueError("an array has another size than the network")
    return [part.reshape(shape) for part, shape in zip(np.split(array, ends[:-1]), shapes, strict=True)]


def even(n: int) -> int:
    """Return n or the next even number: the compiled loop multiplies two terms at once."""
    return n + n % 2


# --- from floats to whole numbers ------------------------------------------------------------------------


def quantise(layout: Layout, weights: Floats, counts: Ints, kept: int, peaks: list[float]) -> Arrays:
    """Return the arrays of the scorer, ``kept`` of the pairs (column, value) most often counted among them.

    ``peaks`` are the greatest activations of the further hidden layers on a sample.
    """
    unit, inputs, embeddings, shifts = _quantise_inputs(layout, weights)
    biases = [np.rint(layout.bias(weights, 0) / unit).astype(np.int32)]
    dense = []
    for layer in range(1, len(layout.dense)):
        w, b = (part(weights, layer).astype(np.float64) for part in (layout.weights, layout.bias))
        # |sum| <= TOP * (sum of the |weights| of an output) + |bias| must stay below 2**31
        longest = float((np.abs(w).sum(axis=0) + np.abs(b) / (TOP * unit)).max())
        step = max(longest / 60000, float(np.abs(w).max()) / TOP, 1e-30)
        dense.append(np.rint(w / step).astype(np.int16))
        biases.append(np.rint(b / (unit * step)).astype(np.int32))
        unit *= step
        if layer < len(layout.dense) - 1:
            ideal = max(4 * peaks[layer - 1], 1e-30) / TOP
            shift = int(np.clip(np.ceil(np.log2(ideal / unit)), 0, 24))
            shifts.append(shift)
            unit *= 2.0**shift
    return {
        "embeddings": np.concatenate([e.reshape(-1) for e in embeddings]),
        "inputs": np.concatenate([i.reshape(-1) for i in inputs]),
        "shifts": np.array(shifts, dtype=np.int32),
        "dense": np.concatenate([d.reshape(-1) for d in dense]),
        "biases": np.concatenate(biases),
        "unit": np.array([unit], dtype=np.float64),
        "frequent": _most_frequent(layout, counts, kept),
    }


def _quantise_inputs(layout: Layout, weights: Floats) -> tuple[float, list[Shorts], list[Shorts], list[int]]:
    """Return what 1 means in the hidden layer, and the quantised input weights, embeddings and shifts."""
    tables = [layout.table(weights, g) for g in range(len(layout.dims))]
    finest = [FINEST if d <= 64 else int(FINEST * (64 / d) ** 0.5) for d in layout.dims]
    tops = [max(float(np.abs(t).max(initial=0)), 1e-30) for t in tables]
    steps = [top / fine for top, fine in zip(tops, finest, strict=True)]
    embeddings = [_even_rows(np.rint(t / s)).astype(np.int16) for t, s in zip(tables, steps, strict=True)]

    bound = np.abs(layout.bias(weights, 0)).astype(np.float64)
    slack = 0.0  # the most that rounding embeddings and weights can add
    for column, group in enumerate(layout.groups):
        w = layout.input(weights, column)
        bound += np.abs(tables[group][: layout.sizes[column]] @ w).max(axis=0, initial=0)
        slack += 2.0 * layout.dims[group] * tops[group] * float(np.abs(w).max()) / finest[group]
    room = TOP - len(layout.groups) - 1
    unit = max((float(bound.max()) * 1.001 + slack) / room, 1e-30)

    inputs, shifts = [], []
    for column, group in enumerate(layout.groups):
        w = layout.input(weights, column)
        # 1 of the product means step * (step of the weights), which must be unit / 2**shift
        top = max(float(np.abs(w).max()), 1e-30)
        shift = int(np.clip(np.floor(np.log2(finest[group] * unit / (steps[group] * top))), 0, 30))
        step = unit / (steps[group] * 2.0**shift)
        inputs.append(_even_rows(np.rint(w / step).T).T.astype(np.int16))
        shifts.append(shift)
    return unit, inputs, embeddings, shifts


def _even_rows(matrix: NDArray[Any]) -> NDArray[Any]:
    """Pad each row with a zero to an even length."""
    return np.pad(matrix, ((0, 0), (0, matrix.shape[1] % 2)))


def _most_frequent(layout: Layout, counts: Ints, kept: int) -> Ints:
    """Return the pairs (column, value) seen most often, at most so many; the first among equals."""
    order = np.argsort(-counts, kind="stable")[:kept]
    order = np.sort(order[counts[order] > 0])
    starts = np.cumsum([0, *layout.sizes.tolist()])
    columns = np.searchsorted(starts, order, side="right") - 1
    return np.stack([columns, order - starts[columns]], axis=1).astype(np.int32)
