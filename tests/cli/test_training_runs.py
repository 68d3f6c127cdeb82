"""``arclift train`` as a user meets it: progress, interruption, resuming, reports, jackknife."""

from __future__ import annotations

import io
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import pytest

from arclift import modelfile
from arclift.cli.common import interruptible
from arclift.cli.main import main
from arclift.cli.progress import ASCII_BARS, BARS, Progress, curve
from training_samples import GRAPH_SETS, TRANSITION_SETS, treebank

FAMILIES = {"graph": GRAPH_SETS, "transition": TRANSITION_SETS}
SLOW = ["training.epochs=12", "training.patience=12"]


def options(sets):
    return [option for each in sets for option in ("--set", each)]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    (folder / "train.conllu").write_bytes(treebank(60, 1))
    (folder / "dev.conllu").write_bytes(treebank(12, 2))
    return folder


def training(family, data):
    preset = {"graph": "fast", "transition": "classic"}[family]
    files = ["train", str(data / "train.conllu"), "--dev", str(data / "dev.conllu")]
    return [*files, "--preset", preset, *options(FAMILIES[family])]


@pytest.fixture(params=FAMILIES)
def either(request, data):
    return training(request.param, data)


@pytest.fixture
def command(data):
    return training("transition", data)


def shell(command, **options):
    command = [sys.executable, "-m", "arclift", *command]
    return subprocess.run(command, capture_output=True, check=False, timeout=120, text=True, **options)


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(capsys):
    """What `shell` does, but in this process, which is quicker: not for bytes that are to be the same.

    Here NumPy may have been told to use several threads, which add floats in another order.
    """

    def run(command):
        with warnings.catch_warnings():  # warnings are notes, as in a shell
            warnings.simplefilter("always")
            code = main(command)
        return Done(code, *capsys.readouterr())

    return run


STOPS_ITSELF = """
import os, sys
from pathlib import Path
from arclift.cli.main import main
from arclift.cli.progress import Progress

def go_on_or_stop(progress, share, doing):
    if Path(sys.argv[2]).exists():
        os.kill(os.getpid(), int(sys.argv[1]))

Progress.__call__ = go_on_or_stop
sys.exit(main(sys.argv[3:]))
"""


def stopped(command, output, how):
    """Run, and stop with a signal as soon as there is a checkpoint.

    The process stops itself: on a busy machine it would be done before we could.
    """
    checkpoint = f"{output}.checkpoint"
    command = [*command, *options(SLOW), "-o", str(output)]
    script = [sys.executable, "-c", STOPS_ITSELF, str(int(how)), checkpoint]
    done = subprocess.run([*script, *command], capture_output=True, check=False, timeout=120, text=True)
    assert Path(checkpoint).exists(), done.stderr
    return done.returncode, done.stderr


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_training_goes_on_to_the_same_bytes(either, how, tmp_path):
    whole, halved = tmp_path / "whole.model", tmp_path / "halved.model"
    at_once = shell([*either, *options(SLOW), "-o", str(whole)])
    assert re.match(r"epoch ([2-9]|1\d) of 12 is kept", at_once.stdout), at_once.stderr  # else it is too easy
    code, errors = stopped(either, halved, how)
    if how == signal.SIGINT:
        assert code == 130
        assert "Traceback" not in errors
        (again,) = re.findall(r"^stopped: the same command goes on from epoch (\d+)$", errors, re.MULTILINE)
    else:
        assert code == -signal.SIGKILL
    done = shell([*either, *options(SLOW), "-o", str(halved)])
    assert done.returncode == 0, done.stderr
    first = re.search(r"^epoch +(\d+)", done.stderr, re.MULTILINE)[1]
    assert int(first) > 1
    if how == signal.SIGINT:
        assert first == again
    assert f"stopped after epoch {int(first) - 1}" in done.stderr
    assert halved.read_bytes() == whole.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["halved.model", "whole.model"]


def test_an_interruption_that_a_library_hides_is_one_all_the_same():
    def hidden():
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise TypeError("as NumPy says it") from None

    with pytest.raises(KeyboardInterrupt), interruptible():
        hidden()
    with pytest.raises(TypeError), interruptible():
        raise TypeError


def test_who_ignores_interruptions_gets_none():
    def unmoved():
        signal.raise_signal(signal.SIGINT)
        raise TypeError

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with pytest.raises(TypeError), interruptible():
            unmoved()
    finally:
        signal.signal(signal.SIGINT, before)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_checkpoint_that_does_not_fit_is_not_used(run, command, tmp_path):
    output = tmp_path / "a.model"
    stopped(command, output, signal.SIGKILL)
    checkpoint = Path(f"{output}.checkpoint")
    model, kept = output.read_bytes(), checkpoint.read_bytes()
    whys = {
        "is of other data or another configuration": (model, kept, "7"),
        "cannot be used": (model, kept[:-1], "1"),
        "does not belong to the model": (output.read_bytes(), kept, "1"),
    }
    for why, (old_model, old_checkpoint, seed) in whys.items():
        output.write_bytes(old_model)
        checkpoint.write_bytes(old_checkpoint)
        if why.startswith("does not belong"):
            other = modelfile.read(output)
            card = other.card | {"fingerprint": "another"}
            modelfile.write(output, modelfile.ModelFile(other.kind, other.settings, other.arrays, card))
        done = run([*command, *options(SLOW), "-o", str(output), "--seed", seed])
        assert done.returncode == 0
        assert re.search(f"note: .*checkpoint {why}.*: training starts anew", done.stderr)
        assert "epoch   1 " in done.stderr
        assert modelfile.read(output).card["seed"] == int(seed)


def test_the_report_says_what_was_kept_and_where_it_is(either, tmp_path):
    done = shell([*either, "-o", str(tmp_path / "a.model")], env={**os.environ, "PYTHONIOENCODING": "ascii"})
    kept, course, where = done.stdout.splitlines()
    epochs = re.findall(r"^epoch +(\d+) .* dev UAS (\S+) +LAS (\S+) ", done.stderr, re.MULTILINE)
    number, of, las = re.match(
        r"epoch (\d+) of (\d+) is kept: dev UAS \S+, LAS (\S+), non-projective F \S+$", kept
    ).groups()
    assert len(epochs) == int(of)
    assert epochs[int(number) - 1][2] == las
    bars = re.search(r"% (\S+) ", course)[1]
    assert len(bars) == int(of)
    assert set(bars) <= set(ASCII_BARS)
    assert where == f"the parser is in {tmp_path / 'a.model'}, 0.0 MB"
    assert "done" not in done.stderr  # progress is for terminals
    assert "\r" not in done.stderr


def test_a_terminal_sees_how_much_is_done(either, tmp_path):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "arclift", *either, "-o", str(tmp_path / "a.model")],
        stderr=theirs,
        stdout=subprocess.DEVNULL,
    )
    os.close(theirs)
    seen = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the end, on Linux
            break
        if not piece:
            break
        seen += piece
    os.close(ours)
    assert process.wait(60) == 0
    shown = seen.decode()
    assert re.search(r"\repoch \d+ of 8: \d+\.\d% done", shown)
    lines = [line.rpartition("\r")[2] for line in shown.replace("\r\n", "\n").split("\n")]
    assert [line[:9] for line in lines if line.startswith("epoch")] == [f"epoch {n:>3}" for n in range(1, 9)]


def test_time_left_does_not_count_what_was_done_before():
    stream, now = Terminal(), iter([0.0, 0.05, 60.0])
    progress = Progress(stream, lambda: next(now))
    for share in (0.5, 0.55, 0.6):
        progress(share, "epoch 1")
    progress.say("a line that stays")
    first, second, blank, last = stream.getvalue().removeprefix("\r").split("\r")
    assert first == "epoch 1: 50.0% done"
    assert second == "epoch 1: 60.0% done, at most 4:00 left"
    assert (blank.strip(), len(blank), last) == ("", len(second), "a line that stays\n")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_curves_are_drawn_in_what_the_encoding_has():
    assert curve([0.0, 0.5, 1.0], "utf-8") == BARS[0] + BARS[4] + BARS[7]
    assert curve([0.0, 0.5, 1.0], "ascii") == curve([0.0, 0.5, 1.0], None)
    assert curve([0.3, 0.3], "utf-8") == BARS[0] * 2


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))


def test_a_full_disk_leaves_the_old_model(command, tmp_path):
    output = tmp_path / "a.model"
    output.write_bytes(b"the old one")
    done = shell([*command, "-o", str(output)], preexec_fn=limit_files)
    assert done.returncode == 2
    assert f"{output}: File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a.model": b"the old one"}


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("none/a.model", "cannot be written: no such file or directory"),
        (".", "is no file, and nothing can be written there"),
        (os.devnull, "is no file, and nothing can be written there"),
        ("x" * 300, "cannot be written: file name too long"),
    ],
)
def test_an_output_that_cannot_be_written_is_said_first(run, command, output, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run([*command, "-o", output])
    assert done.returncode == 2
    assert message in done.stderr
    assert "epoch" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_output_is_not_written_over_what_is_read(run, command, data):
    before = (data / "train.conllu").read_bytes()
    done = run([*command, "-o", str(data / "train.conllu")])
    assert done.returncode == 2
    assert "is read, and the output would be written over it" in done.stderr
    assert (data / "train.conllu").read_bytes() == before


def test_info_is_a_card(run, either, tmp_path):
    assert run([*either, "-o", str(tmp_path / "a.model")]).returncode == 0
    text = run(["info", str(tmp_path / "a.model")]).stdout
    card = dict(re.findall(r"^(\S[\w ]*?) {2,}(.+)$", text, re.MULTILINE))
    assert re.match(r"a\.model: a (graph|transition) parser, 0\.\d MB, made by arclift \d", text)
    assert card["trained on"] == "train.conllu"
    assert card["chosen by"] == "dev.conllu"
    assert re.match(r"UAS \S+%, LAS \S+%, non-projective F \S+%$", card["dev scores"])
    assert "60 sentences" in text
    assert card["preset"].startswith(("fast with", "classic with"))
    assert "training.epochs=8" in card["preset"]
    assert re.match(r"\d+: verb, root", card["labels"])
    assert "\n[training]\nepochs = 8\n" in text


def test_the_help_teaches(capsys):
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    text = capsys.readouterr().out
    assert "examples:\n  arclift train train.conllu --dev dev.conllu -o my.model\n" in text


@pytest.mark.parametrize("dev", [True, False])
def test_jackknife_gives_the_treebank_with_parsed_trees(run, either, dev, data, tmp_path):
    if not dev:
        either = [part for part in either if part not in ("--dev", str(data / "dev.conllu"))]
    source, output = data / "train.conllu", tmp_path / "out.conllu"
    short = ["--set", "training.epochs=2", "--jackknife", "3", "-o", str(output)]
    done = run([*either, *short])
    assert done.returncode == 0, done.stderr
    assert re.search(r"^part 2: 20 sentences parsed, UAS ", done.stderr, re.MULTILINE)
    words = source.read_bytes().count(b"\t_\t_\n")
    assert f"60 sentences, {words} words, each with the tree of one of 3 parsers" in done.stdout
    before, after = source.read_bytes().splitlines(), output.read_bytes().splitlines()
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        assert old.split(b"\t")[:6] == new.split(b"\t")[:6]
    assert before != after
    score = run(["evaluate", "--json", str(source), str(output)])
    las = re.search(r'"las": ([\d.]+)', score.stdout)[1]
    assert f"LAS {float(las):.2%}" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["out.conllu"]


def test_a_stopped_jackknife_goes_on(either, tmp_path):
    whole, halved = tmp_path / "whole", tmp_path / "halved"
    either = [*either, "--jackknife", "3"]
    assert shell([*either, *options(SLOW), "-o", str(whole)]).returncode == 0
    code, errors = stopped(either, halved, signal.SIGINT)  # when the first part is done
    assert code == 130
    assert re.search(r"goes on from epoch \d+ of part 1$", errors, re.MULTILINE)
    done = shell([*either, *options(SLOW), "-o", str(halved)])
    assert "part 0: " in done.stderr
    assert len(re.findall("^epoch ", done.stderr, re.MULTILINE)) <= 24
    assert halved.read_bytes() == whole.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["halved", "whole"]


@pytest.mark.parametrize(("parts", "sentences"), [("1", "60"), ("61", "60"), ("-2", "60")])
def test_a_jackknife_needs_parts(run, command, parts, sentences, tmp_path):
    done = run([*command, "--jackknife", parts, "-o", str(tmp_path / "out")])
    assert done.returncode == 2
    assert f"{parts} parts of {sentences} sentences" in done.stderr
