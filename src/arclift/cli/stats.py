"""``arclift stats``: what a treebank holds."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from arclift.cli.common import Skipped, add_input, open_reader
from arclift.errors import InputError

if TYPE_CHECKING:
    from arclift.treebank import Block
    from arclift.treebank.statistics import Statistics

NAME = "stats"
HELP = "count words, trees and crossing arcs, and what each encoding scheme can bring back"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    add_input(parser, many=True)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--systems",
        action="store_true",
        help="also what the oracle of each transition system rebuilds, without lifting and with it",
    )
    parser.add_argument(
        "--plot", metavar="FILE", help="draw the figures into this PNG or SVG file (needs arclift[plots])"
    )


def run(arguments: argparse.Namespace) -> int:
    """Count all files together."""
    from arclift.treebank.statistics import Statistics

    skipped = Skipped()
    statistics = Statistics()
    systems = _Systems() if arguments.systems else None
    for file in arguments.files:
        for block in open_reader(arguments, file, skipped, trees=True).blocks():
            statistics.add(block)
            if systems:
                systems.add(block)
    figures = statistics.as_dict()
    if not figures["sentences"] and not skipped.count:
        raise InputError(f"there is no sentence in {', '.join(arguments.files)}", code="no-data")
    if systems:
        figures["systems"] = systems.as_dict()
    print(json.dumps(figures, indent=2, ensure_ascii=False) if arguments.json else as_text(figures))
    if arguments.plot:
        _plot(statistics, arguments.plot)
    return skipped.exit_code()


class _Systems:
    """Runs the oracles of all systems, with their settings as they are by default and a few others."""

    def __init__(self) -> None:
        from arclift.transitions.coverage import LIFTING, Coverage
        from arclift.transitions.registry import compared, title
        from arclift.treebank import StringTable

        self._labels = StringTable()
        self._counts = {title(system): (Coverage(system), Coverage(system, LIFTING)) for system in compared()}

    def add(self, block: Block) -> None:
        labels = block.ids("deprel", self._labels)
        names = [self._labels[id].decode() for id in range(len(self._labels))]
        for pair in self._counts.values():
            for coverage in pair:
                coverage.add(block.heads, labels, block.offsets, names)

    def as_dict(self) -> dict[str, Any]:
        return {
            name: {**plain.as_dict(), "lifted": lifted.as_dict()}
            for name, (plain, lifted) in self._counts.items()
        }


def _plot(statistics: Statistics, path: str) -> None:
    from arclift.draw.plots import plot_statistics

    plot_statistics(statistics.as_dict(), path)


def as_text(figures: dict[str, Any]) -> str:
    """Return the figures as aligned lines."""
    lifts = ", ".join(f"{count}: {share:.2f} %" for count, share in figures["lifts_percent"].items())
    rows = [
        ("sentences", f"{figures['sentences']:,}", _roots(figures)),
        ("words", f"{figures['words']:,}", _others(figures)),
        (
            "words a sentence",
            f"{figures['words_per_sentence']:.2f}",
            f"longest {figures['longest_sentence']:,}",
        ),
        ("labels", f"{figures['labels']:,}", ""),
        ("arc length", *_spread(figures["arc_length"])),
        ("depth", *_spread(figures["depth"])),
        (
            "non-projective",
            f"{figures['nonprojective_arcs']:,} arcs",
            f"{figures['nonprojective_arcs_percent']:.3f} %",
        ),
        (
            "",
            f"{figures['nonprojective_sentences']:,} sentences",
            f"{figures['nonprojective_sentences_percent']:.2f} %",
        ),
        (
            "lifted arcs",
            f"{figures['lifted_arcs']:,}",
            f"by number of lifts {lifts}" if figures["lifted_arcs"] else "",
        ),
        ("sentences that are", f"{figures['planar_percent']:.2f} %", "planar"),
        ("", f"{figures['two_planar_percent']:.2f} %", "2-planar"),
        ("", f"{figures['well_nested_percent']:.2f} %", "well-nested"),
        ("gap degree", _degrees(figures["gap_degree"]), ""),
        ("edge degree", _degrees(figures["edge_degree"]), ""),
    ]
    lines = [f"{name:<20}{value:>16}  {more}".rstrip() for name, value, more in rows]
    if figures["unclassed_sentences"]:
        lines.append(
            f"{'':<20}{figures['unclassed_sentences']:>16,}  too long for planarity, nesting and schemes"
        )
    lines += ["", f"{'scheme':<20}{'labels':>8}{'arcs brought back':>20}"]
    for scheme, row in figures["schemes"].items():
        lines.append(f"{scheme:<20}{row['labels']:>8,}{row['recovered_percent']:>18.2f} %")
    return "\n".join(lines + _system_lines(figures.get("systems", {})))


def _system_lines(systems: dict[str, Any]) -> list[str]:
    """Return the table of the oracles: what they rebuild, and the transitions a word; then with lifting."""
    if not systems:
        return []
    width = max(map(len, systems)) + 2
    schemes = next(iter(systems.values()))["lifted"]["lowered_percent"]
    columns = ("words", "sentences", "crossing", "steps", "lifted", "steps", *schemes)
    lines = ["", f"{'system rebuilds, %':<{width}}" + "".join(f"{name:>11}" for name in columns)]
    for name, row in systems.items():
        lifted = row["lifted"]
        shares = [
            f"{row['rebuilt_words_percent']:.2f}",
            f"{row['rebuilt_sentences_percent']:.2f}",
            f"{row['rebuilt_nonprojective_arcs_percent']:.2f}",
            f"{row['transitions_per_word']:.3f}",
            f"{lifted['rebuilt_words_percent']:.2f}",
            f"{lifted['transitions_per_word']:.3f}",
            *(f"{share:.3f}" for share in lifted["lowered_percent"].values()),
        ]
        lines.append(f"{name:<{width}}" + "".join(f"{share:>11}" for share in shares))
    if left_out := next(iter(systems.values()))["left_out_sentences"]:
        lines.append(f"{left_out:,} sentences are too long for this table")
    return lines


def _roots(figures: dict[str, Any]) -> str:
    several = figures["multi_root_sentences"]
    return f"{several:,} with several roots" if several else "each with one root"


def _others(figures: dict[str, Any]) -> str:
    return f"and {figures['ranges']:,} multiword ranges, {figures['empty_nodes']:,} empty nodes"


def _spread(spread: dict[str, float]) -> tuple[str, str]:
    return (
        f"mean {spread['mean']:.2f}",
        f"median {spread['median']}, 95 % up to {spread['percentile_95']}, highest {spread['highest']}",
    )


def _degrees(counts: dict[str, int]) -> str:
    return "  ".join(f"{degree}: {count:,}" for degree, count in counts.items())
