"""``arclift experiment``: the tables of the papers, rebuilt."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

NAME = "experiment"
HELP = "rebuild a table of a paper from your data, beside the published figures"

EXPERIMENTS = {"nivre2005-transformation": "arclift.experiments.nivre2005_transformation"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    parser.add_argument("experiment", choices=sorted(EXPERIMENTS), help="which experiment")
    parser.add_argument(
        "--data", type=Path, required=True, metavar="DIR", help="a folder of CoNLL files, or of such folders"
    )
    parser.add_argument(
        "--output", type=Path, metavar="DIR", help="write the tables and figures here as .md and .json"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON instead of tables")


def run(arguments: argparse.Namespace) -> int:
    """Run the experiment and print its tables."""
    from importlib import import_module

    experiment = import_module(EXPERIMENTS[arguments.experiment])
    results = experiment.run(arguments.data)
    figures = json.dumps(results, indent=2, ensure_ascii=False) + "\n"
    tables = experiment.markdown(results)
    if arguments.output:
        arguments.output.mkdir(parents=True, exist_ok=True)
        (arguments.output / f"{arguments.experiment}.json").write_text(figures, encoding="utf-8")
        (arguments.output / f"{arguments.experiment}.md").write_text(tables, encoding="utf-8")
    print(figures if arguments.json else tables, end="")
    return 0
