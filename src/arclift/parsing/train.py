"""Training: a treebank in, a parser out."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from numpy.typing import NDArray

from arclift._version import __version__
from arclift.errors import InputError, UsageError
from arclift.evaluate import Policy, evaluate
from arclift.parsing.checkpoint import Checkpoint, Epoch, best_of, fingerprint, require_writable
from arclift.parsing.config import NO_LIFTING, Config
from arclift.parsing.data import gather
from arclift.parsing.graph_training import GraphTraining
from arclift.parsing.parser import Arrays, Parser
from arclift.parsing.portions import sound
from arclift.parsing.transition_training import TransitionTraining
from arclift.treebank import Block


@dataclass
class Report:
    """The course of a training."""

    planned: int = 0
    """How many epochs there are at most."""
    words: int = 0
    sentences: int = 0
    about: str = ""
    """What is learned, in words of the family."""
    lost: int = 0
    """Arcs of the (lifted) training trees that the parser cannot build."""
    not_lowered: int = 0
    """Arcs that lowering does not bring back where lifting has found them."""
    epochs: list[Epoch] = field(default_factory=list)
    saved: int = 0
    """After how many epochs training can go on when it is stopped."""

    @property
    def best(self) -> Epoch:
        """The epoch whose model was kept."""
        return best_of(self.epochs)


class Training(Protocol):
    """What each family brings: its state, one epoch at a time."""

    epochs: int
    """How many epochs there are at most."""
    lost: int
    rounds: int
    """How often an epoch goes through the treebank."""

    def about(self) -> str:
        """Say what is learned, for whoever waits."""

    def fit_epoch(self, on_share: Callable[[float], None] | None = None) -> float:
        """Learn for one epoch, return the mean loss; ``on_share`` hears now and then how much is done."""

    def parser(self) -> Parser:
        """Return the parser as training has made it so far."""

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return settings and arrays from which ``restore`` goes on as if nothing had been."""

    def restore(self, settings: dict[str, Any], arrays: Arrays) -> None:
        """Take over what ``state`` returned."""


def train_on(
    blocks: Sequence[Block],
    dev: Sequence[Block],
    config: Config,
    *,
    card: dict[str, Any] | None = None,
    output: str | os.PathLike[str] | None = None,
    on_start: Callable[[Report], None] | None = None,
    on_share: Callable[[float], None] | None = None,
    on_epoch: Callable[[Epoch], None] | None = None,
) -> tuple[Parser, Report]:
    """Return the parser of the epoch with the best LAS on ``dev``, and how training went.

    LAS counts all words and ignores subtypes. The same data, configuration and version give the same bytes.
    With ``output`` the best parser so far is always in that file, and the state of training in a checkpoint
    beside it, from which the same training goes on after it was interrupted, to the same result. ``on_share``
    hears which share of all planned epochs is done.
    """
    if output is not None:
        require_writable(output)
    _require_one_format(blocks)
    data = gather(blocks, config.lifting.scheme if config.parser.family == "transition" else NO_LIFTING)
    dev = [sound(block) for block in dev]
    if not any(block.words for block in dev):
        raise InputError("there is no sentence to choose an epoch by: dev is empty", code="no-data")
    families: dict[str, Callable[..., Training]] = {"graph": GraphTraining, "transition": TransitionTraining}
    training = families[config.parser.family](config, data)
    report = Report(
        planned=training.epochs,
        words=len(data.heads),
        sentences=len(data.offsets) - 1,
        about=training.about(),
        lost=training.lost,
        not_lowered=data.not_lowered,
    )
    facts = {
        **(card or {}),
        "arclift": __version__,
        "seed": config.training.seed,
        "words": report.words,
        "sentences": report.sentences,
        "rounds": training.rounds,
    }
    facts["fingerprint"] = fingerprint([*blocks, *dev], facts, config)
    checkpoint = Checkpoint(output, facts["fingerprint"]) if output is not None else None
    best = checkpoint.resume(training.restore, report) if checkpoint else None
    if on_start:
        on_start(report)
    gold = b"".join(block.data for block in dev)
    clock = _Clock(report.epochs)
    while len(report.epochs) < report.planned and not _stalled(report, config):
        loss = training.fit_epoch(_shares(report, on_share))
        parser = training.parser()
        scores = scores_of(b"".join(parser.parse_blocks(dev)), gold, dev[0])
        epoch = Epoch(len(report.epochs) + 1, loss, *scores, clock.cpu_seconds())
        report.epochs.append(epoch)
        if on_epoch:
            on_epoch(epoch)
        if report.best is epoch:
            best = parser.with_card(facts | _result(epoch))
            if output is not None:
                best.save(output)
        if checkpoint:
            checkpoint.save(*training.state(), report)
    assert best is not None
    best = best.calibrated(dev)
    if output is not None:
        best.save(output)
    if checkpoint:
        checkpoint.remove()
    return best, report


def _require_one_format(blocks: Sequence[Block]) -> None:
    formats = sorted({block.format.name for block in blocks})
    if len(formats) > 1:
        raise UsageError(
            f"training data in several formats ({', '.join(formats)}): bring them to one by arclift convert"
        )


def _shares(report: Report, on_share: Callable[[float], None] | None) -> Callable[[float], None] | None:
    """Return what makes shares of an epoch shares of the whole training."""
    if on_share is None:
        return None
    done = len(report.epochs)
    return lambda share: on_share((done + share) / report.planned)


class _Clock:
    """CPU seconds of a training, those before it was interrupted included."""

    def __init__(self, epochs: Sequence[Epoch]) -> None:
        self._start = time.process_time() - (epochs[-1].cpu_seconds if epochs else 0.0)

    def cpu_seconds(self) -> float:
        return time.process_time() - self._start


def _stalled(report: Report, config: Config) -> bool:
    done = len(report.epochs)
    return done > 0 and done - report.best.number >= config.training.patience


def _result(epoch: Epoch) -> dict[str, Any]:
    scores = {"uas": epoch.uas, "las": epoch.las, "nonprojective_f": epoch.nonprojective_f}
    return {"epochs": epoch.number, "dev": {name: round(score, 6) for name, score in scores.items()}}


def scores_of(parsed: bytes, gold: bytes, like: Block) -> tuple[float, float, float]:
    """Return UAS, LAS and the F1 of non-projective arcs: all words, without subtypes."""
    found = evaluate(io.BytesIO(gold), io.BytesIO(parsed), policy=Policy(subtypes="cut"), format=like.format)
    assert found.attachment is not None
    assert found.nonprojective is not None
    return found.attachment.uas, found.attachment.las, found.nonprojective.unlabelled.f1
