"""What memory-based learning knows of its instances: weights of features, and which values are alike.

TiMBL (Daelemans et al., reference guide 6.4) is the definition, its program of version 6.5 the judge. The
weight of a feature f with values v, of instances with classes c:

``none``               1
``information_gain``   H(c) - sum over v of P(v) H(c|v), in bits
``gain_ratio``         that, divided by H(v)
``chi_squared``        the chi-squared statistic of the table of values and classes
``shared_variance``    that, divided by n (min(values, classes) - 1)

The distance of two values of a feature is 0 if they are the same, and else

``overlap``            1
``mvdm``               half the sum over c of |P(c|v) - P(c|w)| (Stanfill & Waltz 1986, Cost & Salzberg 1993)
``jeffrey``            half the sum of (P(c|v) - P(c|w)) log2(P(c|v) / P(c|w)) over the classes that both
                       have, and of P of those that one has
``jensen_shannon``     half the sum of P(c|v) log2(2 P(c|v) / (P(c|v) + P(c|w))), and the same for w

A value that training has not shown is at distance 1 from all; so are, but for the first metric, two values
one of which fewer than ``limit`` instances have. (TiMBL's guide prints the whole sum of mvdm, its program
halves it.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arclift.learners.contract import Rows

Doubles = NDArray[np.float64]
Ids = NDArray[np.int32]
Index = NDArray[np.int64]

METRICS = ("overlap", "mvdm", "jeffrey", "jensen_shannon")


class Table(NamedTuple):
    """How often each value of a feature comes with each class: pairs that occur, by value, then class."""

    begins: Index
    """Where the pairs of each value begin, one more than there are values."""
    classes: Ids
    counts: Index

    @classmethod
    def of(cls, values: Ids, classes: Ids, counts: Index, sizes: tuple[int, int]) -> Table:
        """Return the table of instances that count so often; ``sizes``: how many values and classes."""
        pairs, where = np.unique(values.astype(np.int64) * sizes[1] + classes, return_inverse=True)
        sums = np.bincount(where.reshape(-1), weights=counts, minlength=len(pairs)).astype(np.int64)
        begins = np.searchsorted(pairs, np.arange(sizes[0] + 1) * sizes[1])
        return cls(begins.astype(np.int64), (pairs % sizes[1]).astype(np.int32), sums)

    def totals(self) -> Index:
        """Return how often each value occurs."""
        sums = np.append(0, np.cumsum(self.counts))
        totals: Index = sums[self.begins[1:]] - sums[self.begins[:-1]]
        return totals


def _in_turn(terms: Doubles) -> float:
    """Return the sum, added up one by one as TiMBL does: its last bit may decide between distances."""
    return float(np.cumsum(terms)[-1]) if len(terms) else 0.0


def _entropy(counts: Index) -> float:
    shares = counts[counts > 0] / counts.sum()
    return -_in_turn(shares * np.log2(shares))


def _chi_squared(table: Table, prior: Index) -> float:
    totals, n = table.totals(), prior.sum()
    statistic = 0.0
    for value, total in enumerate(totals.tolist()):
        if total:
            pairs = slice(*table.begins[value : value + 2].tolist())
            seen = np.zeros(len(prior))
            seen[table.classes[pairs]] = table.counts[pairs]
            expected = (prior * total / n)[prior > 0]
            terms = (seen[prior > 0] - expected) ** 2 / expected
            statistic = _in_turn(np.append(statistic, terms))
    return statistic


def _information_gain(table: Table, prior: Index) -> float:
    totals, n = table.totals(), max(1, prior.sum())
    values = np.repeat(np.arange(len(totals)), np.diff(table.begins))
    shares = table.counts / totals[values]
    of_values = np.bincount(values, shares * np.log2(shares), len(totals))
    return _entropy(prior) + _in_turn((of_values * totals / n)[totals > 0])


def _gain_ratio(table: Table, prior: Index) -> float:
    split = _entropy(table.totals())
    return _information_gain(table, prior) / split if split > 0 else 0.0


def _shared_variance(table: Table, prior: Index) -> float:
    smaller = min(int((table.totals() > 0).sum()), int((prior > 0).sum()))
    return _chi_squared(table, prior) / (prior.sum() * (smaller - 1)) if smaller > 1 else 0.0


WEIGHTS: dict[str, Callable[[Table, Index], float]] = {
    "none": lambda table, prior: 1.0,
    "gain_ratio": _gain_ratio,
    "information_gain": _information_gain,
    "chi_squared": _chi_squared,
    "shared_variance": _shared_variance,
}
"""The weights of features by name."""


class Kinds(NamedTuple):
    """The values of a feature, those that are at distance 0 from each other taken together."""

    of: Ids
    """The kind of each value, -1 of those that training has not shown."""
    table: Table
    """The classes of each kind; an empty row where the kind is at distance 1 from all others."""
    totals: Index


def kinds_of(table: Table, metric: str, limit: int) -> Kinds:
    """Return which values are at the same distances from all others, having the same shares of classes."""
    totals = table.totals()
    found: dict[object, int] = {}
    of = np.full(len(totals), -1, dtype=np.int32)
    rows: list[slice] = []
    for value in np.flatnonzero(totals).tolist():
        row = slice(*table.begins[value : value + 2].tolist())
        key: object = value
        if metric != "overlap" and totals[value] >= limit:
            counts = table.counts[row]
            key = (table.classes[row].tobytes(), (counts // np.gcd.reduce(counts)).tobytes())
        of[value] = found.setdefault(key, len(found))
        if of[value] == len(rows):
            rows.append(row if key is not value else slice(0, 0))
    lengths = [row.stop - row.start for row in rows]
    chosen = np.concatenate([np.arange(row.start, row.stop) for row in rows] or [np.zeros(0, np.int64)])
    own = Table(
        np.append(0, np.cumsum(lengths, dtype=np.int64)).astype(np.int64),
        table.classes[chosen],
        table.counts[chosen],
    )
    return Kinds(of, own, own.totals())


class Instances(NamedTuple):
    """Different rows, and how often each came with each class."""

    rows: Rows
    """Sorted, the first column first."""
    table: Table

    @classmethod
    def of(cls, rows: Rows, classes: Ids, counts: Index, size: int) -> Instances:
        """Return the instances in these rows; ``size``: how many classes there are."""
        order = np.lexsort(rows.T[::-1])
        ordered = rows[order]
        first = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))[: len(rows)]
        number = np.empty(len(rows), dtype=np.int32)
        number[order] = np.cumsum(first) - 1
        return cls(ordered[first], Table.of(number, classes, counts, (int(first.sum()), size)))
