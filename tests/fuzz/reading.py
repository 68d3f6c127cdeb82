"""Any bytes are read without a loss or an exception but arclift's own, and what can be read is parsed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from random import Random

import numpy as np

from arclift.errors import ArcliftError
from arclift.native import PAIRS
from arclift.parsing.parser import Parser
from arclift.treebank import Reader, stream
from arclift.treebank.formats import by_name
from fuzz.checks import check_parsed
from fuzz.parsers import random_parser
from fuzz.texts import any_bytes

INPUTS = 30
PACKED = (b"\x1f\x8b", b"\xfd7zXZ")
_SHORT = 4000


def run(seed: int) -> int:
    """Read byte strings, and parse what is in them."""
    rng = Random(f"reading {seed}")
    parser = random_parser(rng)
    for _ in range(INPUTS):
        data, format = any_bytes(rng)
        _check(rng, parser, data, format)
    return INPUTS


def _check(rng: Random, parser: Parser, data: bytes, likely: str) -> None:
    format = rng.choice([None, likely])
    size = rng.choice([1, 3, 50]) if format and rng.random() < 0.2 else stream.CHUNK_BYTES
    trees = rng.random() < 0.3
    told: list[str] = []
    reader = Reader(
        BytesIO(data),
        format=format,
        trees=trees,
        on_error="skip",
        on_skip=lambda error: told.append(str(error)),
    )
    try:
        with _chunks_of(size):
            blocks = list(reader.blocks())
    except ArcliftError:
        return
    assert len(told) == reader.skipped
    if not data.startswith(PACKED):
        assert b"".join(block.data for block in blocks) == data
    for block in blocks:
        assert b"".join(map(bytes, block)) == (block.data if len(block) else b"")
        for sentence in block:
            assert len(sentence.forms) == len(sentence.heads) == len(sentence)
    if size >= _SHORT and not trees:
        for block, done in zip(blocks, parser.parse_blocks(blocks), strict=True):
            check_parsed(parser, block, done)
    if len(data) < _SHORT:
        _check_twins(data, likely)


@contextmanager
def _chunks_of(size: int) -> Iterator[None]:
    kept = stream.CHUNK_BYTES
    stream.CHUNK_BYTES = size
    try:
        yield
    finally:
        stream.CHUNK_BYTES = kept


def _check_twins(data: bytes, format: str) -> None:
    """Both scanners find the same."""
    layout = by_name(format)
    if layout.slashes or PAIRS["scan"].native is None:
        return
    plan = (len(layout.columns), layout.open_ended, layout.has_ids, layout.head_column, True)
    for plain, native in zip(*(scan(data, *plan) for scan in PAIRS["scan"]), strict=True):
        np.testing.assert_array_equal(plain, native)
