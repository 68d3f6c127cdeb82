"""The encoding scheme and its markers, as arguments."""

from __future__ import annotations

import argparse

from arclift.errors import UsageError
from arclift.trees.labels import PRESETS, Markers, Scheme


def add_scheme(parser: argparse.ArgumentParser) -> None:
    """Add the scheme and the markers."""
    parser.add_argument(
        "--scheme",
        type=Scheme,
        choices=list(Scheme),
        default=Scheme.HEAD,
        metavar="S",
        help=f"{', '.join(Scheme)} (default: head)",
    )
    parser.add_argument(
        "--markers",
        default="paper",
        metavar="M",
        help=f"{', '.join(PRESETS)}, or two of your own, for lifted arc and path, as '^,~' (default: paper)",
    )


def markers_of(arguments: argparse.Namespace) -> Markers:
    """Return the markers that were asked for."""
    wish: str = arguments.markers
    if wish in PRESETS:
        return PRESETS[wish]
    lifted, found, path = wish.partition(",")
    if not found:
        raise UsageError(
            f"--markers {wish!r} is neither one of {', '.join(PRESETS)} nor two markers such as '^,~'"
        )
    return Markers(lifted, path)
