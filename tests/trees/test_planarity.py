"""Measures of non-projectivity, each against its definition taken word for word."""

import os
from itertools import combinations
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given

from arclift.errors import TreeError
from arclift.trees import planarity
from strategies import (
    EXTREMES,
    all_trees,
    arbitrary_strategy,
    array,
    heads_strategy,
    is_projective_by_definition,
    projective_strategy,
)

TREES = heads_strategy(9, min_size=0) | heads_strategy(9, min_size=0, single_root=False)


def _yields(heads: list[int]) -> list[set[int]]:
    """The yield of each node 0..n."""
    found = [{node} for node in range(len(heads) + 1)]
    for word in range(1, len(heads) + 1):
        above = word
        while above:
            above = heads[above - 1]
            found[above].add(word)
    return found


def _gap_degree(words: set[int]) -> int:
    return sum(word + 1 not in words for word in words) - 1


def _edge_degree(heads: list[int], d: int) -> int:
    h = heads[d - 1]
    between = set(range(min(h, d) + 1, max(h, d)))
    arcs = nx.DiGraph()
    arcs.add_nodes_from(between)
    arcs.add_edges_from((heads[w - 1], w) for w in between if heads[w - 1] in between)
    below = _yields(heads)[h]
    tops = [w for part in nx.weakly_connected_components(arcs) for w in part if not arcs.in_degree(w)]
    assert len(tops) == nx.number_weakly_connected_components(arcs)
    return sum(top not in below for top in tops)


def _well_nested(heads: list[int]) -> bool:
    def interleave(first: set[int], second: set[int]) -> bool:
        return any(
            i1 < j1 < i2 < j2
            for i1, i2 in combinations(sorted(first), 2)
            for j1, j2 in combinations(sorted(second), 2)
        )

    pairs = combinations(_yields(heads)[1:], 2)
    return not any(not (a & b) and (interleave(a, b) or interleave(b, a)) for a, b in pairs)


def _crossings(heads: list[int]) -> nx.Graph:
    arcs = [(min(h, d), max(h, d)) for d, h in enumerate(heads, start=1) if h]
    graph = nx.Graph()
    graph.add_nodes_from(range(len(arcs)))
    for (i, a), (j, b) in combinations(enumerate(arcs), 2):
        if a[0] < b[0] < a[1] < b[1] or b[0] < a[0] < b[1] < a[1]:
            graph.add_edge(i, j)
    return graph


@given(TREES)
def test_gap_degree_counts_the_breaks_in_a_yield(heads):
    expected = [_gap_degree(words) for words in _yields(heads.tolist())[1:]]
    assert planarity.gap_degrees(heads).tolist() == expected
    assert planarity.gap_degree(heads) == max(expected, default=0)


@given(TREES)
def test_edge_degree_counts_components_that_the_head_does_not_dominate(heads):
    expected = [_edge_degree(heads.tolist(), d) for d in range(1, len(heads) + 1)]
    assert planarity.edge_degrees(heads).tolist() == expected
    assert planarity.edge_degree(heads) == max(expected, default=0)


@given(TREES)
def test_well_nested_trees_have_no_disjoint_yields_that_interleave(heads):
    assert planarity.is_well_nested(heads) == _well_nested(heads.tolist())


@given(TREES)
def test_planar_means_no_crossing_and_two_planar_that_two_colours_part_them(heads):
    crossings = _crossings(heads.tolist())
    assert planarity.is_planar(heads) == (not crossings.edges)
    assert planarity.is_two_planar(heads) == nx.is_bipartite(crossings)


@pytest.mark.parametrize("n", range(1, 6))
def test_projective_is_no_gap_and_no_edge_degree(n):
    for heads in all_trees(n, single_root=False):
        projective = is_projective_by_definition(heads)
        assert (planarity.gap_degree(heads) == 0) == projective
        assert (planarity.edge_degree(heads) == 0) == projective


def test_every_tree_of_five_words_follows_the_definitions():
    """All of them, since ill-nested trees and those of gap degree 2 are rare among small random ones."""
    found = set()
    for heads in all_trees(5):
        words = list(heads)
        found.add((planarity.gap_degree(heads), planarity.is_well_nested(heads)))
        assert planarity.is_well_nested(heads) == _well_nested(words)
        assert planarity.is_two_planar(heads) == nx.is_bipartite(_crossings(words))
    assert found == {(0, True), (1, True), (1, False), (2, True)}


@given(projective_strategy(12, single_root=False))
def test_projective_trees_have_no_measure_of_the_opposite(heads):
    assert planarity.gap_degree(heads) == planarity.edge_degree(heads) == 0
    assert planarity.is_well_nested(heads)
    assert planarity.is_planar(heads)
    assert planarity.is_two_planar(heads)


def test_examples():
    crossed = [3, 4, 0, 3]  # 1 <- 3 -> 4 -> 2
    assert planarity.gap_degrees(crossed).tolist() == [0, 0, 0, 1]
    assert planarity.edge_degrees(crossed).tolist() == [0, 1, 0, 0]
    assert not planarity.is_planar(crossed)
    ill_nested = [5, 5, 1, 2, 0]  # {1, 3} and {2, 4}
    assert not planarity.is_well_nested(ill_nested)
    assert planarity.is_two_planar(ill_nested)
    covered_root = [3, 0, 2]  # planar, but the root arc comes down through 3 -> 1
    assert planarity.is_planar(covered_root)
    assert planarity.gap_degree(covered_root) == 1


def test_three_arcs_that_cross_each_other_are_not_two_planar():
    assert not planarity.is_two_planar([0, 1, 1, 1, 2, 3])  # 1 → 4, 2 → 5 and 3 → 6
    assert planarity.is_two_planar([0, 1, 1, 1, 2, 5])


@given(arbitrary_strategy(9))
def test_planarity_is_asked_of_anything_the_rest_of_trees_only(heads):
    inside = [h if 0 <= h <= len(heads) and h != d else 0 for d, h in enumerate(heads.tolist(), start=1)]
    assert planarity.is_planar(heads) == planarity.is_planar(inside)
    assert planarity.is_two_planar(heads) == nx.is_bipartite(_crossings(inside))


@pytest.mark.parametrize("measure", ["gap_degree", "edge_degree", "is_well_nested"])
def test_what_needs_a_tree_says_so(measure):
    with pytest.raises(TreeError):
        getattr(planarity, measure)([2, 1])


@pytest.mark.parametrize("extreme", EXTREMES)
def test_sentences_of_a_thousand_words(extreme):
    heads = EXTREMES[extreme](1000)
    words = heads.tolist()
    if "chain" in extreme or "cat" in extreme:  # where no subtree is larger than what can be checked here
        yields = _yields(words)[1:]
        assert planarity.gap_degrees(heads).tolist() == [_gap_degree(found) for found in yields]
    projective = is_projective_by_definition(words)
    assert (planarity.edge_degree(heads) == 0) == projective
    assert planarity.is_well_nested(heads) or not projective
    assert planarity.is_two_planar(heads) or not planarity.is_planar(heads)


def test_many_crossings_are_not_listed():
    """Two bundles of 3,000 arcs each, all nine million pairs of which cross."""
    m = 3000
    heads = array([0, *[1] * m, *[1] * m, *[m + 1] * m])  # 1 → m+2 .. 2m+1, m+1 → 2m+2 .. 3m+1
    assert not planarity.is_planar(heads)
    assert planarity.is_two_planar(heads)


@pytest.mark.corpora
def test_danish_has_one_sentence_that_is_not_two_planar():
    """0.02 % of the Danish Dependency Treebank, as Gómez-Rodríguez & Nivre (2010) count."""
    root = Path(__file__).parents[2]
    folder = Path(os.environ.get("ARCLIFT_SHARED", root.parent / "shared")) / "treebanks/da_ddt"
    if not folder.is_dir():
        pytest.skip("the treebanks are not beside the project")
    trees = []
    for path in sorted(folder.glob("*.conll")):
        for block in path.read_text(encoding="utf-8").split("\n\n"):
            rows = [line.split("\t") for line in block.splitlines()]
            trees.append([int(row[6]) for row in rows])
    trees = [heads for heads in trees if heads]
    assert len(trees) == 5508
    assert sum(planarity.gap_degree(heads) > 0 for heads in trees) == 852
    assert sum(not planarity.is_two_planar(heads) for heads in trees) == 1
