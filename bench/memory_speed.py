"""Memory-based learning beside TiMBL: queries a second, and memory, on the instances of a real parser.

python bench/memory_speed.py     needs timbl (apt install timbl); writes results/memory_speed.json

The instances are those of Nivre & Nilsson's parser (preset nivre2005) on English EWT's training part, in the
order of the treebank; the last 20,000 are held out, and queries are the first of them. IB1, k = 5, modified
value difference, gain ratio, votes by inverse distance. Each program works in a process of its own. TiMBL's
queries cost what a run with many takes longer than a run with one, in CPU seconds: reading and learning do
not count. Memory is the peak of the whole process. Growth: queries a second with parts of the instances.
"""

from __future__ import annotations

import json
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from common import save, treebank_files

HELD_OUT, QUERIES, SLOW_QUERIES = 20_000, 10_000, 2_000
PARTS = (8, 4, 2, 1)
"""How often the instances that are learned go into all of them."""


def instances() -> tuple[Any, Any]:
    """Return the rows of the oracle's way through the treebank, and their classes."""
    from arclift.parsing import preset_config
    from arclift.parsing.data import gather
    from arclift.parsing.transition_training import TransitionTraining
    from arclift.treebank import Reader

    config = preset_config("nivre2005")
    blocks = Reader(treebank_files("en_ewt", parts=("train",))[0], trees=True).blocks()
    training = TransitionTraining(config, gather(blocks, config.lifting.scheme))
    return training.rows, training.right.ids


def ours(folder: Path, count: int, queries: int) -> None:
    """Learn from the first instances, answer, and print what it took; runs in a process of its own."""
    from arclift.learners import create

    rows, classes = np.load(folder / "rows.npy"), np.load(folder / "classes.npy")
    one_each = np.eye(int(classes.max()) + 1, dtype=np.uint8)
    learner = create("memory").begin((rows.max(axis=0) + 4).tolist(), len(one_each))
    for begin in range(0, count, 10_000):
        own = slice(begin, min(begin + 10_000, count))
        learner.update(rows[own], one_each[classes[own]], np.ones_like(one_each[classes[own]]))
    scorer = learner.finish().scorer
    del learner
    test = slice(len(rows) - HELD_OUT, len(rows) - HELD_OUT + queries)
    start = time.process_time()
    chosen, _, _ = scorer.answers(rows[test])
    seconds = time.process_time() - start
    right = float((chosen == classes[test]).mean())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"seconds": seconds, "right": right, "peak_bytes": peak, "answers": chosen.tolist()}))


def run_ours(folder: Path, count: int, queries: int) -> dict[str, Any]:
    command = [sys.executable, __file__, str(folder), str(count), str(queries)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {**found, "queries_per_second": round(queries / found["seconds"])}


def write_text(path: Path, rows: Any, classes: Any) -> None:
    lines = (
        " ".join(f"v{value}" for value in row) + f" c{label}\n"
        for row, label in zip(rows.tolist(), classes.tolist(), strict=True)
    )
    path.write_text("".join(lines), encoding="utf-8")


def run_timbl(folder: Path, queries: str) -> tuple[float, int]:
    """Return CPU seconds and peak memory."""
    options = ["-F", "Columns", "-a", "IB1", "-mM", "-w1", "-dID", "-k5", "-o", "out", "+v", "s"]
    process = subprocess.Popen(
        ["timbl", "-f", "train", "-t", queries, *options], cwd=folder, stdout=-3, stderr=-3
    )
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main() -> None:
    if shutil.which("timbl") is None:
        sys.exit("timbl is not installed: apt install timbl")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows, classes = instances()
        np.save(folder / "rows.npy", rows)
        np.save(folder / "classes.npy", classes)
        cut = len(rows) - HELD_OUT
        write_text(folder / "train", rows[:cut], classes[:cut])
        for file, size in (("one", 1), ("many", SLOW_QUERIES)):
            write_text(folder / file, rows[cut : cut + size], classes[cut : cut + size])
        growth = {cut // part: run_ours(folder, cut // part, QUERIES) for part in PARTS}
        whole = growth[cut]
        loading, _ = run_timbl(folder, "one")
        seconds, peak = run_timbl(folder, "many")
        theirs = (folder / "out").read_text(encoding="utf-8").splitlines()
        same = sum(
            line.split()[-1] == f"c{ours}" for line, ours in zip(theirs, whole["answers"], strict=False)
        )
    speed = (SLOW_QUERIES - 1) / (seconds - loading)
    save(
        "memory_speed",
        {
            "instances": cut,
            "features": rows.shape[1],
            "classes": int(classes.max()) + 1,
            "arclift": {
                "queries_per_second": whole["queries_per_second"],
                "peak_bytes": whole["peak_bytes"],
                "right": round(whole["right"], 4),
            },
            "timbl": {"queries_per_second": round(speed), "peak_bytes": peak},
            "times_timbl": round(whole["queries_per_second"] / speed, 1),
            "same_answers": f"{same} of {len(theirs)}",
            "queries_per_second_by_instances": {
                str(count): found["queries_per_second"] for count, found in growth.items()
            },
        },
    )


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        ours(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
