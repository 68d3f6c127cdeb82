"""A trained parser: bytes in, the same bytes with heads and labels out, and always one tree a sentence.

What all families of parsers share; `arclift.parsing.transition_parser` and `arclift.parsing.graph_parser` are
the families.
"""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from arclift import modelfile
from arclift.errors import UsageError
from arclift.modelfile import ModelFile
from arclift.parsing.calibration import Calibration, Line
from arclift.parsing.config import Config
from arclift.parsing.options import DEFAULTS, Options
from arclift.parsing.worker import Worker
from arclift.treebank import Block, Sentence
from arclift.treebank.formats import CONLLU

TOKEN_COLUMNS = ("form", "lemma", "upos", "xpos", "feats")

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Parser(ABC):
    """Everything that parsing needs, and nothing that changes: many threads may share one."""

    kind: ClassVar[str]

    config: Config
    names: list[str]
    """The labels as the parser has learned them, marks of lifting included."""
    root_label: str
    several_roots: bool
    """Whether a sentence may have several roots, because some in the training data have."""
    card: dict[str, Any]
    calibration: Calibration
    """How probably heads and labels are right, from the learner's own probabilities."""

    @abstractmethod
    def worker(self, options: Options = DEFAULTS) -> Worker:
        """Return what one thread parses with."""

    @abstractmethod
    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return the JSON-able settings and the arrays of this family."""

    @classmethod
    @abstractmethod
    def restored(cls, common: dict[str, Any], settings: Mapping[str, Any], arrays: Arrays) -> Parser:
        """Return the parser that ``_state`` described; ``common`` are the fields of all families."""

    def with_card(self, card: dict[str, Any]) -> Self:
        """Return the same parser with another card."""
        return replace(self, card=card)

    def calibrated(self, blocks: Iterable[Block]) -> Self:
        """Return the same parser with a calibration fitted to treebank sentences."""
        worker = self.worker()
        tables = [worker.weighed(block) for block in blocks]
        of_heads, heads_right, of_labels, labels_right = map(np.concatenate, zip(*tables, strict=True))
        fitted = Calibration(Line.fit(of_heads, heads_right), Line.fit(of_labels, labels_right))
        return replace(self, calibration=fitted)

    # -- parsing ------------------------------------------------------------------------------------------

    def parse(
        self,
        sentences: Iterable[Sentence],
        *,
        scores: bool = False,
        best: int = 1,
        keep: bool = False,
        single_root: bool = False,
    ) -> Iterator[Sentence]:
        """Yield the sentences with trees, ``best`` of them for each; see `Options`."""
        worker = self.worker(Options(scores, best, keep, single_root))
        for sentence in sentences:
            block = sentence.alone()
            self.check(block, worker.options)
            for _, error in block.errors():
                raise error
            form = block.format if block.format.head_column >= 0 else CONLLU
            yield from Block(worker(block), form, file=block.file, first_sentence=block.first_sentence)

    def check(self, block: Block, options: Options) -> None:
        """Take the words out of sentences that have heads to keep which no tree can have; see `Block`."""
        if options.keep and block.format.head_column >= 0:
            block.require_trees(partial=True, single_root=options.single_root or not self.several_roots)

    def __call__(self, tokens: Iterable[str | Mapping[str, str]]) -> Sentence:
        """Return one sentence with its tree: tokens are forms, or cells by column such as form and upos."""
        lines = []
        for number, token in enumerate(tokens, 1):
            cells = {"form": token} if isinstance(token, str) else dict(token)
            unknown = sorted(cells.keys() - set(TOKEN_COLUMNS))
            if unknown or not cells.get("form") or any(set(cell) & set("\t\r\n") for cell in cells.values()):
                raise UsageError(
                    f"token {number} needs a form and may have {', '.join(TOKEN_COLUMNS)}: {token!r}"
                )
            lines.append(
                "\t".join([str(number), *(cells.get(name) or "_" for name in TOKEN_COLUMNS), "_\t_\t_\t_"])
            )
        if not lines:
            raise UsageError("a sentence has at least one token")
        block = Block("".join(f"{line}\n" for line in [*lines, ""]).encode(), CONLLU)
        return Block(self.worker()(block), CONLLU)[0]

    def parse_blocks(
        self, blocks: Iterable[Block], jobs: int = 1, options: Options = DEFAULTS
    ) -> Iterator[bytes]:
        """Yield each block's bytes with trees, in order; any number of ``jobs`` gives the same bytes."""
        if jobs < 1:
            raise UsageError(f"{jobs} jobs cannot work: give 1 or more")
        own = threading.local()

        def work(block: Block) -> bytes:
            if not hasattr(own, "worker"):
                own.worker = self.worker(options)
            done: bytes = own.worker(block)
            return done

        if jobs == 1:
            yield from map(work, blocks)
            return
        waiting: deque[Future[bytes]] = deque()
        with ThreadPoolExecutor(jobs) as pool:
            for block in blocks:
                waiting.append(pool.submit(work, block))
                if len(waiting) > 2 * jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()

    # -- on disk ------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the parser into one file."""
        settings, arrays = self._state()
        settings |= {
            "config": self.config.as_dict(),
            "names": self.names,
            "root_label": self.root_label,
            "several_roots": self.several_roots,
            "calibration": self.calibration.state(),
        }
        modelfile.write(path, ModelFile(self.kind, settings, arrays, self.card))

    @classmethod
    def of_model(cls, model: ModelFile) -> Parser:
        """Return the parser that a model file holds; parts that do not fit raise one of several errors."""
        settings = model.settings
        if type(settings["several_roots"]) is not bool:
            raise ValueError("several_roots is neither true nor false")
        common = {
            "config": Config().changed(settings["config"]),
            "names": checked_labels(settings["names"]),
            "root_label": checked_labels([settings["root_label"]])[0],
            "several_roots": settings["several_roots"],
            "card": model.card,
            "calibration": Calibration.restore(settings["calibration"]),
        }
        return cls.restored(common, settings, model.arrays)


def part(arrays: Arrays, prefix: str) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin with a prefix, without it."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def checked_labels(labels: object) -> list[str]:
    """Return labels from a file; raise ``ValueError`` unless they differ and can stand in a column."""
    if not isinstance(labels, list) or not labels or not all(isinstance(label, str) for label in labels):
        raise ValueError("labels are a list of texts")
    if len(set(labels)) < len(labels) or any(set(label) & set("\t\n\0") for label in labels):
        raise ValueError("labels differ from each other and have neither tabs nor line ends")
    return labels
