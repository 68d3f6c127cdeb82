"""Random configurations with nothing behind them but lists, for the tests of features."""

from dataclasses import dataclass, field

from hypothesis import strategies as st


@dataclass
class Lists:
    """The least that is a `Configuration`: any lists, heads and labels, reached by no transition system."""

    stack: list[int]
    input: list[int]
    second: list[int]
    head: list[int]
    label: list[int]
    history: list[int] = field(default_factory=list)

    def left_children(self, node: int) -> list[int]:
        return [word for word in range(len(self.head)) if word < node and self.head[word] == node]

    def right_children(self, node: int) -> list[int]:
        return [word for word in reversed(range(len(self.head))) if word > node and self.head[word] == node]


@st.composite
def configurations(draw: st.DrawFn, longest: int = 7) -> Lists:
    """Draw a forest over 0..n, and its nodes in any order in the three lists (or in none of them)."""
    n = draw(st.integers(0, longest))
    order = draw(st.permutations(range(1, n + 1)))
    head = [-1] * (n + 1)
    for place, word in enumerate(order):  # a head is 0 or a word before in a random order: never a cycle
        head[word] = draw(st.sampled_from([-1, 0, *order[:place]]))
    label = [-1 if up == -1 else draw(st.integers(-1, 3)) for up in head]
    first = draw(st.integers(1, n + 1))  # the lookahead: the others are anywhere
    others = draw(st.permutations(range(first)))
    a, b, c = sorted(draw(st.tuples(*[st.integers(0, first)] * 3)))
    given_back = list(others[a:b])
    behind = [0] if 0 in given_back and draw(st.booleans()) else []  # a root that stood last from the start
    waiting = behind + list(range(n, first - 1, -1)) + [node for node in given_back if node not in behind]
    history = draw(st.lists(st.integers(0, 5), max_size=4))
    return Lists(list(others[:a]), waiting, list(others[b:c]), head, label, history)
