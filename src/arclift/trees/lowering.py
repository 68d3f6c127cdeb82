"""Lowering: the inverse of lifting, guided by the labels (Nivre & Nilsson 2005, section 4).

A lifted arc from g to d is lowered by a search below g for the syntactic head t of d, after which d hangs
on t with its plain label. As in the paper the search is breadth-first from the top, and looks

* under *head* for a word with the label h;
* under *head+path* for one that only marked arcs lead to; if there is none, as under *head*;
* under *path* for a marked word without marked dependents that only marked arcs lead to.

The search never enters what is below d, so that no cycle can arise from any labels; without a target, d
stays.

What the paper leaves open is chosen by what brings back most arcs over 21 treebanks (docs/lifting.md):

1. Arcs are lowered top-down and from left to right, in the breadth-first order of the tree as it was read.
2. Of the words in reach, those that hang on g *apart* from d come first: with a word between all that the
   two dominated at first. Where none is between, d would have been projective there, and not lifted on to
   g.
3. Dependents of one word are searched the nearest to d first, those of the artificial root from left to
   right.
4. Under head+path the target is the lowest: from each word with the label h the search goes on below it.
5. Labels are compared without marks, and marks are not used up.

Heads must be a tree; the result is a tree. A lifted arc costs at most the number of the words that
are searched and of their dependents, at worst all words of the sentence.
"""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arclift.errors import UsageError
from arclift.native import accelerated
from arclift.trees.labels import PAPER, Markers, Scheme, check_markers
from arclift.trees.projectivity import tree_lists
from arclift.trees.structure import Heads, Offsets

Ids = NDArray[np.int32]
Flags = NDArray[np.uint8]


class Lowering:
    """The tree of one sentence (``[0, *heads]``) while its lifted arcs are lowered one after the other."""

    def __init__(self, head: list[int]) -> None:
        self.head = head
        self._dependents: list[list[int]] = [[] for _ in head]
        for d in range(1, len(head)):
            self._dependents[head[d]].append(d)
        self.top_down = [0]
        for node in self.top_down:
            self.top_down += self._dependents[node]
        self._low, self._high = list(range(len(head))), list(range(len(head)))
        for d in self.top_down[:0:-1]:
            h = head[d]
            self._low[h] = min(self._low[h], self._low[d])
            self._high[h] = max(self._high[h], self._high[d])

    def move(self, d: int, head: int) -> None:
        """Hang ``d`` on another head."""
        self._dependents[self.head[d]].remove(d)
        insort(self._dependents[head], d)
        self.head[d] = head

    def dependents(self, node: int, d: int) -> list[int]:
        """Return the dependents of ``node`` but ``d``, in the order of a search for the head of ``d``."""
        found = [word for word in self._dependents[node] if word != d]
        return sorted(found, key=lambda word: abs(word - d)) if node else found

    def apart(self, word: int, d: int) -> bool:
        """Return whether something stood between what ``word`` and what ``d`` dominated at first."""
        return self._low[d] > self._high[word] + 1 or self._low[word] > self._high[d] + 1

    def candidates(self, d: int, follow: Callable[[int], bool] = lambda word: True) -> Iterator[int]:
        """Yield what is below the head of ``d`` as far as words may be followed: first what is apart."""
        tops = self.dependents(self.head[d], d)
        for apart in (True, False):
            yield from self._search([c for c in tops if self.apart(c, d) is apart and follow(c)], d, follow)

    def below(self, node: int, d: int, follow: Callable[[int], bool]) -> Iterator[int]:
        """Yield what is below ``node`` as far as words may be followed, breadth first."""
        yield from self._search(filter(follow, self.dependents(node, d)), d, follow)

    def _search(
        self, start: Iterator[int] | list[int], d: int, follow: Callable[[int], bool]
    ) -> Iterator[int]:
        queue = deque(start)
        while queue:
            node = queue.popleft()
            yield node
            queue.extend(filter(follow, self.dependents(node, d)))

    def marked(self, d: int, marks: list[int]) -> Iterator[int]:
        """Yield all marked words that the scheme exact may mean: those below the head of d, then the rest."""
        g = self.head[d]
        yield from (word for word in self.candidates(d) if marks[word])
        if g:
            rest = self.below(0, d, lambda word: word != g)
            yield from (word for word in rest if marks[word])


@accelerated
def lower_arcs(
    heads: Heads, offsets: Offsets, labels: Ids, lifted: Flags, wanted: Ids, marks: Flags, scheme: str
) -> Heads:
    """Return the heads with each lifted arc lowered.

    ``labels`` are plain label ids; ``wanted`` has the label id of the syntactic head, or the ordinal (exact);
    ``lifted`` and ``marks`` are 1 where the label says so. ``TreeError`` where heads are no tree.
    """
    if scheme not in ("head", "head+path", "path", "exact"):
        raise ValueError("no such scheme to lower")
    if not len(heads) == len(labels) == len(lifted) == len(wanted) == len(marks):
        raise ValueError("the arrays differ in length")
    result: list[int] = []
    for begin, head in zip(offsets.tolist(), tree_lists(heads, offsets), strict=False):
        words = slice(begin, begin + len(head) - 1)
        tree = Lowering(head)
        label, want = [-1, *labels[words].tolist()], [-1, *wanted[words].tolist()]
        mark = [0, *marks[words].tolist()]
        for d in tree.top_down[1:]:
            if lifted[begin + d - 1]:
                head_of_d = target(tree, d, label, want[d], mark, scheme)
                if head_of_d is not None:
                    tree.move(d, head_of_d)
        result += tree.head[1:]
    return np.array(result, dtype=np.int32)


def target(tree: Lowering, d: int, label: list[int], want: int, mark: list[int], scheme: str) -> int | None:
    """Return the word to which ``d`` is lowered; ``want`` is what its label says of it."""

    def is_marked(word: int) -> bool:
        return bool(mark[word])

    if scheme == "exact":
        first = list(islice(tree.marked(d, mark), max(want, 1)))
        return first[-1] if first else None
    if scheme == "path":
        on_path = tree.candidates(d, is_marked)
        return next((word for word in on_path if not any(map(is_marked, tree.dependents(word, d)))), None)
    if scheme == "head+path":
        found = next((word for word in tree.candidates(d, is_marked) if label[word] == want), None)
        lowest = found
        while found is not None:
            lowest = found
            found = next((word for word in tree.below(lowest, d, is_marked) if label[word] == want), None)
        if lowest is not None:
            return lowest
    return next((word for word in tree.candidates(d) if label[word] == want), None)


class Lowered(NamedTuple):
    """Heads and labels after lowering; the label ids point into ``names``, which have no marks."""

    heads: Heads
    labels: Ids
    names: list[str]


def lower(
    heads: Heads,
    labels: Ids,
    offsets: Offsets,
    names: list[str],
    scheme: Scheme,
    *,
    markers: Markers = PAPER,
) -> Lowered:
    """Undo ``encode``: lower the arcs whose labels say that they were lifted, and strip all marks.

    ``labels`` are indices into ``names``. Labels may be wrong in any way, heads must be trees.
    """
    check_labels(labels, names)
    if scheme is Scheme.BASELINE:
        return Lowered(heads.copy(), labels.copy(), list(names))
    check_markers(scheme, markers)
    parsed = [markers.parse(name) for name in names]
    ids = {base: i for i, base in enumerate(dict.fromkeys(label.base for label in parsed))}

    def wanted(argument: str) -> int:
        if scheme is Scheme.EXACT:
            return int(argument) if argument.isascii() and argument.isdigit() and len(argument) < 10 else 1
        return ids.get(argument, -1)

    base = np.array([ids[label.base] for label in parsed], dtype=np.int32)[labels]
    want = np.array([wanted(label.argument) for label in parsed], dtype=np.int32)[labels]
    lifted = np.array([label.lifted for label in parsed], dtype=np.uint8)[labels]
    marks = np.array([label.path for label in parsed], dtype=np.uint8)[labels]
    lowered = lower_arcs(heads, offsets, base, lifted, want, marks, scheme.value)
    return Lowered(lowered, base, list(ids))


def check_labels(labels: Ids, names: list[str]) -> None:
    """Raise ``UsageError`` unless all label ids are indices of ``names``."""
    if len(labels) and not 0 <= labels.min() <= labels.max() < len(names):
        raise UsageError(f"label ids must be in 0..{len(names) - 1}, the indices of the names")
