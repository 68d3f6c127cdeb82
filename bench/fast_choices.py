"""What was tried for the preset ``fast``: dev scores of trained parsers, one line each.

python bench/fast_choices.py            trains what is missing, saving each result, and writes docs/fast.md

Dev data only; test data are for the end. LAS and UAS: all words, gold tags, no subtypes; NP: F1 of
non-projective arcs, unlabelled. One seed.
"""

from __future__ import annotations

import json
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core, the same sums each time

import statistics
import time

from common import RESULTS, ROOT, TREEBANKS, save, treebank_files

from arclift.parsing import preset_config, train_on
from arclift.treebank import Block, Reader

FILE = "fast_choices"
BANKS = ("got_proiel", "tr_imst", "da_ddt")
MLP = ["learner.name=mlp", "training.patience=5", "learner.dropout=0.5", "learner.word_dropout=0.25"]
CHOICES: dict[str, tuple[str, list[str]]] = {
    "graph (the preset)": ("fast", []),
    "crossing arcs count once": ("fast", ["graph.crossing=1"]),
    "crossing arcs count four times": ("fast", ["graph.crossing=4"]),
    "epochs of 150 steps": ("fast", ["graph.steps=150"]),
    "dropout 0.33": ("fast", ["graph.dropout=0.33"]),
    "state 96": ("fast", ["graph.state=96"]),
    "state 48, embedding 64": ("fast", ["graph.state=48", "graph.embedding=64"]),
    "one layer": ("fast", ["graph.layers=1"]),
    "three layers": ("fast", ["graph.layers=3"]),
    "classic: arc-eager, head+path, perceptron": ("classic", []),
    "the same, half explored": ("classic", ["oracle.exploration=0.5"]),
    "swap, perceptron": ("classic", ["system.name=swap", "lifting.scheme=none"]),
    "arc-eager, head+path, mlp": ("classic", MLP),
}


PAGE = ROOT / "docs" / "fast.md"
TEXT = """\
# What was tried for `fast`

Development data only: test data are for `bench/fast_accuracy.py`. LAS / UAS over all words, gold
tags, labels without subtypes; then F1 of non-projective arcs, unlabelled; one seed. The lines come
from `bench/fast_choices.py`, which has the settings of each.

{table}

**The choice so far is a graph parser.** A two-layer bidirectional recurrent network of 64 units a
direction reads the sentence, a biaffine scorer scores all arcs, the best tree is taken; everything
is in bytes with exact sums, in native loops. Crossing arcs cost it nothing, so that no lifting is
needed, and it has all words of many sentences before it at once, which is what wide multiply-add
instructions are for; a greedy transition parser runs its scorer at least twice for each word, one
configuration after the other.

Words per second are those of small dev parts, where most strings are new; for speed see
[speed.md](speed.md).
"""


def blocks(name: str, part: str) -> list[Block]:
    (path,) = treebank_files(name, parts=(part,))
    return list(Reader(path, trees=True).blocks())


def measure(name: str, preset: str, sets: list[str]) -> dict[str, float]:
    dev = blocks(name, "dev")
    start = time.process_time()
    parser, report = train_on(blocks(name, "train"), dev, preset_config(preset).set(sets))
    trained = time.process_time() - start
    list(parser.parse_blocks(dev))
    start = time.process_time()
    b"".join(parser.parse_blocks(dev))
    speed = sum(block.words for block in dev) / (time.process_time() - start)
    best = report.best
    return {
        "las": round(100 * best.las, 2),
        "uas": round(100 * best.uas, 2),
        "np": round(100 * best.nonprojective_f, 1),
        "epoch": best.number,
        "train_cpu_seconds": round(trained, 1),
        "words_per_cpu_second": round(speed),
    }


def main() -> None:
    path = RESULTS / f"{FILE}.json"
    results = json.loads(path.read_text(encoding="utf-8"))["dev"] if path.exists() else {}
    for choice, (preset, sets) in CHOICES.items():
        for bank in BANKS:
            done = results.setdefault(choice, {})
            if bank not in done and (TREEBANKS / bank).is_dir():
                done[bank] = measure(bank, preset, sets)
                settings = {name: [kind, *each] for name, (kind, each) in CHOICES.items()}
                save(FILE, {"settings": settings, "dev": results}, quiet=True)
                PAGE.write_text(TEXT.format(table=table(results)), encoding="utf-8")


def table(results: dict[str, dict[str, dict[str, float]]]) -> str:
    """Return LAS / UAS, NP on dev for each variant that has been tried on all treebanks."""
    lines = [
        "| what | " + " | ".join(BANKS) + " | mean LAS | training, CPU s | thousand words/s |",
        "| --- |" + " ---: |" * (len(BANKS) + 3),
    ]
    for choice, row in results.items():
        if any(bank not in row for bank in BANKS):
            continue
        cells = [row[bank] for bank in BANKS]
        columns = [
            *(f"{cell['las']:.1f} / {cell['uas']:.1f}, {cell['np']:.0f}" for cell in cells),
            f"{statistics.mean(cell['las'] for cell in cells):.2f}",
            f"{sum(cell['train_cpu_seconds'] for cell in cells):.0f}",
            f"{statistics.mean(cell['words_per_cpu_second'] for cell in cells) / 1000:.0f}",
        ]
        lines.append(f"| {choice} | " + " | ".join(columns) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
