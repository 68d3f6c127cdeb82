"""The nearest instances of a row, and their votes, as TiMBL finds and counts them.

The distance of two rows is the sum over the features of weight times distance of the values, added up in the
order of gain ratio by number of values, which matters where sums differ by rounding alone. ``k`` counts
distances: all instances at one of the k smallest ones vote, and distances closer than ``EPSILON`` are one.
Their votes:

``majority``             1
``inverse_distance``     1 / (d + EPSILON), so that an instance at distance 0 outvotes all others
``inverse_linear``       (d_k - d) / (d_k - d_1) (Dudani 1976), 1 if all are at one distance
``exponential_decay``    exp(-decay d)

Of classes with equal votes (to within ``EPSILON``), one more distance decides; then the class that training
has more often; then the one it has met first. ``exact``: an instance that is the row itself answers alone,
and if that is a tie, no other instance at distance 0 helps to break it.

TiMBL 6.5 does not hold to this in one place: after its first tie, ``-d IL`` counts majority until it ends.

Twin: native/memory.cpp, which finds the same without looking at every instance.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arclift.learners.contract import Rows, within
from arclift.learners.memory_base import Doubles, Ids, Index, Instances, Kinds, Table
from arclift.native import accelerated

EPSILON = float(np.finfo(np.float64).eps)
VOTES = ("majority", "inverse_distance", "inverse_linear", "exponential_decay")
SMOOTHING = 1e-6
"""The share of probability that classes have by their frequency, whatever the neighbours say."""


class Setting(NamedTuple):
    """How neighbours are found and counted."""

    metric: str
    k: int
    votes: str
    decay: float
    exact: bool


class Prior(NamedTuple):
    """How often training has each class, and as which number it met each first."""

    counts: Index
    met: Index


class Answer(NamedTuple):
    """A class, the votes of all of them, and the distance of the nearest instance."""

    chosen: int
    votes: Doubles
    nearest: float


@accelerated
class _MemoryScorer:
    """Answers by the instances most alike; it never changes.

    ``instances`` are rows of kinds of values, the first of ``features`` first; ``exact`` those of values.
    """

    def __init__(
        self,
        setting: Setting,
        sizes: Ids,
        kinds: list[Kinds],
        weights: Doubles,
        order: Ids,
        features: Ids,
        instances: Instances,
        exact: Instances,
        prior: Prior,
    ) -> None:
        self._setting, self._sizes, self._kinds, self._weights = setting, sizes, kinds, weights
        self._order, self._exact, self._prior = order, exact, prior
        self._met = np.argsort(prior.met, kind="stable")
        self._table = instances.table
        self._columns = np.empty_like(instances.rows)
        self._columns[:, features] = instances.rows
        self._differences: dict[tuple[int, int], Doubles] = {}

    def answers(self, rows: Rows) -> tuple[Ids, Doubles, Doubles]:
        """Return for each row its class, the votes [rows, classes] and the distance of the nearest."""
        chosen = np.zeros(len(rows), dtype=np.int32)
        votes = np.zeros((len(rows), len(self._prior.counts)))
        nearest = np.zeros(len(rows))
        for number, row in enumerate(within(rows, self._sizes)):
            chosen[number], votes[number], nearest[number] = self._answer(row)
        return chosen, votes, nearest

    def scores(self, rows: Rows) -> NDArray[np.float32]:
        """Return the logarithms of the shares of votes, that of the class answered strictly the greatest."""
        chosen, votes, _ = self.answers(rows)
        counts = self._prior.counts
        scores = np.empty(votes.shape, dtype=np.float32)
        for number, (best, of_row) in enumerate(zip(chosen, votes, strict=True)):
            total = of_row.sum()
            shares = of_row / total if total > 0 else np.zeros(len(of_row))
            smooth = (counts + 0.5) / (counts.sum() + 0.5 * len(counts))
            scores[number] = np.log(shares * (1 - SMOOTHING) + smooth * SMOOTHING)
            if total > 0:
                scores[number, best] = np.nextafter(scores[number].max(), np.float32(np.inf))
        return scores

    def _answer(self, row: Ids) -> Answer:
        if not len(self._columns):
            return Answer(0, np.zeros(len(self._prior.counts)), 0.0)
        setting = self._setting
        same = np.flatnonzero((self._exact.rows == row).all(axis=1))
        groups = [] if len(same) else self._groups(row, setting.k)
        nearest = groups[0][0] if groups else 0.0
        alone = self._counted(self._exact.table, same) if len(same) else None
        votes = self._votes(groups) if alone is None else alone
        best, tied = self._best(votes)
        if tied:
            more = self._votes(self._groups(row, setting.k + 1), alone)
            better, still_tied = self._best(more)
            if not still_tied:
                return Answer(better, more, nearest)
        return Answer(best, votes, nearest)

    def _groups(self, row: Ids, k: int) -> list[tuple[float, list[int]]]:
        """Return the k smallest distances, each with the instances there."""
        distances = self._distances(row)
        groups: list[tuple[float, list[int]]] = []
        for place in np.argsort(distances, kind="stable").tolist():
            distance = float(distances[place])
            if not groups or distance - groups[-1][0] >= EPSILON:
                if len(groups) == k:
                    break
                groups.append((distance, []))
            groups[-1][1].append(place)
        return groups

    def _distances(self, row: Ids) -> Doubles:
        sums = np.zeros(len(self._columns))
        for feature in self._order.tolist():
            sums += self._weighed(feature, int(row[feature]))[self._columns[:, feature]]
        return sums

    def _weighed(self, feature: int, value: int) -> Doubles:
        key = feature, int(self._kinds[feature].of[value])
        if key not in self._differences:
            by_kind = differences(self._kinds[feature], self._setting.metric, value)
            self._differences[key] = self._weights[feature] * by_kind
        return self._differences[key]

    def _votes(self, groups: list[tuple[float, list[int]]], alone: Doubles | None = None) -> Doubles:
        """Return the votes of all groups; ``alone`` are those of the row itself, then all of the first."""
        votes = np.zeros(len(self._prior.counts))
        first, last = groups[0][0], groups[-1][0]
        for distance, places in groups:
            weight = 1.0
            if self._setting.votes == "inverse_distance":
                weight = 1.0 / (distance + EPSILON)
            elif self._setting.votes == "inverse_linear" and last > first:
                weight = (last - distance) / (last - first)
            elif self._setting.votes == "exponential_decay":
                weight = float(np.exp(-self._setting.decay * distance))
            counted = self._counted(self._table, np.array(places)) if alone is None else alone
            votes += weight * counted
            alone = None
        return votes

    def _best(self, votes: Doubles) -> tuple[int, bool]:
        """Return the class with the most votes, and whether another has as many."""
        best, tied, most = -1, False, 0.0
        for each in self._met.tolist():
            if votes[each] > most:
                best, tied, most = each, False, float(votes[each])
            elif votes[each] and most - votes[each] < EPSILON:
                tied = True
                if self._prior.counts[each] > self._prior.counts[best]:
                    best = each
        return best, tied

    def _counted(self, table: Table, places: NDArray[np.integer]) -> Doubles:
        counts = np.zeros(len(self._prior.counts))
        for place in places.tolist():
            own = slice(*table.begins[place : place + 2].tolist())
            counts[table.classes[own]] += table.counts[own]
        return counts


def differences(kinds: Kinds, metric: str, value: int) -> Doubles:
    """Return the distances of a value to all kinds of values of a feature."""
    table = kinds.table
    size = len(kinds.totals)
    found = np.ones(size)
    kind = int(kinds.of[value])
    if kind < 0:
        return found
    found[kind] = 0.0
    if metric == "overlap" or table.begins[kind] == table.begins[kind + 1]:
        return found
    shares = _shares(kinds, kind)
    for other in range(size):
        its = _shares(kinds, other)
        if other != kind and its:
            found[other] = _difference(metric, shares, its)
    return found


def _shares(kinds: Kinds, kind: int) -> dict[int, float]:
    own = slice(*kinds.table.begins[kind : kind + 2].tolist())
    counts = kinds.table.counts[own] / kinds.totals[kind] if own.stop > own.start else np.zeros(0)
    return dict(zip(kinds.table.classes[own].tolist(), counts.tolist(), strict=True))


def _difference(metric: str, p: dict[int, float], q: dict[int, float]) -> float:
    if metric == "mvdm":
        return sum(abs(p.get(each, 0.0) - q.get(each, 0.0)) for each in sorted(p.keys() | q.keys())) / 2
    return (_divergence(metric, p, q) + _divergence(metric, q, p)) / 2


def _divergence(metric: str, p: dict[int, float], q: dict[int, float]) -> float:
    """Return how far p is from q, or from the mean of both; a class that q has not adds its share of p."""
    total = 0.0
    for each, share in p.items():
        other = q.get(each, 0.0)
        if not other:
            total += share
        elif metric == "jeffrey":
            total += share * math.log2(share / other)
        else:
            total += share * math.log2(2 * share / (share + other))
    return total
