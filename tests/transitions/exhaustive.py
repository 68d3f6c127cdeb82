"""All trees and all configurations of short sentences."""

from __future__ import annotations

from functools import cache
from itertools import product

from arclift.transitions import Configuration, System
from arclift.trees.structure import is_tree

Key = tuple[object, ...]


@cache
def all_trees(words: int, single_root: bool = False) -> list[tuple[int, ...]]:
    """Return the heads of all trees over so many words."""
    return [
        heads
        for heads in product(range(words + 1), repeat=words)
        if not words or is_tree(list(heads), single_root=single_root)
    ]


def key(configuration: Configuration) -> Key:
    """Return what tells configurations apart."""
    switched = configuration.history[-1] if configuration.history else -1
    return (*map(tuple, configuration.lists), tuple(configuration.head), switched)


class Graph:
    """All configurations of one length that can be reached, and what each transition leads to."""

    def __init__(self, system: System, words: int) -> None:
        self.system = system
        self.configurations: dict[Key, Configuration] = {}
        self.after: dict[Key, dict[int, Key]] = {}
        todo = [system.start(words)]
        while todo:
            configuration = todo.pop()
            here = key(configuration)
            if here in self.after:
                continue
            self.configurations[here] = configuration
            self.after[here] = {}
            for transition in system.permitted(configuration):
                other = configuration.copy()
                system.apply(other, transition)
                self.after[here][transition] = key(other)
                todo.append(other)

    def results(self) -> set[tuple[int, ...]]:
        """Return the heads of all final configurations."""
        return {
            tuple(self.system.heads(self.configurations[here]))
            for here, after in self.after.items()
            if not after
        }

    def losses(self, heads: tuple[int, ...]) -> dict[Key, int]:
        """Return for each configuration the least number of wrong heads that it can end with."""
        least: dict[Key, int] = {}
        todo = list(self.after)
        while todo:
            here = todo[-1]
            after = self.after[here].values()
            missing = [other for other in after if other not in least]
            if missing and here not in least:
                todo += missing
                continue
            todo.pop()
            wrong = zip(self.system.heads(self.configurations[here]), heads, strict=True)
            least[here] = min((least[other] for other in after), default=sum(a != b for a, b in wrong))
        return least
