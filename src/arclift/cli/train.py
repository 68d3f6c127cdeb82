"""``arclift train``: a treebank in, a parser out."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from arclift.cli.common import Skipped, add_reading, interruptible, open_reader
from arclift.cli.progress import Progress, curve
from arclift.errors import UsageError

if TYPE_CHECKING:
    from arclift.parsing import Config, Epoch, Report
    from arclift.parsing.jackknife import Part
    from arclift.parsing.treebanks import Material

NAME = "train"
HELP = "train a parser from a treebank"
EPILOG = """\
examples:
  arclift train train.conllu --dev dev.conllu -o my.model
        a graph parser, fast and accurate; good for any treebank
  arclift train train.conllu -o my.model
        without dev data every tenth sentence is held out to choose the epoch
  arclift train train.conllu --dev dev.conllu -o my.model --system swap --scheme none
        a transition parser with this system, which needs no lifting
  arclift train train.conllu --dev dev.conllu -o my.model --set training.epochs=40 --seed 2
        any key of the configuration; arclift info MODEL shows them all
  arclift train train.conllu -o jackknifed.conllu --jackknife 10
        the treebank, each sentence with the tree of a parser that has not seen it

Stopped by Ctrl-C or killed, the same command goes on where it was, to the same result.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("treebanks", nargs="+", metavar="TRAIN", help="treebanks to learn from")
    parser.add_argument(
        "--dev", metavar="DEV", help="choose the epoch by this treebank (default: every tenth sentence)"
    )
    parser.add_argument("-o", "--output", required=True, metavar="MODEL", help="the file of the parser")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument(
        "--preset",
        metavar="P",
        help="fast (a graph parser, the default), classic (a transition parser), nivre2005 (the paper's)",
    )
    kind.add_argument("--config", metavar="FILE", help="a TOML file: tables parser, graph, training, ...")
    parser.add_argument(
        "--system",
        metavar="S",
        help="a transition parser with this system: arc_eager, arc_standard, swap, ...",
    )
    parser.add_argument("--scheme", metavar="S", help="lift with this scheme: none, head, head+path, ...")
    parser.add_argument("--learner", metavar="L", help="the learner: maxent, memory, mlp, perceptron")
    parser.add_argument(
        "--set", action="append", default=[], metavar="T.K=V", help="any other key: table.key=value"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="the seed of everything random (default 1)")
    parser.add_argument(
        "--jackknife",
        type=int,
        metavar="K",
        help="MODEL becomes a treebank: TRAIN with trees of parsers that have not seen them; sentence i "
        "belongs to part i mod K, and each part is parsed by a parser trained on the others",
    )
    add_reading(parser)


def run(arguments: argparse.Namespace) -> int:
    """Train, and say how it went."""
    from arclift.parsing.treebanks import read_material

    skipped = Skipped()
    config = _config(arguments)
    read = read_material(
        arguments.treebanks,
        arguments.dev,
        lambda file: open_reader(arguments, file, skipped, trees=True),
        arguments.output,
    )
    course = _Course()
    go = _train if arguments.jackknife is None else _jackknife
    try:
        with interruptible():
            go(arguments, config, read, course)
    except KeyboardInterrupt:
        course.interrupted()
        return 130
    return skipped.exit_code()


def _config(arguments: argparse.Namespace) -> Config:
    from arclift.parsing import preset_config, read_config

    named = any((arguments.system, arguments.scheme, arguments.learner))
    if arguments.config:
        config = read_config(arguments.config)
    else:
        config = preset_config(arguments.preset or ("classic" if named else "fast"))
    if named and config.parser.family != "transition":
        raise UsageError("--system, --scheme and --learner are for transition parsers: --preset classic")
    options = {"system": ("name", arguments.system), "lifting": ("scheme", arguments.scheme)}
    options |= {"learner": ("name", arguments.learner), "training": ("seed", arguments.seed)}
    config = config.changed(
        {table: {key: value} for table, (key, value) in options.items() if value is not None}
    )
    return config.set(arguments.set)


def _train(arguments: argparse.Namespace, config: Config, read: Material, course: _Course) -> None:
    from arclift.parsing import train_on

    _, report = train_on(
        *read.divided(),
        config,
        card=read.card,
        output=arguments.output,
        on_start=course.start,
        on_share=course.share,
        on_epoch=course.epoch,
    )
    best, done = report.best, report.epochs[-1]
    print(
        f"epoch {best.number} of {done.number} is kept: dev UAS {best.uas:.2%}, LAS {best.las:.2%}, "
        f"non-projective F {best.nonprojective_f:.2%}"
    )
    scores = [epoch.las for epoch in report.epochs]
    print(
        f"dev LAS by epoch: {scores[0]:.2%} {curve(scores, sys.stdout.encoding)} {scores[-1]:.2%}; "
        f"{done.cpu_seconds:,.0f} CPU s"
    )
    size = Path(arguments.output).stat().st_size
    print(f"the parser is in {arguments.output}, {size / 1e6:.1f} MB")


def _jackknife(arguments: argparse.Namespace, config: Config, read: Material, course: _Course) -> None:
    from arclift.parsing import jackknife

    done = jackknife(
        read.blocks,
        arguments.jackknife,
        config,
        dev=read.dev,
        output=arguments.output,
        on_start=course.start,
        on_share=course.share,
        on_epoch=course.epoch,
        on_part=course.part,
    )
    total = done.total
    print(
        f"{total.sentences:,} sentences, {total.words:,} words, each with the tree of one of "
        f"{arguments.jackknife} parsers that have not seen it"
    )
    print(
        f"UAS {total.uas:.2%}, LAS {total.las:.2%}, non-projective F {total.nonprojective_f:.2%}; "
        f"the treebank is in {arguments.output}"
    )


class _Course:
    """Says on standard error how training goes."""

    def __init__(self) -> None:
        self._progress = Progress()
        self._report: Report | None = None
        self._parts = ""

    def start(self, report: Report) -> None:
        """Say what is learned, and what cannot be."""
        self._report = report
        say = self._progress.say
        say(f"{report.sentences:,} sentences, {report.words:,} words: {report.about}")
        if report.lost:
            share = report.lost / report.words
            say(f"{report.lost:,} arcs ({share:.2%}) are beyond this transition system, and are not learned")
        if report.not_lowered:
            share = report.not_lowered / report.words
            say(f"{report.not_lowered:,} arcs ({share:.2%}) are beyond this scheme: lowering would miss them")
        if report.epochs:
            say(f"it was stopped after epoch {report.saved}, and goes on from there")

    def share(self, done: float) -> None:
        """Show how much is done."""
        report = self._report
        assert report is not None
        self._progress(done, f"epoch {len(report.epochs) + 1} of {report.planned}")

    def epoch(self, epoch: Epoch) -> None:
        """Say what an epoch came to."""
        self._progress.say(
            f"epoch {epoch.number:>3}  loss {epoch.loss:.4f}  dev UAS {epoch.uas:.2%}  LAS {epoch.las:.2%}  "
            f"non-projective F {epoch.nonprojective_f:.2%}  {epoch.cpu_seconds:.0f} CPU s"
        )

    def part(self, part: Part) -> None:
        """Say how the parser of the other parts did on one."""
        self._parts = f" of part {part.number + 1}"
        self._report = None
        self._progress.say(
            f"part {part.number}: {part.sentences:,} sentences parsed, UAS {part.uas:.2%}, LAS {part.las:.2%}"
        )

    def interrupted(self) -> None:
        """Say what is kept."""
        saved = self._report.saved if self._report else 0
        self._progress.say(f"stopped: the same command goes on from epoch {saved + 1}{self._parts}")
