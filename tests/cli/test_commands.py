"""The commands as a shell runs them: pipes, exit codes, messages, and what is left behind."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arclift import native

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "crossing.conllu"
ROW = "{}\t{}\t_\tX\t_\t_\t{}\t{}\t_\t_\n"


def arclift(
    *arguments: object, stdin: bytes | None = None, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "arclift", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
        timeout=60,
    )


def rows(*words: tuple[str, int, str]) -> bytes:
    return ("".join(ROW.format(i, *word) for i, word in enumerate(words, 1)) + "\n").encode()


GOOD = rows(("a", 2, "det"), ("b", 0, "root"))
CYCLE = rows(("a", 2, "x"), ("b", 1, "x"), ("c", 0, "root"))
SHORT = b"1\ta\tb\n\n"


crossing_needs_the_core = pytest.mark.skipif(
    not native.ENABLED, reason="the plain lifting takes the square of the words where everything crosses"
)


@pytest.fixture
def mixed(tmp_path):
    path = tmp_path / "mixed.conllu"
    path.write_bytes(GOOD + CYCLE + GOOD + SHORT + GOOD)
    return path


@pytest.mark.parametrize("scheme", ["head", "head+path", "path", "exact"])
@pytest.mark.parametrize("markers", ["paper", "malt", "^,~"])
def test_lifting_and_lowering_work_as_filters(scheme, markers):
    options = ("--scheme", scheme, "--markers", markers)
    lifted = arclift("projectivize", *options, stdin=EXAMPLE.read_bytes())
    lowered = arclift("deprojectivize", *options, stdin=lifted.stdout)
    assert (lifted.returncode, lowered.returncode, lifted.stderr, lowered.stderr) == (0, 0, b"", b"")
    stats = json.loads(arclift("stats", "--json", stdin=lifted.stdout).stdout)
    assert stats["nonprojective_arcs"] == 0
    score = json.loads(arclift("stats", "--json", stdin=lowered.stdout).stdout)
    assert score["nonprojective_arcs"] > 0
    if scheme == "exact":
        assert lowered.stdout == EXAMPLE.read_bytes()


def test_spacy_markers_serve_the_scheme_head_only():
    assert b"obj||ccomp" in arclift("projectivize", "--markers", "spacy", EXAMPLE).stdout
    refused = arclift("projectivize", "--markers", "spacy", "--scheme", "path", EXAMPLE)
    assert refused.returncode == 2
    assert b"path" in refused.stderr


def test_the_report_counts_what_was_lifted():
    done = arclift("projectivize", "--report", EXAMPLE)
    assert done.stderr.splitlines()[0] == b"10 of 92 arcs lifted"
    assert sum(int(line.split()[0]) for line in done.stderr.splitlines()[1:]) == 10


def test_a_bad_sentence_stops_with_its_place_after_the_good_ones(mixed):
    done = arclift("projectivize", mixed)
    assert done.returncode == 2
    assert done.stdout == GOOD
    assert b"mixed.conllu, line 4, sentence 2: words in a cycle: 1" in done.stderr
    assert b"Traceback" not in done.stderr


def test_skipped_sentences_come_out_as_they_were_and_are_counted(mixed):
    done = arclift("projectivize", "--on-error", "skip", mixed)
    assert done.returncode == 1
    assert done.stdout == mixed.read_bytes()
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 3
    assert "sentence 2" in lines[0]
    assert "line 11" in lines[1]
    assert "3 columns, conllu has 10" in lines[1]
    assert lines[2] == "2 bad sentences skipped"


def test_statistics_leave_skipped_sentences_out(mixed):
    done = arclift("stats", "--json", "--on-error", "skip", mixed)
    assert done.returncode == 1
    assert json.loads(done.stdout)["sentences"] == 3


def test_an_output_file_is_whole_or_not_there(tmp_path, mixed):
    target = tmp_path / "out.conllu"
    target.write_bytes(b"precious\n")
    assert arclift("projectivize", "-o", target, mixed).returncode == 2
    assert target.read_bytes() == b"precious\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mixed.conllu", "out.conllu"]
    assert arclift("projectivize", "-o", target, EXAMPLE).returncode == 0
    assert target.stat().st_size > 1000


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_said():
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "arclift", "projectivize", str(EXAMPLE)],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_reader_that_has_had_enough_is_no_error(tmp_path):
    big = tmp_path / "big.conllu"
    big.write_bytes(EXAMPLE.read_bytes() * 500)
    command = f"{sys.executable} -m arclift projectivize {big} | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, check=False)
    assert done.stdout == b"# sent_id = en-letter\n"
    assert done.stderr == b""


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_ctrl_c_ends_quietly():
    process = subprocess.Popen(
        [sys.executable, "-m", "arclift", "projectivize"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin
    process.stdin.write(EXAMPLE.read_bytes())
    process.stdin.flush()
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert errors == b""


@pytest.mark.parametrize(
    ("data", "code", "message"),
    [
        (b"", 0, b""),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 2, b"this is a binary file"),
        (gzip.compress(GOOD * 1000)[:-50], 2, b"cannot be read to its end"),
        (b"1\tna\xefve\t_\tX\t_\t_\t0\troot\t_\t_\n\n", 2, b"line 1, sentence 1: byte 0xef is no UTF-8"),
        (GOOD + b"\n1 a _ X _ _ 0 root _ _\n\n", 2, b"line 5, sentence 2: 1 column, conllu has 10"),
    ],
)
def test_odd_input_gets_one_clear_sentence(data, code, message):
    done = arclift("projectivize", stdin=data)
    assert (done.returncode, message in done.stderr) == (code, True)
    assert done.stderr.count(b"\n") == (code != 0)


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress])
def test_compressed_input_is_unpacked(compress):
    assert arclift("convert", "--to", "conllu", stdin=compress(GOOD)).stdout == GOOD


@pytest.mark.parametrize(
    "arguments",
    [("stats", "no-such-file"), ("projectivize", "."), ("draw", EXAMPLE, "--format", "excel")],
)
def test_unusable_arguments_exit_with_2(arguments):
    done = arclift(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"arclift {arguments[0]}: ".encode())
    assert b"Traceback" not in done.stderr


def test_draw_chooses_sentences():
    by_id = arclift("draw", EXAMPLE, "--sentence", "la-laus").stdout.decode()
    assert by_id.startswith("# 6 la-laus\n")
    assert arclift("draw", EXAMPLE, "--sentence", "6").stdout.decode() == by_id
    crossing = arclift("draw", EXAMPLE, "--crossing").stdout.decode()
    assert crossing.count("\n# ") + 1 == 9
    assert arclift("draw", EXAMPLE, "--sentence", "none-such").returncode == 1


def test_draw_overlays_two_analyses_and_refuses_other_words(tmp_path):
    other = tmp_path / "other.conllu"
    other.write_bytes(EXAMPLE.read_bytes().replace(b"\t3\tadvmod\t", b"\t2\tadvmod\t", 1))
    same = arclift("draw", EXAMPLE, "--sentence", "1").stdout
    different = arclift("draw", EXAMPLE, "--other", other, "--sentence", "1").stdout
    assert len(different) > len(same)
    other.write_bytes(GOOD)
    assert arclift("draw", EXAMPLE, "--other", other).returncode == 2


def test_draw_writes_svg_files(tmp_path):
    folder = tmp_path / "drawings"
    assert arclift("draw", EXAMPLE, "--svg", folder, "--first", "2").returncode == 0
    assert sorted(path.name for path in folder.iterdir()) == ["00001.svg", "00002.svg"]


def test_plots_are_written(tmp_path):
    pytest.importorskip("matplotlib")
    for name, magic in (("plot.png", b"\x89PNG"), ("plot.svg", b"<?xml")):
        assert arclift("stats", EXAMPLE, "--plot", tmp_path / name).returncode == 0
        assert (tmp_path / name).read_bytes().startswith(magic)
    assert arclift("stats", EXAMPLE, "--plot", tmp_path / "plot.doc").returncode == 2


def test_the_experiment_prints_and_writes_its_tables(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "train.conllu").write_bytes(EXAMPLE.read_bytes())
    done = arclift("experiment", "nivre2005-transformation", "--data", data, "--output", tmp_path / "out")
    assert "| data | 11 | 81.82 | 92 | 10.870 | 80.00 | 20.00 | 0.00 | 0.00 |" in done.stdout.decode()
    written = json.loads((tmp_path / "out" / "nivre2005-transformation.json").read_text(encoding="utf-8"))
    assert written["data"]["schemes"]["exact"]["recovered_percent"] == 100.0
    assert (tmp_path / "out" / "nivre2005-transformation.md").read_text(
        encoding="utf-8"
    ) == done.stdout.decode()
    empty = arclift("experiment", "nivre2005-transformation", "--data", tmp_path / "none")
    assert (empty.returncode, b"no treebank here" in empty.stderr) == (2, True)


@pytest.mark.parametrize("step", [1, pytest.param(3, marks=crossing_needs_the_core)])
def test_sentences_of_a_hundred_thousand_words_pass(step, tmp_path):
    words = 100_000
    heads = [0, *(max(i - step, 1) for i in range(2, words + 1))]
    path = tmp_path / "long.conllu"
    path.write_bytes(rows(*(("w", head, "dep") for head in heads)))
    stats = json.loads(arclift("stats", "--json", path).stdout)
    assert stats["longest_sentence"] == words
    assert (stats["nonprojective_arcs"] > 0) == (step > 1)
    lifted = arclift("projectivize", path)
    assert lifted.returncode == 0
    assert (lifted.stdout == path.read_bytes()) == (step == 1)
