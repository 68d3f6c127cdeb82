"""Nivre & Nilsson 2005, experiment 1: what lifting does to a treebank, and how much of it can be undone.

Table 1 gives the encoding schemes and the number of labels they may need, Table 3 the treebanks and how often
arcs are lifted, Table 4 the share of the lifted arcs that come back with head and label, and the labels in
use. Punctuation is counted like any other word. In the sense of the paper a sentence with several roots is no
well-formed graph: where a treebank has such sentences, a second row is of those with one root only.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from arclift.errors import InputError, Place
from arclift.treebank import Reader
from arclift.treebank.statistics import Statistics

NAME = "nivre2005-transformation"
TITLE = "Nivre & Nilsson 2005, Tables 1, 3 and 4: the treebank transformation"

PUBLISHED: dict[str, dict[str, Any]] = {
    "PDT training (published)": {
        "sentences": 73088,
        "words": 1255333,
        "labels": 28,
        "nonprojective_sentences_percent": 23.15,
        "nonprojective_arcs_percent": 1.81,
        "lifts_percent": {"1": 93.79, "2": 5.60, "3": 0.51, ">3": 0.11},
        "schemes": {
            "head": {"recovered_percent": 92.3, "labels": 230},
            "head+path": {"recovered_percent": 99.3, "labels": 314},
            "path": {"recovered_percent": 97.3, "labels": 84},
        },
    },
    "DDT total (published)": {
        "sentences": 5512,
        "words": 100238,
        "labels": 54,
        "nonprojective_sentences_percent": 15.48,
        "nonprojective_arcs_percent": 0.94,
        "lifts_percent": {"1": 79.49, "2": 13.28, "3": 4.36, ">3": 2.87},
        "schemes": {
            "head": {"recovered_percent": 92.3, "labels": 123},
            "head+path": {"recovered_percent": 99.8, "labels": 147},
            "path": {"recovered_percent": 98.3, "labels": 99},
        },
    },
}

_TABLE_1 = (
    ("baseline", "d", "p", "n"),
    ("head", "d↑h", "p", "n(n+1)"),
    ("head+path", "d↑h", "p↓", "2n(n+1)"),
    ("path", "d↑", "p↓", "4n"),
    ("exact (ours)", "d↑ or d↑k", "p↓", "2n(K+1)"),
)


def treebanks(folder: Path) -> dict[str, list[Path]]:
    """Return the treebanks in a folder: itself if it has CoNLL files, else each of its folders that has."""
    files = _files(folder)
    if files:
        return {folder.resolve().name: files}
    found = (
        {path.name: _files(path) for path in sorted(folder.iterdir()) if path.is_dir()}
        if folder.is_dir()
        else {}
    )
    found = {name: files for name, files in found.items() if files}
    if not found:
        raise InputError(
            "no treebank here",
            Place(str(folder)),
            code="no-data",
            hint="files are *.conllu, *.conll, *.conllx, .gz or .xz",
        )
    return found


def _files(folder: Path) -> list[Path]:
    suffixes = (".conllu", ".conll", ".conllx")
    return sorted(
        path
        for path in folder.glob("*")
        if path.is_file() and path.name.removesuffix(".gz").removesuffix(".xz").endswith(suffixes)
    )


def measure(files: Iterable[Path], *, single_root: bool = False) -> dict[str, Any]:
    """Return the figures of one treebank, all its files together, or of its sentences with one root."""
    statistics = Statistics(single_root=single_root)
    for path in files:
        for block in Reader(path, trees=True).blocks():
            statistics.add(block)
    return statistics.as_dict()


def run(folder: Path) -> dict[str, Any]:
    """Return the figures of every treebank in the folder, twice where some sentences have several roots."""
    results = {}
    for name, files in treebanks(folder).items():
        results[name] = measure(files)
        if 0 < results[name]["multi_root_sentences"] < results[name]["sentences"]:
            results[f"{name}, one root"] = measure(files, single_root=True)
    return results


def markdown(results: dict[str, Any]) -> str:
    """Return the tables as Markdown, the published figures first."""
    rows = {**PUBLISHED, **results}
    parts = [f"# {TITLE}\n", _table_1(), _table_3(rows), _table_4(rows)]
    return "\n".join(parts)


def _table(title: str, header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(header)
    lines = ["| " + " | ".join(row) + " |" for row in ([head, ["---"] + ["---:"] * (len(head) - 1), *rows])]
    return f"{title}\n\n" + "\n".join(lines) + "\n"


def _table_1() -> str:
    return _table(
        "Table 1: the encoding schemes (n labels in the treebank, K the highest ordinal needed)",
        ("scheme", "lifted arc", "path arc", "labels at most"),
        _TABLE_1,
    )


def _table_3(rows: dict[str, Any]) -> str:
    header = ("data set", "sentences", "% non-proj.", "words", "% non-proj.", "1 lift", "2", "3", ">3")
    body = (
        [
            name,
            f"{row['sentences']:,}",
            f"{row['nonprojective_sentences_percent']:.2f}",
            f"{row['words']:,}",
            f"{row['nonprojective_arcs_percent']:.3f}",
            *(f"{row['lifts_percent'][lifts]:.2f}" for lifts in ("1", "2", "3", ">3")),
        ]
        for name, row in rows.items()
    )
    return _table("Table 3: non-projective sentences and arcs, and arcs by number of lifts (%)", header, body)


def _table_4(rows: dict[str, Any]) -> str:
    schemes = ("head", "head+path", "path", "exact")
    header = ("data set", "labels", *schemes)
    body = (
        [name, str(row["labels"]), *(_recovered(row["schemes"].get(scheme)) for scheme in schemes)]
        for name, row in rows.items()
    )
    return _table("Table 4: non-projective arcs recovered (%), and labels in use", header, body)


def _recovered(scheme: dict[str, Any] | None) -> str:
    return f"{scheme['recovered_percent']:.2f} ({scheme['labels']})" if scheme else "–"
