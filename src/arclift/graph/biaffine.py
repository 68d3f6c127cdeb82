"""Scores of arcs and labels from vectors of words (Dozat & Manning 2017), with a bias for the distance.

The score of an arc from head h to dependent d is ``relu(d D) · relu(h H) B + distance(h - d)``; the
root's vector is learned. The labels of an arc are scored by one hidden layer over both words, as Kiperwasser
& Goldberg (2016) do: ``relu(h L_h + d L_d + b) L + b'``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arclift.graph.packing import Packed

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Weights = dict[str, Floats]

DISTANCES = (1, 2, 3, 4, 5, 7, 10, 14, 19, 29, 49, 79)
"""Upper ends of the classes of distance; one more class holds what is further."""
CLASSES = 2 * (len(DISTANCES) + 1) + 1


def distance_classes(longest: int) -> NDArray[np.int64]:
    """Return the class of each pair, [dependents 1..longest, heads 0..longest]: 0 for the root."""
    difference = np.arange(longest + 1)[None, :] - np.arange(1, longest + 1)[:, None]
    size = np.searchsorted(np.array(DISTANCES), np.abs(difference))
    classes: NDArray[np.int64] = np.where(difference < 0, 1 + size, 2 + len(DISTANCES) + size)
    classes[:, 0] = 0
    return classes


class Tree:
    """One batch on its way through the scorers: ``heads`` and ``labels`` are in the packed order."""

    def __init__(self, weights: Weights, packed: Packed) -> None:
        self.weights, self.packed = weights, packed
        self._at = np.concatenate(
            [np.zeros((len(packed.lengths), 1), dtype=np.int64), packed.padded + 1], axis=1
        )  # heads: 0 is the root, word w is w + 1; 0 also where there is no word
        self._classes = distance_classes(len(packed.sizes))

    def score(
        self, x: Floats, keep_head: Floats | None = None, keep_dependent: Floats | None = None
    ) -> Floats:
        """Return the scores of all arcs [sentences, dependents, heads], -1e9 where there is no word."""
        w = self.weights
        self.x = np.concatenate([w["root"][None, :], x])
        self.head = np.maximum(self.x @ w["head"] + w["head_bias"], 0)
        self.dependent = np.maximum(x @ w["dependent"] + w["dependent_bias"], 0)
        self._keep = keep_head, keep_dependent
        if keep_head is not None and keep_dependent is not None:
            self.head[1:] *= keep_head
            self.dependent *= keep_dependent
        self.turned = self.head @ w["bilinear"]
        self.padded_dependent = self.dependent[self._at[:, 1:] - 1]
        self.padded_head = self.turned[self._at]
        scores: Floats = self.padded_dependent @ self.padded_head.transpose(0, 2, 1)
        scores += w["distance"][self._classes]
        scores[np.broadcast_to((self._at == 0)[:, None, :], scores.shape) & self._not_root] = -1e9
        return scores

    @property
    def _not_root(self) -> NDArray[np.bool_]:
        return (np.arange(self._at.shape[1]) > 0)[None, None, :]

    def score_back(self, change: Floats) -> tuple[Floats, Weights]:
        """Return the gradients by the vectors of the words and by the weights; ``change`` is 0 at padding."""
        w, real = self.weights, self.packed.padded >= 0
        by: dict[str, Any] = {}
        summed = change.sum(axis=0)
        by["distance"] = np.bincount(self._classes.ravel(), summed.ravel(), CLASSES).astype(np.float32)
        by_dependent = np.empty_like(self.dependent)
        by_dependent[self.packed.padded[real]] = (change @ self.padded_head)[real]
        padded = change.transpose(0, 2, 1) @ self.padded_dependent
        by_turned = np.empty_like(self.turned)
        by_turned[0] = padded[:, 0].sum(axis=0)
        by_turned[self._at[:, 1:][real]] = padded[:, 1:][real]
        by["bilinear"] = self.head.T @ by_turned
        by_head = by_turned @ w["bilinear"].T
        if self._keep[0] is not None and self._keep[1] is not None:
            by_head[1:] *= self._keep[0]
            by_dependent *= self._keep[1]
        by_head *= self.head > 0
        by_dependent *= self.dependent > 0
        by["head"], by["head_bias"] = self.x.T @ by_head, by_head.sum(axis=0)
        by["dependent"], by["dependent_bias"] = self.x[1:].T @ by_dependent, by_dependent.sum(axis=0)
        by_x = by_head @ w["head"].T
        by["root"] = by_x[0]
        return by_x[1:] + by_dependent @ w["dependent"].T, by

    def arc_loss(self, scores: Floats, heads: Ints, counts: Floats) -> tuple[float, Floats]:
        """Return the sum over words of -log P(head), each as often as it counts, and its gradient.

        Heads below 0 are not known.
        """
        powers = np.exp(scores - scores.max(axis=2, keepdims=True))
        powers /= powers.sum(axis=2, keepdims=True)
        told = heads >= 0
        sentence, place, right = self.packed.sentence[told], self.packed.place[told], heads[told]
        loss = -float(np.log(np.maximum(powers[sentence, place, right], 1e-30)) @ counts[told])
        factors = np.zeros(scores.shape[:2], dtype=np.float32)
        factors[sentence, place] = counts[told]
        powers[sentence, place, right] -= 1
        powers *= factors[:, :, None]
        return loss, powers

    def label_scores(self, heads: Ints, keep: Floats | None = None) -> Floats:
        """Return the scores of the labels [words, labels] of the arcs from these heads."""
        w = self.weights
        self.governor = self._at[self.packed.sentence, heads]
        hidden = self.x @ w["label_head"]
        self.hidden = np.maximum(
            hidden[self.governor] + self.x[1:] @ w["label_dependent"] + w["label_bias"], 0
        )
        self._keep_label = keep
        if keep is not None:
            self.hidden *= keep
        scores: Floats = self.hidden @ w["label"] + w["label_out"]
        return scores

    def label_loss(self, scores: Floats, labels: Ints) -> tuple[float, Floats]:
        """Return the sum over words of -log P(label), and its gradient; labels below 0 are not known."""
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        powers /= powers.sum(axis=1, keepdims=True)
        told = np.flatnonzero(labels >= 0)
        loss = -float(np.log(np.maximum(powers[told, labels[told]], 1e-30)).sum())
        powers[told, labels[told]] -= 1
        powers[labels < 0] = 0
        return loss, powers

    def label_scores_back(self, change: Floats) -> tuple[Floats, Weights]:
        """Return the gradients by the vectors of the words and by the weights."""
        w = self.weights
        by: Weights = {"label": self.hidden.T @ change, "label_out": change.sum(axis=0)}
        by_hidden = change @ w["label"].T
        if self._keep_label is not None:
            by_hidden *= self._keep_label
        by_hidden *= self.hidden > 0
        by["label_bias"] = by_hidden.sum(axis=0)
        by["label_dependent"] = self.x[1:].T @ by_hidden
        of_heads = np.zeros((len(self.x), by_hidden.shape[1]), dtype=np.float32)
        order = np.argsort(self.governor, kind="stable")
        governors, first = np.unique(self.governor[order], return_index=True)
        of_heads[governors] = np.add.reduceat(by_hidden[order], first)
        by["label_head"] = self.x.T @ of_heads
        by_x: Floats = of_heads @ w["label_head"].T
        by["root"] = by_x[0]
        by_x[1:] += by_hidden @ w["label_dependent"].T
        return by_x[1:], by
