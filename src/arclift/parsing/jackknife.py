"""Trees for training data from parsers that have not seen them (cross-validation; Efron's jackknife).

What is trained on a parser's output, such as a second parser or a filter, must see such output in training as
it will later. So the sentences, numbered from 1 through all files, are dealt into K parts: sentence i belongs
to part i mod K. Each part is parsed by a parser trained on the others, of which every tenth sentence is held
out to choose the epoch, unless there is dev data.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from arclift import modelfile
from arclift._version import __version__
from arclift.errors import InputError, UsageError
from arclift.modelfile import ModelFile
from arclift.parsing.checkpoint import Epoch, fingerprint, require_writable
from arclift.parsing.config import Config
from arclift.parsing.parser import Parser
from arclift.parsing.portions import numbers, sound, split
from arclift.parsing.train import Report, scores_of, train_on
from arclift.treebank import Block

KIND = "jackknife-checkpoint"


@dataclass(frozen=True)
class Part:
    """How the parser of the other parts did on one part, or all of them on everything."""

    number: int
    sentences: int
    words: int
    uas: float
    las: float
    nonprojective_f: float


@dataclass(frozen=True)
class Jackknifed:
    """The treebank with the trees of the parsers, a block each, and how good they are."""

    blocks: list[bytes]
    parts: list[Part]
    total: Part


def jackknife(
    blocks: Sequence[Block],
    parts: int,
    config: Config,
    *,
    dev: Sequence[Block] | None = None,
    output: str | os.PathLike[str] | None = None,
    on_start: Callable[[Report], None] | None = None,
    on_share: Callable[[float], None] | None = None,
    on_epoch: Callable[[Epoch], None] | None = None,
    on_part: Callable[[Part], None] | None = None,
) -> Jackknifed:
    """Return the treebank with each sentence's tree from a parser trained without it.

    With ``output`` it is written there, and parts that were done before an interruption are not done again.
    """
    sentences = sum(map(len, blocks))
    if not 2 <= parts <= sentences:
        raise UsageError(f"{parts} parts of {sentences:,} sentences: give at least 2, and at most as many")
    if output is not None:
        require_writable(output)
    trees = _Trees(blocks, parts)
    of = fingerprint([*blocks, *(dev or [])], {"arclift": __version__, "jackknife": parts}, config)
    checkpoint = _Checkpoint(output, of) if output is not None else None
    if checkpoint:
        checkpoint.resume(trees)
    if on_part:
        for finished in trees.done:
            on_part(finished)
    for part in range(len(trees.done), parts):
        others = trees.others(part)
        parser, _ = train_on(
            *(split(others) if dev is None else (others, dev)),
            config,
            card={"jackknife": [part, parts]},
            output=checkpoint.part if checkpoint else None,
            on_start=on_start,
            on_share=_shares(part, parts, on_share),
            on_epoch=on_epoch,
        )
        trees.done.append(trees.parse(part, parser))
        if checkpoint:
            checkpoint.save(trees)
        if on_part:
            on_part(trees.done[-1])
    done = Jackknifed(trees.put_into(blocks), trees.done, trees.total())
    if output is not None and checkpoint:
        modelfile.write_whole(output, done.blocks)
        checkpoint.remove()
    return done


def _shares(part: int, parts: int, on_share: Callable[[float], None] | None) -> Any:
    return on_share and (lambda share: on_share((part + share) / parts))


class _Trees:
    """The trees that have been found so far."""

    def __init__(self, blocks: Sequence[Block], parts: int) -> None:
        self._blocks = blocks
        self.part_of = [number % parts for number in numbers(blocks)]
        """The part of each sentence of each block."""
        words = np.cumsum([0, *(block.words for block in blocks)])
        self._words = [slice(*bounds) for bounds in pairwise(words.tolist())]
        self.heads = np.full(int(words[-1]), -1, dtype=np.int32)
        self.labels = np.full(int(words[-1]), -1, dtype=np.int32)
        """Indices into ``names``; -1 where no parser has been yet."""
        self.names: list[str] = []
        self.done: list[Part] = []

    def others(self, part: int) -> list[Block]:
        """Return the sentences of all other parts."""
        pairs = zip(self._blocks, self.part_of, strict=True)
        return [sound(block, its != part) for block, its in pairs]

    def parse(self, part: int, parser: Parser) -> Part:
        """Take the trees of one part from a parser, and say how good they are."""
        worker = parser.worker()
        ids = {name: id for id, name in enumerate(self.names)}
        parsed, gold = [], []
        for block, its, words in zip(self._blocks, self.part_of, self._words, strict=True):
            held_out = sound(block, its == part)
            heads, labels, names = worker.trees(held_out)
            known = [ids.setdefault(name or "_", len(ids)) for name in names]
            labels = np.array(known, dtype=np.int32)[labels]
            here = np.repeat(its == part, np.diff(block.offsets))
            self.heads[words][here] = heads
            self.labels[words][here] = labels
            parsed.append(held_out.replaced(heads=heads, columns={"deprel": (labels, list(ids))}))
            gold.append(held_out)
        self.names = list(ids)
        return _scored(part, parsed, gold)

    def put_into(self, blocks: Sequence[Block]) -> list[bytes]:
        """Return the bytes of the blocks, or of copies of them, with the trees found."""
        return [
            block.replaced(heads=self.heads[words], columns={"deprel": (self.labels[words], self.names)})
            for block, words in zip(blocks, self._words, strict=True)
        ]

    def total(self) -> Part:
        """Return how good all trees are."""
        gold = [sound(block) for block in self._blocks]
        return _scored(len(self.done), self.put_into(gold), gold)


def _scored(number: int, parsed: list[bytes], gold: list[Block]) -> Part:
    sentences, words = sum(map(len, gold)), sum(block.words for block in gold)
    if not words:
        return Part(number, 0, 0, 0.0, 0.0, 0.0)  # all its sentences were skipped
    scores = scores_of(b"".join(parsed), b"".join(block.data for block in gold), gold[0])
    return Part(number, sentences, words, *scores)


class _Checkpoint:
    """The trees of the parts that are done, and beside them what training leaves of the part at work."""

    def __init__(self, output: str | os.PathLike[str], of: str) -> None:
        self._path = Path(f"{os.fspath(output)}.checkpoint")
        self.part = Path(f"{os.fspath(output)}.part")
        self._of = of

    def resume(self, trees: _Trees) -> None:
        try:
            kept = modelfile.read(self._path)
        except InputError:
            return
        if kept.kind == KIND and kept.settings.get("of") == self._of:
            trees.heads[:], trees.labels[:] = kept.arrays["heads"], kept.arrays["labels"]
            trees.names = list(kept.settings["names"])
            trees.done = [Part(**part) for part in kept.settings["parts"]]

    def save(self, trees: _Trees) -> None:
        parts = [vars(part) for part in trees.done]
        settings = {"of": self._of, "names": trees.names, "parts": parts}
        arrays = {"heads": trees.heads, "labels": trees.labels}
        modelfile.write(self._path, ModelFile(KIND, settings, arrays, {}))

    def remove(self) -> None:
        self._path.unlink(missing_ok=True)
        self.part.unlink(missing_ok=True)
