"""The plain evaluator: runs a `Program` on configurations. It specifies what a faster one must give."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from arclift.features.address import FIRST, NOTHING, ROOT
from arclift.features.program import DISTANCES, GREATEST_VALENCY, SIDES, Find, Program, Read

NO_NODE = -1


class Configuration(Protocol):
    """What the evaluator reads of a parser's state. Lists have their front or top last."""

    @property
    def stack(self) -> Sequence[int]:
        """The stack S."""

    @property
    def input(self) -> Sequence[int]:
        """The input I."""

    @property
    def second(self) -> Sequence[int]:
        """The second stack T."""

    @property
    def head(self) -> Sequence[int]:
        """The head of each node 0..n, -1 where there is none."""

    @property
    def label(self) -> Sequence[int]:
        """The label of the arc to each node 0..n, -1 where there is none."""

    @property
    def history(self) -> Sequence[int]:
        """The transitions taken, the latest last."""

    def left_children(self, node: int) -> Sequence[int]:
        """Return the dependents to the left of ``node``, the outermost first."""

    def right_children(self, node: int) -> Sequence[int]:
        """Return the dependents to the right of ``node``, the outermost first."""


def rows(
    program: Program, configurations: Iterable[Configuration], words: Iterable[NDArray[np.int32]]
) -> NDArray[np.int32]:
    """Return one row of value ids for each configuration.

    ``words`` holds for each configuration the values of its sentence's words, one row a word, one column for
    each of ``program.words``.
    """
    table = [row(program, each, values) for each, values in zip(configurations, words, strict=True)]
    return np.array(table, dtype=np.int32).reshape(len(table), len(program.cells))


def row(program: Program, configuration: Configuration, words: NDArray[np.int32]) -> list[int]:
    """Return the value id of each cell in this configuration."""
    found: list[int] = []
    for operation, argument, origin in program.nodes.tolist():
        if origin == -1:
            found.append(_listed(configuration, operation, argument))
        else:
            found.append(_stepped(configuration, operation, argument, found[origin]))
    return [
        _value(configuration, words, operation, argument, [found[node] for node in nodes if node >= 0])
        for operation, argument, *nodes in program.cells.tolist()
    ]


def _listed(configuration: Configuration, operation: int, place: int) -> int:
    if operation == Find.LOOKAHEAD:
        word = lookahead(configuration) + place
        return word if word < len(configuration.head) else NO_NODE
    if operation == Find.RETURNED:
        node = _item(configuration.input, place)
        return node if 0 < node < lookahead(configuration) else NO_NODE
    if operation == Find.INPUT:
        return _item(configuration.input, place)
    return _item(configuration.stack if operation == Find.STACK else configuration.second, place)


def lookahead(configuration: Configuration) -> int:
    """Return the first word of the lookahead, n + 1 if there is none.

    It is the longest end of the input that holds consecutive words up to n (a root behind them aside). An
    engine that keeps its length changes it with each word taken from the input or put there in O(1).
    """
    first = len(configuration.head)
    for place, node in enumerate(configuration.input):
        if node == first - 1 > 0:
            first = node
        elif place > 0 or node != 0:
            break
    return first


def _item(items: Sequence[int], place: int) -> int:
    """Return the item at a place counted from the front, which stands last, or from the far end."""
    index = len(items) - 1 - place if place >= 0 else -1 - place
    return items[index] if 0 <= index < len(items) else NO_NODE


def _stepped(configuration: Configuration, operation: int, count: int, node: int) -> int:
    if node == NO_NODE:
        return NO_NODE
    head = configuration.head[node]
    if operation == Find.HEAD:
        return head
    if operation == Find.LEFT_CHILD:
        return _child(configuration.left_children(node), count)
    if operation == Find.RIGHT_CHILD:
        return _child(configuration.right_children(node), count)
    if head == NO_NODE:
        return NO_NODE
    siblings = [*configuration.left_children(head), *reversed(configuration.right_children(head))]
    beside = siblings.index(node) + (1 if operation == Find.NEXT else -1)
    return siblings[beside] if 0 <= beside < len(siblings) else NO_NODE


def _child(children: Sequence[int], count: int) -> int:
    return children[count - 1] if count <= len(children) else NO_NODE


def _value(
    configuration: Configuration, words: NDArray[np.int32], operation: int, argument: int, at: list[int]
) -> int:
    """Return what is read at no, one or two nodes."""
    if operation == Read.HISTORY:
        past = configuration.history
        return FIRST + past[-argument] if argument <= len(past) else NOTHING
    if NO_NODE in at:
        return NOTHING
    if 0 in at:
        return ROOT
    if operation == Read.WORD:
        return int(words[at[0] - 1, argument])
    if operation == Read.LABEL:
        label = configuration.label[at[0]]
        return NOTHING if label == -1 else FIRST + label
    if operation == Read.VALENCY:
        left = 0 if argument == SIDES.index("right") else len(configuration.left_children(at[0]))
        right = 0 if argument == SIDES.index("left") else len(configuration.right_children(at[0]))
        return FIRST + min(left + right, GREATEST_VALENCY)
    if operation == Read.DISTANCE:
        return FIRST + distance_class(at[1] - at[0])
    return FIRST + arc_class(configuration.head, *at)


def arc_class(head: Sequence[int], first: int, second: int) -> int:
    """Return 0 if no arc joins the two nodes, 1 if ``first`` heads ``second``, 2 the other way round."""
    return 1 if head[second] == first else 2 if head[first] == second else 0


def distance_class(distance: int) -> int:
    """Return the class of a signed distance: the middle one is 0, those of negative distances come before."""
    middle = len(DISTANCES) + 1
    size = bisect_left(DISTANCES, abs(distance)) + 1 if distance else 0
    return middle + size if distance > 0 else middle - size
