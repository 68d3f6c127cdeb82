"""The network of a graph parser for parsing: whole numbers only, so that every machine decides alike.

Weights are bytes with a step of their own for each output, activations are bytes, sums are exact. Between
them stand products of two floats rounded to the nearest whole number, which are the same everywhere too::

    words      sums of embeddings (bytes), normalised, in steps of 1/NORMAL
    gates      one exact sum over what comes in and the state, then in steps of 1/ONE; cells too; outputs go
               on in steps of 1/128
    scorers    rectified units in steps of their own, so that the greatest seen in training is 255

Twin: native/graph.cpp, bit for bit. What a sum of embeddings comes to is kept for each distinct string of a
column (``GraphWords``), since most words of a text have been seen before.

The tree: if the best heads of all words make a tree (with one root, if it must have one), it is that, else
the maximum spanning tree. For a sentence of more than ``LONGEST`` words, whose table of scores might not fit
into memory, the best heads are returned as they are, tree or not, for the caller to repair.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arclift.graph.biaffine import distance_classes
from arclift.graph.recurrent import GATES
from arclift.native import accelerated
from arclift.trees.spanning import maximum_spanning_tree
from arclift.trees.structure import Heads, Offsets, is_tree

Floats = NDArray[np.float32]
Bytes = NDArray[np.int8]
Ints = NDArray[np.int32]
Doubles = NDArray[np.float64]
Arrays = dict[str, NDArray[Any]]

ONE, NORMAL, LONGEST = 4096, 25.0, 1000
BYTE, EXACT = 127, np.float32(1 << 22)
MOST_ROWS = 256
"""How many embeddings a string may have: their sum stays within 16 bits."""
LEAST = 4096.0
"""Weights are at least this part of their bias, so that it fits into the sum."""
FINER = 16
"""The halves of a label's hidden layer are this much finer than their sum."""
WIDEST, GREATEST = 4096, 1 << 28
"""No layer is wider and no bias is greater, so that sums fit into 32 bits."""
LARGEST_STEP, LARGEST_UNIT, LEAST_SMALL = 1e20, 1e40, 1e-60
"""No step or unit is larger, what is added to a variance no smaller: products of floats stay finite."""


@accelerated
class _GraphWords:
    """The sums of the embeddings of strings, for each column that words are known by; it grows."""

    def __init__(self, embeddings: Bytes, columns: int) -> None:
        self._embeddings = embeddings
        self.sums = [np.zeros((0, embeddings.shape[1]), dtype=np.int16) for _ in range(columns)]

    def count(self, column: int) -> int:
        """Return how many strings of a column there are."""
        return len(self.sums[column])

    def extend(self, column: int, rows: Ints) -> None:
        """Add strings: the rows of their embeddings, [strings, rows], -1 where there is none."""
        if rows.size and rows.max() >= len(self._embeddings):
            raise ValueError("no such row of the embeddings")
        if rows.shape[1] > MOST_ROWS:
            raise ValueError(f"a string has at most {MOST_ROWS} embeddings")
        values = self._embeddings[np.maximum(rows, 0)] * (rows >= 0)[:, :, None].astype(np.int8)
        self.sums[column] = np.concatenate([self.sums[column], values.sum(axis=1, dtype=np.int16)])


@accelerated
class _GraphScorer:
    """Parses by the arrays that ``quantise`` returns; it never changes."""

    def __init__(self, arrays: Arrays) -> None:
        self.layers = check(arrays)
        self.__dict__.update(arrays)

    embeddings: Bytes
    small: NDArray[np.float64]
    units: NDArray[np.float64]
    root_turned: Bytes
    root_label: Ints
    distance: Ints
    label_bias: Ints
    label: Bytes
    label_out: Ints

    def parse(self, words: Any, ids: Ints, offsets: Offsets, single_root: bool) -> tuple[Heads, Ints]:
        """Return heads and labels; ``ids`` [words, columns] are numbers of strings of ``words``."""
        heads, labels = np.zeros(len(ids), dtype=np.int32), np.zeros(len(ids), dtype=np.int32)
        for begin, end in pairwise(offsets.tolist()):
            if begin < end:
                scores, label_head, label_dependent = self._sentence(words, ids[begin:end])
                heads[begin:end] = tree_of(scores, single_root)
                labels[begin:end] = self._labels(label_head, label_dependent, heads[begin:end])
        return heads, labels

    def labels_of(self, words: Any, ids: Ints, offsets: Offsets, heads: Heads) -> Ints:
        """Return the best labels of arcs that are given by their heads."""
        labels = np.zeros(len(ids), dtype=np.int32)
        for begin, end in pairwise(offsets.tolist()):
            if begin < end:
                _, label_head, label_dependent = self._sentence(words, ids[begin:end])
                labels[begin:end] = self._labels(label_head, label_dependent, heads[begin:end])
        return labels

    def log_probabilities(
        self, words: Any, ids: Ints, offsets: Offsets, heads: Heads, labels: Ints
    ) -> tuple[Doubles, Doubles]:
        """Return log P(head) and log P(label of the arc from it) of each word, each by softmax."""
        of_heads, of_labels = np.zeros(len(ids)), np.zeros(len(ids))
        for begin, end in pairwise(offsets.tolist()):
            if begin < end:
                scores, label_head, label_dependent = self._sentence(words, ids[begin:end])
                allowed = scores.astype(np.float64)
                np.fill_diagonal(allowed[:, 1:], -np.inf)
                of_heads[begin:end] = _log_shares(allowed * self.units[0], heads[begin:end])
                named = self._label_scores(label_head, label_dependent, heads[begin:end])
                of_labels[begin:end] = _log_shares(named * self.units[1], labels[begin:end])
        return of_heads, of_labels

    def arc_scores(self, words: Any, ids: Ints) -> Ints:
        """Return the scores of all arcs of one sentence, [dependents, heads], in steps of ``units[0]``."""
        return self._sentence(words, ids)[0]

    def _sentence(self, words: Any, ids: Ints) -> tuple[Ints, Ints, Ints]:
        sums = sum(words.sums[column][ids[:, column]].astype(np.int32) for column in range(ids.shape[1]))
        x = self._normalised(np.asarray(sums))
        for number in range(self.layers):
            x = self._run(number, x)
        head = self._rectified("head", x)
        turned = np.clip(self._product("bilinear", head.astype(np.int64)), -BYTE, BYTE)
        turned = np.concatenate([self.root_turned[None, :], turned])
        scores = self._rectified("dependent", x) @ turned.T.astype(np.int64)
        scores += self.distance[distance_classes(len(x))]
        label_head = np.concatenate([self.root_label[None, :], self._product("label_head", x)])
        return scores.astype(np.int32), label_head, self._product("label_dependent", x)

    def _product(self, name: str, x: NDArray[np.integer]) -> Ints:
        sums = x.astype(np.int64) @ getattr(self, name).astype(np.int64)
        return scaled(sums, getattr(self, f"{name}_step"))

    def _rectified(self, name: str, x: Ints) -> Ints:
        units: Ints = np.clip(self._product(name, x) + getattr(self, f"{name}_bias"), 0, 255)
        return units

    def _normalised(self, sums: Ints) -> Ints:
        width = sums.shape[1]
        total = sums.sum(axis=1, keepdims=True, dtype=np.int64)
        squares = np.square(sums.astype(np.int64)).sum(axis=1, keepdims=True)
        spread = np.sqrt((width * squares - total * total).astype(np.float64) + self.small[0])
        factor = (NORMAL / spread).astype(np.float32)
        return np.clip(scaled(sums * width - total.astype(np.int32), factor), -BYTE, BYTE)

    def _run(self, number: int, x: Ints) -> Ints:
        gates = x.astype(np.int64) @ getattr(self, f"inputs{number}").astype(np.int64)
        gates += getattr(self, f"bias{number}")
        half = gates.shape[1] // 2
        one = self._run_one_way(number, 0, gates[:, :half])
        two = self._run_one_way(number, 1, gates[::-1, half:])
        return np.concatenate([one, two[::-1]], axis=1)

    def _run_one_way(self, number: int, way: int, gates: NDArray[np.int64]) -> Ints:
        weights = getattr(self, f"states{number}")[way].astype(np.int64)
        step = getattr(self, f"gates{number}_step")[way * len(weights) * GATES :][: len(weights) * GATES]
        width = len(weights)
        cell, outputs = np.zeros(width, dtype=np.int32), np.zeros((len(gates), width), dtype=np.int32)
        state = np.zeros(width, dtype=np.int64)
        for place, gate in enumerate(gates):
            keep, new, out = np.split(scaled(gate + state @ weights, step), GATES)
            keep, out = (np.clip((part >> 2) + ONE // 2, 0, ONE) for part in (keep, out))
            new = np.clip(new, -ONE, ONE)
            cell = new + ((keep * (cell - new) + ONE // 2) >> 12)
            output = (out * cell + ONE // 2) >> 12
            outputs[place] = np.clip((output + 16) >> 5, -BYTE, BYTE)
            state = outputs[place].astype(np.int64)
        return outputs

    def _labels(self, label_head: Ints, label_dependent: Ints, heads: Heads) -> Ints:
        best: Ints = self._label_scores(label_head, label_dependent, heads).argmax(axis=1).astype(np.int32)
        return best

    def _label_scores(self, label_head: Ints, label_dependent: Ints, heads: Heads) -> NDArray[np.int64]:
        summed = np.maximum(label_head[heads] + label_dependent + self.label_bias, 0)
        hidden = np.minimum((summed + FINER // 2) // FINER, 255)
        scores: NDArray[np.int64] = hidden.astype(np.int64) @ self.label.astype(np.int64) + self.label_out
        return scores


def _log_shares(scores: Doubles, chosen: Ints) -> Doubles:
    """Return for each row the logarithm of the share of one of its scores in the softmax of all."""
    scores = scores - scores.max(axis=1, keepdims=True)
    shares: Doubles = scores[np.arange(len(scores)), chosen] - np.log(np.exp(scores).sum(axis=1))
    return shares


def scaled(sums: NDArray[np.integer], step: Floats) -> Ints:
    """Return the whole numbers nearest to sums * step, the even one of two, within 2**22."""
    product: Ints = np.rint(np.clip(sums.astype(np.float32) * step, -EXACT, EXACT)).astype(np.int32)
    return product


def tree_of(scores: Ints, single_root: bool) -> Heads:
    """Return the best tree for the scores [dependents, heads] of one sentence; the module says how."""
    allowed = scores.astype(np.float64)
    np.fill_diagonal(allowed[:, 1:], -np.inf)
    heads: Heads = allowed.argmax(axis=1).astype(np.int32)
    if len(heads) > LONGEST or is_tree(heads, single_root=single_root):
        return heads
    return maximum_spanning_tree(np.vstack([np.zeros(len(heads) + 1), allowed]).T, single_root=single_root)


# --- from floats to whole numbers ------------------------------------------------------------------------


def by_output(weights: Floats, bias: Floats | float = 0.0) -> tuple[Bytes, Floats]:
    """Return weights [..., outputs] as bytes, and the step of each output, not too fine for its bias."""
    step = np.maximum(np.abs(weights).max(axis=-2), np.maximum(np.abs(bias) / LEAST, 1e-12)) / BYTE
    return np.rint(weights / step[..., None, :]).astype(np.int8), step.astype(np.float32)


def as_steps(steps: Floats, scale: float) -> Floats:
    """Return steps in other units, such that ``check`` lets them pass whatever became of the weights."""
    with np.errstate(over="ignore"):
        scaled_up: Floats = np.minimum(steps * np.float32(scale), np.float32(LARGEST_STEP))
    return scaled_up


def quantise(weights: dict[str, Floats], layers: int, tops: dict[str, float]) -> Arrays:
    """Return the arrays of the scorer.

    ``tops`` are the greatest values of the units ``head``, ``dependent``, ``turned`` and ``hidden`` (of the
    labels) on a sample of training words.
    """
    arrays: Arrays = {}

    def put(name: str, matrix: Floats, scale: float) -> None:
        arrays[name], step = by_output(matrix)
        arrays[f"{name}_step"] = as_steps(step, scale)

    def whole(values: Floats, scale: float) -> Ints:
        return np.clip(np.rint(values.astype(np.float64) * scale), -GREATEST, GREATEST).astype(np.int32)

    step = max(float(np.abs(weights["embeddings"]).max()), 1e-12) / BYTE
    arrays["embeddings"] = np.rint(weights["embeddings"] / step).astype(np.int8)
    width = weights["embeddings"].shape[1]
    arrays["small"] = np.clip([1e-5 * (width / step) ** 2], LEAST_SMALL, LARGEST_UNIT)
    unit = {name: 255 / max(tops[name], 1e-6) for name in ("head", "dependent", "hidden")}
    unit["turned"] = BYTE / max(tops["turned"], 1e-6)
    for number in range(layers):
        inputs, bias = weights[f"inputs{number}"], weights[f"bias{number}"]
        if number == 0:
            bias = bias + weights["shift"] @ inputs
            inputs = weights["gain"][:, None] * inputs * np.float32(128 / NORMAL)
        states = weights[f"states{number}"]
        matrix, steps = by_output(np.concatenate([inputs, np.concatenate(list(states), axis=1)]), bias)
        arrays[f"inputs{number}"] = matrix[: len(inputs)].copy()
        arrays[f"states{number}"] = np.stack(np.split(matrix[len(inputs) :], 2, axis=1))
        arrays[f"bias{number}"] = np.rint(bias * (128 / steps)).astype(np.int32)
        arrays[f"gates{number}_step"] = as_steps(steps, ONE / 128)
    for name in ("head", "dependent"):
        put(name, weights[name], unit[name] / 128)
        arrays[f"{name}_bias"] = whole(weights[f"{name}_bias"], unit[name])
    put("bilinear", weights["bilinear"], unit["turned"] / unit["head"])
    root = np.maximum(weights["root"] @ weights["head"] + weights["head_bias"], 0)
    turned = root @ weights["bilinear"]
    arrays["root_turned"] = np.clip(whole(turned, unit["turned"]), -BYTE, BYTE).astype(np.int8)
    arrays["distance"] = whole(weights["distance"], unit["turned"] * unit["dependent"])
    fine = unit["hidden"] * FINER
    for name in ("label_head", "label_dependent"):
        put(name, weights[name], fine / 128)
    arrays["label_bias"] = whole(weights["label_bias"], fine)
    arrays["root_label"] = whole(weights["root"] @ weights["label_head"], fine)
    step = max(float(np.abs(weights["label"]).max()), 1e-12) / BYTE
    arrays["label"] = np.rint(weights["label"] / step).astype(np.int8)
    arrays["label_out"] = whole(weights["label_out"], unit["hidden"] / step)
    units = [1 / (unit["turned"] * unit["dependent"]), step / unit["hidden"]]
    arrays["units"] = np.clip(units, LEAST_SMALL, LARGEST_UNIT)
    return arrays


def _kinds(
    shape: tuple[int, int, int, int, int, int],
) -> Iterator[tuple[str, type[np.generic], tuple[int, ...]]]:
    """Yield name, type and shape of every array but the embeddings."""
    embedding, state, layers, arc, label, labels = shape
    word, below = 2 * state, embedding
    yield "small", np.float64, (1,)
    yield "units", np.float64, (2,)
    for number in range(layers):
        yield f"inputs{number}", np.int8, (below, 2 * GATES * state)
        yield f"bias{number}", np.int32, (2 * GATES * state,)
        yield f"states{number}", np.int8, (2, state, GATES * state)
        yield f"gates{number}_step", np.float32, (2 * GATES * state,)
        below = word
    for name in ("head", "dependent"):
        yield name, np.int8, (word, arc)
        yield f"{name}_step", np.float32, (arc,)
        yield f"{name}_bias", np.int32, (arc,)
    yield "bilinear", np.int8, (arc, arc)
    yield "bilinear_step", np.float32, (arc,)
    yield "root_turned", np.int8, (arc,)
    yield "distance", np.int32, (int(distance_classes(200).max()) + 1,)
    for name in ("label_head", "label_dependent"):
        yield name, np.int8, (word, label)
        yield f"{name}_step", np.float32, (label,)
    yield "label_bias", np.int32, (label,)
    yield "root_label", np.int32, (label,)
    yield "label", np.int8, (label, labels)
    yield "label_out", np.int32, (labels,)


def check(arrays: Arrays) -> int:
    """Return how many layers there are; raise ``ValueError`` where the arrays are not those of one scorer."""
    layers = sum(name.startswith("inputs") for name in arrays)
    try:
        values, embedding = arrays["embeddings"].shape
        state, arc = arrays["states0"].shape[1], arrays["head"].shape[1]
        label, labels = arrays["label"].shape
    except (KeyError, IndexError, ValueError) as error:
        raise ValueError(f"an array of the network is missing or of another shape: {error}") from error
    if any(size % 16 or not 16 <= size <= WIDEST for size in (embedding, state, arc, label)):
        raise ValueError(f"layers are multiples of 16 wide, from 16 to {WIDEST}")
    expected = {
        name: (kind, size) for name, kind, size in _kinds((embedding, state, layers, arc, label, labels))
    }
    expected["embeddings"] = np.int8, (values, embedding)
    if not labels or arrays.keys() != expected.keys():
        odd = sorted(arrays.keys() ^ expected.keys())
        raise ValueError(f"arrays of the network are missing or not known: {', '.join(odd) or 'no label'}")
    for name, (kind, size) in expected.items():
        _check_array(name, arrays[name], kind, size)
    return layers


def _check_array(name: str, array: NDArray[Any], kind: type[np.generic], size: tuple[int, ...]) -> None:
    if array.dtype != kind or array.shape != size:
        raise ValueError(f"{name} is {array.dtype} of shape {array.shape}, not {np.dtype(kind)} of {size}")
    if kind == np.int32 and np.abs(array.astype(np.int64)).max(initial=0) > GREATEST:
        raise ValueError(f"{name} is out of range")
    if kind == np.float32 and not ((array >= 0) & (array <= LARGEST_STEP)).all():
        raise ValueError(f"{name} has steps that are none")
    if kind == np.float64 and not ((array >= LEAST_SMALL) & (array <= LARGEST_UNIT)).all():
        raise ValueError(f"{name} is out of range")
