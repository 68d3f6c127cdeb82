"""Small networks and random sentences for the tests of graph parsers."""

from __future__ import annotations

import numpy as np

from arclift.graph.network import Batch, Network, Shape, untrained
from arclift.graph.packing import Packed
from arclift.graph.scorer import quantise

VALUES, LABELS = 40, 7


def network(seed=1, wide=1.0, *, embedding=32, state=16, layers=2, arc=16, label=16):
    """Return a network with random weights, biases too, all of them ``wide`` times as large as usual."""
    shape = Shape(VALUES, LABELS, embedding, state, layers, arc, label)
    rng = np.random.default_rng(seed)
    weights = untrained(shape, seed)
    for name, w in weights.items():
        if name not in ("embeddings", "gain") and not w.any():
            w += rng.normal(0, 0.3, w.shape).astype(np.float32)
        w *= np.float32(wide)
    return Network(shape, weights)


def batch(lengths, seed=1, packed=None):
    """Return random words with one to five values each, random heads (some unknown) and labels."""
    rng = np.random.default_rng(seed)
    packed = packed or Packed(np.array(lengths))
    counts = rng.integers(1, 6, len(packed))
    ids = rng.integers(0, VALUES, counts.sum()).astype(np.int32)
    begins = np.append(0, np.cumsum(counts))[:-1].astype(np.int64)
    longest = packed.lengths[packed.sentence]
    heads = rng.integers(-1, longest + 1).astype(np.int32)
    labels = rng.integers(-1, LABELS, len(packed)).astype(np.int32)
    counts = rng.choice(np.array([1, 2.5], dtype=np.float32), len(packed))
    return Batch(packed, ids, begins, heads, labels, counts)


def quantised(seed=1, wide=1.0, **sizes):
    """Return the arrays of a scorer."""
    net = network(seed, wide, **sizes)
    return quantise(net.weights, net.shape.layers, net.tops(batch([9, 5, 2], seed)))
