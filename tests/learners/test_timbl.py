"""Memory-based learning gives TiMBL's answers: those kept beside the project, and those of the program."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from timbl_files import NAME, Memory, answers, answers_as_timbl, instances, options, same, settings

from arclift.learners import memory
from arclift.native import PAIRS

REFERENCE = (
    Path(os.environ.get("ARCLIFT_SHARED", Path(__file__).parents[3] / "shared")) / "reference" / "timbl"
)
needs_reference = pytest.mark.skipif(
    not REFERENCE.is_dir(), reason="the reference answers are not beside the project"
)
needs_timbl = pytest.mark.skipif(
    shutil.which("timbl") is None, reason="timbl is not installed (apt install timbl)"
)


def reference(name):
    return (REFERENCE / name).read_text(encoding="utf-8")


def kept(name):
    with tarfile.open(REFERENCE / "out.tar.xz") as archive:
        found = archive.extractfile(next(each for each in archive.getnames() if Path(each).name == name))
        assert found
        return found.read().decode()


def reference_names():
    if not REFERENCE.is_dir():
        return ["none"]
    lines = reference("INDEX").splitlines()
    names = [line.split(" | ")[0] for line in lines]
    return [name for name in names if NAME.fullmatch(name) and not name.startswith("mL")]


def assert_same(ours, theirs, test):
    wrong = [pair for pair in zip(test, ours, theirs, strict=True) if not same(*pair[1:])]
    assert not wrong, f"{len(wrong)} of {len(theirs)} differ, the first one: {wrong[0]}"


@needs_reference
@pytest.mark.corpora
@pytest.mark.parametrize("name", reference_names())
def test_the_answers_are_those_kept(name, monkeypatch):
    lines, test = instances(reference("train.txt")), instances(reference("test.txt"))
    assert_same(answers_as_timbl(lines, test, settings(name), monkeypatch), answers(kept(name)), test)


@needs_reference
@pytest.mark.corpora
@pytest.mark.parametrize("name", ["mM-w1-dID-k5", "mO-w2-dZ-k5", "mJ-w1-dID-k5", "mM-w3-dZ-k1"])
def test_the_plain_code_gives_them_too(name, monkeypatch):
    monkeypatch.setattr(memory, "_MemoryScorer", PAIRS["MemoryScorer"].python)
    lines, test = instances(reference("train.txt")), instances(reference("test.txt"))[:40]
    assert_same(Memory(lines, **settings(name)).answers(test), answers(kept(name))[:40], test)


@needs_reference
@pytest.mark.corpora
@pytest.mark.parametrize(
    "name",
    [
        f"m{m}-w{w}-d{d}-k{k}"
        for m, w, d, k in [
            ("M", 0, "Z", 1),
            ("M", 1, "Z", 1),
            ("M", 1, "ID", 3),
            ("M", 1, "IL", 3),
            ("O", 0, "Z", 1),
            ("O", 1, "ID", 3),
            ("O", 1, "Z", 1),
            ("O", 2, "IL", 3),
        ]
    ]
    + ["mM-w1-dID-k3-L3"],
)
def test_small_answers_are_those_kept(name, monkeypatch):
    lines, test = instances(reference("tiny/tiny.train")), instances(reference("tiny/tiny.test"))
    theirs = answers(reference(f"tiny/out-{name}"))
    # TiMBL finds neighbours even of a row it knows when it is asked to show them, which it was
    ours = answers_as_timbl(lines, test, settings(name) | {"exact": False}, monkeypatch)
    assert_same(ours, theirs, test)


def generated(seed):
    """Return instances, some of them the same or in contradiction, and test lines with new values."""
    rng = random.Random(seed)
    sizes = [rng.choice([2, 3, 8, 30]) for _ in range(rng.randint(2, 6))]

    def line(more=0):
        values = [min(int(rng.expovariate(2.0 / size)), size + more) for size in sizes]
        label = (sum(values[:2]) + (rng.random() < 0.2) * rng.randint(0, 3)) % 4
        return [f"v{value}" for value in values] + [f"c{label}"]

    return [line() for _ in range(rng.randint(20, 400))], [line(2) for _ in range(60)]


COMBINATIONS = [
    f"m{m}-w{w}-d{d}-k{k}{limit}"
    for m, w, d, k, limit in itertools.product(
        "OMJS", range(5), ["Z", "ID", "IL", "ED1"], [1, 2, 5], ["", "-L3"]
    )
    if m != "O" or not limit
]


@needs_timbl
@pytest.mark.corpora
@pytest.mark.parametrize("part", range(4))
def test_the_answers_are_those_of_the_program(part, tmp_path, monkeypatch):
    for seed, name in enumerate(COMBINATIONS[part::4]):
        lines, test = generated(seed)
        for file, content in (("train", lines), ("test", test)):
            text = "".join(" ".join(line) + "\n" for line in content)
            (tmp_path / file).write_text(text, encoding="utf-8")
        command = [
            "timbl",
            "-f",
            "train",
            "-t",
            "test",
            "-F",
            "Columns",
            *options(name),
            "+v",
            "di+db",
            "-o",
            "out",
        ]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
        with monkeypatch.context() as patch:
            ours = answers_as_timbl(lines, test, settings(name), patch)
        assert_same(ours, answers((tmp_path / "out").read_text(encoding="utf-8")), test)
