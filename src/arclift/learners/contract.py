"""What every learner of actions is: symbolic rows in, one score per class out.

A *row* describes one configuration by int32 value ids, one per column (feature): 0 none, 1 root, 2 unknown,
3 and up the values of the column. An id outside of its column's vocabulary counts as unknown. For training,
each row comes with the set of *permitted* classes and the set of *right* ones (those that cost nothing); a
class that is not permitted never counts, neither in the loss nor as a rival. A row without a permitted right
class teaches nothing.

Sets are uint8 matrices [rows, classes], or a ``Sets``, which keeps each distinct set once: with a hundred
classes that is 4 bytes for each row instead of 100, and costs nothing in training, because a mini-batch is
spelled out just before it is used.

The life of a learner::

    learner.begin(sizes, classes, seed)      untrained
    learner.update(...) / learner.fit(...)   training: state and weights change
    parser_side = learner.finish()           a copy that only scores (averaged, quantised); training can go on

``settings()`` (JSON-able) and ``arrays()`` together are the learner: saved in training they hold the whole
state of training, so that resuming is bit for bit the same as never having stopped; saved after ``finish``
they hold only what scoring needs. Everything random is a function of the seed and of the number of updates
and epochs done, so that there is no generator state to keep.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from arclift.errors import UsageError

NONE, ROOT, UNKNOWN = 0, 1, 2

Rows = NDArray[np.int32]
Matrix = NDArray[np.uint8]
Arrays = dict[str, NDArray[Any]]


class Sets:
    """One set of classes for each row, where rows share equal sets: ``sets[chosen]`` is a uint8 matrix."""

    def __init__(self, table: Matrix, ids: NDArray[np.int32]) -> None:
        self.table = table
        self.ids = ids
        self.shape = (len(ids), table.shape[1])

    @classmethod
    def singletons(cls, classes: int, ids: NDArray[np.int32]) -> Self:
        """Return sets of one class each, as a static oracle gives them."""
        return cls(np.eye(classes, dtype=np.uint8), ids)

    @classmethod
    def of(cls, matrix: Matrix) -> Self:
        """Return the rows of a matrix, equal ones shared."""
        table, ids = np.unique(matrix, axis=0, return_inverse=True)
        return cls(table, ids.reshape(-1).astype(np.int32))

    def __getitem__(self, chosen: Any) -> Matrix:
        matrix: Matrix = self.table[self.ids[chosen]]
        return matrix

    def __len__(self) -> int:
        return len(self.ids)


class Scorer(Protocol):
    """What a finished learner gives to the decoding loop; compiled ones are called without Python between."""

    def scores(self, rows: Rows) -> NDArray[np.float32]:
        """Return one score for each row and class."""


class Learner(ABC):
    """The contract; hyper-parameters are keywords of the constructor, kept under the same names."""

    name: ClassVar[str]
    one_pass: ClassVar[bool] = False
    """Whether going through the same rows again teaches nothing."""
    batch: int = 512

    sizes: NDArray[np.int32]
    classes: int = 0
    seed: int = 0
    updates: int = 0
    epochs: int = 0
    finished: bool = False

    scorer: Scorer
    """What scores rows for the decoding loop; there once ``finish`` has been called."""

    # --- training ----------------------------------------------------------------------------------------

    def begin(self, sizes: Sequence[int], classes: int, seed: int = 0) -> Self:
        """Start untrained: one vocabulary size (of ids, the first three included) for each column."""
        self._size(sizes, classes, seed)
        self._begin()
        return self

    def _size(self, sizes: Sequence[int], classes: int, seed: int) -> None:
        if not len(sizes) or min(sizes) <= UNKNOWN:
            raise UsageError(f"each column has at least the ids 0, 1 and 2; sizes are {list(sizes)}")
        if classes < 1 or seed < 0:
            raise UsageError(f"need a class and a seed from 0; got {classes} classes, seed {seed}")
        self.sizes = np.array(sizes, dtype=np.int32)
        self.classes, self.seed, self.updates, self.epochs, self.finished = classes, seed, 0, 0, False

    def update(self, rows: Rows, right: Matrix, permitted: Matrix, *, rate: float = 1.0) -> float:
        """Learn from one mini-batch and return its mean loss; ``rate`` scales the learner's own step."""
        if self.finished:
            raise UsageError("a finished learner does not learn; go on with the one it was made from")
        rows = self._checked(rows)
        sets = [np.ascontiguousarray(s, dtype=np.uint8) for s in (right, permitted)]
        if any(s.shape != (len(rows), self.classes) for s in sets):
            raise UsageError(f"sets of {len(rows)} rows and {self.classes} classes, not {right.shape}")
        if not len(rows):
            return 0.0
        self.updates += 1
        return self._update(rows, sets[0], sets[1], rate)

    def fit(
        self,
        rows: Rows,
        right: Matrix | Sets,
        permitted: Matrix | Sets,
        *,
        epochs: int = 1,
        planned: int = 0,
        on_share: Callable[[float], None] | None = None,
    ) -> list[float]:
        """Go through the rows in a new order each epoch; return the mean loss of each.

        If the number of all ``planned`` epochs is given, the rate falls evenly from 1 to 0 over them. Three
        calls of one epoch are the same as one call of three. ``on_share`` hears after each batch how much of
        the epoch is done.
        """
        losses = []
        for _ in range(epochs):
            order = np.random.default_rng([self.seed, self.epochs]).permutation(len(rows))
            loss = 0.0
            for start in range(0, len(order), self.batch):
                chosen = order[start : start + self.batch]
                done = self.epochs + start / len(order)
                rate = max(0.0, 1.0 - done / planned) if planned else 1.0
                batch_loss = self.update(rows[chosen], right[chosen], permitted[chosen], rate=rate)
                loss += batch_loss * len(chosen)
                if on_share:
                    on_share((start + len(chosen)) / len(order))
            self.epochs += 1
            losses.append(loss / max(len(order), 1))
        return losses

    def finish(self) -> Self:
        """Return the form for parsing (averaged, quantised); this learner can go on learning."""
        if self.finished:
            return self
        other = type(self)(**self.hyperparameters())
        other.sizes, other.classes, other.seed = self.sizes, self.classes, self.seed
        other.updates, other.epochs, other.finished = self.updates, self.epochs, True
        other._restore(self._finish())
        return other

    # --- scoring -----------------------------------------------------------------------------------------

    def scores(self, rows: Rows) -> NDArray[np.float32]:
        """Return one score for each row and class; the highest permitted one is the learner's choice."""
        return self._scores(self._checked(rows))

    def _checked(self, rows: Rows) -> Rows:
        rows = np.ascontiguousarray(rows, dtype=np.int32)
        if rows.ndim != 2 or rows.shape[1] != len(self.sizes):
            raise UsageError(f"rows of {len(self.sizes)} columns, not of shape {rows.shape}")
        return rows

    # --- saving ------------------------------------------------------------------------------------------

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Return the names of the hyper-parameters with their defaults."""
        keywords = list(inspect.signature(cls.__init__).parameters.values())[1:]
        return {keyword.name: keyword.default for keyword in keywords}

    def hyperparameters(self) -> dict[str, Any]:
        """Return the constructor's keywords with the values given."""
        return {name: getattr(self, name) for name in self.defaults()}

    def settings(self) -> dict[str, Any]:
        """Return everything about the learner that is not an array, ready for JSON."""
        return {
            "learner": self.name,
            "hyperparameters": self.hyperparameters(),
            "sizes": self.sizes.tolist(),
            "classes": self.classes,
            "seed": self.seed,
            "updates": self.updates,
            "epochs": self.epochs,
            "finished": self.finished,
        }

    def arrays(self) -> Arrays:
        """Return copies of the arrays that, with ``settings``, restore the learner."""
        return {name: array.copy() for name, array in self._arrays().items()}

    @classmethod
    def from_arrays(cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Restore what ``settings()`` and ``arrays()`` returned; a part that does not fit is an error."""
        try:
            learner = cls(**settings["hyperparameters"])
            learner._size(settings["sizes"], settings["classes"], settings["seed"])
            learner.updates, learner.epochs = settings["updates"], settings["epochs"]
            learner.finished = settings["finished"]
            learner._restore(dict(arrays))
        except (KeyError, ValueError, TypeError) as error:
            raise UsageError(f"settings and arrays are not those of one {cls.name}: {error}") from error
        return learner

    # --- what each learner brings ------------------------------------------------------------------------

    @abstractmethod
    def _begin(self) -> None:
        """Make the untrained state."""

    @abstractmethod
    def _update(self, rows: Rows, right: Matrix, permitted: Matrix, rate: float) -> float:
        """Learn from one batch that is not empty; ``updates`` is its number, from 1."""

    @abstractmethod
    def _scores(self, rows: Rows) -> NDArray[np.float32]:
        """Score rows by the weights as they are now."""

    @abstractmethod
    def _finish(self) -> Arrays:
        """Return the arrays of the form for parsing."""

    @abstractmethod
    def _arrays(self) -> Arrays:
        """Return the arrays of the present form (training or finished)."""

    @abstractmethod
    def _restore(self, arrays: Arrays) -> None:
        """Take over arrays, of training or finished according to ``finished``."""


def taken(arrays: Arrays, name: str, dtype: type[np.generic], *shape: int | None) -> NDArray[Any]:
    """Return a saved array if it has this type and shape (None: any length), contiguous."""
    array = arrays[name]
    fits = len(array.shape) == len(shape) and all(
        wanted in (None, length) for wanted, length in zip(shape, array.shape, strict=True)
    )
    if not fits or array.dtype != dtype:
        raise ValueError(f"{name} is {array.dtype} of shape {array.shape}")
    return np.ascontiguousarray(array)


def mix(x: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return a bijective hash of 32-bit integers (xor-shift-multiply; constants of C. Wellons' lowbias32).

    All pseudo-random decisions and hashed features of the learners come from it: it has no state, is the
    same here and in C++, and works on whole vectors.
    """
    x = x ^ (x >> np.uint32(16))
    x = x * np.uint32(0x7FEB352D)
    x = x ^ (x >> np.uint32(15))
    x = x * np.uint32(0x846CA68B)
    return x ^ (x >> np.uint32(16))


def within(rows: Rows, sizes: NDArray[np.int32]) -> Rows:
    """Return the rows with every id outside of its column's vocabulary replaced by unknown."""
    return np.where((rows < 0) | (rows >= sizes), np.int32(UNKNOWN), rows).astype(np.int32)
