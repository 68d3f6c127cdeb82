"""What the oracles of the transition systems rebuild of treebanks: the tables of docs/transitions.md.

python bench/transition_coverage.py [TREEBANK...]    of all treebanks if none is named

Prints Markdown and writes bench/results/transition_coverage.json. Shares are in per cent.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from typing import Any

import numpy as np
from common import TREEBANKS, save, treebank_files

from arclift.transitions.coverage import Coverage
from arclift.transitions.registry import compared, make, title
from arclift.treebank import Reader

FULL = title(make("attardi"))


def arrays(name: str) -> tuple[np.ndarray, np.ndarray]:
    heads, offsets = [np.zeros(0, np.int32)], [0]
    for path in treebank_files(name):
        for block in Reader(path, trees=True).blocks():
            offsets += (block.offsets[1:] + offsets[-1]).tolist()
            heads.append(block.heads)
    return np.concatenate(heads), np.array(offsets, dtype=np.int64)


def measure(name: str) -> dict[str, Any]:
    heads, offsets = arrays(name)
    found = {}
    for system in compared():
        coverage = Coverage(system)
        coverage.add(heads, np.zeros_like(heads), offsets, [""])
        found[title(system)] = coverage.as_dict()
    return found


def table(results: dict[str, dict[str, Any]], figure: str, digits: int) -> list[str]:
    """Return one figure of all systems, a row for each; columns are treebanks, in two halves if many."""
    lines = []
    names = list(results)
    half = len(names) // 2 if len(names) > 8 else len(names)
    for part in filter(None, (names[:half], names[half:])):
        lines += ["| system | " + " | ".join(part) + " |", "| --- |" + " --: |" * len(part)]
        for system in results[names[0]]:
            cells = [f"{results[name][system][figure]:.{digits}f}" for name in part]
            lines.append(f"| {system} | " + " | ".join(cells) + " |")
        lines.append("")
    return lines


def degrees(results: dict[str, dict[str, Any]]) -> list[str]:
    """Return how many arcs of each degree the oracle of the full 2006 system makes, and how many Extracts."""
    lines = [
        "| treebank | non-projective arcs | degree 2 | degree 3 | Extract | % | % | % |",
        "| --- |" + " --: |" * 7,
    ]
    sums: Counter[str] = Counter()
    for name, systems in results.items():
        row = systems[FULL]
        counts = {"arcs": row["nonprojective_arcs"], **by_degree(row["taken"])}
        sums.update(counts)
        lines.append(degree_line(name, counts))
    return [*lines, degree_line("all", sums)]


def by_degree(taken: dict[str, int]) -> dict[str, int]:
    return {
        "2": taken["right2"] + taken["left2"],
        "3": taken["right3"] + taken["left3"],
        "extract": taken["extract"],
    }


def degree_line(name: str, counts: dict[str, int]) -> str:
    kinds = [counts[kind] for kind in ("2", "3", "extract")]
    shares = [f"{100 * kind / max(sum(kinds), 1):.2f}" for kind in kinds]
    return f"| {name} | " + " | ".join([f"{counts['arcs']}", *map(str, kinds), *shares]) + " |"


def main() -> None:
    start = time.process_time()
    names = sys.argv[1:] or [path.name for path in sorted(TREEBANKS.iterdir()) if path.is_dir()]
    results = {name: measure(name) for name in names}
    save(
        "transition_coverage",
        {"cpu_seconds": round(time.process_time() - start), "treebanks": results},
        quiet=True,
    )
    for heading, figure, digits in (
        ("Words with the right head, %", "rebuilt_words_percent", 2),
        ("Sentences rebuilt, %", "rebuilt_sentences_percent", 2),
        ("Non-projective arcs rebuilt, %", "rebuilt_nonprojective_arcs_percent", 2),
        ("Transitions a word", "transitions_per_word", 3),
    ):
        print(f"\n### {heading}\n", *table(results, figure, digits), sep="\n")
    print("\n### Arcs by degree\n", *degrees(results), sep="\n")


if __name__ == "__main__":
    main()
