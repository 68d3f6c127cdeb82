"""``arclift convert``: a treebank in another format, and what that format cannot hold."""

from __future__ import annotations

import argparse
import json
import sys

from arclift.cli.common import Skipped, add_input, add_output, open_output, open_reader

NAME = "convert"
HELP = "Convert a treebank to another format; what that one cannot hold is counted on standard error."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_input(parser)
    add_output(parser)
    parser.add_argument(
        "--to", required=True, metavar="F", help="conllu, conllx, vertical[:form,upos,...], tokens or lines"
    )
    parser.add_argument("--strict", action="store_true", help="exit with 1 if anything was lost")
    parser.add_argument("--json", action="store_true", help="report on standard error as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from arclift.treebank.convert import Converter

    converter = Converter(arguments.to)
    skipped = Skipped()
    reader = open_reader(arguments, arguments.file, skipped)
    with open_output(arguments.output) as output:
        output.writelines(converter.convert(reader.blocks()))
    lost = converter.lost
    if arguments.json:
        report = {
            "to": converter.target.name,
            "sentences": converter.sentences,
            "words": converter.words,
            "skipped": skipped.count,
            "lost": dict(sorted(lost.items())),
        }
        print(json.dumps(report, ensure_ascii=False), file=sys.stderr)
    elif lost:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in lost.items())
        print(f"{converter.target.name} cannot hold: {kinds}", file=sys.stderr)
    return max(skipped.exit_code(), int(arguments.strict and bool(lost)))
