"""Train, parse and info as a shell runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arclift import native

EXAMPLE = Path(__file__).parents[2] / "examples" / "crossing.conllu"


def arclift(*arguments: object, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "arclift", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        check=False,
        env=os.environ,
        timeout=120,
    )


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "toy.model"
    done = arclift(
        "train", EXAMPLE, "--dev", EXAMPLE, "-o", path, "--learner", "perceptron", "--scheme", "exact",
        "--set", "training.epochs=20", "--set", "training.patience=20", "--set", "learner.bits=12",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    assert b"epoch  20" in done.stderr
    assert done.stdout.startswith(b"epoch ")
    return path


def test_a_trained_parser_parses_what_it_has_learned(model):
    done = arclift("parse", model, EXAMPLE)
    assert done.returncode == 0
    assert done.stderr == b""
    score = arclift("evaluate", "--json", EXAMPLE, "-", stdin=done.stdout)
    data = json.loads(score.stdout)
    assert data["attachment"]["las"] > 0.9


def test_parsing_is_a_filter_and_jobs_change_nothing(model):
    text = EXAMPLE.read_bytes() * (200 if native.ENABLED else 10)
    one = arclift("parse", model, stdin=text)
    two = arclift("parse", model, "--jobs", "2", stdin=text)
    assert one.stdout == two.stdout
    assert one.stdout.count(b"\n") == text.count(b"\n")


def test_the_parser_of_the_paper_remembers_its_treebank_after_one_pass(tmp_path):
    path = tmp_path / "paper.model"
    done = arclift("train", EXAMPLE, "--dev", EXAMPLE, "-o", path, "--preset", "nivre2005")
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.startswith(b"epoch 1 of 1 is kept")
    one, two = arclift("parse", path, EXAMPLE), arclift("parse", path, EXAMPLE, "--jobs", "2", "--scores")
    assert b"HeadScore=" in two.stdout
    for parsed in (one, two):
        score = json.loads(arclift("evaluate", "--json", EXAMPLE, "-", stdin=parsed.stdout).stdout)
        assert score["attachment"]["las"] > 0.95


def test_bad_sentences_come_out_as_they_were(model):
    bad = b"1\ta\tb\n\n"
    done = arclift("parse", model, "--on-error", "skip", stdin=EXAMPLE.read_bytes() + bad)
    assert done.returncode == 1
    assert done.stdout.endswith(bad)
    assert arclift("parse", model, stdin=bad).returncode == 2


def test_a_trace_tells_every_step(model):
    done = arclift("parse", model, EXAMPLE, "--trace")
    assert done.returncode == 0
    lines = done.stdout.decode().splitlines()
    assert lines[0].startswith("sentence 1 (")
    assert lines[1].split()[:3] == ["step", "stack", "input"]
    objects = [
        json.loads(line) for line in arclift("parse", model, EXAMPLE, "--trace-json").stdout.splitlines()
    ]
    assert len(objects) == sum(line.startswith("sentence ") for line in lines) == done.stdout.count(b"step  ")
    assert objects[0]["steps"][0]["taken"]["transition"] == "shift"


def test_a_graph_parser_has_no_trace(tmp_path):
    sizes = [f"graph.{name}=16" for name in ("embedding", "state", "arc", "label")]
    sets = [text for name in [*sizes, "training.epochs=1"] for text in ("--set", name)]
    assert arclift("train", EXAMPLE, "-o", tmp_path / "g", *sets).returncode == 0
    done = arclift("parse", tmp_path / "g", EXAMPLE, "--trace")
    assert done.returncode == 2
    assert b"only transition parsers go step by step" in done.stderr


def test_info_prints_card_and_configuration(model):
    assert b"preset        classic with" in arclift("info", model).stdout
    about = json.loads(arclift("info", "--json", model).stdout)
    assert about["kind"] == "transition-parser"
    assert about["card"]["data"] == ["crossing.conllu"]
    assert about["config"]["lifting"] == {"scheme": "exact"}


def test_training_warns_of_what_cannot_be_represented(tmp_path):
    done = arclift(
        "train", EXAMPLE, "-o", tmp_path / "m", "--scheme", "none",
        "--learner", "perceptron", "--set", "training.epochs=1",
    )  # fmt: skip
    assert done.returncode == 0
    assert b"arcs (" in done.stderr
    assert b"are beyond this transition system" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train", EXAMPLE, "-o", "m", "--system", "arc_lazy"), b"no transition system 'arc_lazy'"),
        (("train", EXAMPLE, "-o", "m", "--learner", "oracle"), b"no learner is called 'oracle'"),
        (
            ("train", EXAMPLE, "-o", "m", "--preset", "classic", "--set", "features.preset=none"),
            b"no feature preset is called",
        ),
        (("train", EXAMPLE, "-o", "m", "--set", "features.preset=none"), b"no table of a graph parser"),
        (("train", os.devnull, "-o", "m"), b"has no sentence with a tree"),
        (("train", EXAMPLE, "--dev", os.devnull, "-o", "m"), b"null: this has no sentence with a tree"),
        (("train", EXAMPLE, "-o", "m", "--seed", "-1"), b"a seed of at least 0"),
        (("train", EXAMPLE, "-o", "m", "--preset", "faster"), b"no preset is called 'faster'"),
        (("train", EXAMPLE, "-o", "m", "--set", "graph.steps=0"), b"steps are at least 1"),
        (("train", EXAMPLE, "-o", "m", "--config", "no-such.toml"), b"no-such.toml: cannot be read"),
        (("train", EXAMPLE, "no-such.conllu", "-o", "m"), b"no-such.conllu"),
        (("parse", EXAMPLE), b"no model of arclift, or a damaged one"),
        (("info", "no-such.model"), b"cannot be read"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = arclift(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert b"Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_files_may_stand_behind_options(model, tmp_path):
    inside, behind = (arclift("parse", *each) for each in ((model, EXAMPLE), (model, "--jobs", "2", EXAMPLE)))
    assert inside.stdout == behind.stdout != b""
    assert arclift("parse", model, EXAMPLE, "--scores", EXAMPLE).stdout.count(b"HeadScore") == 2 * 92
    assert arclift("stats", "--json", EXAMPLE).stdout == arclift("stats", EXAMPLE, "--json").stdout
    done = arclift("parse", model, EXAMPLE, "--jobs", "2", "--color", "x")
    assert done.returncode == 2
    assert b"unrecognized arguments: --color x" in done.stderr
    done = arclift("draw", EXAMPLE, "--first", "1", EXAMPLE)
    assert done.returncode == 2
    assert b"unrecognized arguments" in done.stderr


def test_statistics_of_nothing_are_an_error():
    done = arclift("stats", os.devnull)
    assert done.returncode == 2
    assert f"there is no sentence in {os.devnull}".encode() in done.stderr
    assert done.stdout == b""
