"""What each oracle does that is its own."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from exhaustive import Graph, Key, all_trees
from hypothesis import given

from arclift.errors import UsageError
from arclift.transitions import Gold, System
from arclift.transitions.attardi import Attardi
from arclift.transitions.planar2 import planes
from arclift.transitions.registry import make, title, variants
from arclift.transitions.swap import SWAP
from strategies import caterpillar, heads_strategy, random_tree

LONGEST = 6 if os.environ.get("ARCLIFT_EXHAUSTIVE") else 5


def steps(system: System, heads: list[int]) -> list[str]:
    """Return the names of the transitions of the static oracle."""
    return [system.rules[transition].name for transition in system.run(Gold(heads)).history]


# --- hybrid with swap ------------------------------------------------------------------------------------


STATIC_DYNAMIC = [
    *(make("arc_hybrid", root=root, swap=True) for root in ("first", "last")),
    *variants("swap"),
]


@pytest.mark.parametrize("system", STATIC_DYNAMIC, ids=title)
def test_the_static_dynamic_oracle_leads_to_every_tree_by_any_way_free_of_cost(system: System) -> None:
    for words in range(LONGEST + 1):
        for heads in all_trees(words):
            gold = Gold(heads)
            todo, seen = [system.start(words)], set()
            while todo:
                configuration = todo.pop()
                state = (*map(tuple, configuration.lists), tuple(configuration.head))
                if state in seen:
                    continue
                seen.add(state)
                if system.is_final(configuration):
                    assert tuple(system.heads(configuration)) == heads
                    continue
                costs = system.costs(configuration, gold)
                assert 0 in costs
                for transition, cost in enumerate(costs):
                    if cost == 0:
                        after = configuration.copy()
                        system.apply(after, transition)
                        todo.append(after)


def test_swap_is_forced_where_the_order_is_wrong() -> None:
    system = make("arc_hybrid", swap=True)
    gold = Gold([0, 1, 4, 2, 1])  # 4, with 3, hangs on 2: nothing crosses
    crossed = Gold([0, 1, 1, 2, 1])  # 4 hangs on 2, and belongs before 3
    for tree, swap, others in ((gold, 1, 0), (crossed, 0, 1)):
        configuration = system.start(5)
        for _ in range(3):
            system.apply(configuration, system.number["shift"])
        costs = system.costs(configuration, tree)
        assert costs[system.number["swap"]] == swap
        assert min(cost for i, cost in enumerate(costs) if i != system.number["swap"]) == others


# --- swap ------------------------------------------------------------------------------------------------


@given(heads_strategy(14, single_root=False))
def test_the_lazy_oracle_swaps_at_most_as_often_as_the_eager_one(heads: list[int]) -> None:
    tree = [int(head) for head in heads]
    lazy, eager = (steps(make("swap", order=order), tree).count("swap") for order in ("lazy", "eager"))
    assert lazy <= eager


def test_the_lazy_oracle_builds_a_component_before_it_is_moved() -> None:
    """Words 5 to 7 belong to word 2: each is moved over 3 and 4, or all at once."""
    heads = [2, 3, 0, 3, 2, 7, 5, 4, 3]
    assert steps(make("swap", order="eager"), heads).count("swap") == 6
    assert steps(make("swap", order="lazy"), heads).count("swap") == 2


def losses_when_swaps_are_static(graph: Graph, heads: tuple[int, ...]) -> dict[Key, int]:
    """Return the least number of wrong heads if words are swapped where the eager oracle swaps, not else."""
    order = Gold(heads).order
    after = {}
    for here, configuration in graph.configurations.items():
        ways = graph.after[here]
        if len(ways) > 1 and SWAP in ways:
            below, top = configuration.stack[-2:]
            forced = order[top] < order[below]
            ways = {transition: there for transition, there in ways.items() if (transition == SWAP) == forced}
        after[here] = ways
    kept, graph.after = graph.after, after
    try:
        return graph.losses(heads)
    finally:
        graph.after = kept


def test_where_the_costs_of_swap_are_exact() -> None:
    """The counts stand in the docstring of the module."""
    system = make("swap", order="eager")
    cases: Counter[tuple[str, bool, bool]] = Counter()
    for words in range(1, 5):
        graph = Graph(system, words)
        for heads in all_trees(words):
            gold, least = Gold(heads), losses_when_swaps_are_static(graph, heads)
            for here, configuration in graph.configurations.items():
                if least[here]:
                    continue
                costs = system.costs(configuration, gold)
                if costs[SWAP] == 0:
                    continue  # forced
                for transition, there in graph.after[here].items():
                    if transition != SWAP:
                        name = system.rules[transition].name
                        cases[name, costs[transition] == 0, least[there] == 0] += 1
    assert {case: count for case, count in cases.items() if case[1] != case[2]} == {
        ("shift", False, True): 18,
        ("shift", True, False): 4,
    }
    assert sum(count for case, count in cases.items() if case[0] == "shift") == 6604


def test_projective_trees_need_no_swap() -> None:
    heads = [2, 0, 4, 2]
    for order in ("lazy", "eager"):
        assert steps(make("swap", order=order), heads) == steps(make("arc_standard"), heads)


def test_components_are_what_arc_standard_links() -> None:
    assert Gold([2, 0, 4, 2]).component == [0, 0, 0, 0, 0]
    assert Gold([0, 1, 4, 1, 2]).component == [0, 1, 2, 4, 4, 5]


# --- planar2 ---------------------------------------------------------------------------------------------


@given(heads_strategy(14, single_root=False))
def test_nothing_crosses_within_a_plane(heads: list[int]) -> None:
    head = [-1, *(int(h) for h in heads)]
    plane = planes(head)
    for a in range(1, len(head)):
        assert (plane[a] == -1) >= (head[a] == 0)
        for b in range(1, a):
            if plane[a] == plane[b] >= 0:
                (i, j), (k, m) = sorted((a, head[a])), sorted((b, head[b]))
                assert not (i < k < j < m)
                assert not (k < i < m < j)


# --- Attardi ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rewrite", [2006, 2007])
@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("extract_insert", [False, True])
def test_how_much_of_what_it_can_derive_the_attardi_oracle_rebuilds(
    rewrite: int, degree: int, extract_insert: bool
) -> None:
    """Of the 1,296 trees over five words: those derivable, found by exhaustive search, and those rebuilt."""
    expected = {
        (2006, 1, False): (273, 273), (2006, 2, False): (939, 939), (2006, 3, False): (1158, 1158),
        (2007, 1, False): (273, 273), (2007, 2, False): (959, 955), (2007, 3, False): (1168, 1158),
        (2006, 1, True): (662, 564), (2006, 2, True): (1268, 1237), (2006, 3, True): (1296, 1285),
        (2007, 1, True): (662, 564), (2007, 2, True): (1274, 1239), (2007, 3, True): (1296, 1287),
    }  # fmt: skip
    system = make("attardi", rewrite=rewrite, degree=degree, extract_insert=extract_insert)
    derivable = Graph(system, 5).results()
    rebuilt = {heads for heads in all_trees(5) if tuple(system.heads(system.run(Gold(heads)))) == heads}
    assert rebuilt <= derivable
    assert derivable <= set(all_trees(5))
    assert (len(derivable), len(rebuilt)) == expected[rewrite, degree, extract_insert]


def test_the_lowest_degree_is_preferred() -> None:
    assert steps(make("attardi"), [3, 3, 0]) == ["shift", "shift", "right", "right", "shift"]
    assert steps(make("attardi"), [3, 0, 2]) == ["shift", "shift", "right2", "left", "shift"]


@pytest.mark.parametrize("system", variants("attardi"), ids=title)
def test_on_projective_trees_attardi_does_what_yamada_does(system: Attardi) -> None:
    for words in range(LONGEST):
        for heads in all_trees(words):
            if system.covers(list(heads)):
                assert steps(system, list(heads)) == steps(make("yamada"), list(heads))


def test_the_look_ahead_is_limited() -> None:
    """Long sentences full of crossing arcs end in time; what is missed is repaired."""
    system = make("attardi")
    for heads in (caterpillar(400), random_tree(400)):
        end = system.run(Gold(heads.tolist()))
        assert system.is_final(end)


def test_an_oracle_that_is_not_followed_starts_anew() -> None:
    system = make("attardi", degree=2)
    gold = Gold([4, 5, 0, 3, 1])
    for stray in range(12):
        oracle = system.oracle(gold)
        configuration = system.start(5)
        while not system.is_final(configuration):
            advice = oracle(configuration)
            permitted = system.permitted(configuration)
            assert advice in permitted
            system.apply(configuration, permitted[-1] if len(configuration.history) == stray else advice)


@pytest.mark.parametrize("settings", [{"rewrite": 2008}, {"degree": 0}])
def test_attardi_refuses_other_settings(settings: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        Attardi(**settings)  # type: ignore[arg-type]


# --- roots -----------------------------------------------------------------------------------------------


def test_where_the_root_is() -> None:
    heads = [0, 1]
    assert steps(make("arc_eager", root="none"), heads) == ["shift", "right"]
    assert steps(make("arc_eager", root="first"), heads) == ["right", "right"]
    assert steps(make("arc_eager", root="last"), heads) == ["shift", "right", "reduce", "left"]


@pytest.mark.parametrize(("root", "expected"), [("none", [0, 0]), ("first", [-1, -1])])
def test_headless_words_are_roots_only_where_there_is_no_artificial_one(
    root: str, expected: list[int]
) -> None:
    system = make("arc_eager", root=root)
    configuration = system.start(2)
    for _ in range(2):
        system.apply(configuration, system.number["shift"])
    assert system.is_final(configuration)
    assert system.heads(configuration) == expected
