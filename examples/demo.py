"""Shows arclift at work on the bundled treebank: ``make demo``."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

TREEBANK = Path(__file__).resolve().parent / "crossing.conllu"
SCHEME = "exact"


def arclift(*arguments: str) -> None:
    """Run one command as a user would, after printing it."""
    shown = " ".join(Path(word).name if Path(word).is_absolute() else word for word in arguments)
    print(f"\n$ arclift {shown}\n", flush=True)
    subprocess.run([sys.executable, "-m", "arclift", *arguments], check=True)


def main() -> None:
    """Go through the main jobs, and check that what was lifted and lowered again is what we had."""
    with tempfile.TemporaryDirectory() as folder:
        lifted, lowered = str(Path(folder) / "lifted.conllu"), str(Path(folder) / "lowered.conllu")
        treebank = str(TREEBANK)
        arclift("stats", treebank)
        arclift("draw", treebank, "--sentence", "nl-vogels")
        arclift("projectivize", treebank, "--scheme", SCHEME, "-o", lifted)
        arclift("draw", lifted, "--sentence", "nl-vogels")
        arclift("deprojectivize", lifted, "--scheme", SCHEME, "-o", lowered)
        arclift("evaluate", treebank, lowered)
        if Path(lowered).read_bytes() != TREEBANK.read_bytes():
            sys.exit("make demo: the treebank did not come back as it was")
    print("\nmake demo: done; the treebank was lifted, lowered again, and came back byte for byte.")


if __name__ == "__main__":
    main()
