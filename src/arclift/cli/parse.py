"""``arclift parse``: trees for sentences."""

from __future__ import annotations

import argparse
import json

from arclift.cli.common import Skipped, add_output, add_reading, open_output, open_reader

NAME = "parse"
HELP = "give every sentence a tree; what is not predicted comes out byte for byte"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    parser.add_argument("model", metavar="MODEL", help="a parser made by arclift train")
    parser.add_argument(
        "files", nargs="*", default=["-"], metavar="FILE", help="tagged sentences, - or nothing: stdin"
    )
    add_reading(parser)
    add_output(parser)
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="work in N threads (default 1)")
    parser.add_argument(
        "--scores",
        action="store_true",
        help="write into MISC how probably each head and label is right: HeadScore, LabelScore",
    )
    parser.add_argument(
        "--n-best", type=int, default=1, metavar="K", help="give K trees for each sentence, the best first"
    )
    parser.add_argument(
        "--keep", action="store_true", help="keep the heads and labels that are there already"
    )
    parser.add_argument(
        "--single-root",
        action="store_true",
        help="one root in each sentence, even if the training data have sentences with several",
    )
    parser.add_argument(
        "--trace", action="store_true", help="instead of trees, every step of a transition parser, as a table"
    )
    parser.add_argument(
        "--trace-json", action="store_true", help="the same as JSON, one object for each sentence"
    )


def run(arguments: argparse.Namespace) -> int:
    """Parse all files one after the other."""
    if arguments.trace or arguments.trace_json:
        return _trace(arguments)
    from arclift.parsing import Options, load
    from arclift.treebank.stream import LARGE_CHUNK_BYTES

    options = Options(arguments.scores, arguments.n_best, arguments.keep, arguments.single_root)
    parser = load(arguments.model)
    skipped = Skipped()
    with open_output(arguments.output) as output:
        for file in arguments.files:
            reader = open_reader(arguments, file, skipped, check=lambda block: parser.check(block, options))
            blocks = reader.blocks(LARGE_CHUNK_BYTES)
            output.writelines(parser.parse_blocks(blocks, arguments.jobs, options))
    return skipped.exit_code()


def _trace(arguments: argparse.Namespace) -> int:
    """Write how a transition parser comes to its trees."""
    from arclift.parsing import load
    from arclift.parsing.trace import traces

    parser = load(arguments.model)
    skipped = Skipped()
    with open_output(arguments.output) as output:
        for file in arguments.files:
            for block in open_reader(arguments, file, skipped).blocks():
                for trace in traces(parser, block):
                    as_dict = trace.as_dict() if arguments.trace_json else None
                    text = json.dumps(as_dict, ensure_ascii=False) if as_dict else trace.as_text()
                    output.write(f"{text}\n".encode())
    return skipped.exit_code()
