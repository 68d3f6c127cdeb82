"""``arclift projectivize``: lift crossing arcs and say so in the labels."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from arclift.cli.common import Skipped, add_input, add_output, open_output, open_reader
from arclift.cli.schemes import add_scheme, markers_of

if TYPE_CHECKING:
    from collections import Counter

NAME = "projectivize"
HELP = "lift crossing arcs until every tree is projective, and record the lifts in the labels"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    add_input(parser)
    add_output(parser)
    add_scheme(parser)
    parser.add_argument("--report", action="store_true", help="say on standard error what was lifted")


def run(arguments: argparse.Namespace) -> int:
    """Copy the input to the output, projective."""
    from arclift.treebank.transform import Projectivizer

    skipped = Skipped()
    transform = Projectivizer(arguments.scheme, markers_of(arguments))
    reader = open_reader(arguments, arguments.file, skipped, trees=True)
    with open_output(arguments.output) as output:
        for block in reader.blocks():
            output.write(transform(block))
    if arguments.report:
        _report(transform.lifted, transform.words)
    return skipped.exit_code()


def _report(lifted: Counter[tuple[str, int]], words: int) -> None:
    arcs = sum(lifted.values())
    print(f"{arcs} of {words} arcs lifted", file=sys.stderr)
    for (label, lifts), count in sorted(lifted.items(), key=lambda item: (-item[1], item[0])):
        print(f"{count:8}  {label}  lifted {lifts} time{'s' * (lifts != 1)}", file=sys.stderr)
