"""Arc-eager (Nivre 2003), the parser of Nivre & Nilsson (2005); dynamic oracle of Goldberg & Nivre (2013).

With the root ``first`` on the stack it is the system of Nivre (2008); with ``none``, that of Nivre & Nilsson,
what is headless at the end is a root; with ``last``, node 0 stands behind the words and takes the roots by
left arcs, after which the output is a tree (Ballesteros & Nivre 2013). With the other two it may be a forest.

Bound: shift and right take each of the n words off the input once; left and reduce take a word off the stack
for good. So there are at most 2n transitions.

Static oracle (Nivre 2004): a gold arc between the top and the next word, if there is one; reduce, if a gold
arc ends at the next word and somewhere below the top; else shift. A top without a head cannot be reduced. It
rebuilds all projective trees.

Dynamic oracle. For projective trees, an arc to a word without a head can be reached iff its ends are not both
on the stack already and neither is gone, and all arcs that can be reached one by one can be reached together
(Goldberg & Nivre 2013). The cost of a transition is the number of arcs it puts out of reach:

- left: the head of s, if it is further right in the input (or s should stay headless); its dependents there;
- right: the head of n, if it is below s or further right (or n should stay headless); the dependents of n
  on the stack that are headless;
- reduce: the dependents of s in the input;
- shift: the head of n if it is on the stack, and the dependents of n there that are headless.

For non-projective trees this is what becomes unreachable by itself, which may be less than the true cost.
Time: O(log n) and the dependents of s and n.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import ClassVar

from arclift.transitions.configuration import Configuration
from arclift.transitions.gold import Gold
from arclift.transitions.system import NOT_PERMITTED, Oracle, Root, Sizes, System
from arclift.trees.projectivity import is_projective

SHIFT, LEFT, RIGHT, REDUCE = range(4)


@dataclass(frozen=True, kw_only=True)
class ArcEager(System):
    """Projective trees, arcs as soon as possible."""

    name: ClassVar[str] = "arc_eager"
    dynamic: ClassVar[bool] = True
    root: Root = "none"

    def texts(self) -> tuple[str, ...]:
        """Return the rules."""
        return (
            "shift: | n | -> n | | ; ; n is not root",
            "left: s | n | -> | n | ; n > s ; s is headless, s is not root",
            "right: s | n | -> n s | | ; s > n ; n is not root",
            "reduce: s | | -> | | ; ; s has a head",
        )

    def bound(self, words: int) -> int:
        """Return 2n."""
        return 2 * words

    @property
    def final(self) -> Sizes:
        """Return when it ends: the input is empty, but for the root, and then the stack is too."""
        return (0, 1, -1) if self.root == "last" else (-1, 0, -1)

    def covers(self, heads: list[int]) -> bool:
        """Return whether the tree is projective."""
        return is_projective(heads)

    def oracle(self, gold: Gold) -> Oracle:
        """Return the static oracle."""
        lowest = 0 if self.root == "first" else 1

        def choose(configuration: Configuration) -> int:
            if not configuration.stack:
                return SHIFT
            s, n = configuration.stack[-1], configuration.input[-1]
            headless = configuration.head[s] < 0
            if headless and (gold.head[s] == n or (n == 0 and s > 0)):
                return LEFT
            if gold.head[n] == s:
                return RIGHT
            if not headless and (n == 0 or _linked_below(configuration, gold, s, n, lowest)):
                return REDUCE
            return SHIFT

        return choose

    def costs(self, configuration: Configuration, gold: Gold) -> list[int]:
        """Return the gold arcs that each transition puts out of reach, -1 where it is not permitted."""
        costs = [NOT_PERMITTED] * len(self.rules)
        for transition in self.permitted(configuration):
            cost = (self._shift, self._left, self._right, self._reduce)[transition]
            costs[transition] = cost(configuration, gold)
        return costs

    def _shift(self, configuration: Configuration, gold: Gold) -> int:
        n = configuration.input[-1]
        return _on(configuration.stack, gold.head[n]) + _headless_left(configuration, gold, n)

    def _left(self, configuration: Configuration, gold: Gold) -> int:
        s, n = configuration.stack[-1], configuration.input[-1]
        head = gold.head[s]
        lost = head != n and (head > n > 0 or (head == 0 and self.root != "first"))
        return lost + self._reduce(configuration, gold)

    def _right(self, configuration: Configuration, gold: Gold) -> int:
        s, n = configuration.stack[-1], configuration.input[-1]
        head = gold.head[n]
        waiting = head > n or (head == 0 and self.root != "first") or _on(configuration.stack, head)
        return (head != s and waiting) + _headless_left(configuration, gold, n)

    def _reduce(self, configuration: Configuration, gold: Gold) -> int:
        s, n = configuration.stack[-1], configuration.input[-1]
        return sum(word >= n for word in gold.dependents[s]) if n else 0


def _linked_below(configuration: Configuration, gold: Gold, s: int, n: int, lowest: int) -> bool:
    """Return whether a gold arc may still come between n and a node below s."""
    dependents = gold.dependents[n]
    left = bool(dependents) and dependents[0] < s and configuration.head[dependents[0]] < 0
    return left or lowest <= gold.head[n] < s


def _on(stack: list[int], node: int) -> bool:
    """Return whether the node is on the stack, in which words stand in the order of the sentence."""
    place = bisect_left(stack, node)
    return place < len(stack) and stack[place] == node


def _headless_left(configuration: Configuration, gold: Gold, n: int) -> int:
    """Return how many dependents of n are on the stack without a head: those left of n that have none."""
    return sum(word < n and configuration.head[word] < 0 for word in gold.dependents[n])
