"""Treebanks as streams of sentences, or whole in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Literal, overload

import numpy as np

from arclift.errors import InputError, UsageError
from arclift.treebank.block import Block
from arclift.treebank.formats import Format, by_name, detect
from arclift.treebank.sentence import Sentence
from arclift.treebank.stream import Source, open_bytes, read_chunks, read_some

OnError = Literal["stop", "skip"]


class Reader:
    """A treebank read sentence by sentence, in flat memory, from the start each time it is iterated.

    With ``on_error="stop"`` a sentence that breaks the format raises `InputError` when it is reached; with
    ``"skip"`` it is left out of the iteration and handed to ``on_skip``. Blocks keep such sentences' bytes.
    ``trees=True`` treats sentences whose heads are no tree in the same way, and ``check`` may find fault with
    more of them, as `Block.require_trees` does.
    """

    def __init__(
        self,
        source: Source,
        *,
        format: str | Format | None = None,
        trees: bool = False,
        check: Callable[[Block], None] | None = None,
        on_error: OnError = "stop",
        on_skip: Callable[[InputError], None] | None = None,
    ) -> None:
        if on_error not in ("stop", "skip"):
            raise UsageError(f"on_error is 'stop' or 'skip', not {on_error!r}")
        self.source = source
        self.format = by_name(format) if isinstance(format, str) else format
        self.trees = trees
        self.check = check
        self.on_error = on_error
        self.on_skip = on_skip
        self.skipped = 0

    def __iter__(self) -> Iterator[Sentence]:
        for block in self.blocks():
            for sentence in block:
                if len(sentence):
                    yield sentence

    def blocks(self, at_once: int | None = None) -> Iterator[Block]:
        """Yield the treebank as blocks of some thousand words, or of about ``at_once`` bytes."""
        with open_bytes(self.source) as (stream, name):
            start = read_some(stream, name, at_once)
            self.format = self.format or detect(start, name)
            line, sentence = 1, 1
            for data in read_chunks(stream, name, start, self.format, at_once):
                block = Block(data, self.format, file=name, first_line=line, first_sentence=sentence)
                line += int(np.count_nonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n")))
                sentence += len(block)
                yield from self._checked(block)

    def _checked(self, block: Block) -> Iterator[Block]:
        if self.trees:
            block.require_trees()
        if self.check:
            self.check(block)
        errors = block.errors()
        if errors and self.on_error == "stop":
            index, error = errors[0]
            if index:
                yield block.head(index)
            raise error
        for _, error in errors:
            self.skipped += 1
            if self.on_skip:
                self.on_skip(error)
        yield block


class Treebank(Sequence[Sentence]):
    """A treebank in memory: a sequence of sentences over a list of blocks."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        self.blocks = list(blocks)
        self._places = [
            (block, index)
            for block in self.blocks
            for index in range(len(block))
            if block.offsets[index] < block.offsets[index + 1]
        ]

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Sentence: ...
    @overload
    def __getitem__(self, index: slice) -> list[Sentence]: ...
    def __getitem__(self, index: int | slice) -> Sentence | list[Sentence]:
        if isinstance(index, slice):
            return [Sentence(*place) for place in self._places[index]]
        return Sentence(*self._places[index])

    @property
    def words(self) -> int:
        """How many words the sentences have together."""
        return sum(block.words for block in self.blocks)


def read(
    source: Source, *, format: str | Format | None = None, trees: bool = False, on_error: OnError = "stop"
) -> Reader:
    """Return the sentences of ``source``, read as they are asked for.

    ``source`` is a path, ``"-"`` for standard input, or a binary stream; gzip and xz are unpacked. The format
    is recognised unless it is given; ``trees`` asks that the heads of each sentence be a tree.
    """
    return Reader(source, format=format, trees=trees, on_error=on_error)


def read_all(
    source: Source, *, format: str | Format | None = None, trees: bool = False, on_error: OnError = "stop"
) -> Treebank:
    """Return all sentences of ``source`` in memory, to be counted, indexed and gone through again."""
    return Treebank(read(source, format=format, trees=trees, on_error=on_error).blocks())


def write(target: str | os.PathLike[str] | BinaryIO, sentences: Iterable[Sentence]) -> None:
    """Write the sentences as they are; what was read and not replaced comes out byte for byte."""
    if isinstance(target, str | os.PathLike):
        with Path(target).open("wb") as stream:
            stream.writelines(map(bytes, sentences))
    else:
        target.writelines(map(bytes, sentences))
