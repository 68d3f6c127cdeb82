"""The plain engine: a configuration ⟨S, I, T, A⟩, and how the op-codes of rules change it.

S, I and T are Python lists whose *last* element is the front, so that all that happens at a front costs O(1).
``stack[-1]`` is the top of the stack, ``input[-1]`` the next word. Node 0 is the artificial root, if the
system has one.
"""

from __future__ import annotations

from bisect import insort

from arclift.transitions.rules import Op, Row, Rule

NEED, LOAD, HEADLESS, HEADED, NOT_ROOT, BEFORE, NO_PATH, LAST_NOT = map(int, list(Op)[:8])
DROP, CLEAR, POUR, EXCHANGE, PUSH, ARC = map(int, list(Op)[8:])


class Configuration:
    """The state of parsing one sentence."""

    __slots__ = ("_above", "_dependents", "head", "history", "label", "lists")

    def __init__(self, words: int, stack: list[int], input: list[int]) -> None:
        self.lists: list[list[int]] = [stack, input, []]
        self.head = [-1] * (words + 1)
        """The head of each node, -1 for none."""
        self.label = [-1] * (words + 1)
        self.history: list[int] = []
        """The transitions taken, by number."""
        self._dependents: dict[int, list[int]] = {}
        self._above = list(range(words + 1))  # some node at or above each: union-find, see top()

    @property
    def stack(self) -> list[int]:
        """S, its top last."""
        return self.lists[0]

    @property
    def input(self) -> list[int]:
        """I, its front last."""
        return self.lists[1]

    @property
    def second(self) -> list[int]:
        """T, its front last."""
        return self.lists[2]

    def left_children(self, node: int) -> list[int]:
        """Return the dependents found so far that stand before ``node``, the outermost first."""
        return [word for word in self._dependents.get(node, ()) if word < node]

    def right_children(self, node: int) -> list[int]:
        """Return the dependents found so far that stand after ``node``, the outermost first."""
        return [word for word in reversed(self._dependents.get(node, ())) if word > node]

    def top(self, node: int) -> int:
        """Return the topmost node above ``node`` (or itself). Amortised O(log n), by path halving."""
        above = self._above
        while above[node] != node:
            above[node] = above[above[node]]
            node = above[node]
        return node

    def copy(self) -> Configuration:
        """Return an independent copy."""
        other = Configuration.__new__(Configuration)
        other.lists = [nodes.copy() for nodes in self.lists]
        other.head, other.label, other.history = self.head.copy(), self.label.copy(), self.history.copy()
        other._dependents = {node: words.copy() for node, words in self._dependents.items()}
        other._above = self._above.copy()
        return other

    def registers(self, rule: Rule) -> list[int] | None:
        """Return the nodes that the rule names, or None where it is not permitted."""
        lists = self.lists
        found: list[int] = []
        for op, a, b in rule.guard:
            if op == LOAD:
                found.append(lists[a][-1 - b])
            elif op == NEED:
                if len(lists[a]) < b:
                    return None
            elif not self._holds(op, found, a, b):
                return None
        return found

    def _holds(self, op: int, registers: list[int], a: int, b: int) -> bool:
        if op == LAST_NOT:
            return not self.history or self.history[-1] != a
        node = registers[a]
        if op == HEADLESS:
            return self.head[node] < 0
        if op == HEADED:
            return self.head[node] >= 0
        if op == NOT_ROOT:
            return node != 0
        if op == BEFORE:
            return node < registers[b]
        return self.top(registers[b]) != node  # NO_PATH

    def rewrite(self, rows: tuple[Row, ...], registers: list[int], label: int) -> None:
        """Run the effect of a rule whose guard found these registers."""
        lists = self.lists
        for op, a, b in rows:
            if op == PUSH:
                lists[a].append(registers[b])
            elif op == DROP:
                del lists[a][-b:]
            elif op == ARC:
                self._attach(registers[a], registers[b], label)
            elif op == CLEAR:
                lists[a] = []
            elif op == POUR:
                lists[b] += reversed(lists[a])
                lists[a] = []
            else:  # EXCHANGE
                lists[a], lists[b] = lists[b], lists[a]

    def _attach(self, head: int, dependent: int, label: int) -> None:
        self.head[dependent] = head
        self.label[dependent] = label
        self._above[dependent] = head
        insort(self._dependents.setdefault(head, []), dependent)
