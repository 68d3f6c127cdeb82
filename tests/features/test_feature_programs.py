"""Compiled programs: their tables, and what the evaluator reads in any configuration."""

from __future__ import annotations

import re

import numpy as np
import pytest
from feature_configurations import Lists, configurations
from hypothesis import given
from hypothesis import strategies as st
from test_feature_language import FEATURE_SETS

from arclift.errors import UsageError
from arclift.features import Find, Read, compile_features, parse_features, row, rows
from arclift.features.evaluator import distance_class, lookahead
from arclift.features.program import DISTANCES

# --- a naive interpreter: reads the text of a term again at every use, knows neither tables nor classes ----


def naive(text: str, configuration: Lists, values: dict[str, list[int]]) -> int:
    """Return the value id of the term that ``text`` names; ``values`` has those of the words by attribute."""
    if past := re.fullmatch(r"history(\d+)", text):
        back = [0] * 100 + [3 + transition for transition in configuration.history]
        return back[-int(past[1])]
    if call := re.fullmatch(r"(\w+)\(([^,]*?)(?:, (.*)|\.(left|right))?\)", text):
        name, first, second, side = call.groups()
        at = [naive_node(node, configuration) for node in (first, second) if node]
        if min(at) <= 0:
            return min(at) + 1
        if name == "distance":
            return 3 + 7 + naive_distance(at[1] - at[0])
        if name == "arc":
            up = configuration.head
            return 4 if up[at[1]] == at[0] else 5 if up[at[0]] == at[1] else 3
        sides = {"left": lambda d: d < at[0], "right": lambda d: d > at[0], None: lambda d: True}
        children = [d for d, up in enumerate(configuration.head) if up == at[0] and sides[side](d)]
        return 3 + min(7, len(children))
    node, attribute = re.fullmatch(r"(.*?)\.(feats.*|[a-z]+\d*)", text).groups()
    word = naive_node(node, configuration)
    if word <= 0:
        return word + 1
    if attribute == "label":
        return configuration.label[word] + 3 if configuration.label[word] >= 0 else 0
    return values[attribute][word - 1]


def naive_distance(distance: int) -> int:
    if distance < 0:
        return -naive_distance(-distance)
    for size, greatest in enumerate([0, 1, 2, 3, 4, 6, 10]):
        if distance <= greatest:
            return size
    return 7


def naive_node(text: str, configuration: Lists) -> int:
    """Return the node that ``text`` names, 0 for the root, -1 for none."""
    start, *steps = text.split(".")
    front_first = {"s": configuration.stack, "i": configuration.input, "t": configuration.second}
    lists = {name: nodes[::-1] for name, nodes in front_first.items()}
    words = [node for node in lists["i"] if node] if lists["i"][-1:] == [0] else lists["i"]
    n = len(configuration.head) - 1
    starts = [k for k in range(1, n + 2) if words[len(words) - (n + 1 - k) :] == list(range(k, n + 1))]
    first = min(k for k in starts if n + 1 - k <= len(words))
    given_back = words[: len(words) - (n + 1 - first)]
    lists["l"], lists["r"] = list(range(first, n + 1)), [node or -1 for node in given_back]
    nodes, place = lists[start[0]], int(start[1:])
    nodes = nodes if place >= 0 else nodes[::-1]
    place = place if place >= 0 else -place - 1
    node = nodes[place] if place < len(nodes) else -1
    for step in steps:
        node = naive_step(node, step, configuration.head) if node >= 0 else -1
    return node


def naive_step(node: int, step: str, head: list[int]) -> int:
    if step == "head":
        return head[node]
    if step[:2] in ("lc", "rc"):
        children = [d for d in range(len(head)) if head[d] == node]
        side = (
            [d for d in children if d < node] if step[0] == "l" else [d for d in children[::-1] if d > node]
        )
        return [*side, *[-1] * 99][int(step[2:]) - 1]
    siblings = [d for d in range(len(head)) if head[d] == head[node] != -1]
    beside = [d for d in siblings if d > node] if step == "next" else [d for d in siblings[::-1] if d < node]
    return [*beside, -1][0]


def word_values(program, configuration):
    """Return some value for each attribute of each word, as a matrix and by the text of the attribute."""
    n = len(configuration.head) - 1
    table = 2 + np.arange(n * len(program.words), dtype=np.int32).reshape(n, len(program.words)) % 97
    return table, {str(word): table[:, k].tolist() for k, word in enumerate(program.words)}


@given(FEATURE_SETS, configurations(), st.lists(st.sampled_from(["Case", "Number[psor]", "é"]), unique=True))
def test_the_evaluator_agrees_with_a_naive_interpreter(features, configuration, names):
    try:
        program = compile_features(features, names)
    except UsageError:
        assert not names
        return
    table, values = word_values(program, configuration)
    naively = [naive(str(term), configuration, values) for term in program.terms]
    assert row(program, configuration, table) == naively
    sizes = program.sizes([100] * len(program.words), labels=4, transitions=6)
    assert all(0 <= value < size for value, size in zip(naively, sizes, strict=True))


PLENTIFUL = parse_features(
    "".join(
        f"{name}{place}.{step}upos\n"
        for name in "sitlr"
        for place in range(4)
        for step in ("", "head.", "lc1.")
    )
    + "s0.rc1.label\ns0.next.label\ni0.prev.label\ns-1.form\nt-2.form\nhistory2\ns0.head.head.rc2.form\n"
    + "valency(s0)\nvalency(i0.left)\nvalency(s0.head.right)\ndistance(s0, i0)\n"
    + "distance(i0, s1)\narc(s0, i0)\n"
)


@given(configurations())
def test_small_places_are_read_as_the_naive_interpreter_does(configuration):
    program = compile_features(PLENTIFUL)
    table, values = word_values(program, configuration)
    assert row(program, configuration, table) == [
        naive(str(term), configuration, values) for term in program.terms
    ]


# --- the tables ------------------------------------------------------------------------------------------


def test_a_node_is_found_once_and_a_term_read_once():
    text = "s0.form\ns0.head.upos + s0.lc2.label\ns0.form + s0.head.upos\nhistory1\ndistance(i0, s0.head)"
    program = compile_features(parse_features(text))
    assert program.nodes.tolist() == [
        [Find.STACK, 0, -1],
        [Find.HEAD, 0, 0],
        [Find.LEFT_CHILD, 2, 0],
        [Find.INPUT, 0, -1],
    ]
    assert program.cells.tolist() == [
        [Read.WORD, 0, 0, -1],
        [Read.WORD, 1, 1, -1],
        [Read.LABEL, 0, 2, -1],
        [Read.HISTORY, 1, -1, -1],
        [Read.DISTANCE, 0, 3, 1],
    ]
    assert list(map(str, program.words)) == ["form", "upos"]
    assert program.features == ((0,), (1, 2), (0, 1), (3,), (4,))
    assert program.nodes.dtype == program.cells.dtype == np.int32


@given(FEATURE_SETS)
def test_a_step_starts_from_an_earlier_row(features):
    nodes = compile_features(features, ["Case"]).nodes
    assert all(origin < place for place, (_, _, origin) in enumerate(nodes.tolist()))
    assert len(set(map(tuple, nodes.tolist()))) == len(nodes)


def test_a_star_takes_each_name_in_turn_the_same_on_both_sides():
    features = parse_features("s0.feats*\ns0.upos + i0.feats*\ns0.feats* + i0.feats*")
    program = compile_features(features, ["Case", "Number"])
    conjoined = [" + ".join(str(program.terms[cell]) for cell in feature) for feature in program.features]
    assert conjoined == [
        "s0.feats.Case",
        "s0.feats.Number",
        "s0.upos + i0.feats.Case",
        "s0.upos + i0.feats.Number",
        "s0.feats.Case + i0.feats.Case",
        "s0.feats.Number + i0.feats.Number",
    ]


def test_a_star_falls_away_where_the_treebank_names_no_features():
    assert compile_features(parse_features("s0.form\ns0.feats*")).features == ((0,),)
    with pytest.raises(UsageError, match="no feature is left"):
        compile_features(parse_features("s0.feats*"))


def test_words_are_ordered_by_the_column_they_come_from():
    features = parse_features("s0.feats\ns0.upos\ns0.suffix2\ns0.lemma\ns0.form\ns0.feats.Case")
    words = compile_features(features).words
    assert list(map(str, words)) == ["form", "suffix2", "lemma", "upos", "feats", "feats.Case"]


# --- values by hand --------------------------------------------------------------------------------------

TEXT = """s0.upos
s1.upos
s2.upos
s0.label
i0.label
i0.lc1.label
i0.lc2.upos
i0.head.upos
history1
history2
distance(i0, s0)
valency(i0)
arc(i0, t0)
arc(t0, i0)
arc(s0, t0)"""


def test_values_are_those_one_works_out_by_hand():
    #               0   1   2   3  4  5: 1 and 3 hang on 4, which hangs on the root; 2 and 5 are free
    head, label = [-1, 4, -1, 4, 0, -1], [-1, 1, -1, 0, -1, -1]
    configuration = Lists([0, 2], [5, 4], [1], head, label, [7])
    program = compile_features(parse_features(TEXT))
    upos = np.array([[11], [12], [13], [2], [15]], dtype=np.int32)
    expected = [12, 1, 0, 0, 0, 4, 13, 1, 10, 0, 3 + 7 - 2, 3 + 2, 3 + 1, 3 + 2, 3]
    assert rows(program, [configuration], [upos]).tolist() == [expected]


def test_many_dependents_are_one_class():
    program = compile_features(parse_features("valency(s0)\nvalency(s0.left)\nvalency(s0.right)"))
    nothing = np.zeros((12, 0), dtype=np.int32)
    for dependents, valency in [(6, 6), (7, 7), (8, 7), (11, 7)]:
        state = Lists([1], [], [], [-1, 0, *[1] * dependents, *[-1] * (11 - dependents)], [-1] * 13)
        assert row(program, state, nothing) == [3 + valency, 3, 3 + valency]


def test_the_sizes_of_cells_are_those_of_what_they_read():
    text = "s0.upos\ns0.form\ns0.label\nhistory1\nvalency(s0)\ndistance(s0, i0)\narc(s0, i0)"
    program = compile_features(parse_features(text))
    sizes = program.sizes([100, 20], labels=40, transitions=4)
    assert sizes == [20, 100, 3 + 40, 3 + 4, 3 + 8, 3 + 15, 3 + 3]


def test_rows_of_no_configuration_have_the_width_of_the_program():
    table = rows(compile_features(parse_features(TEXT)), [], [])
    assert table.shape == (0, 15)
    assert table.dtype == np.int32


def test_every_configuration_needs_its_words():
    with pytest.raises(ValueError, match="shorter"):
        rows(compile_features(parse_features("s0.form")), [Lists([], [], [], [-1], [-1])], [])


def test_distances_fall_into_classes_that_mirror_each_other():
    classes = [distance_class(distance) for distance in range(-12, 13)]
    assert classes == [0, 0, 1, 1, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 12, 13, 13, 13, 13, 14, 14]
    assert max(classes) == 2 * len(DISTANCES) + 2


@pytest.mark.parametrize(
    ("waiting", "first"),
    [
        ([], 6),
        ([0], 6),
        ([5, 4, 3], 3),
        ([0, 5, 4, 2], 4),
        ([4, 5], 6),
        ([5, 3, 4], 5),
        ([5, 4, 3, 2, 1, 0], 1),
    ],
)
def test_the_lookahead_is_what_still_stands_as_in_the_sentence(waiting, first):
    assert lookahead(Lists([], waiting, [], [-1] * 6, [-1] * 6)) == first


def test_the_states_of_the_transition_systems_can_be_read():
    from arclift.transitions.configuration import Configuration

    program = compile_features(parse_features("s0.form\ni0.form\nl1.form\nt0.form\nhistory1\nvalency(s0)"))
    state = Configuration(3, [0], [3, 2, 1])
    assert row(program, state, np.array([[5], [6], [7]], dtype=np.int32)) == [1, 5, 6, 0, 0, 1]
