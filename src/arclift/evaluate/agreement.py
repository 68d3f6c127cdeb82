"""Whether two treebanks say the same, word by word: the loop under every score."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arclift.native import accelerated

Fields = NDArray[np.uint32]


@accelerated
def same_cells(
    gold: bytes,
    gold_fields: Fields,
    gold_column: int,
    system: bytes,
    system_fields: Fields,
    system_column: int,
) -> NDArray[np.uint8]:
    """Return for each pair of rows whether a column of one and a column of the other hold the same bytes."""
    if len(gold_fields) != len(system_fields):
        raise ValueError("not the same number of words")
    cells = zip(
        _cells(gold, gold_fields, gold_column), _cells(system, system_fields, system_column), strict=True
    )
    return np.array([a == b for a, b in cells], dtype=np.uint8)


def _cells(data: bytes, fields: Fields, column: int) -> list[bytes]:
    if not 0 <= column < fields.shape[1] - 1:
        raise ValueError("no such column")
    size = len(data)
    rows = fields[:, column : column + 2].tolist()
    spans = [(min(begin, size), max(min(begin, size), end - 1)) for begin, end in rows]
    if any(end > size for _, end in spans):
        raise ValueError("a column leaves the data")
    return [data[begin:end] for begin, end in spans]
