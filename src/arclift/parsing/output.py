"""What is written beside the trees: confidence in MISC, and several trees of a sentence in turn."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arclift.errors import UsageError
from arclift.treebank import Block
from arclift.treebank.formats import CONLLU

Doubles = NDArray[np.float64]
HEAD_SCORE, LABEL_SCORE = "HeadScore", "LabelScore"
_OLD_SCORES = re.compile(rf"(?:^|\|)(?:{HEAD_SCORE}|{LABEL_SCORE})=[^|]*".encode())


def score_cells(block: Block, heads: Doubles, labels: Doubles) -> tuple[NDArray[np.int32], list[str]]:
    """Return the MISC column with the confidence in each head and label, as ids and texts.

    What stands there stays, in its order; earlier scores are replaced.
    """
    if block.format.column("misc") < 0:
        raise UsageError(
            f"the format {block.format.name} has no MISC column for scores: arclift convert --to conllu first"
        )
    starts, ends = block.spans("misc")
    data, texts = block.data, []
    for begin, end, head, label in zip(
        starts.tolist(), ends.tolist(), heads.tolist(), labels.tolist(), strict=True
    ):
        scores = f"{HEAD_SCORE}={head:.4f}|{LABEL_SCORE}={label:.4f}"
        old = _OLD_SCORES.sub(b"", data[begin:end]).removeprefix(b"|")
        texts.append(scores if old in (b"_", b"") else f"{old.decode()}|{scores}")
    return np.arange(len(texts), dtype=np.int32), texts


def with_rank(block: Block, data: bytes, scores: Doubles, rank: int) -> list[bytes]:
    """Return the bytes of each sentence of a written block with rank and score of its tree in comments.

    Nothing for a sentence whose score is -inf, which has no tree of this rank; one without words, which could
    not be read, comes once, as it is.
    """
    if block.format.name != CONLLU.name:
        raise UsageError(
            f"the format {block.format.name} has no comments to number trees by: "
            "arclift convert --to conllu first"
        )
    written = Block(data, block.format)
    pieces = []
    for index, score in enumerate(scores.tolist()):
        begin, end = written.starts[index : index + 2].tolist()
        if written.offsets[index] == written.offsets[index + 1]:
            pieces.append(data[begin:end] if rank == 1 else b"")
        elif score == -np.inf:
            pieces.append(b"")
        else:
            first = _first_row(written, index)
            newline = b"\r\n" if data[first:end].partition(b"\n")[0].endswith(b"\r") else b"\n"
            comments = b"# tree_rank = %d%s# tree_score = %.4f%s" % (rank, newline, score, newline)
            pieces.append(data[begin:first] + comments + data[first:end])
    return pieces


def _first_row(block: Block, index: int) -> int:
    """Return the byte at which the first row that is no comment begins."""
    begin, end = block.starts[index : index + 2].tolist()
    first = int(block.fields[block.offsets[index], 0])
    rows = block.extras[(block.extras[:, 0] > 0) & (block.extras[:, 1] >= begin) & (block.extras[:, 1] < end)]
    return min(first, int(rows[0, 1])) if len(rows) else first


def in_turn(ranks: Sequence[Sequence[bytes]]) -> bytes:
    """Return the trees of the first sentence, best first, then those of the second, and so on."""
    return b"".join(piece for sentence in zip(*ranks, strict=True) for piece in sentence)
