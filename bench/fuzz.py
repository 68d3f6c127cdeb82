"""A million fuzzed inputs: random bytes, random models on random sentences, random heads, hostile models.

``make fuzz`` runs it on a core built with the address and undefined-behaviour sanitizers. One seed is one
round of each family in tests/fuzz, the same inputs on every machine; seeds go to fresh processes, which take
turns in the instruction sets. The first process that fails ends it all: what it was at, and how to see it
again, is printed. Only the figures of a build with sanitizers are kept.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from common import ROOT, save

sys.path.insert(0, str(ROOT / "tests"))
from arclift import native
from fuzz.rounds import EVERY, INPUTS, of_seed

LEVELS = ("", "baseline", "avx2", "avx512")
SEEDS = 250
"""How many seeds a process has, at most."""


def tasks(first: int, last: int) -> Iterator[tuple[int, int, str]]:
    """Yield the seeds and the instruction set of each process."""
    each = min(SEEDS, math.ceil((last - first) / len(LEVELS)))
    for number, begin in enumerate(range(first, last, each)):
        yield begin, min(begin + each, last), LEVELS[number % len(LEVELS)]


def run(task: tuple[int, int, str], families: list[str]) -> str:
    """Run a process; return "" if all is well, else what is not."""
    first, last, level = task
    paths = os.pathsep.join([str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths, "ARCLIFT_CPU": level, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "fuzz.rounds"]
    with tempfile.TemporaryFile() as errors:
        done = subprocess.run(
            [*command, str(first), str(last), *families],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        if not done.returncode:
            return ""
        errors.seek(0)
        seen = errors.read().decode(errors="replace")
    at = done.stdout.decode().split("\n")[:-1]
    family, seed = at[-1].split() if at else ("nothing", str(first))
    again = f"PYTHONPATH=tests ARCLIFT_CPU={level} python -m fuzz.rounds {seed} {int(seed) + 1} {family}"
    return f"{seen[-6000:]}\nseed {seed}, family {family}, exit code {done.returncode}; again with\n  {again}"


def used() -> float:
    """Return the CPU seconds of all processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--inputs", type=int, default=100_000, help="how many inputs of all families (%(default)s)"
    )
    parser.add_argument("--first-seed", type=int, default=0, metavar="N", help="where to begin (%(default)s)")
    parser.add_argument("--family", action="append", choices=list(INPUTS), help="only this one (or these)")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes at a time (%(default)s)")
    parser.add_argument("--dry", action="store_true", help="keep no figures")
    chosen = parser.parse_args()
    families = chosen.family or list(INPUTS)
    rounds = math.ceil(chosen.inputs / sum(INPUTS[family] / EVERY.get(family, 1) for family in families))
    first, last = chosen.first_seed, chosen.first_seed + rounds
    work = list(tasks(first, last))
    with ThreadPoolExecutor(chosen.jobs) as pool:
        for done, failure in enumerate(pool.map(lambda task: run(task, families), work), 1):
            if failure:
                pool.shutdown(cancel_futures=True)
                print(failure)
                return 1
            if done % 4 == 0:
                print(f"{done} of {len(work)} processes, {used():.0f} CPU seconds", flush=True)
    counts = Counter(family for seed in range(first, last) for family in of_seed(seed, families))
    counts = {family: count * INPUTS[family] for family, count in counts.items()}
    result: dict[str, Any] = {
        "inputs": {**counts, "all": sum(counts.values())},
        "seeds": [first, last],
        "failures": 0,
        "sanitizers": sanitizers(),
        "instruction sets": [level or "best" for level in LEVELS],
        "cpu_seconds": round(used()),
    }
    if not result["sanitizers"]:
        print("the core is built without sanitizers, so the figures are not kept: see `make fuzz`")
    if chosen.dry or not result["sanitizers"]:
        print(result)
    else:
        save("fuzz", result)
    return 0


def sanitizers() -> str:
    """Return the sanitizers that the core is built with."""
    return str(getattr(native._CORE, "_sanitizers", ""))


if __name__ == "__main__":
    sys.exit(main())
