"""What the schemes bring back, and what the open points of the paper are worth (docs/lifting.md).

python bench/lifting_choices.py [TREEBANK ...]     prints Markdown; all treebanks if none is named
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from common import TREEBANKS, treebank_files
from numpy.typing import NDArray

from arclift.treebank import Reader, StringTable
from arclift.trees.labels import Scheme
from arclift.trees.lifting import lift_all
from arclift.trees.lowering import Lowering, target
from arclift.trees.recovery import Recovery


class Treebank(NamedTuple):
    """All parts of a treebank in one batch."""

    heads: NDArray[np.int32]
    labels: NDArray[np.int32]
    offsets: NDArray[np.int64]
    names: list[str]


def read(name: str) -> Treebank:
    strings = StringTable()
    blocks = [block for path in treebank_files(name) for block in Reader(path, trees=True).blocks()]
    labels = [block.ids("deprel", strings) for block in blocks]
    lengths = np.concatenate([np.diff(block.offsets) for block in blocks])
    return Treebank(
        np.concatenate([block.heads for block in blocks]),
        np.concatenate(labels),
        np.append(0, np.cumsum(lengths)),
        [strings[id].decode() for id in range(len(strings))],
    )


# --- variants of lowering --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sentence:
    """A sentence with lifted arcs; all lists begin with the artificial root."""

    heads: list[int]
    lifted: list[int]
    labels: list[int]
    path: list[int]

    @property
    def roots(self) -> int:
        """How many words hang on the artificial root."""
        return self.heads[1:].count(0)

    @property
    def words(self) -> list[int]:
        """The words that were lifted."""
        return [d for d in range(1, len(self.heads)) if self.heads[d] != self.lifted[d]]


def lifted_sentences(treebank: Treebank) -> list[Sentence]:
    heads, labels, offsets, _ = treebank
    lifted, lifts, path = lift_all(heads, offsets)
    found = []
    for begin, end in zip(offsets.tolist(), offsets[1:].tolist(), strict=False):
        if lifts[begin:end].any():
            columns = (column[begin:end].tolist() for column in (heads, lifted, labels, path))
            found.append(
                Sentence(*([first, *column] for first, column in zip((0, 0, -1, 0), columns, strict=True)))
            )
    return found


Order = Callable[[Lowering], list[int]]


def depth_first(tree: Lowering) -> list[int]:
    order, stack = [], [0]
    while stack:
        node = stack.pop()
        order.append(node)
        stack += [word for word in tree.top_down[::-1] if tree.head[word] == node and word]
    return order[1:]


def depth(tree: Lowering, word: int) -> int:
    steps = 0
    while word:
        word = tree.head[word]
        steps += 1
    return steps


def length(tree: Lowering, word: int) -> int:
    return abs(word - tree.head[word])


ORDERS: dict[str, Order] = {
    "top-down, left to right": lambda tree: tree.top_down[1:],
    "top-down, longest first": lambda tree: sorted(
        tree.top_down[1:], key=lambda d: (depth(tree, d), -length(tree, d), d)
    ),
    "depth-first": depth_first,
    "bottom-up, right to left": lambda tree: tree.top_down[:0:-1],
    "left to right": lambda tree: sorted(tree.top_down[1:]),
    "right to left": lambda tree: sorted(tree.top_down[1:], reverse=True),
    "shortest first": lambda tree: sorted(tree.top_down[1:], key=lambda d: (length(tree, d), d)),
    "longest first": lambda tree: sorted(tree.top_down[1:], key=lambda d: (-length(tree, d), d)),
}


@dataclass(frozen=True)
class Choice:
    """One way to lower; by default the package's own."""

    order: str = "top-down, left to right"
    dependents: str = "nearest, roots from the left"
    apart_first: bool = True
    lowest: bool = True


class Variant(Lowering):
    """A tree that is lowered as a choice says."""

    def __init__(self, head: list[int], choice: Choice) -> None:
        super().__init__(head)
        self.choice = choice

    def dependents(self, node: int, d: int) -> list[int]:
        """Return the dependents in the order of choice."""
        if self.choice.dependents == "left to right":
            return super().dependents(0, d) if node == 0 else sorted(super().dependents(node, d))
        if self.choice.dependents == "nearest":
            return sorted(super().dependents(node, d), key=lambda word: abs(word - d))
        return super().dependents(node, d)

    def apart(self, word: int, d: int) -> bool:
        """Return True where it is not to matter."""
        return super().apart(word, d) if self.choice.apart_first else True

    def below(self, node: int, d: int, follow: Callable[[int], bool]) -> Iterator[int]:
        """Yield nothing where the first word found is to be the last."""
        return super().below(node, d, follow) if self.choice.lowest else iter(())


def recovered(sentences: list[Sentence], scheme: Scheme, choice: Choice) -> float:
    good = total = 0
    for sentence in sentences:
        tree = Variant(sentence.lifted.copy(), choice)
        words = set(sentence.words)
        for d in ORDERS[choice.order](tree):
            if d in words:
                want = sentence.labels[sentence.heads[d]]
                head = target(tree, d, sentence.labels, want, sentence.path, scheme.value)
                if head is not None:
                    tree.move(d, head)
        good += sum(tree.head[d] == sentence.heads[d] for d in words)
        total += len(words)
    return 100 * good / total


# --- variants of exact -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Exact:
    """What the labels say beside an ordinal: the label of the head or not, and which words are marked."""

    head_label: bool = False
    marks: str = "syntactic heads"


def labels_needed(treebank: Treebank, sentences: list[Sentence], exact: Exact) -> int:
    needed = set()
    for sentence in sentences:
        tree = Lowering(sentence.lifted.copy())
        marked = {
            "none": set(),
            "path": {word for word in range(1, len(tree.head)) if sentence.path[word]},
            "syntactic heads": {sentence.heads[d] for d in sentence.words},
        }[exact.marks]
        fits = [int(exact.marks == "none" or word in marked) for word in range(len(tree.head))]
        lifted = set(sentence.words)
        needed |= {(sentence.labels[word], "marked") for word in marked - lifted}
        for d in tree.top_down[1:]:
            if d in lifted:
                head = sentence.heads[d]
                h = sentence.labels[head] if exact.head_label else -1
                found = [w for w in tree.marked(d, fits) if h < 0 or sentence.labels[w] == h]
                needed.add((sentence.labels[d], h, found.index(head), d in marked))
                tree.move(d, head)
    return len(treebank.names) + len(needed)


# --- tables ----------------------------------------------------------------------------------------------


def row(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def head_row(*cells: str) -> None:
    print()
    row(*cells)
    row("---", *["--:"] * (len(cells) - 1))


def scheme_table(treebanks: dict[str, Treebank]) -> None:
    schemes = [scheme for scheme in Scheme if scheme is not Scheme.BASELINE]
    head_row("treebank", "labels", "lifted", *(f"{scheme} % (labels)" for scheme in schemes))
    sums = np.zeros((len(schemes), 2))
    for name, treebank in treebanks.items():
        results = [Recovery(scheme) for scheme in schemes]
        for recovery in results:
            recovery.add(*treebank)
        cells = [f"{recovery.percent:.2f} ({len(recovery.labels)})" for recovery in results]
        row(name, len(treebank.names), results[0].lifted.sum(), *cells)
        sums += [(recovery.percent, len(recovery.labels)) for recovery in results]
    count = len(treebanks)
    row("mean (sum)", "", "", *(f"{percent / count:.2f} ({labels:.0f})" for percent, labels in sums))


def choice_tables(treebanks: dict[str, Treebank]) -> None:
    sentences = {name: lifted_sentences(treebank) for name, treebank in treebanks.items()}
    connected = [sentence for sentence in sentences.get("da_ddt", []) if sentence.roots == 1]
    schemes = [Scheme.HEAD, Scheme.HEAD_PATH, Scheme.PATH]

    def line(title: str, choice: Choice) -> None:
        cells = []
        for scheme in schemes:
            shares = {name: recovered(trees, scheme, choice) for name, trees in sentences.items()}
            one_root = recovered(connected, scheme, choice) if connected else 0.0
            cells += [
                f"{shares.get('da_ddt', 0):.2f}",
                f"{one_root:.2f}",
                f"{np.mean(list(shares.values())):.2f}",
            ]
        row(title, *cells)

    columns = [f"{scheme}: {what}" for scheme in schemes for what in ("DDT", "one root", "mean")]
    literal = Choice(dependents="left to right", apart_first=False, lowest=False)
    head_row("search", *columns)
    line("left to right, first `h↓`", literal)
    line("+ the lowest `h↓`", replace(literal, lowest=True))
    line("+ what is apart first", replace(literal, lowest=True, apart_first=True))
    line("+ nearest first", Choice(dependents="nearest"))
    line("+ roots from left to right (ours)", Choice())
    line("ours without what is apart first", Choice(apart_first=False))
    head_row("order of the lifted arcs", *columns)
    for order in ORDERS:
        line(order, Choice(order=order))

    head_row("exact: marks", "h in the label", "labels, DDT", "labels, all")
    for marks in ("none", "path", "syntactic heads"):
        for head_label in (True, False):
            exact = Exact(head_label, marks)
            counts = {name: labels_needed(treebanks[name], trees, exact) for name, trees in sentences.items()}
            row(marks, "yes" if head_label else "no", counts.get("da_ddt", ""), sum(counts.values()))


def main() -> None:
    names = sys.argv[1:] or sorted(path.name for path in TREEBANKS.iterdir() if path.is_dir())
    treebanks = {name: read(name) for name in names}
    scheme_table(treebanks)
    choice_tables(treebanks)


if __name__ == "__main__":
    main()
