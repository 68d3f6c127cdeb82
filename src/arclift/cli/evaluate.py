"""``arclift evaluate``: scores of a system output against a gold file."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from arclift.cli.common import open_output

if TYPE_CHECKING:
    from arclift.evaluate import Comparison, Evaluation

NAME = "evaluate"
HELP = "score a system output against a gold file, and two systems against each other"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("gold", metavar="GOLD", help="the treebank that is right")
    parser.add_argument("system", metavar="SYSTEM", help="the same text as a parser analysed it")
    parser.add_argument("second", metavar="SYSTEM2", nargs="?", help="another parser's, to be compared")
    parser.add_argument("--format", metavar="F", help="conllu, conllx or conll09 (default: recognised)")
    parser.add_argument(
        "--punctuation",
        choices=("all", "conllx", "upos", "label"),
        default="all",
        help="score all words (default), or leave out those that are all Unicode punctuation (conllx), that "
        "are tagged PUNCT (upos) or labelled punct (label) in the gold file",
    )
    parser.add_argument(
        "--subtypes",
        choices=("keep", "cut"),
        default="keep",
        help="compare labels in full (default) or up to the first colon",
    )
    parser.add_argument(
        "--ranges",
        choices=("align", "ignore"),
        default="align",
        help="multiword tokens: align words by them (default), or compare words as if there were none",
    )
    parser.add_argument(
        "--tables", action="store_true", help="print scores by relation, arc length and tag too"
    )
    parser.add_argument("--official", action="store_true", help="refuse trees that conll18_ud_eval refuses")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--html", metavar="FILE", help="write an HTML report with the worst sentences drawn")
    parser.add_argument("--worst", type=int, default=10, metavar="N", help="draw so many (default: 10)")
    parser.add_argument(
        "--bootstrap", type=int, default=10_000, metavar="N", help="samples of the bootstrap (default: 10000)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the bootstrap (default: 0)")


def run(arguments: argparse.Namespace) -> int:
    """Evaluate and print."""
    from arclift.errors import UsageError
    from arclift.evaluate import Policy, compare, evaluate

    systems = [file for file in (arguments.system, arguments.second) if file is not None]
    if [arguments.gold, *systems].count("-") > 1 or (len(systems) > 1 and arguments.gold == "-"):
        raise UsageError("standard input can be read only once")
    if min(arguments.worst, arguments.bootstrap) < 0:
        raise UsageError("--worst and --bootstrap take numbers from 0 up")
    found = [
        evaluate(
            arguments.gold,
            system,
            policy=Policy(arguments.punctuation, arguments.subtypes, arguments.ranges),
            format=arguments.format,
            tables=arguments.tables or arguments.html is not None,
            worst=arguments.worst if arguments.html is not None else 0,
            outcomes=len(systems) > 1,
            official=arguments.official,
        )
        for system in systems
    ]
    comparison = None
    if len(found) > 1:
        comparison = compare(*found, samples=arguments.bootstrap, seed=arguments.seed)
    _write(arguments, found, comparison)
    return 0


def _write(arguments: argparse.Namespace, found: list[Evaluation], comparison: Comparison | None) -> None:
    from arclift.evaluate.data import as_data, comparison_data
    from arclift.evaluate.html import as_html
    from arclift.evaluate.report import as_text

    second = found[1] if len(found) > 1 else None
    if arguments.html is not None:
        with open_output(arguments.html) as stream:
            stream.write(as_html(found[0], second, comparison).encode())
    if arguments.json:
        data = as_data(found[0])
        if second and comparison:
            data |= {"second": as_data(second), "comparison": comparison_data(comparison)}
        print(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        print(as_text(found[0], second, comparison, tables=arguments.tables), end="")
