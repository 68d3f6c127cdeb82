"""Whether exploration helps arc-eager: LAS on dev with the static oracle, and with two shares of exploration.

python bench/exploration.py [SEEDS]    trains what is missing (seeds 1 to SEEDS, 2 if not said), saving each
                                       result, and writes the table into docs/transitions.md

The preset classic (arc-eager, head+path) with both learners; the epoch is chosen on dev too, so the figures
compare settings and say nothing of test data. Labels are compared without subtypes.
"""

from __future__ import annotations

import json
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core, the same sums each time

import statistics
import sys
import time
from typing import Any

from common import RESULTS, ROOT, save, treebank_files

from arclift.parsing import preset_config, train_on
from arclift.treebank import Block, Reader

FILE = "exploration"
PAGE = ROOT / "docs" / "transitions.md"
BANKS = ("got_proiel", "tr_imst", "da_ddt")
LEARNERS = ("perceptron", "mlp")
SHARES = ("0.0", "0.5", "1.0")


def blocks(bank: str, part: str) -> list[Block]:
    return list(Reader(treebank_files(bank, parts=(part,))[0], trees=True).blocks())


def measure(bank: str, learner: str, share: str, seed: int) -> dict[str, Any]:
    sets = [f"learner.name={learner}", f"oracle.exploration={share}", f"training.seed={seed}"]
    config = preset_config("classic").set(sets)
    train, dev = blocks(bank, "train"), blocks(bank, "dev")
    start = time.process_time()
    _, report = train_on(train, dev, config)
    return {
        "las": round(100 * report.best.las, 2),
        "uas": round(100 * report.best.uas, 2),
        "np": round(100 * report.best.nonprojective_f, 2),
        "epoch": report.best.number,
        "cpu_seconds_an_epoch": round((time.process_time() - start) / len(report.epochs), 2),
    }


def table(results: dict[str, Any]) -> str:
    """Return the means over the seeds that all shares have, and each static run, in Markdown."""
    lines = [
        "| treebank | learner | seeds | static (each seed) | "
        + " | ".join(f"share {share}" for share in SHARES[1:])
        + " | CPU s an epoch |",
        "| --- | --- |" + " ---: |" * (len(SHARES) + 2),
    ]
    for bank in BANKS:
        for learner in LEARNERS:
            runs = results.get(bank, {}).get(learner, {})
            seeds = sorted(set.intersection(*(set(runs.get(share, {})) for share in SHARES)))
            if not seeds:
                continue
            las = {share: [runs[share][seed]["las"] for seed in seeds] for share in SHARES}
            static = statistics.mean(las[SHARES[0]])
            each = ", ".join(f"{one:.2f}" for one in las[SHARES[0]])
            cells = [f"{static:.2f} ({each})"]
            for share in SHARES[1:]:
                mean = statistics.mean(las[share])
                cells.append(f"{mean:.2f} ({mean - static:+.2f})")
            cpu = [runs[share][seeds[0]]["cpu_seconds_an_epoch"] for share in (SHARES[0], SHARES[-1])]
            line = [bank, learner, str(len(seeds)), *cells, f"{cpu[0]:.1f} → {cpu[1]:.1f}"]
            lines.append(f"| {' | '.join(line)} |")
    return "\n".join(lines)


def write(text: str) -> None:
    """Put the table into its place on the page."""
    before, mark, rest = PAGE.read_text(encoding="utf-8").partition("<!-- exploration -->\n")
    _, end, after = rest.partition("\n<!-- end -->")
    PAGE.write_text(f"{before}{mark}\n{text}\n{end}{after}", encoding="utf-8")


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    path = RESULTS / f"{FILE}.json"
    results = json.loads(path.read_text(encoding="utf-8"))["dev"] if path.exists() else {}
    for seed in range(1, seeds + 1):
        for bank in BANKS:
            for learner in LEARNERS:
                for share in SHARES:
                    done = results.setdefault(bank, {}).setdefault(learner, {}).setdefault(share, {})
                    if str(seed) not in done:
                        done[str(seed)] = measure(bank, learner, share, seed)
                        save(FILE, {"dev": results}, quiet=True)
    write(table(results))
    print(table(results))


if __name__ == "__main__":
    main()
