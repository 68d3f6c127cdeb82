"""What every transition system promises, asked of each of them with all its settings."""

from __future__ import annotations

import os
from random import Random

import pytest
from exhaustive import Graph, all_trees
from hypothesis import given, settings
from hypothesis import strategies as st

from arclift.errors import UsageError
from arclift.transitions import Configuration, Gold, System
from arclift.transitions.registry import make, settings_of, title, variants
from arclift.trees.repair import repair
from arclift.trees.structure import is_tree
from strategies import EXTREMES, heads_strategy, projective_strategy, random_heads

EVERY = pytest.mark.parametrize("system", variants(), ids=title)
DYNAMIC = pytest.mark.parametrize(
    "system",
    [system for system in variants() if system.dynamic and "swap" not in system.number],
    ids=title,
)
FEW = settings(max_examples=25)  # of each system
LONGEST = 6 if os.environ.get("ARCLIFT_EXHAUSTIVE") else 5


def labels_of(heads: list[int] | tuple[int, ...]) -> list[int]:
    """Return labels that are all different."""
    return [100 + word for word in range(len(heads))]


def rebuilt(system: System, heads: list[int] | tuple[int, ...]) -> bool:
    """Run the static oracle; return whether heads and labels are those of the tree."""
    gold = Gold(list(heads), labels_of(heads))
    end = system.run(gold)
    assert len(end.history) <= system.bound(len(heads))
    assert system.is_final(end)
    for word in range(1, len(heads) + 1):
        assert end.head[word] < 0 or end.label[word] == gold.label[word]
    assert is_tree(repair(system.heads(end)))
    return system.heads(end) == list(heads)


# --- static oracles --------------------------------------------------------------------------------------


@EVERY
@pytest.mark.parametrize("words", range(LONGEST + 1))
def test_the_oracle_rebuilds_every_short_tree_of_the_class(system: System, words: int) -> None:
    for heads in all_trees(words):
        found = rebuilt(system, heads)
        assert found or not system.covers(list(heads)), heads
        if system.name != "attardi":  # whose oracle rebuilds more than a class that has a name
            assert found == system.covers(list(heads)), heads


@EVERY
@FEW
@given(heads_strategy(15, min_size=0, single_root=False))
def test_any_tree_is_rebuilt_if_and_only_if_it_is_covered(system: System, heads: list[int]) -> None:
    tree = [int(head) for head in heads]
    found = rebuilt(system, tree)
    assert found or not system.covers(tree)
    assert found == system.covers(tree) or system.name == "attardi"


@EVERY
@FEW
@given(projective_strategy(30, single_root=False))
def test_projective_trees_are_rebuilt(system: System, heads: list[int]) -> None:
    assert rebuilt(system, [int(head) for head in heads])


@EVERY
@pytest.mark.parametrize("name", EXTREMES)
def test_extreme_trees_end_within_the_bound(system: System, name: str) -> None:
    heads = EXTREMES[name](60).tolist()
    assert rebuilt(system, heads) or not system.covers(heads)


@pytest.mark.parametrize("name", ["arc_eager", "arc_standard", "arc_hybrid", "yamada"])
@pytest.mark.parametrize("tree", ["chain", "backward chain", "star", "star around the last word"])
def test_long_sentences_take_linear_time(name: str, tree: str) -> None:
    assert rebuilt(make(name), EXTREMES[tree](20_000).tolist())


@EVERY
def test_only_what_is_derivable_can_be_rebuilt(system: System) -> None:
    """Within four words the class is all that the system can derive, but for Attardi's (see there)."""
    for words in range(5):
        derivable = Graph(system, words).results() & set(all_trees(words))
        covered = {heads for heads in all_trees(words) if system.covers(list(heads))}
        assert derivable == covered or (system.name == "attardi" and derivable > covered) or words < 2


# --- configurations --------------------------------------------------------------------------------------


def check_invariants(system: System, configuration: Configuration, words: int) -> None:
    """Every node once in each list at most, nothing lost that has no head, and no cycle."""
    for nodes in configuration.lists:
        assert len(set(nodes)) == len(nodes)
        assert set(nodes) <= set(range(words + 1))
    stack, input, second = map(set, configuration.lists)
    assert not input & (stack | second)
    if system.name != "planar2":
        assert not stack & second
        without = {word for word in range(1, words + 1) if configuration.head[word] < 0}
        assert without <= stack | input | second
    assert (0 in stack | input | second) == (system.root != "none")
    assert configuration.head[0] < 0
    assert is_tree([max(head, 0) for head in configuration.head[1:]])
    for word in range(1, words + 1):
        head = configuration.head[word]
        if head >= 0:
            children = configuration.left_children if word < head else configuration.right_children
            assert word in children(head)
        left, right = configuration.left_children(word), configuration.right_children(word)
        assert left == sorted(left)
        assert right == sorted(right, reverse=True)
        assert all(configuration.head[child] == word for child in left + right)


@EVERY
@FEW
@given(words=st.integers(0, 9), seed=st.integers(0, 2**32))
def test_random_walks_keep_the_invariants_and_end_within_the_bound(
    system: System, words: int, seed: int
) -> None:
    rng = Random(seed)
    configuration = system.start(words)
    while not system.is_final(configuration):
        permitted = system.permitted(configuration)
        assert permitted, "nothing is permitted, and it is not final"
        system.apply(configuration, rng.choice(permitted), rng.randrange(5))
        check_invariants(system, configuration, words)
        assert len(configuration.history) <= system.bound(words)
    assert system.permitted(configuration) == []
    assert is_tree(repair(system.heads(configuration)), single_root=True)


@EVERY
@pytest.mark.parametrize("words", range(1, 5))
def test_no_run_is_longer_than_the_bound(system: System, words: int) -> None:
    graph = Graph(system, words)
    longest: dict[object, int] = {}
    todo = list(graph.after)
    while todo:
        here = todo[-1]
        missing = [other for other in graph.after[here].values() if other not in longest]
        if missing and here not in longest:
            todo += missing
            continue
        todo.pop()
        longest[here] = max((1 + longest[other] for other in graph.after[here].values()), default=0)
    assert max(longest.values()) <= system.bound(words)


@EVERY
def test_what_is_not_permitted_is_refused(system: System) -> None:
    configuration = system.start(3)
    permitted = system.permitted(configuration)
    for transition, rule in enumerate(system.rules):
        if transition not in permitted:
            with pytest.raises(UsageError, match=f"does not permit {rule.name} here"):
                system.apply(configuration, transition)
    assert configuration.history == []


@EVERY
def test_the_arc_of_a_transition_is_the_arc_it_adds(system: System) -> None:
    for configuration in Graph(system, 3).configurations.values():
        for transition in system.permitted(configuration):
            arc = system.arc(configuration, transition)
            after = configuration.copy()
            system.apply(after, transition, 7)
            added = [
                (head, word)
                for word, head in enumerate(after.head)
                if (head, after.label[word]) != (configuration.head[word], configuration.label[word])
            ]
            assert added == ([arc] if arc else [])
            assert all(after.label[word] == 7 for _, word in added)


def test_a_copy_is_independent() -> None:
    system = make("covington")
    configuration = system.start(3)
    copy = configuration.copy()
    system.apply(copy, system.number["right"], 4)
    assert configuration.lists == system.start(3).lists
    assert configuration.head == [-1] * 4
    assert configuration.left_children(0) + configuration.right_children(0) + configuration.history == []
    assert configuration.top(1) == 1
    assert copy.top(1) == 0


# --- dynamic oracles -------------------------------------------------------------------------------------


@DYNAMIC
@pytest.mark.parametrize("words", range(1, 5))
def test_costs_equal_the_loss_that_no_continuation_can_avoid(system: System, words: int) -> None:
    graph = Graph(system, words)
    for heads in all_trees(words, single_root=words == 4 and system.name == "covington"):
        if not system.covers(list(heads)):
            continue
        gold = Gold(heads)
        least = graph.losses(heads)
        for here, configuration in graph.configurations.items():
            after = graph.after[here]
            expected = [
                least[after[transition]] - least[here] if transition in after else -1
                for transition in range(len(system.rules))
            ]
            assert system.costs(configuration, gold) == expected, (heads, configuration.lists)


@DYNAMIC
@FEW
@given(heads_strategy(12, min_size=0), st.integers(0, 2**32))
def test_something_is_free_of_cost_wherever_a_run_has_strayed(
    system: System, heads: list[int], seed: int
) -> None:
    """Also for trees outside the class, where costs are a lower bound, what is not permitted is -1."""
    rng = Random(seed)
    gold = Gold([int(head) for head in heads])
    configuration = system.start(gold.words)
    while not system.is_final(configuration):
        permitted = system.permitted(configuration)
        costs = system.costs(configuration, gold)
        assert [transition for transition, cost in enumerate(costs) if cost >= 0] == permitted
        assert min(costs[transition] for transition in permitted) == 0 or not system.covers(gold.head[1:])
        system.apply(configuration, rng.choice(permitted))


@pytest.mark.parametrize("system", [system for system in variants() if system.dynamic], ids=title)
@FEW
@given(projective_strategy(15), st.integers(0, 2**32))
def test_any_run_free_of_cost_leads_to_a_projective_tree(system: System, heads: list[int], seed: int) -> None:
    rng = Random(seed)
    gold = Gold([int(head) for head in heads])
    configuration = system.start(gold.words)
    while not system.is_final(configuration):
        costs = system.costs(configuration, gold)
        system.apply(configuration, rng.choice([t for t, cost in enumerate(costs) if cost == 0]))
    assert system.heads(configuration) == gold.head[1:]


def test_systems_without_a_dynamic_oracle_say_so() -> None:
    for system in variants():
        if not system.dynamic:
            with pytest.raises(UsageError, match="no dynamic oracle"):
                system.costs(system.start(2), Gold([0, 1]))


def test_settings_that_matter_are_all_there() -> None:
    names = {system.name for system in variants()}
    assert names == {
        "arc_eager",
        "arc_standard",
        "arc_hybrid",
        "yamada",
        "attardi",
        "swap",
        "covington",
        "planar2",
    }
    assert settings_of(make("attardi", degree=2)) == {"rewrite": 2006, "degree": 2, "extract_insert": True}
    assert title(make("arc_eager")) == "arc_eager"
    assert title(make("attardi", degree=2, rewrite=2007)) == "attardi(rewrite=2007, degree=2)"
    assert len({title(system) for system in variants()}) == len(variants())


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("arc_lazy", {}, "no transition system 'arc_lazy'; there are arc_eager, "),
        ("yamada", {"degree": 2}, "yamada has no setting 'degree', nor any other"),
        ("attardi", {"degre": 2}, "no setting 'degre'; it has rewrite, degree, extract_insert"),
        ("attardi", {"degree": 4}, "degree of the system attardi is one of 1, 2, 3, not 4"),
        ("attardi", {"degree": True}, "not True"),
        ("arc_eager", {"root": "second"}, "one of 'none', 'first', 'last', not 'second'"),
    ],
)
def test_wrong_names_and_settings_are_told(name: str, settings: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make(name, **settings)


def test_random_trees_of_treebank_length_are_rebuilt_where_they_are_covered() -> None:
    rng = Random(1)
    for _ in range(20):
        heads = random_heads(25, rng, single_root=False).tolist()
        for system in variants("swap", "covington", "arc_hybrid", "planar2"):
            assert rebuilt(system, heads) == system.covers(heads)
