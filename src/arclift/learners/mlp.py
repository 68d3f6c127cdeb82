"""A feed-forward network over embeddings of the columns (Chen & Manning 2014; UDPipe 1's is of this kind).

Columns of one *group* share a table of embeddings (all columns that hold a form, say). Their embeddings feed
one hidden layer of rectified units (or several), then one score per class. Training is in ``mlp_net``: Adam,
dropout on hidden units, word dropout (an id becomes unknown) for the groups in ``word_groups``. ``finish``
quantises the network to whole numbers and tables the contributions most often needed: ``mlp_scorer``.

Cost of a score after ``finish``: columns x hidden additions of 16-bit numbers, hidden x classes products.
Memory in training: 12 bytes for each weight.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arclift.errors import UsageError
from arclift.learners.contract import Arrays, Learner, Matrix, Rows, taken, within
from arclift.learners.mlp_net import Floats, Layout, _MlpNet, aligned
from arclift.learners.mlp_scorer import _MlpScorer, quantise
from arclift.native import PAIRS

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8
LARGEST_UNIT = 1e28
"""So that scores, whole numbers of 32 bits in this unit, are finite."""
SCORER_ARRAYS: dict[str, type[np.generic]] = {
    "embeddings": np.int16,
    "inputs": np.int16,
    "shifts": np.int32,
    "dense": np.int16,
    "biases": np.int32,
}


class Mlp(Learner):
    """The network.

    :param groups: the group of each column; without it each column is a group of its own
    :param dims: the length of each group's embeddings; one number stands for all groups
    :param hidden: the sizes of the hidden layers, multiples of 16 cost nothing extra
    :param word_groups: the groups with word dropout
    :param clip: the greatest norm of a batch's gradient, 0 for none
    :param table: how many contributions are kept ready for parsing (2 bytes for each hidden unit)
    """

    name = "mlp"

    def __init__(
        self,
        *,
        groups: Sequence[int] = (),
        dims: Sequence[int] = (32,),
        hidden: Sequence[int] = (256,),
        dropout: float = 0.3,
        word_dropout: float = 0.1,
        word_groups: Sequence[int] = (),
        learning_rate: float = 0.002,
        clip: float = 5.0,
        batch: int = 512,
        table: int = 32768,
    ) -> None:
        if not (0 <= dropout < 1 and 0 <= word_dropout <= 1):
            raise UsageError("dropout is a share from 0 to below 1")
        if not hidden or min(hidden) < 1 or not dims or min(dims) < 1 or batch < 1 or table < 0:
            raise UsageError("hidden layers, embeddings and batches have at least one element")
        self.groups, self.dims, self.hidden = (list(map(int, each)) for each in (groups, dims, hidden))
        self.dropout, self.word_dropout, self.word_groups = dropout, word_dropout, list(map(int, word_groups))
        self.learning_rate, self.clip, self.batch, self.table = learning_rate, clip, batch, table

    # --- shape -------------------------------------------------------------------------------------------

    def _shape(self) -> None:
        """Work out the network's shape from the hyper-parameters and the columns."""
        groups = self.groups or list(range(len(self.sizes)))
        if len(groups) != len(self.sizes) or min(groups) < 0:
            raise UsageError(f"{len(self.sizes)} columns have {len(self.sizes)} groups, not {groups}")
        dims = self.dims * (max(groups) + 1) if len(self.dims) == 1 else self.dims
        if max([*groups, *self.word_groups]) >= len(dims) or min(self.word_groups, default=0) < 0:
            raise UsageError(f"a group is from 0 to {len(dims) - 1}, as many as dims")
        self._groups, self._dims = (np.array(a, dtype=np.int32) for a in (groups, dims))
        self._layers = np.array([*self.hidden, self.classes], dtype=np.int32)
        self._layout = Layout(self.sizes, self._groups, self._dims, self._layers)
        self._droppable = np.isin(self._groups, self.word_groups).astype(np.uint8)
        self._starts = np.cumsum([0, *self.sizes[:-1].tolist()])

    def _begin(self) -> None:
        self._shape()
        layout, rng = self._layout, np.random.default_rng(self.seed)
        self._weights, self._first, self._second = (aligned(layout.total) for _ in range(3))
        for group, dim in enumerate(layout.dims):
            table = layout.table(self._weights, group)
            table[:] = rng.uniform(-1, 1, table.shape) / np.sqrt(dim)
        fan_in = sum(layout.dims[g] for g in layout.groups)
        for column in range(len(layout.groups)):
            part = layout.input(self._weights, column)[:, : self.hidden[0]]
            dim = len(part)
            part[:] = rng.uniform(-1, 1, part.shape) * np.sqrt(18 * dim / fan_in)
        for layer in range(1, len(layout.dense)):
            inputs, outputs = layout.dense[layer - 1].outputs, layout.dense[layer].outputs
            part = layout.weights(self._weights, layer)[:inputs, :outputs]
            last = layer == len(layout.dense) - 1
            part[:] = rng.uniform(-1, 1, part.shape) * np.sqrt((1 if last else 6) / inputs)
        self._counts = np.zeros(int(self.sizes.sum()), dtype=np.int32)
        self._sample = np.zeros((0, len(self.sizes)), dtype=np.int32)
        self._net = _MlpNet(self.sizes, self._groups, self._dims, self._layers)

    # --- training ----------------------------------------------------------------------------------------

    def _update(self, rows: Rows, right: Matrix, permitted: Matrix, rate: float) -> float:
        self._sample = within(rows, self.sizes)
        np.add.at(self._counts, (self._sample + self._starts).ravel(), 1)
        numbers = (
            self.learning_rate * rate,
            BETA1,
            BETA2,
            EPSILON,
            self.clip,
            self.dropout,
            self.word_dropout,
        )
        return self._net.step(
            self._weights,
            self._first,
            self._second,
            rows,
            right,
            permitted,
            self._droppable,
            self.updates,
            self.seed & 0xFFFFFFFF,
            np.array(numbers, dtype=np.float64),
        )

    def _scores(self, rows: Rows) -> Floats:
        if self.finished:
            return self.scorer.scores(rows)
        return self._net.scores(self._weights, rows)

    # --- parsing and saving ------------------------------------------------------------------------------

    def _finish(self) -> Arrays:
        return quantise(self._layout, self._weights, self._counts, self.table, self._peaks())

    def _peaks(self) -> list[float]:
        """Return the greatest activation of each hidden layer after the first on the last batch."""
        if len(self.hidden) == 1:
            return []
        plain = PAIRS["MlpNet"].python(self.sizes, self._groups, self._dims, self._layers)
        keep = [np.ones((1, 1), dtype=np.float32)] * len(self.hidden)
        outputs = plain._forward(self._weights, self._sample, keep)[1:-1]
        return [float(output.max(initial=0)) for output in outputs]

    def _arrays(self) -> Arrays:
        if self.finished:
            return dict(self._kept)
        return {
            "weights": self._weights,
            "first": self._first,
            "second": self._second,
            "counts": self._counts,
            "sample": self._sample,
        }

    def _restore(self, arrays: Arrays) -> None:
        if self.finished:
            self._shape()
            self._kept: Arrays = {
                name: taken(arrays, name, kind, None) for name, kind in SCORER_ARRAYS.items()
            }
            self._kept["unit"] = taken(arrays, "unit", np.float64, 1)
            if not 0 <= self._kept["unit"][0] <= LARGEST_UNIT:
                raise ValueError(f"the unit of scores is {self._kept['unit'][0]}")
            self._kept["frequent"] = taken(arrays, "frequent", np.int32, None, 2)
            self.scorer = _MlpScorer(
                self.sizes,
                self._groups,
                self._dims,
                self._layers,
                **{name: self._kept[name] for name in SCORER_ARRAYS},
                unit=float(self._kept["unit"][0]),
                frequent=self._kept["frequent"],
            )
            return
        self._begin()
        for name, kept in (("weights", self._weights), ("first", self._first), ("second", self._second)):
            kept[:] = taken(arrays, name, np.float32, len(kept))
        self._counts = taken(arrays, "counts", np.int32, len(self._counts)).copy()
        self._sample = taken(arrays, "sample", np.int32, None, len(self.sizes)).copy()
