"""``arclift validate``: what is wrong with treebanks, line by line."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arclift.treebank.validation import Finding, Validator

NAME = "validate"
HELP = "Check treebanks: the backbone of the file (level 1), its cells and its trees (level 2)."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "files", nargs="*", default=["-"], metavar="FILE", help="treebanks, - or nothing: stdin"
    )
    parser.add_argument(
        "--format", metavar="F", help="conllu, conllx, ... (default: recognised from the file)"
    )
    parser.add_argument("--level", type=int, choices=(1, 2), default=2, help="the highest level (default: 2)")
    parser.add_argument(
        "--max-findings",
        type=int,
        default=20,
        metavar="N",
        help="show at most N findings of each kind and file, 0 for all (default: 20); all are counted",
    )
    parser.add_argument("--strict", action="store_true", help="exit with 1 for warnings, too")
    parser.add_argument("--json", action="store_true", help="print findings and counts as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from arclift.treebank.validation import Validator

    validators = [Validator(file, format=arguments.format, level=arguments.level) for file in arguments.files]
    if arguments.json:
        _print_json(validators, arguments.max_findings)
    else:
        for validator in validators:
            for finding in _shown(validator, arguments.max_findings):
                print(finding)
            print(_summary(validator, arguments.max_findings), file=sys.stderr)
    errors = sum(validator.errors for validator in validators)
    warnings = sum(validator.warnings for validator in validators)
    return 1 if errors or (arguments.strict and warnings) else 0


def _shown(validator: Validator, most: int) -> Iterator[Finding]:
    """Go through all findings and yield the first of each kind."""
    seen: Counter[str] = Counter()
    for finding in validator.findings():
        seen[finding.id] += 1
        if not most or seen[finding.id] <= most:
            yield finding


def _summary(validator: Validator, most: int) -> str:
    counts = f"{validator.sentences:,} sentences, {validator.words:,} words"
    if not validator.counts:
        return f"{validator.file}: all is well ({counts})"
    kinds = ", ".join(f"{count:,} {id}" for id, count in validator.counts.most_common())
    hidden = sum(max(0, count - most) for count in validator.counts.values()) if most else 0
    more = f" ({hidden:,} not shown; --max-findings 0 shows all)" if hidden else ""
    return (
        f"{validator.file}: {validator.errors:,} errors, {validator.warnings:,} warnings in {counts}: "
        f"{kinds}{more}"
    )


def _print_json(validators: list[Validator], most: int) -> None:
    """Print one document, finding by finding, so that memory stays flat."""
    print('{"findings": [', end="")
    separator = "\n"
    for validator in validators:
        for finding in _shown(validator, most):
            print(separator + json.dumps(finding.as_dict(), ensure_ascii=False), end="")
            separator = ",\n"
    print('\n],\n"files": ', end="")
    files = [
        {
            "file": validator.file,
            "format": validator.format.name if validator.format else None,
            "sentences": validator.sentences,
            "words": validator.words,
            "errors": validator.errors,
            "warnings": validator.warnings,
            "counts": dict(sorted(validator.counts.items())),
        }
        for validator in validators
    ]
    print(json.dumps(files, ensure_ascii=False, indent=1) + "}")
