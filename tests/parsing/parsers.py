"""Small treebanks and quick configurations, one for each family of parsers."""

from __future__ import annotations

import io

from arclift.parsing import preset_config
from arclift.treebank import Block, Reader
from arclift.treebank.formats import CONLLU
from training_samples import GRAPH_SETS, TRANSITION_SETS

TRANSITION = preset_config("classic").set(TRANSITION_SETS)
GRAPH = preset_config("fast").set([*GRAPH_SETS, "graph.steps=1"])
FAMILIES = {"transition": TRANSITION, "graph": GRAPH}


def blocks_of(data):
    return list(Reader(io.BytesIO(data), trees=True).blocks())


def whole(data):
    """Return the bytes as one block of trees without an error."""
    block = Block(data, CONLLU)
    block.require_trees()
    assert not block.errors()
    return block


def parsed(parser, data, jobs=1, options=None):
    blocks = Reader(io.BytesIO(data)).blocks()
    return b"".join(parser.parse_blocks(blocks, jobs, *([options] if options else [])))
