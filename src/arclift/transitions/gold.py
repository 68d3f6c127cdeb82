"""The tree that an oracle aims at."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from arclift.transitions.configuration import Configuration
from arclift.trees.structure import projective_order


class Gold:
    """A tree with labels, and what oracles ask of it.

    ``head[i]`` and ``label[i]`` are those of word i; the root has ``head[0] == -1``.
    """

    def __init__(self, heads: Sequence[int], labels: Sequence[int] | None = None) -> None:
        self.head = [-1, *heads]
        self.label = [-1, *(labels if labels is not None else [0] * len(heads))]

    @property
    def words(self) -> int:
        """How many words there are."""
        return len(self.head) - 1

    @cached_property
    def dependents(self) -> list[list[int]]:
        """The dependents of each node, from left to right."""
        found: list[list[int]] = [[] for _ in self.head]
        for word in range(1, len(self.head)):
            found[self.head[word]].append(word)
        return found

    @cached_property
    def order(self) -> list[int]:
        """The place of each word in the projective order (Nivre 2009); the root comes first."""
        return [0, *projective_order(np.array(self.head[1:], dtype=np.int32)).tolist()]

    @cached_property
    def component(self) -> list[int]:
        """The top of the maximal projective component of each node: what arc-standard alone can link."""
        waiting = [len(words) for words in self.dependents]
        top = list(range(len(self.head)))
        stack = [0]
        for word in range(1, len(self.head)):
            stack.append(word)
            while len(stack) > 1:
                below, above = stack[-2:]
                if self.head[below] == above and not waiting[below]:
                    head, dependent = above, below
                elif self.head[above] == below and not waiting[above]:
                    head, dependent = below, above
                else:
                    break
                del stack[-1 if dependent == above else -2]
                top[dependent] = head
                waiting[head] -= 1
        return [_top(top, node) for node in range(len(top))]

    def complete(self, node: int, configuration: Configuration) -> bool:
        """Return whether all dependents of the node have a head, the rightmost being asked first."""
        head = configuration.head
        return all(head[word] >= 0 for word in reversed(self.dependents[node]))


def _top(above: list[int], node: int) -> int:
    while above[node] != node:
        above[node] = above[above[node]]
        node = above[node]
    return node
