"""Is one system better than another, or is it chance? Two tests on the same gold words.

*McNemar* (1947) looks at the words that one system has right and the other wrong. If both are equally good,
each such word is as likely to fall to either: with fewer than 25 of them the exact two-sided binomial
probability is given, else chi squared with one degree of freedom and Edwards' (1948) continuity correction.
It takes words as independent, which those of one sentence are not.

*Paired bootstrap* (Efron & Tibshirani 1993) draws as many sentences as there are, with replacement, many
times. The p-value is two-sided, that of the shifted distribution (Berg-Kirkpatrick et al. 2012): how often
the difference in a sample is as far from the observed one as that is from zero, (k + 1) / (samples + 1). The
interval holds the middle 95 % of the differences.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FEW = 25
_DRAWS_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class McNemar:
    """The outcome of McNemar's test."""

    only_first: int
    only_second: int
    method: str
    p_value: float


@dataclass(frozen=True)
class Bootstrap:
    """The outcome of the paired bootstrap; the difference is second minus first, in shares."""

    difference: float
    low: float
    high: float
    p_value: float
    samples: int
    seed: int


def mcnemar(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> McNemar:
    """Test two systems, given for each word whether the first and whether the second has it right."""
    only_first = int(np.count_nonzero(first & ~second))
    only_second = int(np.count_nonzero(second & ~first))
    total = only_first + only_second
    if total < FEW:
        tail = sum(math.comb(total, k) for k in range(min(only_first, only_second) + 1))
        return McNemar(only_first, only_second, "exact binomial", min(1.0, 2 * tail / 2**total))
    statistic = max(0, abs(only_first - only_second) - 1) ** 2 / total
    return McNemar(
        only_first, only_second, "chi squared, continuity corrected", math.erfc(math.sqrt(statistic / 2))
    )


def bootstrap(
    words: NDArray[np.int64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    *,
    samples: int = 10_000,
    seed: int = 0,
) -> Bootstrap:
    """Test two systems, given for each sentence its scored words and how many of them each has right."""
    gain = np.asarray(second, dtype=np.int64) - np.asarray(first, dtype=np.int64)
    total = int(words.sum())
    if not total:
        return Bootstrap(0.0, 0.0, 0.0, 1.0, samples, seed)
    observed = float(gain.sum() / total)
    random = np.random.default_rng(seed)
    at_once = max(1, _DRAWS_AT_ONCE // len(words))
    drawn = []
    for begin in range(0, samples, at_once):
        sentences = random.integers(len(words), size=(min(at_once, samples - begin), len(words)))
        drawn.append(gain[sentences].sum(axis=1) / np.maximum(words[sentences].sum(axis=1), 1))
    differences = np.concatenate(drawn)
    # Differences that are equal on paper may differ in their last bit.
    as_far = np.count_nonzero(np.abs(differences - observed) >= abs(observed) - 1e-12)
    low, high = np.quantile(differences, [0.025, 0.975]).tolist()
    return Bootstrap(observed, low, high, (int(as_far) + 1) / (samples + 1), samples, seed)
