"""``arclift deprojectivize``: lower the arcs again that their labels call lifted."""

from __future__ import annotations

import argparse

from arclift.cli.common import Skipped, add_input, add_output, open_output, open_reader
from arclift.cli.schemes import add_scheme, markers_of

NAME = "deprojectivize"
HELP = "lower the arcs that projectivize lifted, and give the labels back as they were"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    add_input(parser)
    add_output(parser)
    add_scheme(parser)


def run(arguments: argparse.Namespace) -> int:
    """Copy the input to the output, lowered."""
    from arclift.treebank.transform import Deprojectivizer

    skipped = Skipped()
    transform = Deprojectivizer(arguments.scheme, markers_of(arguments))
    reader = open_reader(arguments, arguments.file, skipped, trees=True)
    with open_output(arguments.output) as output:
        for block in reader.blocks():
            output.write(transform(block))
    return skipped.exit_code()
