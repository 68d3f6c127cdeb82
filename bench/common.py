"""What the benchmarks share: the treebanks, the clock, the machine's facts and where results go."""

from __future__ import annotations

import json
import lzma
import os
import platform
import subprocess
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
TREEBANKS = Path(os.environ.get("ARCLIFT_SHARED", ROOT.parent / "shared")) / "treebanks"


def treebank_files(*names: str, parts: tuple[str, ...] = ("train", "dev", "test")) -> list[Path]:
    """Return the files of the treebanks called ``names``, of all if none is named."""
    folders = [TREEBANKS / name for name in names] or sorted(p for p in TREEBANKS.iterdir() if p.is_dir())
    return [path for folder in folders for part in parts for path in sorted(folder.glob(f"{part}.conll*"))]


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a treebank file, unpacked."""
    data = path.read_bytes()
    return lzma.decompress(data) if path.suffix == ".xz" else data


def peer_python(*packages: str) -> str:
    """Return the Python of an environment for other people's programs, which has these packages."""
    home = ROOT / ".venv-peers"
    python = str(home / "bin" / "python")
    if not home.exists():
        venv.create(home, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
    return python


def cpu_seconds(action: Callable[[], Any], repeats: int = 3) -> float:
    """Return the CPU seconds (user and system) of the quickest of several runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        action()
        best = min(best, time.process_time() - start)
    return best


def machine() -> dict[str, str]:
    """Return what the figures depend on."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        models = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if "model name" in line
        ]
        cpu = models[0] if models else cpu
    return {"cpu": cpu, "system": platform.system(), "python": platform.python_version()}


def save(name: str, result: dict[str, Any], *, quiet: bool = False) -> None:
    """Write a result beside the scripts and print it, unless ``quiet``."""
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps({"machine": machine(), **result}, indent=2, ensure_ascii=False) + "\n"
    (RESULTS / f"{name}.json").write_text(text, encoding="utf-8")
    if not quiet:
        print(text, end="")
