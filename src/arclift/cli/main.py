"""The command line: one module a command, and what is the same for all of them.

Exit codes: 0 all is well; 1 something was found or skipped; 2 the input or the arguments cannot be used;
130 stopped by Ctrl-C.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import warnings
from collections.abc import Sequence

from arclift._version import __version__
from arclift.cli.common import interruptible
from arclift.errors import ArcliftError

COMMANDS = (
    "stats",
    "validate",
    "convert",
    "projectivize",
    "deprojectivize",
    "evaluate",
    "draw",
    "train",
    "parse",
    "info",
    "experiment",
)

_DESCRIPTION = "Dependency trees whose arcs cross: parse; inspect, validate, lift, score, draw."


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(prog="arclift", description=_DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"arclift {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", dest="command", required=True)
    for name in COMMANDS:
        module = importlib.import_module(f"arclift.cli.{name}")
        command = commands.add_parser(module.NAME, help=module.HELP, description=module.HELP)
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    name = "arclift"
    try:
        with interruptible():
            parsed = _parsed(build_parser(), arguments)
            name = f"arclift {parsed.command}"
            code: int = parsed.run(parsed)
            sys.stdout.flush()
    except ArcliftError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output has had enough, which is no error: let nothing more be written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"{name}: {error.filename or 'output'}: {error.strerror}", file=sys.stderr)
        return 2
    return code


_FILES = ("files", "treebanks", "file", "second")
"""The last positional arguments of commands, of which there may be none or many."""


def _parsed(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the arguments; files may stand after options that follow other files.

    argparse takes all positional arguments at their first place, and then takes those behind the next option
    for unknown: ``parse MODEL --jobs 2 FILE``.
    """
    parsed, rest = parser.parse_known_args(arguments)
    name = next((name for name in _FILES if hasattr(parsed, name)), "")
    many, given = name in _FILES[:2], getattr(parsed, name, None)
    if not rest:
        return parsed
    if not name or any(each.startswith("-") and each != "-" for each in rest) or (len(rest) > 1 and not many):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if many:
        rest = rest if given is None or given == ["-"] else [*given, *rest]
    elif given not in (None, "-"):
        parser.error(f"unrecognized arguments: {rest[0]}")
    setattr(parsed, name, rest if many else rest[0])
    return parsed


def _show_warning(message: Warning | str, *_: object) -> None:
    print(f"arclift: note: {message}", file=sys.stderr)


def entry() -> None:
    """Run the command that the shell was given."""
    sys.exit(main())
