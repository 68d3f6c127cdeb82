"""How accurate ``fast`` is: on every treebank with full training data, beside UDPipe 1 and MaltParser.

python bench/fast_accuracy.py [SEEDS]    trains what is missing (seeds 1 to SEEDS, 3 if not said), saving each
                                         result, and writes the table to docs/tables/fast.md

Trained on train, chosen by dev, scored on test. Gold tokens and tags; all words count, labels are compared
without subtypes; NP is the F1 of non-projective arcs, unlabelled. UDPipe's figures come from udpipe_peer.py,
MaltParser's (the best of its lines) from results/maltparser.json.
"""

from __future__ import annotations

import json
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core, the same sums each time

import statistics
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from common import RESULTS, ROOT, save, treebank_files
from udpipe_peer import CROSSING, FULL, scores

from arclift.parsing import preset_config, train_on
from arclift.treebank import Block, Reader

FILE = "fast_accuracy"
TABLE = ROOT / "docs" / "tables" / "fast.md"


def blocks(bank: str, part: str) -> list[Block]:
    return list(Reader(treebank_files(bank, parts=(part,))[0], trees=True).blocks())


def measure(bank: str, seed: int) -> dict[str, Any]:
    """Train with one seed and score the test part."""
    dev, test = blocks(bank, "dev"), blocks(bank, "test")
    start = time.process_time()
    parser, report = train_on(
        blocks(bank, "train"), dev, preset_config("fast").set([f"training.seed={seed}"])
    )
    trained = time.process_time() - start
    gold = b"".join(block.data for block in test)
    with tempfile.NamedTemporaryFile() as file:
        parser.save(file.name)
        size = Path(file.name).stat().st_size
    return {
        **scores(gold, b"".join(parser.parse_blocks(test)), test[0].format.name),
        "dev_las": round(100 * report.best.las, 2),
        "epoch": report.best.number,
        "train_cpu_seconds": round(trained, 1),
        "model_bytes": size,
    }


def best_peer(bank: str, udpipe: dict[str, Any], malt: dict[str, Any], place: int) -> float:
    """Return the best figure of the peers on a treebank: 0 LAS, 1 UAS, 2 NP."""
    key = ("las", "uas", "np")[place]
    return max([line[place] for line in malt[bank]] + [run[key] for run in udpipe.get(bank, {}).values()])


def table(results: dict[str, Any]) -> str:
    """Return the comparison in Markdown: means over seeds, and how far these are apart."""
    udpipe, malt = load("udpipe"), load("maltparser")
    lines = [
        "| treebank | fast LAS (spread) | fast UAS | best peer LAS | MaltParser | UDPipe 1 | gain "
        "| fast NP | best peer NP | training, CPU s |",
        "| --- |" + " ---: |" * 9,
    ]
    gains, better, np_better = [], 0, 0
    for bank in FULL:
        runs = [results[bank][seed] for seed in sorted(results.get(bank, {}))]
        if not runs:
            continue
        mean = {key: statistics.mean(run[key] for run in runs) for key in runs[0]}
        spread = max(run["las"] for run in runs) - min(run["las"] for run in runs)
        peer, peer_np = (best_peer(bank, udpipe, malt, place) for place in (0, 2))
        gains.append(mean["las"] - peer)
        better += mean["las"] >= peer
        np_better += bank in CROSSING and mean["np"] > peer_np
        of_udpipe = max((run["las"] for run in udpipe.get(bank, {}).values()), default=None)
        cells = [
            f"{mean['las']:.2f} ({spread:.2f})",
            f"{mean['uas']:.2f}",
            f"{peer:.1f}",
            f"{max(line[0] for line in malt[bank]):.1f}",
            f"{of_udpipe:.1f}" if of_udpipe is not None else "–",
            f"{gains[-1]:+.2f}",
            f"{mean['np']:.1f}" + ("" if bank in CROSSING else " (few)"),
            f"{peer_np:.1f}",
            f"{mean['train_cpu_seconds']:.0f}",
        ]
        lines.append(f"| {bank} | " + " | ".join(cells) + " |")
    counts = [len(runs) for runs in results.values()]
    seeds = " to ".join(map(str, sorted({min(counts), max(counts)})))
    crossing = sum(bank in results for bank in CROSSING)
    lines += [
        "",
        f"Seeds: {seeds}; the spread is that between the best and the worst of them.",
        f"LAS at or above the best peer on {better} of {len(gains)} treebanks, "
        f"{statistics.mean(gains):+.2f} on average.",
        f"NP above both on {np_better} of {crossing} treebanks with more than 1 % of non-projective arcs.",
    ]
    return "\n".join(lines)


def load(name: str) -> dict[str, Any]:
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))["test"] if path.exists() else {}


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    results = load(FILE)
    todo = [
        (bank, seed)
        for seed in range(1, seeds + 1)
        for bank in reversed(FULL)  # the longest first, so that none is left over for one process at the end
        if str(seed) not in results.get(bank, {})
    ]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        runs = {pool.submit(measure, *each): each for each in todo}
        for run in as_completed(runs):
            bank, seed = runs[run]
            results.setdefault(bank, {})[str(seed)] = run.result()
            print(bank, seed, run.result(), flush=True)
            save(FILE, {"config": preset_config("fast").as_dict(), "test": results}, quiet=True)
    TABLE.write_text(
        f"# `fast` and its peers\n\n{' '.join(__doc__.split(chr(10) * 2)[2].split())}\n\n{table(results)}\n",
        encoding="utf-8",
    )
    print(table(results))


if __name__ == "__main__":
    main()
