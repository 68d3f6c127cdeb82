"""The state of a training in a file beside its model, so that one that was stopped goes on."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from arclift import modelfile
from arclift.errors import InputError, UsageError
from arclift.modelfile import ModelFile
from arclift.parsing.config import Config
from arclift.parsing.loading import load
from arclift.parsing.parser import Arrays, Parser
from arclift.treebank import Block

KIND = "training-checkpoint"


@dataclass(frozen=True)
class Epoch:
    """What one epoch of training came to."""

    number: int
    loss: float
    uas: float
    las: float
    nonprojective_f: float
    cpu_seconds: float


def best_of(epochs: Sequence[Epoch]) -> Epoch:
    """Return the epoch with the best LAS, the first of several."""
    return max(epochs, key=lambda epoch: (epoch.las, -epoch.number))


class Course(Protocol):
    """What a checkpoint keeps of a report."""

    epochs: list[Epoch]
    saved: int


def fingerprint(blocks: Sequence[Block], facts: dict[str, Any], config: Config) -> str:
    """Return what only the same training has: a hash of its data, its configuration and its card."""
    digest = hashlib.sha256(json.dumps([facts, config.as_dict()], sort_keys=True).encode())
    for block in blocks:
        digest.update(block.data)
    return digest.hexdigest()


def require_writable(path: str | os.PathLike[str]) -> None:
    """Raise an error unless a file can be written there: to hear of it before hours of work, not after."""
    target = Path(path)
    trial = target.with_name(f".{target.name}.unfinished") if target.name else target
    try:
        if target.exists() and not target.is_file():
            raise UsageError(f"{target} is no file, and nothing can be written there")
        trial.write_bytes(b"")
        trial.unlink()
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {(error.strerror or str(error)).lower()}") from error


class _UnusableError(Exception):
    """Why a checkpoint is not this training's."""


class Checkpoint:
    """The state of the training that has this fingerprint; another training's is not used."""

    def __init__(self, output: str | os.PathLike[str], of: str) -> None:
        self._output = Path(output)
        self._path = Path(f"{os.fspath(output)}.checkpoint")
        self._of = of

    def resume(self, restore: Callable[[dict[str, Any], Arrays], None], report: Course) -> Parser | None:
        """Bring training to where the checkpoint was written; return the best parser so far."""
        if not self._path.exists():
            return None
        try:
            return self._resume(restore, report)
        except _UnusableError as why:
            warnings.warn(
                f"{self._path} {why}: training starts anew, and will write over it", UserWarning, stacklevel=2
            )
            return None

    def _resume(self, restore: Callable[[dict[str, Any], Arrays], None], report: Course) -> Parser:
        try:
            kept = modelfile.read(self._path)
            if kept.kind != KIND or kept.settings.get("of") != self._of:
                raise _UnusableError("is of other data or another configuration")
            best = load(self._output)
        except InputError as error:
            raise _UnusableError(f"cannot be used ({error.what})") from error
        epochs = [Epoch(**epoch) for epoch in kept.settings["epochs"]]
        # It may have been stopped between writing the model of a better epoch and the state after it.
        fitting = (best_of(epochs).number, len(epochs) + 1)
        if best.card.get("fingerprint") != self._of or best.card.get("epochs") not in fitting:
            raise _UnusableError(f"does not belong to the model in {self._output}")
        restore(kept.settings["training"], kept.arrays)
        report.epochs, report.saved = epochs, len(epochs)
        return best

    def save(self, state: dict[str, Any], arrays: dict[str, NDArray[Any]], report: Course) -> None:
        """Write the state after an epoch."""
        epochs = [asdict(epoch) for epoch in report.epochs]
        settings = {"of": self._of, "training": state, "epochs": epochs}
        modelfile.write(self._path, ModelFile(KIND, settings, arrays, {}))
        report.saved = len(report.epochs)

    def remove(self) -> None:
        """Delete the file: training is done."""
        self._path.unlink(missing_ok=True)
