"""What is counted of a treebank: by hand, and against the classes of trees."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from arclift.transitions import make
from arclift.transitions.coverage import LIFTING, Coverage, coverage
from arclift.transitions.registry import compared, title
from arclift.treebank import Reader
from arclift.trees.planarity import is_two_planar
from arclift.trees.projectivity import is_projective, nonprojective
from strategies import array, batch_strategy, concatenated, heads_strategy

ROOT = Path(__file__).resolve().parents[2]


def test_counts_by_hand() -> None:
    heads, offsets = concatenated([array([2, 0]), array([3, 4, 0, 3]), array([])])  # 2 hangs across 1 and 3
    found = coverage(make("arc_standard"), heads, offsets).as_dict()
    assert (found["words"], found["sentences"], found["left_out_sentences"]) == (6, 3, 0)
    assert (found["nonprojective_arcs"], found["rebuilt_sentences"]) == (1, 2)
    assert found["transitions"] == 12
    assert found["taken"] == {"shift": 6, "left": found["taken"]["left"], "right": 6 - found["taken"]["left"]}
    assert found["lowered_percent"] == {}
    full = coverage(make("swap"), heads, offsets).as_dict()
    assert (full["rebuilt_words_percent"], full["rebuilt_nonprojective_arcs_percent"]) == (100, 100)
    assert full["taken"]["swap"] == 1
    assert full["transitions_per_word"] == round(14 / 6, 4)


@given(batch_strategy(heads_strategy(9, single_root=False)))
@settings(max_examples=25)
def test_sentences_rebuilt_are_those_of_the_class(batch: tuple[np.ndarray, np.ndarray]) -> None:
    heads, offsets = batch
    trees = [heads[a:b] for a, b in pairwise(offsets)]
    for name, test in (("arc_eager", is_projective), ("planar2", is_two_planar), ("covington", len)):
        found = coverage(make(name), heads, offsets)
        assert found.rebuilt_sentences == sum(name == "covington" or bool(test(tree)) for tree in trees)
        assert found.rebuilt_nonprojective <= found.nonprojective == int(nonprojective(heads, offsets).sum())


@given(batch_strategy(heads_strategy(12, single_root=False)))
@settings(max_examples=15)
def test_behind_lifting_every_system_rebuilds_all(batch: tuple[np.ndarray, np.ndarray]) -> None:
    heads, offsets = batch
    labels = np.arange(len(heads), dtype=np.int32) % 5
    for system in compared():
        found = Coverage(system, LIFTING)
        found.add(heads, labels, offsets, list("abcde"))
        assert found.rebuilt_words == found.words == len(heads)
        assert found.back[LIFTING[-1]] == len(heads), "the scheme exact brings all arcs back"
        assert found.nonprojective == 0


def test_long_sentences_are_left_out() -> None:
    heads, offsets = concatenated([array(range(1001)), array([0])])
    found = coverage(make("covington"), heads, offsets)
    assert (found.left_out, found.sentences, found.words) == (1, 1, 1)


def test_nothing_is_rebuilt_in_full() -> None:
    found = coverage(make("yamada"), array([]), np.zeros(1, dtype=np.int64)).as_dict()
    assert (found["rebuilt_words_percent"], found["transitions_per_word"]) == (100.0, 0.0)


def _stats(*options: str) -> str:
    text = "".join(f"{i}\tw\t_\tX\t_\t_\t{head}\tx\t_\t_\n" for i, head in enumerate((3, 4, 0, 3), start=1))
    command = [sys.executable, "-m", "arclift", "stats", "--systems", *options]
    done = subprocess.run(
        command, input=text + "\n", capture_output=True, text=True, encoding="utf-8", check=True
    )
    return done.stdout


def test_the_command_reports_all_systems() -> None:
    figures = json.loads(_stats("--json"))["systems"]
    assert list(figures) == [title(system) for system in compared()]
    assert figures["swap"]["rebuilt_words_percent"] == 100
    assert figures["arc_eager"]["rebuilt_sentences"] == 0
    assert figures["arc_eager"]["lifted"]["lowered_percent"]["exact"] == 100
    lines = _stats().splitlines()
    table = lines[lines.index("") :]
    assert [line.split("  ")[0] for line in lines[-len(figures) :]] == list(figures)
    assert any(line.startswith("system rebuilds") for line in table)


@pytest.mark.corpora
def test_danish_figures_are_those_of_the_literature() -> None:
    """99.98 % of Danish trees are 2-planar (Gómez-Rodríguez & Nivre 2010); nearly all arcs need degree 2."""
    shared = Path(os.environ.get("ARCLIFT_SHARED", ROOT.parent / "shared"))
    files = sorted((shared / "treebanks" / "da_ddt").glob("*.conll"))
    if not files:
        pytest.skip("the Danish treebank is not beside the project")
    systems = [make("planar2"), make("attardi"), make("swap", order="eager")]
    found = [Coverage(system) for system in systems]
    for file in files:
        for block in Reader(file, trees=True).blocks():
            for one in found:
                one.add(block.heads, np.zeros_like(block.heads), block.offsets, [""])
    planar, attardi, swap = (one.as_dict() for one in found)
    assert round(planar["rebuilt_sentences_percent"], 2) == 99.98
    assert swap["rebuilt_words_percent"] == 100
    assert attardi["rebuilt_nonprojective_arcs_percent"] > 99.8
    taken = attardi["taken"]
    assert taken["left2"] + taken["right2"] > 6 * (taken["left3"] + taken["right3"])
