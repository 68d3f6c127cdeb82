"""Encoding: lift arcs and write into the labels what was lifted (Nivre & Nilsson 2005, section 4).

The schemes and their labels are described in ``arclift.trees.labels``; ``arclift.trees.lowering`` undoes
them. Only words that a lift touched get another label id, so that the cost is that of PROJECTIVIZE.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arclift.trees.exact import ordinals
from arclift.trees.labels import PAPER, Label, Markers, Scheme, check_markers
from arclift.trees.lifting import lift_all
from arclift.trees.lowering import Flags, Ids, check_labels
from arclift.trees.structure import Heads, Offsets

__all__ = ["Encoded", "Label", "Markers", "Scheme", "encode"]


class Encoded(NamedTuple):
    """Lifted heads, labels as indices into ``names``, and how often each word was lifted."""

    heads: Heads
    labels: Ids
    names: list[str]
    lifts: NDArray[np.int32]


def encode(
    heads: Heads,
    labels: Ids,
    offsets: Offsets,
    names: list[str],
    scheme: Scheme,
    *,
    markers: Markers = PAPER,
) -> Encoded:
    """Lift all trees until they are projective, with labels from which ``lower`` brings the arcs back.

    ``labels`` are indices into ``names``, which must differ from each other. The names of the result begin
    with the same names, escaped where need be (not under *baseline*, which is not undone).
    """
    check_labels(labels, names)
    lifted, lifts, path = lift_all(heads, offsets)
    if scheme is Scheme.BASELINE:
        return Encoded(lifted, labels.copy(), list(names), lifts)
    check_markers(scheme, markers)
    words = np.flatnonzero(lifts)
    syntactic = _positions(words, heads, offsets)
    argument = np.zeros(len(heads), dtype=np.int64)
    if scheme.names_head:
        argument[words] = labels[syntactic]
    if scheme is Scheme.EXACT:
        path = np.zeros(len(heads), dtype=np.uint8)
        path[syntactic] = 1
        argument = ordinals(lifted, offsets, heads, path).astype(np.int64)
    marks = path if scheme.marks_path else np.zeros(len(heads), dtype=np.uint8)
    touched = np.flatnonzero((lifts > 0) | (marks > 0))
    kinds, which = _distinct(labels[touched], lifts[touched] > 0, argument[touched], marks[touched])

    def written(base: int, was_lifted: int, about: int, on_path: int) -> str:
        text = names[about] if scheme.names_head else str(about) if about > 1 else ""
        return markers.format(Label(names[base], bool(was_lifted), text, bool(on_path)))

    new_labels = labels.copy()
    new_labels[touched] = len(names) + which
    plain = [markers.format(Label(name)) for name in names]
    return Encoded(lifted, new_labels, plain + [written(*kind) for kind in kinds], lifts)


def _positions(words: NDArray[np.intp], heads: Heads, offsets: Offsets) -> NDArray[np.int64]:
    """Return where in the batch the heads of some words stand; none of them may be a root."""
    begins = offsets[np.searchsorted(offsets, words, side="right") - 1]
    return begins + heads[words] - 1


def _distinct(
    base: Ids, lifted: NDArray[np.bool_], argument: NDArray[np.int64], marks: Flags
) -> tuple[list[list[int]], NDArray[np.intp]]:
    """Return the different combinations in lexical order, and which of them each word has."""
    rows = np.stack([base, lifted, argument, marks], axis=1).astype(np.int64)
    kinds, which = np.unique(rows, axis=0, return_inverse=True)
    return kinds.tolist(), which.reshape(-1)
