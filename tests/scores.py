"""Matrices of arc scores that are hard on somebody, for the tests of both decoders."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from arclift.trees.spanning import tree_score
from arclift.trees.structure import Heads

Scores = NDArray[np.float64]
FORBIDDEN = -np.inf


def _sprinkle(scores: Scores, rng: np.random.Generator, share: float) -> Scores:
    return np.where(rng.random(scores.shape) < share, FORBIDDEN, scores)


KINDS: dict[str, Callable[[np.random.Generator, int], Scores]] = {
    "normal": lambda rng, n: rng.normal(size=(n + 1, n + 1)),
    "integers with ties": lambda rng, n: rng.integers(-2, 3, (n + 1, n + 1)).astype(float),
    "all equal": lambda rng, n: np.zeros((n + 1, n + 1)),
    "all negative": lambda rng, n: -1e3 - rng.random((n + 1, n + 1)),
    "a few forbidden": lambda rng, n: _sprinkle(rng.normal(size=(n + 1, n + 1)), rng, 0.2),
    "most forbidden": lambda rng, n: _sprinkle(rng.integers(-5, 6, (n + 1, n + 1)).astype(float), rng, 0.6),
    "tempting roots": lambda rng, n: rng.random((n + 1, n + 1)) + 1e3 * (np.arange(n + 1) == 0)[:, None],
    "near words first": lambda rng, n: -np.abs(np.subtract.outer(np.arange(n + 1.0), np.arange(n + 1.0))),
    "large integers": lambda rng, n: rng.integers(-(2**45), 2**45, (n + 1, n + 1)).astype(float),
    "single precision": lambda rng, n: rng.normal(size=(n + 1, n + 1)).astype(np.float32),
}


@st.composite
def score_matrices(draw: st.DrawFn, max_words: int = 5) -> Scores:
    """Any scores for 1 to ``max_words`` words, many of them equal or forbidden."""
    n = draw(st.integers(1, max_words))
    entries = st.integers(-3, 3).map(float) | st.just(FORBIDDEN) | st.floats(-1e9, 1e9)
    return draw(arrays(np.float64, (n + 1, n + 1), elements=entries))


def assert_best(heads: Heads | None, scores: Scores, trees: NDArray[np.intp]) -> None:
    """Assert that no tree (a row of ``trees``) beats ``heads``, by nothing if scores are whole numbers."""
    n = len(scores) - 1
    best = scores[trees, np.arange(1, n + 1)].sum(axis=1, dtype=np.float64).max()
    if best == FORBIDDEN:
        assert heads is None
        return
    assert heads is not None
    assert heads.tolist() in trees.tolist()
    finite = scores[np.isfinite(scores)].astype(np.float64)
    slack = 0.0 if (finite == np.round(finite)).all() else 1e-12 * np.abs(finite).max()
    assert tree_score(scores.astype(np.float64), heads) >= best - slack
