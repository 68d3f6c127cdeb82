"""Random parsers give every sentence one tree, and change nothing but heads and labels."""

from __future__ import annotations

from random import Random

from arclift.parsing.graph_parser import GraphParser
from arclift.parsing.options import DEFAULTS, Options
from arclift.parsing.parser import Parser
from arclift.treebank import Block
from arclift.treebank.formats import CONLLU, by_name
from fuzz.checks import check_parsed
from fuzz.parsers import graph_parser, transition_parser
from fuzz.texts import sentence, sentences

EACH = 75
INPUTS = 2 * EACH
OPTIONAL = 5
"""How many of the sentences, at most, are parsed with options, which take longer."""


def run(seed: int) -> int:
    """Parse sentences by a new graph parser and by a new transition parser."""
    rng = Random(f"parsing {seed}")
    for parser in (graph_parser(rng), transition_parser(rng)):
        parse(rng, parser, EACH)
    return INPUTS


def parse(rng: Random, parser: Parser, count: int) -> None:
    """Parse so many random sentences, in three blocks, and check what comes out."""
    format = rng.choice(["conllu", "conllu", "conllx", "conll09"])
    graph = isinstance(parser, GraphParser)
    optional = min(count // 3, OPTIONAL)
    longer = (count - optional) // 2
    first = sentences(rng, longer, format, longest=150 if graph else 60)
    second = sentences(rng, count - longer - optional, format)
    if graph and rng.random() < 0.005:
        second += sentence(rng, rng.choice([999, 1000, 1001, 1300]), format).encode()
    _check(parser, [Block(data, by_name(format)) for data in (first, second)], DEFAULTS)
    options = _options(rng)
    block = Block(sentences(rng, optional, longest=13), CONLLU)
    parser.check(block, options)
    _check(parser, [block], options)


def _options(rng: Random) -> Options:
    """Return anything that may be asked for."""
    keep = rng.random() < 0.4
    best = 1 if keep or rng.random() < 0.7 else rng.randint(2, 5)
    return Options(scores=rng.random() < 0.5, best=best, keep=keep, single_root=rng.random() < 0.5)


def _check(parser: Parser, blocks: list[Block], options: Options) -> None:
    for block, done in zip(blocks, parser.parse_blocks(blocks, options=options), strict=True):
        assert not len(block.flaws)
        check_parsed(parser, block, done, options)
