"""Cost against sentence length: reading, testing, lifting and drawing one sentence of up to 100,000 words.

``exponent`` is the slope of log time over log length between 10,000 and 100,000 words: 1 is linear. The
second part lifts the worst trees we know of, of 10,000 words, in seconds.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import numpy as np
from common import ROOT, cpu_seconds, save

sys.path.insert(0, str(ROOT / "tests"))
from arclift.draw import draw_svg, draw_text
from arclift.treebank import Block
from arclift.treebank.formats import CONLLU
from arclift.trees.lifting import projectivize
from arclift.trees.projectivity import nonprojective
from strategies import backward_chain, caterpillar, chain, interleaved_chains, random_chain, random_tree, star

LENGTHS = (1_000, 10_000, 100_000)


def sentence(heads: np.ndarray) -> bytes:
    rows = (
        f"{i}\tword{i}\t_\tX\t_\t_\t{head}\tdep\t_\t_\n" for i, head in enumerate(heads.tolist(), start=1)
    )
    return "".join(rows).encode() + b"\n"


def actions(n: int) -> dict[str, Callable[[], object]]:
    rng = np.random.default_rng(n)
    heads = random_tree(n)
    near = np.maximum(np.arange(n) - rng.integers(0, 3, n), 0).astype(np.int32)  # like language: short arcs
    data, offsets = sentence(heads), np.array([0, n], dtype=np.int64)
    forms, labels = [f"word{i}" for i in range(n)], ["dep"] * n
    block = Block(data, CONLLU)
    return {
        "read": lambda: Block(data, CONLLU),
        "write": lambda: block.replaced(heads=near),
        "projectivity, random tree": lambda: nonprojective(heads, offsets),
        "projectivity, short arcs": lambda: nonprojective(near, offsets),
        "lift, short arcs": lambda: projectivize(near, offsets),
        "draw as text (first 500 words)": lambda: draw_text(forms, near.tolist(), labels),
        "draw as SVG (first words)": lambda: draw_svg(forms, near.tolist(), labels),
    }


def to_and_fro(n: int) -> np.ndarray:
    """One path from the left half to the right half and back: n²/8 lifts, the most we have found."""
    order = np.stack([np.arange(1, n // 2 + 1), np.arange(n // 2 + 1, n + 1)], axis=1).reshape(-1)
    heads = np.zeros(n + 1, dtype=np.int32)
    heads[order[1:]] = order[:-1]
    return heads[1:]


def worst(n: int) -> dict[str, float]:
    offsets = np.array([0, n], dtype=np.int64)
    makers = (chain, backward_chain, star, random_tree, random_chain, caterpillar, interleaved_chains)
    trees = {make.__name__.replace("_", " "): make(n) for make in makers}
    trees["chain to and fro between two halves"] = to_and_fro(n)
    return {
        name: round(cpu_seconds(lambda heads=heads: projectivize(heads, offsets), repeats=1), 4)
        for name, heads in trees.items()
    }


def main() -> None:
    times: dict[str, dict[int, float]] = {}
    for n in LENGTHS:
        for name, action in actions(n).items():
            times.setdefault(name, {})[n] = cpu_seconds(action)
    growth = {
        name: {
            **{f"{n} words": round(seconds[n], 6) for n in LENGTHS},
            "exponent": round(math.log10(seconds[100_000] / seconds[10_000]), 2),
        }
        for name, seconds in times.items()
    }
    save("linear", {"cpu_seconds": growth, "lifting 10,000 words, CPU seconds": worst(10_000)})


if __name__ == "__main__":
    main()
