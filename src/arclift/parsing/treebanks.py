"""``arclift.train``: from treebank files to a parser, in one call."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from arclift.errors import InputError, Place, UsageError
from arclift.parsing.checkpoint import Epoch
from arclift.parsing.config import Config, preset_config
from arclift.parsing.parser import Parser
from arclift.parsing.portions import split
from arclift.parsing.train import Report, train_on
from arclift.treebank import Block, Reader

File = str | os.PathLike[str]


def train(
    treebanks: File | Sequence[File],
    dev: File | None = None,
    *,
    output: File | None = None,
    preset: str | Config = "fast",
    settings: Sequence[str] = (),
    on_start: Callable[[Report], None] | None = None,
    on_epoch: Callable[[Epoch], None] | None = None,
) -> Parser:
    """Return a parser trained on one or several treebank files.

    It is chosen by ``dev``, or by every tenth sentence if there is none. ``preset`` is a name or a whole
    configuration, ``settings`` changes some of its keys, such as ``["training.seed=2"]``. With ``output`` the
    parser is written there, and an interrupted training goes on where it was.
    """
    files = [treebanks] if isinstance(treebanks, str | os.PathLike) else list(treebanks)
    config = (preset_config(preset) if isinstance(preset, str) else preset).set(list(settings))
    read = read_material(files, dev, lambda file: Reader(file, trees=True), output)
    parser, _ = train_on(
        *read.divided(), config, card=read.card, output=output, on_start=on_start, on_epoch=on_epoch
    )
    return parser


class Material(NamedTuple):
    """What a parser is made from."""

    blocks: list[Block]
    dev: list[Block] | None
    card: dict[str, Any]
    """Where it comes from."""

    def divided(self) -> tuple[list[Block], list[Block]]:
        """Return training and dev data; without the latter a part of the former is held out."""
        return split(self.blocks) if self.dev is None else (self.blocks, self.dev)


def read_material(
    files: Sequence[File], dev: File | None, opened: Callable[[str], Reader], output: File | None
) -> Material:
    """Return what stands in the files; what would be of no use, or lost by the output, is an error."""
    names = [os.fspath(file) for file in files]
    for name in [*names, *([os.fspath(dev)] if dev is not None else [])]:
        if output is not None and _same(name, output):
            raise UsageError(f"{name} is read, and the output would be written over it")
    read = [_blocks(name, opened(name)) for name in names]
    held_out = None if dev is None else _blocks(os.fspath(dev), opened(os.fspath(dev)))
    for name, blocks in zip(names, read, strict=True):
        if held_out and [block.data for block in blocks] == [block.data for block in held_out]:
            warnings.warn(
                f"dev is the same as {name}: its scores say nothing of other text", UserWarning, stacklevel=2
            )
    card = {"data": [Path(name).name for name in names]}
    card["dev_data"] = [Path(dev).name] if dev is not None else []
    return Material([block for blocks in read for block in blocks], held_out, card)


def _same(one: File, other: File) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:
        return False  # at least one is not there


def _blocks(name: str, reader: Reader) -> list[Block]:
    blocks = list(reader.blocks())
    if not any(block.words for block in blocks):
        raise InputError("this has no sentence with a tree", Place(name), code="no-data")
    return blocks
