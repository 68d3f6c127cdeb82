"""Where the time of parsing goes, and how far its arithmetic is from what the machine can do.

python bench/parse_profile.py     writes results/parse_profile.json; needs g++, and perf for the last part

Stages of ``arclift parse`` are timed on one core over all of English EWT. What its compiled network does
meanwhile is sampled by perf in a core that is built with the names of its functions (in build/bench); if
there is no perf, that part is left out. limits.cpp measures what one core can multiply and read at most. Run
parse_speed.py first: it trains the model.
"""

from __future__ import annotations

import json
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from common import ROOT, read_bytes, save, treebank_files

MODELS = ROOT / "build" / "bench"
BANK = "en_ewt"
RUNS = 7
STAGES = {
    "reading": "reading, cutting and scanning",
    "strings": "columns to numbers of strings",
    "words": "what new strings are known by, and their sums of embeddings",
    "network": "the network, with the choice of heads and labels",
    "tree": "repair of what is no tree",
    "writing": "writing",
    "other": "all else",
}
NETWORK = [  # what the name of a function begins with
    ("cell_", "cells of the recurrent layers"),
    ("best_", "best heads and labels"),
    ("add_", "sums of embeddings, normalised"),
    ("normal_", "sums of embeddings, normalised"),
    ("rectify_", "scaling and rectifying"),
    ("scale_", "scaling and rectifying"),
    ("turn_", "scaling and rectifying"),
    ("label_", "scaling and rectifying"),
    ("Contraction", "spanning trees"),
]
PRODUCTS = {
    "vectors": "products: recurrent layers",
    "scorers": "products: scorers",
}


class Clock:
    """CPU seconds by stage; what a stage does within another is taken from the outer one."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self._inner = [0.0]

    def timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function with its time counted."""

        def run(*arguments: Any, **named: Any) -> Any:
            self._inner.append(0.0)
            start = time.process_time()
            try:
                return function(*arguments, **named)
            finally:
                took = time.process_time() - start
                self.seconds[stage] += took - self._inner.pop()
                self._inner[-1] += took

        return run


class TimedScorer:
    """A scorer whose parsing is timed."""

    def __init__(self, scorer: Any, clock: Clock) -> None:
        self.parse = clock.timed("network", scorer.parse)


def stages(model: Path, source: str) -> tuple[int, dict[str, float]]:
    """Return the number of words, and for each stage the median of its CPU seconds."""
    from arclift.parsing import graph_parser, load
    from arclift.treebank import Block, Reader
    from arclift.treebank.stream import LARGE_CHUNK_BYTES

    parser = load(model)
    assert isinstance(parser, graph_parser.GraphParser)
    clock = Clock()
    vars(parser)["scorer"] = TimedScorer(parser.scorer, clock)
    graph_parser.GraphWorker.ids = clock.timed("words", graph_parser.GraphWorker.ids)  # type: ignore[method-assign]
    graph_parser.repair_all = clock.timed("tree", graph_parser.repair_all)
    Block.ids = clock.timed("strings", Block.ids)  # type: ignore[method-assign]
    Block.replaced = clock.timed("writing", Block.replaced)  # type: ignore[method-assign]
    graph_parser.GraphWorker._old_labels = clock.timed("writing", graph_parser.GraphWorker._old_labels)  # type: ignore[method-assign]

    def parse(target: str) -> None:
        read = clock.timed("reading", lambda blocks: next(blocks, None))
        worker, blocks = parser.worker(), Reader(source).blocks(LARGE_CHUNK_BYTES)
        with open(target, "wb") as out:
            while (block := read(blocks)) is not None:
                clock.timed("writing", out.write)(worker(block))

    found: dict[str, list[float]] = {stage: [] for stage in STAGES}
    with tempfile.NamedTemporaryFile() as target:
        for _ in range(RUNS):
            clock.seconds.clear()
            clock.timed("other", parse)(target.name)
            for stage, seconds in found.items():
                seconds.append(clock.seconds[stage])
    words = sum(block.words for block in Reader(source).blocks())
    return words, {stage: statistics.median(seconds) for stage, seconds in found.items()}


def multiply_adds(model: Path, source: str) -> dict[str, float]:
    """Return the multiply-adds of the network for a word by what they are for; the text's mean for arcs."""
    from arclift.parsing import graph_parser, load
    from arclift.treebank import Reader

    parser = load(model)
    assert isinstance(parser, graph_parser.GraphParser)
    shape = {name: array.shape for name, array in parser.arrays.items()}
    lengths = np.concatenate([np.diff(block.offsets) for block in Reader(source).blocks()]).astype(float)
    arc = shape["bilinear"][0]
    layers = [name for name in shape if name.startswith("inputs")]
    return {
        "recurrent layers": sum(
            float(np.prod(shape[name]) + np.prod(shape[name.replace("inputs", "states")])) for name in layers
        ),
        "scorers": float(
            sum(
                np.prod(shape[name])
                for name in ("head", "dependent", "bilinear", "label_head", "label_dependent")
            )
        ),
        "arcs": float((lengths * (lengths + 1)).sum() / lengths.sum() * arc),
        "labels": float(np.prod(shape["label"])),
    }


def bytes_of_sums(model: Path) -> int:
    """Return how many bytes of sums of embeddings a word needs: 16 bits for each unit and column."""
    from arclift.parsing import graph_parser, load

    parser = load(model)
    assert isinstance(parser, graph_parser.GraphParser)
    return 2 * parser.arrays["embeddings"].shape[1] * len(parser.inputs.columns())


def limits() -> dict[str, Any]:
    program = MODELS / "limits"
    source = ROOT / "bench" / "limits.cpp"
    subprocess.run(["g++", "-O3", "-march=native", "-std=c++20", "-o", str(program), str(source)], check=True)
    found: dict[str, Any] = json.loads(subprocess.run([program], check=True, capture_output=True).stdout)
    return found


# --- inside the network ------------------------------------------------------------------------------------

PARSE = """
import sys
from arclift.parsing import load
from arclift.treebank import Reader
parser = load(sys.argv[1])
for _ in range(8):
    for _ in parser.parse_blocks(Reader(sys.argv[2]).blocks()):
        pass
"""


def named_core() -> Path:
    """Return a folder with arclift whose core has the names of its functions."""
    folder = MODELS / "named"
    shutil.rmtree(folder, ignore_errors=True)
    flags = "-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-inline-functions-called-once"
    options = [
        "-Ccmake.build-type=RelWithDebInfo",
        f"-Ccmake.define.CMAKE_CXX_FLAGS={flags}",
        f"-Cbuild-dir={MODELS / 'named-build'}",
    ]
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder)]
    subprocess.run([*pip, *options, str(ROOT)], check=True)
    return folder


def network_shares(model: Path, source: str) -> dict[str, float]:
    """Return which share of the network's time each of its parts takes, as perf finds it."""
    if not shutil.which("perf"):
        return {}
    packages = Path(np.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": f"{named_core()}:{packages}"}
    with tempfile.TemporaryDirectory() as folder:
        data = str(Path(folder, "perf.data"))
        record = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "4000", "--call-graph", "fp", "-o", data]
        # -S: the finder of an editable installation would be asked before PYTHONPATH
        subprocess.run(
            [*record, sys.executable, "-S", "-c", PARSE, str(model), source], check=True, env=environment
        )
        script = ["perf", "script", "-i", data, "-F", "ip,sym", "--no-inline"]
        text = subprocess.run(script, check=True, capture_output=True, text=True).stdout
    counts: Counter[str] = Counter()
    for sample in text.split("\n\n"):
        stack = [line.split(None, 1)[-1] for line in sample.split("\n") if line.strip()]
        if any("GraphScorer::parse" in frame for frame in stack):
            counts[part_of(stack)] += 1
    total = sum(counts.values())
    return {name: round(count / total, 4) for name, count in counts.most_common()}


def part_of(stack: list[str]) -> str:
    """Return which part of the network a stack of functions, innermost first, belongs to."""
    names = [frame.removeprefix("arclift::").removeprefix("(anonymous namespace)::") for frame in stack]
    for name in names:
        if name.startswith("bytes::"):
            callers = (PRODUCTS.get(each.removeprefix("GraphScorer::")) for each in names)
            return next((part for part in callers if part), "products: arcs and labels")
        for begin, part in NETWORK:
            if name.startswith(begin):
                return part
    return "moving bytes, and all else"


def main() -> None:
    model = MODELS / f"arclift-{BANK}"
    with tempfile.NamedTemporaryFile(suffix=".conllu") as source:
        source.write(b"".join(map(read_bytes, treebank_files(BANK))))
        source.flush()
        words, seconds = stages(model, source.name)
        operations = multiply_adds(model, source.name)
        inside = network_shares(model, source.name)
    total, most = sum(seconds.values()), limits()
    rate = sum(operations.values()) * words / seconds["network"]
    products = sum(share for name, share in inside.items() if name.startswith("products"))
    result: dict[str, Any] = {
        "words": words,
        "words_per_cpu_second": round(words / total),
        "bytes_of_sums_a_word": bytes_of_sums(model),
        "stages": STAGES,
        "nanoseconds_a_word": {stage: round(1e9 * each / words) for stage, each in seconds.items()},
        "shares": {stage: round(each / total, 3) for stage, each in seconds.items()},
        "inside_the_network": inside,
        "multiply_adds_a_word": {name: round(count) for name, count in operations.items()},
        "limits": most,
        "multiply_adds_per_second": round(rate),
        "share_of_the_peak": round(rate / most["multiply_adds_per_second"], 3),
    }
    if products:
        result["share_of_the_peak_within_products"] = round(result["share_of_the_peak"] / products, 3)
    save("parse_profile", result)


if __name__ == "__main__":
    main()
