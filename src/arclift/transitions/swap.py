"""Arc-standard with swap, for all trees (Nivre 2009; lazy oracle: Nivre, Kuhlmann & Hall 2009).

Bound: a swap turns two neighbours of the sequence "stack, then input" from the order of the sentence into the
reverse one, which nothing undoes: at most n(n-1)/2 swaps, each of which gives back a word to be shifted
again. With the 2n transitions of arc-standard that makes n² + n; for treebanks, hardly more than 2n.

Static oracles. *Eager*: a gold arc to a complete dependent, else swap if the topmost nodes are not in the
projective order (``Gold.order``), else shift. *Lazy* swaps only if the top and the next word are not in the
same maximal projective component, or there is no next word; these components are the trees that arc-standard
has built when it can add no arc any more (``Gold.component``). Both rebuild every tree.

Dynamic oracle: *static-dynamic*, as that of arc-hybrid with swap (de Lhoneux, Stymne & Nivre 2017). Where the
static oracle would swap, swap costs 0 and all else 1. Elsewhere swap costs 1, and

- left: the head of s2, if it is not s1 and not gone; the dependents of s2 that are headless;
- right: the head of s1, if it is not s2 and not gone; the dependents of s1 that are headless;
- shift: 1 if there is a gold arc between s1 and s2 whose dependent is complete; but 0 under *eager* if s1
  gets dependents from the input, after which the arc can still be added. (Under *lazy* it may be out of reach
  by then: the components rely on arcs that are added as soon as can be.)

Following costs of 0 always leads to the gold tree. Costs are to be read as what is lost if words are swapped
where the static oracle swaps, and only there: with swaps at will hardly anything is ever out of reach. For
trees of up to four words under *eager*, in the configurations from which the whole tree can still be built,
left and right are free exactly where it can be built afterwards, too; shift is too strict in 18 and too
generous in 4 of 6,604 cases. Elsewhere costs are estimates: in arc-standard an arc can be lost by the loss of
others, which no sum over single arcs can tell (Goldberg, Sartorio & Satta 2014). Time: O(n).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from arclift.errors import UsageError
from arclift.transitions.arc_standard import ArcStandard, link
from arclift.transitions.configuration import Configuration
from arclift.transitions.gold import Gold
from arclift.transitions.system import NOT_PERMITTED, Oracle, Root, Sizes, System

SHIFT, LEFT, RIGHT, SWAP = range(4)


@dataclass(frozen=True, kw_only=True)
class Swap(System):
    """Arc-standard that may change the order of words."""

    name: ClassVar[str] = "swap"
    dynamic: ClassVar[bool] = True
    root: ClassVar[Root] = "first"
    order: Literal["eager", "lazy"] = "lazy"

    def __post_init__(self) -> None:
        if self.order not in ("eager", "lazy"):
            raise UsageError(f"the oracle of swap is 'eager' or 'lazy', not {self.order!r}")

    def texts(self) -> tuple[str, ...]:
        """Return the rules."""
        return (
            *ArcStandard().texts(),
            "swap: s1 s2 | | -> s1 | s2 | ; ; s2 before s1, s2 is not root",
        )

    def bound(self, words: int) -> int:
        """Return n² + n."""
        return words * words + words

    @property
    def final(self) -> Sizes:
        """Return when it ends: only the root is left."""
        return 1, 0, -1

    def covers(self, heads: list[int]) -> bool:
        """Return True: every tree can be sorted into its projective order."""
        return True

    def oracle(self, gold: Gold) -> Oracle:
        """Return the eager or the lazy static oracle."""

        def choose(configuration: Configuration) -> int:
            transition = link(configuration, gold)
            if transition is not None:
                return transition
            return SWAP if self._misplaced(configuration, gold) else SHIFT

        return choose

    def costs(self, configuration: Configuration, gold: Gold) -> list[int]:
        """Return what each transition costs, -1 where it is not permitted."""
        costs = [NOT_PERMITTED] * len(self.rules)
        forced = self._misplaced(configuration, gold)
        for transition in self.permitted(configuration):
            if forced or transition == SWAP:
                costs[transition] = int(forced != (transition == SWAP))
            elif transition == SHIFT:
                costs[transition] = int(self._misses_link(configuration, gold))
            else:
                below, top = configuration.stack[-2:]
                detached, head = (below, top) if transition == LEFT else (top, below)
                costs[transition] = _detach(configuration, gold, detached, head)
        return costs

    def _misplaced(self, configuration: Configuration, gold: Gold) -> bool:
        """Return whether the topmost nodes are to be swapped, now that they cannot be linked."""
        if len(configuration.stack) < 2:
            return False
        below, top = configuration.stack[-2:]
        if not 0 < below < top or gold.order[below] < gold.order[top]:
            return False
        if self.order == "eager" or not configuration.input:
            return True
        return gold.component[top] != gold.component[configuration.input[-1]]

    def _misses_link(self, configuration: Configuration, gold: Gold) -> bool:
        """Return whether a shift makes the gold arc between the topmost nodes impossible."""
        if link(configuration, gold) is None:
            return False
        waiting = set(configuration.input if self.order == "eager" else ())
        return not any(word in waiting for word in gold.dependents[configuration.stack[-1]])


def _detach(configuration: Configuration, gold: Gold, word: int, head: int) -> int:
    """Return what is lost when the word leaves the stack with this head."""
    right = gold.head[word]
    elsewhere = right != head and (right in configuration.stack or right in configuration.input)
    return elsewhere + sum(configuration.head[each] < 0 for each in gold.dependents[word])
