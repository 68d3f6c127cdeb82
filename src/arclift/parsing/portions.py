"""Parts of a treebank: what is held out of training, and what only has sound sentences."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from arclift.treebank import Block

HELD_OUT = 10
"""Without dev data every tenth sentence is held out."""
BOM = b"\xef\xbb\xbf"


def sound(block: Block, chosen: NDArray[np.bool_] | None = None) -> Block:
    """Return a block of copies of the sentences that have words here, or of the ``chosen`` ones of them.

    The copies can follow one another whatever file they are from: no BOM in between, and each ends.
    """
    kept = np.diff(block.offsets) > 0
    if chosen is not None:
        kept &= chosen
    copies = [
        bytes(block[index]).removeprefix(BOM).rstrip(b"\r\n") + b"\n\n"
        for index in np.flatnonzero(kept).tolist()
    ]
    return Block(b"".join(copies), block.format, file=block.file)


def numbers(blocks: Sequence[Block]) -> list[NDArray[np.int64]]:
    """Return the numbers of the sentences of each block, counted from 1 through all of them."""
    first = np.cumsum([1, *map(len, blocks)])
    return [np.arange(begin, end) for begin, end in pairwise(first.tolist())]


def split(blocks: Sequence[Block]) -> tuple[list[Block], list[Block]]:
    """Return training and held-out sentences: every tenth is held out."""
    tenth = [count % HELD_OUT == 0 for count in numbers(blocks)]
    kept = [sound(block, ~out) for block, out in zip(blocks, tenth, strict=True)]
    held_out = [sound(block, out) for block, out in zip(blocks, tenth, strict=True)]
    if not any(block.words for block in held_out):
        warnings.warn(
            f"fewer than {HELD_OUT} sentences, and no dev data: scores are those on training data",
            UserWarning,
            stacklevel=2,
        )
        return kept, kept
    return kept, held_out
