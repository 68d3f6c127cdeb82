"""Learners on real decisions: how well they predict the actions of an oracle, and how fast.

Decisions are those of the static arc-standard oracle on the projective trees of a treebank, each described by
60 columns. What is printed is written to results/learners.json.

usage: python bench/learners_speed.py [treebank] [--epochs N] [--only NAME]
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from common import cpu_seconds, save, treebank_files
from numpy.typing import NDArray

from arclift.learners import Learner, Mlp, Perceptron, Sets
from arclift.treebank import StringTable, read_all
from arclift.trees.lifting import projectivize

NODES = ["s0", "s1", "s2", "s3", "b0", "b1", "b2", "b3"]
NODES += [f"{side}{k} of {node}" for node in ("s0", "s1") for side in "lr" for k in (1, 2)]
NODES += ["l1 of l1 of s0", "r1 of r1 of s0", "l1 of l1 of s1", "r1 of r1 of s1"]
INNER = range(8, 20)  # nodes that have a label already
MORPHOLOGY = range(8)
WORDS, TAGS, LABELS, FEATURES = range(4)  # the groups of columns
GROUPS = [WORDS] * 20 + [TAGS] * 20 + [LABELS] * 12 + [FEATURES] * 8
DIMS = [48, 16, 16, 32]
NOBODY = -1


class Data:
    """Rows, the class of each, and the classes permitted with it."""

    def __init__(self, rows: NDArray[np.int32], right: Sets, permitted: Sets) -> None:
        self.rows, self.right, self.permitted = rows, right, permitted

    def accuracy(self, scores: NDArray[np.float32]) -> float:
        """Return the share of right choices."""
        return float((self.choices(scores) == self.right.ids).mean())

    def choices(self, scores: NDArray[np.float32]) -> NDArray[np.int64]:
        """Return the best permitted class of each row."""
        return np.where(self.permitted[:] != 0, scores, -np.inf).argmax(axis=1)


def oracle(heads: list[int]) -> list[tuple[list[int], str, int]]:
    """Return the arc-standard steps of a projective tree: nodes looked at, transition, its dependent."""
    head, n = [0, *heads], len(heads)
    left: list[list[int]] = [[] for _ in range(n + 1)]
    right: list[list[int]] = [[] for _ in range(n + 1)]
    missing = [head.count(node) - (node == 0) for node in range(n + 1)]
    stack, front, steps = [0], 1, []

    def child(node: int, lists: list[list[int]], k: int) -> int:
        return lists[node][-k] if node >= 0 and len(lists[node]) >= k else NOBODY

    def look() -> list[int]:
        nodes = [stack[-k] if len(stack) >= k else NOBODY for k in range(1, 5)]
        nodes += [front + k if front + k <= n else NOBODY for k in range(4)]
        for node in nodes[:2]:
            nodes += [child(node, lists, k) for lists in (left, right) for k in (1, 2)]
        for node in nodes[:2]:
            nodes += [child(child(node, lists, 1), lists, 1) for lists in (left, right)]
        return nodes

    while front <= n or len(stack) > 1:
        nodes = look()
        top, below = stack[-1], stack[-2] if len(stack) > 1 else NOBODY
        if below > 0 and head[below] == top and not missing[below]:
            steps.append((nodes, "left", below))
            stack[-2:] = [top]
            left[top].append(below)
            missing[top] -= 1
        elif below >= 0 and head[top] == below and not missing[top]:
            steps.append((nodes, "right", top))
            stack.pop()
            right[below].append(top)
            missing[below] -= 1
        else:
            steps.append((nodes, "shift", 0))
            stack.append(front)
            front += 1
    return steps


def read(treebank: str, part: str) -> tuple[dict[str, list[bytes]], list[list[int]], NDArray[np.int64]]:
    """Return the columns, the projectivized heads of each sentence, and where each begins."""
    columns: dict[str, list[bytes]] = {name: [] for name in ("form", "upos", "feats", "deprel")}
    trees: list[list[int]] = []
    starts: list[int] = []
    for block in read_all(treebank_files(treebank, parts=(part,))[0]).blocks:
        lifted = projectivize(block.heads, block.offsets)[0]
        base = len(columns["form"])
        for name, cells in columns.items():
            table = StringTable()
            cells += [table[int(i)] for i in block.ids(name, table)]
        for a, b in zip(block.offsets[:-1].tolist(), block.offsets[1:].tolist(), strict=True):
            trees.append(lifted[a:b].tolist())
            starts.append(base + a)
    return columns, trees, np.array(starts, dtype=np.int64)


class Coder:
    """Vocabularies of the training part: ids in order of first sight, words seen once are unknown."""

    def __init__(self, columns: dict[str, list[bytes]]) -> None:
        self.ids: dict[str, dict[bytes, int]] = {}
        for name, cells in columns.items():
            counts: dict[bytes, int] = {}
            for cell in cells:
                counts[cell] = counts.get(cell, 0) + 1
            kept = [cell for cell, count in counts.items() if count > (name == "form")]
            self.ids[name] = {cell: 3 + i for i, cell in enumerate(kept)}
        self.labels = {label: i for i, label in enumerate(self.ids["deprel"])}
        self.classes = 1 + 2 * len(self.labels)
        sizes = {name: 3 + len(ids) for name, ids in self.ids.items()}
        names = ["form"] * 20 + ["upos"] * 20 + ["deprel"] * 12 + ["feats"] * 8
        self.sizes = [sizes[name] for name in names]

    def data(
        self, columns: dict[str, list[bytes]], trees: list[list[int]], starts: NDArray[np.int64]
    ) -> Data:
        """Return the oracle's decisions on these trees."""
        coded = {
            name: np.array([0, 1] + [self.ids[name].get(cell, 2) for cell in cells], dtype=np.int32)
            for name, cells in columns.items()
        }
        nodes, classes = [], []
        for heads, start in zip(trees, starts.tolist(), strict=True):
            for looked, transition, dependent in oracle(heads):
                # rows 0 and 1 of the coded columns are nobody and the root
                nodes.append([start + node + 1 if node > 0 else node + 1 for node in looked])
                label = self.labels.get(columns["deprel"][start + dependent - 1], 0)
                classes.append(0 if transition == "shift" else 1 + 2 * label + (transition == "right"))
        places = np.array(nodes, dtype=np.int64)
        rows = np.concatenate(
            [
                coded["form"][places],
                coded["upos"][places],
                coded["deprel"][places[:, INNER]],
                coded["feats"][places[:, MORPHOLOGY]],
            ],
            axis=1,
        )
        return Data(
            rows, Sets.singletons(self.classes, np.array(classes, dtype=np.int32)), self.permitted(places)
        )

    def permitted(self, places: NDArray[np.int64]) -> Sets:
        """Return what arc-standard permits, which depends on three facts only."""
        table = np.zeros((8, self.classes), dtype=np.uint8)
        for k in range(8):
            table[k, 0] = k & 1  # there is input: shift
            table[k, 1::2] = k >> 1 & 1  # the second on the stack is a word: it may be a dependent
            table[k, 2::2] = k >> 2 & 1  # there is a second on the stack: it may be a head
        kinds = (places[:, 4] > 0) + 2 * (places[:, 1] > 1) + 4 * (places[:, 1] > 0)
        return Sets(table, kinds.astype(np.int32))


# --- measuring -------------------------------------------------------------------------------------------

UNIT = [(a, b) for a in (0, 1, 4, 5) for b in (0, 1, 4, 5) if a < b]  # pairs of nodes
CONJUNCTIONS = [[a, 20 + a] for a in (0, 1, 4, 5)]
CONJUNCTIONS += [[20 + a, 20 + b] for a, b in UNIT] + [[a, b] for a, b in UNIT[:3]]
CONJUNCTIONS += [[a, 20 + b] for a, b in UNIT] + [[20 + a, b] for a, b in UNIT]
CONJUNCTIONS += [[20, 21, 20 + other] for other in (*range(2, 20),)]
CONJUNCTIONS += [[20, 21, 40 + label] for label in range(12)] + [[0, 21, 24], [20, 1, 24], [20, 24, 25]]

PEAK = """
#include <cstdio>
#include <ctime>
typedef float V __attribute__((vector_size(64)));
int main() {
    V a[12] = {}, x = a[0] + 1.0001f, y = a[0] + 0.5f;
    const long rounds = 100000000;
    std::clock_t start = std::clock();
    for (long i = 0; i < rounds; ++i)
        for (int k = 0; k < 12; ++k) { a[k] = a[k] * x + y; __asm__("" : "+v"(a[k])); }
    double seconds = double(std::clock() - start) / CLOCKS_PER_SEC, sum = 0;
    for (int k = 0; k < 12; ++k) sum += a[k][0];
    std::printf("%f %f", rounds * 12.0 * 32 / seconds / 1e9, sum);
}
"""


def peak() -> float:
    """Return the multiply-adds this machine can do, in GFLOP/s, by a loop that does nothing else (g++)."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "peak.cpp")
        source.write_text(PEAK)
        subprocess.run(["g++", "-O3", "-march=native", source, "-o", source.with_suffix("")], check=True)
        return float(
            subprocess.run([source.with_suffix("")], capture_output=True, check=True).stdout.split()[0]
        )


def arithmetic(learner: Mlp, train: Data) -> tuple[float, float]:
    """Return the floating-point operations of one training row: row by row, and with equal pairs shared."""
    hidden, (dims, groups) = learner.hidden[0], (learner.dims, learner.groups)
    layers = 6 * hidden * learner.classes
    plain = sum(6 * dims[g] * hidden for g in groups) + layers
    order = np.random.default_rng(0).permutation(len(train.rows))[: learner.batch]
    shared = sum(
        6 * dims[g] * hidden * len(np.unique(train.rows[order, c])) / learner.batch + 2 * hidden
        for c, g in enumerate(groups)
    )
    return plain, shared + layers


def measured(
    name: str, learner: Learner, train: Data, dev: Data, sizes: list[int], epochs: int
) -> dict[str, Any]:
    """Train, and return the accuracies and times of one learner."""
    learner.begin(sizes, train.right.shape[1], 1)
    start = time.process_time()
    losses = learner.fit(train.rows, train.right, train.permitted, epochs=epochs, planned=epochs)
    seconds = time.process_time() - start
    start = time.process_time()
    finished = learner.finish()
    result: dict[str, Any] = {"name": name, "epochs": epochs, "seconds an epoch": round(seconds / epochs, 2)}
    result["seconds to finish"] = round(time.process_time() - start, 2)
    result["last loss"] = round(losses[-1], 4)
    trained, final = learner.scores(dev.rows), finished.scores(dev.rows)
    result["accuracy"] = round(100 * dev.accuracy(final), 2)
    if isinstance(learner, Mlp):
        same = (dev.choices(trained) == dev.choices(final)).mean()
        result["accuracy of the floats"] = round(100 * dev.accuracy(trained), 2)
        result["same choice"] = round(100 * float(same), 3)
        plain, shared = arithmetic(learner, train)
        rows = len(train.rows) * epochs / seconds / 1e9
        result["GFLOP/s as if row by row"] = round(plain * rows, 1)
        result["GFLOP/s done"] = round(shared * rows, 1)
    arrays, settings = finished.arrays(), finished.settings()
    result["megabytes"] = round(sum(array.nbytes for array in arrays.values()) / 1e6, 2)
    load_seconds = cpu_seconds(lambda: type(learner).from_arrays(settings, arrays))
    result["milliseconds to load"] = round(1000 * load_seconds, 1)
    result["ns a row"] = round(1e9 * cpu_seconds(lambda: finished.scores(dev.rows)) / len(dev.rows))
    return result


def parse_time() -> dict[str, int]:
    """Return nanoseconds a row at 40 columns and 80 classes, for several hidden layers."""
    rng = np.random.default_rng(0)
    rows = (3 + rng.zipf(1.5, size=(20000, 40)) % 997).astype(np.int32)
    sets = Sets.singletons(80, rng.integers(0, 80, 20000).astype(np.int32))
    result = {}
    for hidden in (128, 200, 256):
        learner = Mlp(dims=[32], hidden=[hidden]).begin([1000] * 40, 80, 1)
        learner.fit(rows, sets, np.ones((20000, 80), dtype=np.uint8))
        finished = learner.finish()
        seconds = cpu_seconds(lambda scorer=finished: scorer.scores(rows), 15)
        result[f"{hidden} hidden"] = round(1e9 * seconds / len(rows))
    return result


def learners() -> dict[str, Learner]:
    """Return what is compared."""
    shape: dict[str, Any] = {"groups": GROUPS, "dims": DIMS, "word_groups": [WORDS]}
    return {
        "perceptron, columns only": Perceptron(),
        "perceptron, conjunctions": Perceptron(conjunctions=CONJUNCTIONS, bits=19),
        "mlp 128": Mlp(**shape, hidden=[128]),
        "mlp 200": Mlp(**shape, hidden=[200]),
        "mlp 256": Mlp(**shape, hidden=[256]),
        "mlp 512": Mlp(**shape, hidden=[512]),
        "mlp 256, 64": Mlp(**shape, hidden=[256, 64]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("treebank", nargs="?", default="en_ewt")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    parts = [read(options.treebank, part) for part in ("train", "dev")]
    coder = Coder(parts[0][0])
    train, dev = (coder.data(*part) for part in parts)
    results = [
        measured(name, learner, train, dev, coder.sizes, options.epochs)
        for name, learner in learners().items()
        if options.only in name
    ]
    facts: dict[str, Any] = {
        "rows": len(train.rows),
        "dev rows": len(dev.rows),
        "columns": train.rows.shape[1],
    }
    facts |= {"classes": coder.classes, "peak GFLOP/s": round(peak(), 1)}
    facts["ns a row at 40 columns, 80 classes"] = parse_time()
    save("learners", {"treebank": options.treebank, **facts, "learners": results})


if __name__ == "__main__":
    main()
