"""How long a user waits: wall-clock and CPU seconds from process start to exit, the median of eleven runs."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

from common import ROOT, save

COMMANDS = {
    "arclift --version": ["--version"],
    "arclift stats examples/crossing.conllu": ["stats", str(ROOT / "examples" / "crossing.conllu")],
    "arclift draw examples/crossing.conllu": ["draw", str(ROOT / "examples" / "crossing.conllu")],
}


def main() -> None:
    arclift = str(Path(sys.executable).with_name("arclift"))
    result = {}
    for name, arguments in COMMANDS.items():
        walls, cpus = [], []
        for _ in range(11):
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run([arclift, *arguments], stdout=subprocess.DEVNULL, check=True)
            walls.append(time.perf_counter() - start)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        result[name] = {
            "wall_seconds": round(statistics.median(walls), 3),
            "cpu_seconds": round(statistics.median(cpus), 3),
        }
    save("start", result)


if __name__ == "__main__":
    main()
