"""Small problems with an answer one can see."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FIRST = 3  # the first id that stands for a value


class Problem(NamedTuple):
    rows: NDArray[np.int32]
    right: NDArray[np.uint8]
    permitted: NDArray[np.uint8]
    sizes: list[int]
    classes: int


def _problem(rows: NDArray[np.int64], answers: NDArray[np.int64], values: int, classes: int) -> Problem:
    right = np.eye(classes, dtype=np.uint8)[answers]
    sizes = [FIRST + values] * rows.shape[1]
    return Problem((rows + FIRST).astype(np.int32), right, np.ones_like(right), sizes, classes)


def separable(n: int = 300, seed: int = 0) -> Problem:
    """The class is the value of the second of three columns; the others are noise."""
    rows = np.random.default_rng(seed).integers(0, 4, size=(n, 3))
    return _problem(rows, rows[:, 1], 4, 4)


def exclusive_or(n: int = 300, seed: int = 0) -> Problem:
    """The class is whether the first two of three columns differ: no single column tells anything."""
    rows = np.random.default_rng(seed).integers(0, 2, size=(n, 3))
    return _problem(rows, rows[:, 0] ^ rows[:, 1], 2, 2)


def random_problem(
    seed: int, n: int = 40, columns: int = 5, values: int = 6, classes: int = 7, stray: bool = True
) -> Problem:
    """Random rows (with ids out of range), random permitted sets (also empty), random right sets."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(-2 if stray else 0, FIRST + values + (3 if stray else 0), size=(n, columns))
    permitted = rng.integers(0, 2, size=(n, classes))
    right = rng.integers(0, 2, size=(n, classes))
    sizes = [FIRST + values] * columns
    return Problem(rows.astype(np.int32), right.astype(np.uint8), permitted.astype(np.uint8), sizes, classes)
