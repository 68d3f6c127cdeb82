"""Evaluate all treebanks: gold words per CPU second on one core, reading of both files included, and memory.

The system outputs are the gold trees spoilt: ``parsed`` has one head in ten moved by a few words and one
label in twelve changed, as a parser on gold tags would; ``tagged`` has other tags, features and lemmas here
and there as well. A child process measures, so that its peak of memory is that of evaluating alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from common import cpu_seconds, read_bytes, save, treebank_files

from arclift.treebank import Block, Reader

LABELS = ("nsubj", "obj", "obl", "nmod", "advmod", "conj", "case", "det")
TAGGED = {
    "upos": ("NOUN", "VERB"),
    "xpos": ("X",),
    "feats": ("_", "Case=Nom", "Number=Sing"),
    "lemma": ("x",),
}


def spoilt(block: Block, random: np.random.Generator, tagged: bool) -> bytes:
    words = block.words
    lengths = np.repeat(np.diff(block.offsets), np.diff(block.offsets))
    moved = block.heads + random.integers(-2, 3, words)
    valid = (random.random(words) < 0.1) & (block.heads > 0) & (moved > 0) & (moved <= lengths)
    heads = np.where(valid, moved, -1)

    def some(texts: tuple[str, ...], often: float) -> tuple[np.ndarray, tuple[str, ...]]:
        return np.where(random.random(words) < often, random.integers(len(texts), size=words), -1), texts

    columns = {"deprel": some(LABELS, 1 / 12)}
    if tagged:
        columns |= {name: some(texts, 0.05) for name, texts in TAGGED.items()}
    return block.replaced(heads=heads, columns=columns)


CHILD = """
import json, sys
from pathlib import Path
from common import cpu_seconds
from arclift.evaluate import evaluate

gold, system, repeats = sys.argv[1:]
seconds = cpu_seconds(lambda: evaluate(gold, system), int(repeats))
status = Path("/proc/self/status").read_text()  # getrusage would count what the parent had in memory
peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
print(json.dumps({"seconds": seconds, "peak_mib": round(peak / 1024)}))
"""


def measure(gold: Path, system: Path, repeats: int) -> dict[str, float]:
    """Measure in a process of its own."""
    command = [sys.executable, "-c", CHILD, gold, system, str(repeats)]
    done = subprocess.run(command, cwd=Path(__file__).parent, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    data = b"".join(read_bytes(path) for path in treebank_files())
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        gold = Path(folder, "gold.conllu")
        gold.write_bytes(data)
        blocks = list(Reader(gold).blocks())
        words = sum(block.words for block in blocks)
        for name in ("parsed", "tagged"):
            system = Path(folder, f"{name}.conllu")
            random = np.random.default_rng(0)
            system.write_bytes(b"".join(spoilt(block, random, name == "tagged") for block in blocks))
            found = measure(gold, system, 5)
            results[name] = {
                "words_per_cpu_second": round(words / found["seconds"]),
                "peak_mib": found["peak_mib"],
            }
        for file in (gold, system):
            file.write_bytes(file.read_bytes() * 4)
        results["tagged, four times as long"] = {"peak_mib": measure(gold, system, 1)["peak_mib"]}
        reading = cpu_seconds(lambda: [sum(1 for _ in Reader(gold).blocks()) for _ in range(2)], 1) / 4
    save(
        "evaluate",
        {
            "unit": "gold words per CPU second, one core, both files read",
            "words": words,
            "reading both files alone": {"words_per_cpu_second": round(words / reading)},
            **results,
        },
    )


if __name__ == "__main__":
    main()
