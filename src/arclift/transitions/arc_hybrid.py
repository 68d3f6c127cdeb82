"""Arc-hybrid (Kuhlmann, Gómez-Rodríguez & Satta 2011), for projective trees and with ``swap`` for all.

The dynamic oracle is that of Goldberg & Nivre (2013), the extension that of de Lhoneux, Stymne & Nivre
(2017). The root is ``first`` on the stack (Kuhlmann et al.) or ``last`` in the input (de Lhoneux et al.).

Bound. Without swap every shift takes a word off the input and every arc one off the stack: exactly 2n. A swap
turns two neighbours of the sequence "stack, then input" from the order of the sentence into the reverse one,
which nothing undoes; so there are at most n(n-1)/2 swaps, each of which gives back one word to be shifted
again: at most 2n + n(n-1) = n² + n.

Static oracle: a gold arc to a complete dependent, else (swap) what the projective order asks for, else shift.
It rebuilds projective trees; with swap, all trees.

Dynamic oracle. Without swap: the cost of a transition is the number of gold arcs it puts out of reach, exact
for projective trees (Goldberg & Nivre 2013):

- left: the head of s, if it is below s or beyond n; its dependents in the input;
- right: the head of s, if it is in the input; its dependents there;
- shift: the head of n if it is on the stack, but not its top; the dependents of n on the stack.

With swap the oracle is *static-dynamic*: where the top stands after the next word in the projective order,
swap costs 0 and all else 1; elsewhere swap costs 1 and the others as above, but for words that a swap is
still to take behind another one (one in the input that follows in the sentence and precedes in the projective
order): these are shifted at no cost, and an arc that takes them away costs all their other gold arcs. The
paper says so of shift only; without the rest, words that were shifted so could be attached to anything, free
of cost. Following costs of 0 always leads to the gold tree. Time: O(n).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from arclift.transitions.configuration import Configuration
from arclift.transitions.gold import Gold
from arclift.transitions.system import NOT_PERMITTED, Oracle, Sizes, System
from arclift.trees.projectivity import is_projective

SHIFT, LEFT, RIGHT, SWAP = range(4)


@dataclass(frozen=True, kw_only=True)
class ArcHybrid(System):
    """Left arcs as in arc-eager, right arcs as in arc-standard; any tree with ``swap``."""

    name: ClassVar[str] = "arc_hybrid"
    dynamic: ClassVar[bool] = True
    root: Literal["first", "last"] = "first"
    swap: bool = False

    def texts(self) -> tuple[str, ...]:
        """Return the rules."""
        rules = (
            "shift: | n | -> n | | ; ; n is not root",
            "left: s | n | -> | n | ; n > s ; s is not root",
            "right: s1 s2 | | -> s2 | | ; s2 > s1",
        )
        return (*rules, "swap: s | n | -> | n s | ; ; s before n, s is not root") if self.swap else rules

    def bound(self, words: int) -> int:
        """Return 2n, with swap n² + n."""
        return words * words + words if self.swap else 2 * words

    @property
    def final(self) -> Sizes:
        """Return when it ends: only the root is left."""
        return (0, 1, -1) if self.root == "last" else (1, 0, -1)

    def covers(self, heads: list[int]) -> bool:
        """Return whether the tree is projective; with swap any is."""
        return self.swap or is_projective(heads)

    def oracle(self, gold: Gold) -> Oracle:
        """Return the static oracle."""

        def choose(configuration: Configuration) -> int:
            stack, input = configuration.stack, configuration.input
            if stack:
                s = stack[-1]
                if input and gold.head[s] == input[-1] and gold.complete(s, configuration):
                    return LEFT
                if len(stack) > 1 and gold.head[s] == stack[-2] and gold.complete(s, configuration):
                    return RIGHT
                if self.swap and input and inverted(gold, s, input[-1]):
                    return SWAP
            if input and input[-1]:
                return SHIFT
            return LEFT if input and (gold.head[s] == 0 or len(stack) == 1) else RIGHT

        return choose

    def costs(self, configuration: Configuration, gold: Gold) -> list[int]:
        """Return the gold arcs that each transition puts out of reach, -1 where it is not permitted."""
        costs = [NOT_PERMITTED] * len(self.rules)
        permitted = self.permitted(configuration)
        forced = SWAP in permitted and inverted(gold, configuration.stack[-1], configuration.input[-1])
        for transition in permitted:
            if forced or transition == SWAP:
                costs[transition] = int(forced != (transition == SWAP))
            else:
                cost = (self._shift, self._left, self._right)[transition]
                costs[transition] = cost(configuration, gold)
        return costs

    def _shift(self, configuration: Configuration, gold: Gold) -> int:
        n = configuration.input[-1]
        if self._will_move(configuration, gold, n):
            return 0
        stack = set(configuration.stack[:-1])
        lost = gold.head[n] in stack
        stack.add(configuration.stack[-1] if configuration.stack else n)
        return lost + sum(word in stack for word in gold.dependents[n])

    def _left(self, configuration: Configuration, gold: Gold) -> int:
        return self._detach(configuration, gold, configuration.input[-1])

    def _right(self, configuration: Configuration, gold: Gold) -> int:
        return self._detach(configuration, gold, configuration.stack[-2])

    def _detach(self, configuration: Configuration, gold: Gold, head: int) -> int:
        """Return what is lost when the top leaves the stack with this head."""
        s = configuration.stack[-1]
        if self._will_move(configuration, gold, s):
            open_arcs = sum(configuration.head[word] < 0 for word in gold.dependents[s])
            return (gold.head[s] != head) + open_arcs
        waiting = set(configuration.input)
        dependents = sum(word in waiting for word in gold.dependents[s])
        waiting.update(configuration.stack[-2:-1])
        return (gold.head[s] != head and gold.head[s] in waiting) + dependents

    def _will_move(self, configuration: Configuration, gold: Gold, word: int) -> bool:
        """Return whether a swap will take the word behind another one, so that no arc of it is lost yet."""
        return self.swap and any(
            other > word and gold.order[other] < gold.order[word] for other in configuration.input
        )


def inverted(gold: Gold, s: int, n: int) -> bool:
    """Return whether s comes before n in the sentence, and after it in the projective order."""
    return 0 < s < n and gold.order[s] > gold.order[n]
