"""A long short-term memory in both directions, with one gate for keeping and taking in.

The cell is that of Hochreiter & Schmidhuber (1997) with the input and the forget gate coupled (the variant
CIFG of Greff et al. 2017) and with piecewise linear functions in place of the sigmoid and the hyperbolic
tangent (Courbariaux et al. 2015)::

    f, g, o = gate(x W_f + h' U_f), clip(x W_g + h' U_g), gate(x W_o + h' U_o)
    c = f c' + (1 - f) g
    h = o c

where ``gate(a)`` is ``a / 4 + 1/2`` within 0 and 1 and ``clip(a)`` is ``a`` within -1 and 1. The state of a
cell is a mean of what came in, so that it stays within -1 and 1 however long the sentence is: it can be kept
in small whole numbers (`arclift.graph.scorer`).

Arrays of both directions have an axis of length 2 in front; those of the second direction are in the order of
``Packed.mirror``, so that both run from their first word on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arclift.graph.packing import Packed
from arclift.native import accelerated

Floats = NDArray[np.float32]
GATES = 3


class Layer(NamedTuple):
    """The weights of one layer: of what comes in [in, 2 * 3 * h], biases [2 * 3 * h], of h [2, h, 3 * h]."""

    inputs: Floats
    bias: Floats
    states: Floats


class Trace(NamedTuple):
    """What a run leaves for the way back: activations [2, words, 3 * h], cells and outputs [2, words, h]."""

    gates: Floats
    cells: Floats
    outputs: Floats


def run(layer: Layer, x: Floats, packed: Packed) -> tuple[Floats, Trace]:
    """Return the outputs [words, 2 * h] for inputs [words, in]."""
    gates = both(x @ layer.inputs + layer.bias, packed)
    cells, outputs = _steps(gates, layer.states, packed.sizes)
    return joined(outputs, packed), Trace(gates, cells, outputs)


def run_back(layer: Layer, x: Floats, packed: Packed, trace: Trace, change: Floats) -> tuple[Floats, Layer]:
    """Return the gradients by the inputs and by the weights, from that by the outputs."""
    inner = _steps_back(both(change, packed), trace.gates, trace.cells, layer.states, packed.sizes)
    first = int(packed.sizes[0]) if len(packed.sizes) else 0
    by_states = np.stack([trace.outputs[way][packed.previous].T @ inner[way, first:] for way in range(2)])
    by_gates = joined(inner, packed)
    return by_gates @ layer.inputs.T, Layer(x.T @ by_gates, by_gates.sum(axis=0), by_states)


@accelerated
def _steps(gates: Floats, states: Floats, sizes: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return cells and outputs; sums of gates become what they let through, in place."""
    width = states.shape[1]
    cells = np.empty((2, gates.shape[1], width), dtype=np.float32)
    outputs = np.empty_like(cells)
    for before, now in _places(sizes):
        step = gates[:, now]
        if now.start:
            step += outputs[:, before] @ states
        keep, new, out = (step[..., place * width :][..., :width] for place in range(GATES))
        for gate in (keep, out):
            np.clip(gate * np.float32(0.25) + np.float32(0.5), 0, 1, out=gate)
        np.clip(new, -1, 1, out=new)
        cells[:, now] = new - keep * new
        if now.start:
            cells[:, now] += keep * cells[:, before]
        np.multiply(out, cells[:, now], out=outputs[:, now])
    return cells, outputs


@accelerated
def _steps_back(
    change: Floats, gates: Floats, cells: Floats, states: Floats, sizes: NDArray[np.int64]
) -> Floats:
    """Return the gradients by the sums of the gates; ``change``, those by the outputs, is used up."""
    width = states.shape[1]
    inner = np.empty_like(gates)
    carried = np.zeros((2, 0, width), dtype=np.float32)
    after = slice(0, 0)
    for before, now in reversed(_places(sizes)):
        by_output = change[:, now]
        by_output[:, : after.stop - after.start] += inner[:, after] @ states.transpose(0, 2, 1)
        keep, new, out = (gates[:, now, place * width :][..., :width] for place in range(GATES))
        by_cell = by_output * out
        by_cell[:, : carried.shape[1]] += carried
        earlier = cells[:, before] if now.start else np.float32(0)
        by_keep, by_new, by_out = (inner[:, now, place * width :][..., :width] for place in range(GATES))
        by_keep[...] = by_cell * (earlier - new) * ((keep > 0) & (keep < 1)) * np.float32(0.25)
        by_new[...] = by_cell * (1 - keep) * ((new > -1) & (new < 1))
        by_out[...] = by_output * cells[:, now] * ((out > 0) & (out < 1)) * np.float32(0.25)
        carried = by_cell * keep
        after = now
    return inner


def _places(sizes: NDArray[np.int64]) -> list[tuple[slice, slice]]:
    """Return for each step where the words stand that it follows, and where its own."""
    begins = np.append(0, np.cumsum(sizes)).tolist()
    return [
        (slice(begins[max(step - 1, 0)], begins[max(step - 1, 0)] + size), slice(begin, begin + size))
        for step, (begin, size) in enumerate(zip(begins[:-1], sizes.tolist(), strict=True))
    ]


def both(values: Floats, packed: Packed) -> Floats:
    """Return [words, 2 * n] as [2, words, n], the second direction from the end."""
    half = values.shape[1] // 2
    parts = np.empty((2, len(values), half), dtype=np.float32)
    parts[0] = values[:, :half]
    parts[1] = values[:, half:][packed.mirror]
    return parts


def joined(parts: Floats, packed: Packed) -> Floats:
    """Return [2, words, n] as [words, 2 * n], both directions in the packed order."""
    return np.concatenate([parts[0], parts[1][packed.mirror]], axis=1)
