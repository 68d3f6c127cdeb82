"""``arclift draw``: trees in the terminal, or as SVG."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from arclift.cli.common import Skipped, add_input, open_reader
from arclift.errors import UsageError

if TYPE_CHECKING:
    from arclift.treebank import Sentence

NAME = "draw"
HELP = "draw trees in the terminal or as SVG, arcs that cross made visible"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    add_input(parser)
    parser.add_argument("--sentence", metavar="N|ID", help="only this sentence: its number, or its sent_id")
    parser.add_argument("--first", type=int, metavar="N", help="only the first N sentences")
    parser.add_argument("--crossing", action="store_true", help="only sentences with non-projective arcs")
    parser.add_argument(
        "--other", metavar="FILE", help="a second analysis of the same sentences, drawn as a difference"
    )
    parser.add_argument("--svg", metavar="DIR", help="write one SVG file a sentence into this directory")
    parser.add_argument(
        "--max-words", type=int, default=500, metavar="N", help="draw at most N words (default 500)"
    )
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colours (default: on a terminal)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Draw what was asked for."""
    skipped = Skipped()
    drawn = 0
    folder = Path(arguments.svg) if arguments.svg else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    for sentence, other in islice(_chosen(arguments, skipped), arguments.first):
        drawn += 1
        if folder:
            path = folder / f"{sentence.number:05d}.svg"
            path.write_text(sentence.svg(other=other, max_words=arguments.max_words), encoding="utf-8")
        else:
            _print(sentence, other, arguments)
    if folder:
        print(f"{drawn} drawings written to {folder}", file=sys.stderr)
    if not drawn and not skipped.count:
        print("no sentence to draw", file=sys.stderr)
        return 1
    return skipped.exit_code()


def _chosen(arguments: argparse.Namespace, skipped: Skipped) -> Iterator[tuple[Sentence, Sentence | None]]:
    sentences = iter(open_reader(arguments, arguments.file, skipped))
    others = iter(open_reader(arguments, arguments.other, skipped)) if arguments.other else None
    for sentence in sentences:
        other = next(others, None) if others else None
        if others and (other is None or other.forms != sentence.forms):
            raise UsageError(f"{arguments.other} has other words in sentence {sentence.number}")
        if arguments.sentence not in (None, str(sentence.number), sentence.id):
            continue
        if arguments.crossing and not _crosses(sentence):
            continue
        yield sentence, other


def _crosses(sentence: Sentence) -> bool:
    from arclift.trees.projectivity import nonprojective_arcs
    from arclift.trees.structure import is_tree

    return is_tree(sentence.heads) and bool(nonprojective_arcs(sentence.heads).any())


def _print(sentence: Sentence, other: Sentence | None, arguments: argparse.Namespace) -> None:
    terminal = sys.stdout.isatty()
    color = arguments.color == "always" or (
        arguments.color == "auto" and terminal and "NO_COLOR" not in os.environ
    )
    encoding = sys.stdout.encoding or "ascii"
    columns = shutil.get_terminal_size().columns if terminal else None
    title = f"# {sentence.number}" + (f" {sentence.id}" if sentence.id else "")
    picture = sentence.draw(
        other=other, color=color, columns=columns, encoding=encoding, max_words=arguments.max_words
    )
    text = f"{title}\n{picture.rstrip()}\n\n"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
