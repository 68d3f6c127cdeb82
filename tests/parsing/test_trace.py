"""A trace tells what the parser does: the same decisions, and every one of them."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from random_parsers import NAMES, random_parser, text

from arclift.errors import UsageError
from arclift.parsing.graph_parser import GraphParser
from arclift.parsing.trace import Choice, Step, Trace, traces
from arclift.transitions.registry import make, title, variants
from arclift.treebank import Block
from arclift.treebank.formats import LINES


@pytest.mark.parametrize("system", variants(), ids=title)
def test_a_trace_takes_the_decisions_of_the_parser(system):
    for seed in range(2):
        parser, block = random_parser(system, seed), text(seed)
        words = parser.worker().words(block)
        heads, labels = parser.engine.decode(parser.learner, words, block.offsets)
        taken, begins = parser.engine.walk(parser.learner, words, block.offsets)
        tree_heads, tree_labels, names = parser.worker().trees(block)
        found = list(traces(parser, block))
        assert [trace.id for trace in found] == [f"s{number}" for number in range(len(block))]
        assert [head for trace in found for head in trace.heads] == heads.tolist()
        named = [NAMES[label] if label >= 0 else None for label in labels.tolist()]
        assert [label for trace in found for label in trace.labels] == named
        assert [word for trace in found for word in trace.tree] == [
            (head, names[label]) for head, label in zip(tree_heads, tree_labels, strict=True)
        ]
        for trace, (first, last) in zip(found, pairwise(begins.tolist()), strict=True):
            assert [step.taken.transition for step in trace.steps] == [
                system.rules[parser.engine.transitions[chosen]].name for chosen in taken[first:last].tolist()
            ]


@pytest.mark.parametrize("system", variants(), ids=title)
def test_steps_follow_from_each_other(system):
    for trace in traces(random_parser(system, 3), text(3)):
        state = system.start(len(trace.forms))
        arcs = {}
        for step in trace.steps:
            assert [step.stack[::-1], step.input[::-1], step.second[::-1]] == state.lists
            scores = [choice.score for choice in step.choices]
            assert scores == sorted(scores, reverse=True)
            assert {choice.transition for choice in step.choices} <= {
                system.rules[t].name for t in system.permitted(state)
            }
            if step.arc:
                arcs[step.arc[1]] = step.arc[0], step.taken.label
            system.apply(state, system.number[step.taken.transition])
        built = zip(trace.heads, trace.labels, strict=True)
        assert arcs == {word: arc for word, arc in enumerate(built, 1) if arc[0] >= 0}


def test_text_is_aligned_and_says_what_was_repaired():
    parser = random_parser(make("arc_eager"), 1)
    trace = next(traces(parser, text(1)))
    lines = trace.as_text().splitlines()
    assert lines[0] == "sentence 1 (s0)"
    assert lines[1].split() == ["step", "stack", "input", "takes", "score", "adds", "next", "best"]
    assert len([line for line in lines if line.lstrip()[:1].isdigit()]) == len(trace.steps)
    moved = [line for line in lines if line.startswith("in the end ")]
    changed = [
        word
        for word, (head, (new, _)) in enumerate(zip(trace.heads, trace.tree, strict=True), 1)
        if head != new
    ]
    assert len(moved) >= len(changed) > 0


def test_a_small_trace_is_what_it_says():
    shift = Choice("shift", None, 2.0)
    left = Choice("left", "det", 1.25)
    trace = Trace(
        number=7, id=None, forms=["the", "cat"],
        steps=[Step([], [1, 2], [], [shift], None), Step([1], [2], [], [left, shift], (2, 1)),
               Step([], [2], [], [shift], None)],
        heads=[2, -1], labels=["det", None], tree=[(2, "det"), (0, "root")],
    )  # fmt: skip
    assert trace.as_text().splitlines() == [
        "sentence 7",
        "step  stack  input        takes     score  adds           next best",
        "   1         1:the 2:cat  shift      2.00",
        "   2  1:the  2:cat        left:det   1.25  2:cat → 1:the  shift 2.00",
        "   3         2:cat        shift      2.00",
        "in the end 2:cat hangs on 0 (root); the transitions gave it no head",
    ]
    data = json.loads(json.dumps(trace.as_dict()))
    assert data["steps"][1]["stack"] == [[1, "the"]]
    assert data["steps"][1]["arc"] == {"head": 2, "dependent": 1, "label": "det"}
    assert data["steps"][1]["taken"] == {"transition": "left", "label": "det", "score": 1.25}
    assert data["built"] == {"heads": [2, -1], "labels": ["det", None]}
    assert data["tree"] == {"heads": [2, 0], "labels": ["det", "root"]}


def test_the_root_and_the_second_list_are_shown():
    trace = next(traces(random_parser(make("covington"), 2), text(2)))
    assert "second" in trace.as_text().splitlines()[1]
    assert trace.as_dict()["steps"][0]["stack"] == [[0, None]]


def test_tagged_text_can_be_traced():
    (trace,) = traces(random_parser(make("swap"), 2), Block(b"a/X ccc/X\n", LINES))
    assert trace.forms == ["a", "ccc"]
    assert len(trace.tree) == 2


def test_other_parsers_have_no_steps():
    with pytest.raises(UsageError, match=r"only transition parsers go step by step.* this is a graph parser"):
        next(traces(GraphParser.__new__(GraphParser), text(1)))
