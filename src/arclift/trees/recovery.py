"""How many lifted arcs a scheme brings back (Nivre & Nilsson 2005, Table 4).

An arc is recovered when, after encoding and lowering, its word has its head and its label again. Counted are
the lifted arcs and, separately, those that were non-projective at first, which is what the paper's
percentages are of. The latter are all lifted; beside them only arcs that a lift has made non-projective are,
few or none in a treebank. Lowering never moves other words.

The paper's Table 4 seems to leave out sentences with several roots, which are not well-formed in its sense:
without them the label counts on the Danish treebank are exactly its 123, 147 and 99 (``single_root=True``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arclift.trees.encoding import encode
from arclift.trees.labels import PAPER, Markers, Scheme
from arclift.trees.lowering import Ids, lower
from arclift.trees.projectivity import nonprojective
from arclift.trees.structure import Heads, Offsets

MOST_LIFTS = 4
"""Arcs with at least so many lifts are counted together."""


class Recovery:
    """Counts for one scheme, gathered batch by batch."""

    def __init__(self, scheme: Scheme, *, markers: Markers = PAPER, single_root: bool = False) -> None:
        self.scheme = scheme
        self.markers = markers
        self.single_root = single_root
        self.labels: set[str] = set()
        self.lifted = np.zeros(MOST_LIFTS, dtype=np.int64)
        """Lifted arcs by number of lifts: 1, 2, 3, more."""
        self.recovered = np.zeros(MOST_LIFTS, dtype=np.int64)
        """Those of them that came back."""
        self.nonprojective = 0
        self.nonprojective_recovered = 0

    def add(self, heads: Heads, labels: Ids, offsets: Offsets, names: list[str]) -> None:
        """Encode and lower the trees, and count."""
        if self.single_root:
            heads, labels, offsets = with_one_root(heads, labels, offsets)
        encoded = encode(heads, labels, offsets, names, self.scheme, markers=self.markers)
        lowered = lower(
            encoded.heads, encoded.labels, offsets, encoded.names, self.scheme, markers=self.markers
        )
        back = (lowered.heads == heads) & (lowered.labels == labels)
        lifts = np.minimum(encoded.lifts, MOST_LIFTS)
        self.lifted += np.bincount(lifts, minlength=MOST_LIFTS + 1)[1:]
        self.recovered += np.bincount(lifts[back], minlength=MOST_LIFTS + 1)[1:]
        crossing = nonprojective(heads, offsets).astype(bool)
        self.nonprojective += int(crossing.sum())
        self.nonprojective_recovered += int((crossing & back).sum())
        self.labels.update(encoded.names[id] for id in np.unique(encoded.labels).tolist())

    @property
    def percent(self) -> float:
        """The share of the lifted arcs that came back, 100 if none was lifted."""
        lifted = int(self.lifted.sum())
        return 100 * int(self.recovered.sum()) / lifted if lifted else 100.0

    def as_dict(self) -> dict[str, float | int]:
        """Return the figures by name."""
        return {
            "labels": len(self.labels),
            "lifted_arcs": int(self.lifted.sum()),
            "recovered_arcs": int(self.recovered.sum()),
            "recovered_percent": round(self.percent, 2),
            "nonprojective_arcs": self.nonprojective,
            "nonprojective_recovered": self.nonprojective_recovered,
        }


def with_one_root(heads: Heads, labels: Ids, offsets: Offsets) -> tuple[Heads, Ids, Offsets]:
    """Return the sentences that have exactly one root."""
    roots = np.diff(np.append(0, np.cumsum(heads == 0))[offsets])
    return select(roots == 1, heads, labels, offsets)


def select(
    kept: NDArray[np.bool_], heads: Heads, labels: Ids, offsets: Offsets
) -> tuple[Heads, Ids, Offsets]:
    """Return the sentences that are to be kept."""
    lengths = np.diff(offsets)
    words = np.repeat(kept, lengths)
    return heads[words], labels[words], np.cumsum([0, *lengths[kept]], dtype=np.int64)
