"""Memory-based learning: all instances are kept, and those most alike to a row decide (Daelemans et al.).

The algorithm is TiMBL's IB1 with its metrics, weights, votes and rules for ties; the defaults are those of
Nivre & Nilsson (2005): five nearest distances, modified value difference, votes by inverse distance. Features
are weighed by gain ratio, which is what TiMBL does unless told otherwise; the paper does not say.
"""

from __future__ import annotations

from functools import cached_property
from math import isfinite
from operator import index
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arclift.errors import UsageError
from arclift.learners.contract import Arrays, Learner, Matrix, Rows, mix, taken, within
from arclift.learners.memory_base import METRICS, WEIGHTS, Ids, Index, Instances, Table, kinds_of
from arclift.learners.memory_search import VOTES, Prior, Setting, _MemoryScorer

MOST, MOST_VALUES = 1 << 40, 1 << 26
"""No memory has more instances, no feature more values."""
SLOTS = 1 << 22
"""Where rows that were learned are noted, to say which are new."""


class Memory(Learner):
    """K nearest neighbours; ``k`` counts distances."""

    name = "memory"
    one_pass: ClassVar[bool] = True

    def __init__(
        self,
        *,
        k: int = 5,
        metric: str = "mvdm",
        weights: str = "gain_ratio",
        votes: str = "inverse_distance",
        decay: float = 1.0,
        limit: int = 1,
        exact: bool | None = None,
    ) -> None:
        for name, value, known in (
            ("metric", metric, METRICS),
            ("weights", weights, tuple(WEIGHTS)),
            ("votes", votes, VOTES),
        ):
            if value not in known:
                raise UsageError(f"the {name} of a memory are {', '.join(known)}, not {value!r}")
        if min(index(k), index(limit)) < 1 or not isfinite(decay):
            raise UsageError(f"k and limit are at least 1, decay is a number, not {k}, {limit} and {decay}")
        if exact not in (None, True, False):
            raise UsageError(f"exact is true or false, or left out, not {exact!r}")
        self.k, self.metric, self.weights, self.votes = k, metric, weights, votes
        self.decay, self.limit, self.exact = float(decay), limit, exact

    def _begin(self) -> None:
        self._keep(np.zeros((0, len(self.sizes)), np.int32), np.zeros(0, np.int32), np.zeros(0, np.int64))
        self._met = np.full(self.classes, self.classes, dtype=np.int32)

    def _keep(self, rows: Rows, classes: Ids, counts: Index) -> None:
        self._parts = [(rows, classes, counts)]
        self._seen = np.zeros(SLOTS, dtype=np.bool_)
        self._seen[_hashed(rows, classes)] = True

    def _update(self, rows: Rows, right: Matrix, permitted: Matrix, rate: float) -> float:
        """Return the share of rows that were new with their class, or nearly; ``rate`` is not used."""
        good = (right != 0) & (permitted != 0)
        useful = good.any(axis=1)
        new, classes = within(rows, self.sizes)[useful], good[useful].argmax(axis=1).astype(np.int32)
        for each in dict.fromkeys(classes.tolist()):
            if self._met[each] == self.classes:
                self._met[each] = (self._met < self.classes).sum()
        hashed = _hashed(new, classes)
        missed = int((~self._seen[hashed]).sum())
        self._seen[hashed] = True
        self._parts.append((new, classes, np.ones(len(new), dtype=np.int64)))
        self.__dict__.pop("scorer", None)
        return missed / len(rows)

    def _all(self) -> tuple[Rows, Ids, Index]:
        rows, classes, counts = (np.concatenate(parts) for parts in zip(*self._parts, strict=True))
        self._parts = [(rows, classes, counts)]
        return rows, classes, counts

    @cached_property
    def scorer(self) -> _MemoryScorer:  # type: ignore[override]
        """What answers by the instances kept so far."""
        rows, classes, counts = self._all()
        sizes, prior = self.sizes.tolist(), np.bincount(classes, counts, self.classes).astype(np.int64)
        tables = [Table.of(rows[:, f], classes, counts, (size, self.classes)) for f, size in enumerate(sizes)]
        weights = np.array([WEIGHTS[self.weights](table, prior) for table in tables])
        ratios = [
            WEIGHTS["gain_ratio"](table, prior) / max(1, (table.totals() > 0).sum()) for table in tables
        ]
        kinds = [kinds_of(table, self.metric, self.limit) for table in tables]
        features = np.argsort(-weights, kind="stable").astype(np.int32)
        of_kinds = np.stack([kinds[f].of[rows[:, f]] for f in features.tolist()], axis=1)
        exact = self.k == 1 if self.exact is None else self.exact
        kept = slice(None) if exact else slice(0)
        return _MemoryScorer(
            Setting(self.metric, self.k, self.votes, self.decay, exact),
            self.sizes,
            kinds,
            weights,
            np.argsort(-np.array(ratios), kind="stable").astype(np.int32),
            features,
            Instances.of(of_kinds, classes, counts, self.classes),
            Instances.of(rows[kept], classes[kept], counts[kept], self.classes),
            Prior(prior, self._met.astype(np.int64)),
        )

    def _scores(self, rows: Rows) -> NDArray[np.float32]:
        return self.scorer.scores(rows)

    def _finish(self) -> Arrays:
        rows, classes, counts = self._all()
        pairs = Instances.of(np.column_stack([rows, classes]).astype(np.int32), classes, counts, self.classes)
        rows, classes = np.ascontiguousarray(pairs.rows[:, :-1]), pairs.rows[:, -1].copy()
        return {"rows": rows, "classes": classes, "counts": pairs.table.counts, "met": self._met}

    def _arrays(self) -> Arrays:
        rows, classes, counts = self._all()
        return {"rows": rows, "classes": classes, "counts": counts, "met": self._met}

    def _restore(self, arrays: Arrays) -> None:
        if self.sizes.max() > MOST_VALUES:
            raise ValueError("a feature has more values than can be")
        rows = taken(arrays, "rows", np.int32, None, len(self.sizes))
        classes = taken(arrays, "classes", np.int32, len(rows))
        counts = taken(arrays, "counts", np.int64, len(rows))
        self._met = taken(arrays, "met", np.int32, self.classes).copy()
        if len(rows) and not (rows.min() >= 0 and (rows < self.sizes).all() and counts.min() > 0):
            raise ValueError("an instance has a value or a count that cannot be")
        if len(rows) and not (classes.min() >= 0 and classes.max() < self.classes):
            raise ValueError("an instance has a class that is not there")
        if len(rows) and counts.sum(dtype=np.float64) > MOST:
            raise ValueError("there are more instances than can be")
        self._keep(rows, classes, counts)


def _hashed(rows: Rows, classes: Ids) -> NDArray[np.uint32]:
    """Return a slot for each row with its class."""
    found = np.ones(len(rows), dtype=np.uint32)
    for column in [*rows.T, classes]:
        found = mix(found ^ column.astype(np.uint32))
    return found % np.uint32(SLOTS)
