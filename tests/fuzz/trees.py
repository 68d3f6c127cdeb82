"""Functions of heads: whatever the heads, they keep what they promise, compiled and plain ones alike."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import numpy as np

from arclift.errors import TreeError
from arclift.trees.eisner import eisner
from arclift.trees.encoding import encode
from arclift.trees.kbest import best_spanning_trees
from arclift.trees.labels import Scheme
from arclift.trees.lifting import lift_all
from arclift.trees.lowering import lower
from arclift.trees.planarity import edge_degree, gap_degree, is_planar, is_two_planar, is_well_nested
from arclift.trees.projectivity import is_projective
from arclift.trees.repair import complete, repair
from arclift.trees.spanning import maximum_spanning_tree, tree_score
from arclift.trees.structure import Heads, is_tree, problem, reachable, tree_problems
from fuzz.parsers import MARKED
from fuzz.texts import LABELS
from strategies import EXTREMES, array, concatenated, nearly_projective_heads, random_heads
from twins import agreed

INPUTS = 20
_ANYTHING = [-1, -(2**31), 2**31 - 1, -2, 0, 1]


def run(seed: int) -> int:
    """Use every function on some arrays of heads, one by one and all together."""
    rng = Random(f"trees {seed}")
    some = [_heads(rng) for _ in range(INPUTS)]
    for heads in some:
        _check_any(rng, heads)
    _check_scores(rng, rng.randint(1, 9))
    heads, offsets = concatenated(some)
    agreed("tree_problems", heads, offsets)
    repaired = agreed("repair_all", heads, offsets, single_root=rng.random() < 0.5)
    _check_trees(rng, repaired, offsets)
    return INPUTS


def _heads(rng: Random) -> Heads:
    n = rng.choice([0, 1, 2, 3, 5, 8, 13, 30])
    match rng.randrange(5):
        case 0:
            return random_heads(n, rng, single_root=rng.random() < 0.5)
        case 1:
            return rng.choice(list(EXTREMES.values()))(n)
        case 2:
            return array(rng.randint(0, n) for _ in range(n))
        case 3:
            return array(rng.choice([*_ANYTHING, n, n + 1, rng.randint(0, n)]) for _ in range(n))
    return nearly_projective_heads(n, rng) if n else array([])


def _check_any(rng: Random, heads: Heads) -> None:
    """Use what takes any heads, and what refuses all but trees."""
    single = rng.random() < 0.5
    repaired = repair(heads, single_root=single)
    assert is_tree(repaired, single_root=single)
    some = np.array([rng.random() < 0.3 for _ in heads], dtype=bool) & (heads != -1)
    kept = np.where(some, heads, np.int32(-1))
    try:
        completed = complete(heads, kept, single_root=single)
        assert is_tree(completed, single_root=single)
        assert (completed == kept)[some].all()
    except TreeError:
        assert some.any()
    tree = is_tree(heads)
    if is_tree(heads, single_root=single):
        assert repaired.tolist() == heads.tolist()
    found = problem(heads)
    assert (found is None) == is_tree(heads, single_root=True)
    assert found is None or str(found)
    assert len(reachable(heads)) == len(heads)
    assert not tree or reachable(heads).all()
    is_planar(heads)
    is_two_planar(heads)
    for function in (is_projective, gap_degree, edge_degree, is_well_nested):
        try:
            function(heads)
            assert tree, f"{function.__name__} takes heads that are no tree"
        except TreeError:
            assert not tree, f"{function.__name__} refuses a tree"
    one = np.array([0, len(heads)], dtype=np.int64)
    for name in ("nonprojective", "projectivize"):
        try:
            agreed(name, heads, one)
            assert tree
        except TreeError:
            assert not tree


def _check_trees(rng: Random, heads: Heads, offsets: np.ndarray) -> None:
    """Lift and lower: projective trees, and trees again, whatever the labels say."""
    names = rng.sample([*LABELS, *MARKED], rng.randint(1, len(LABELS) + len(MARKED)))
    noise = np.random.default_rng(rng.getrandbits(32))
    labels = noise.integers(0, len(names), len(heads)).astype(np.int32)
    lifted = lift_all(heads, offsets)
    scheme = rng.choice(list(Scheme))
    encoded = encode(heads, labels, offsets, names, scheme)
    assert encoded.heads.tolist() == lifted.heads.tolist()
    for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        assert is_projective(lifted.heads[begin:end])
    lowered = lower(encoded.heads, encoded.labels, offsets, encoded.names, scheme)
    assert tree_problems(lowered.heads, offsets).max(initial=0) <= 1
    if scheme is Scheme.EXACT:
        assert lowered.heads.tolist() == heads.tolist()
    anyhow = lower(heads, labels, offsets, names, scheme)
    assert tree_problems(anyhow.heads, offsets).max(initial=0) <= 1


def _check_scores(rng: Random, n: int) -> None:
    """Find best trees for any scores, many of them equal, some arcs forbidden."""
    noise = np.random.default_rng(rng.getrandbits(32))
    scores = rng.choice([noise.normal, lambda size: noise.integers(-2, 3, size)])(size=(n + 1, n + 1)).astype(
        float
    )
    scores *= 10.0 ** rng.choice([-300, -9, 0, 0, 9, 100])
    if rng.random() < 0.5:
        scores[noise.random(scores.shape) < rng.random()] = -np.inf
    single = rng.random() < 0.5
    slack = 1e-9 * n * np.abs(scores[np.isfinite(scores)]).max(initial=0)
    worth = -np.inf
    for best in (eisner, maximum_spanning_tree):
        try:
            heads = best(scores, single_root=single)
        except TreeError:
            assert worth == -np.inf  # a projective tree is a tree
            continue
        assert is_tree(heads, single_root=single)
        assert best is maximum_spanning_tree or is_projective(heads)
        score = tree_score(scores, heads)
        assert worth - slack <= score < np.inf
        worth = score
    if worth > -np.inf:
        ranked = best_spanning_trees(scores, 4, single_root=single)
        assert len({tuple(heads.tolist()) for heads in ranked}) == len(ranked) > 0
        assert all(is_tree(heads, single_root=single) for heads in ranked)
        worths = [tree_score(scores, heads) for heads in ranked]
        assert abs(worths[0] - worth) <= slack
        assert all(one >= other - slack for one, other in pairwise(worths))
