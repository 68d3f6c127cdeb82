"""What is asked of one run of a parser, besides its trees."""

from __future__ import annotations

from dataclasses import dataclass

from arclift.errors import UsageError


@dataclass(frozen=True)
class Options:
    """How to parse; the model stays as it is."""

    scores: bool = False
    """Write the confidence in each head and label into MISC."""
    best: int = 1
    """Give so many trees for each sentence, the best first."""
    keep: bool = False
    """Keep the heads and labels that the input has already."""
    single_root: bool = False
    """One root, even where the training data have sentences with several."""

    def __post_init__(self) -> None:
        if self.best < 1:
            raise UsageError(f"{self.best} trees of a sentence cannot be given: ask for 1 or more")
        if self.best > 1 and self.keep:
            raise UsageError("the best trees that keep what is there: ask for one thing or the other")


DEFAULTS = Options()
"""One tree for each sentence, and nothing else."""
