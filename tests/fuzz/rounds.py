"""The families of inputs by name, and rounds of them one after the other, as a process that may be watched.

``python -m fuzz.rounds FIRST LAST [FAMILY...]`` (with tests/ on the path) runs the rounds of the seeds from
FIRST to before LAST and names each before it begins, so that it is known which one ended the process.
"""

from __future__ import annotations

import faulthandler
import signal
import sys
from collections.abc import Callable, Iterable, Sequence

from fuzz import differing, models, parsing, reading, trees

FAMILIES: dict[str, Callable[[int], int]] = {
    "reading": reading.run,
    "parsing": parsing.run,
    "trees": trees.run,
    "models": models.run,
    "differing": differing.run,
}
INPUTS = {
    "reading": reading.INPUTS,
    "parsing": parsing.INPUTS,
    "trees": trees.INPUTS,
    "models": models.INPUTS,
    "differing": differing.INPUTS,
}
"""How many inputs a round of each family has."""
EVERY = {"differing": 10}
"""The families that only every so many seeds have a round of, because the plain code is slow."""

PATIENCE = 300
"""After so many seconds of CPU time a round counts as one that does not end."""


def run(seeds: Iterable[int], families: Sequence[str], tell: Callable[[str, int], None]) -> None:
    """Run rounds; ``tell`` is told the family and the seed before each."""
    for seed in seeds:
        for family in of_seed(seed, families):
            tell(family, seed)
            signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
            FAMILIES[family](seed)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def of_seed(seed: int, families: Sequence[str]) -> list[str]:
    """Return the families that have a round with this seed."""
    return [family for family in families if seed % EVERY.get(family, 1) == 0]


def main() -> None:
    """Run what the arguments say."""
    first, last, *families = sys.argv[1:]
    faulthandler.register(signal.SIGVTALRM, chain=True)
    run(range(int(first), int(last)), families or list(FAMILIES), lambda *what: print(*what, flush=True))


if __name__ == "__main__":
    main()
