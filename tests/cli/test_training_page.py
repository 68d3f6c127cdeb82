"""The commands of docs/training.md, one after the other, print what the page shows, but for the figures."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from arclift.cli.progress import BARS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "training.md"


def without_figures(text):
    """Figures may differ from machine to machine, in their last digits and so in their lengths."""
    return re.sub(rf"[{BARS}]+", "BARS", re.sub(r"\d[\d.,]*", "N", text))


def commands():
    for block in re.findall(r"```console\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        for command in re.split(r"^\$ arclift ", block, flags=re.MULTILINE)[1:]:
            arguments, _, shown = command.partition("\n")
            yield arguments.split(), shown


def test_the_commands_print_what_is_shown(tmp_path):
    shutil.copy(ROOT / "examples" / "crossing.conllu", tmp_path)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    for arguments, shown in commands():
        done = subprocess.run(
            [sys.executable, "-m", "arclift", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
            timeout=120,
        )
        printed = done.stdout.decode()
        assert done.returncode == 0, printed
        wanted = "\n".join(without_figures(shown).splitlines())
        assert doctest.OutputChecker().check_output(wanted + "\n", without_figures(printed), flags), printed
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "crossing.conllu", "crossing.model", "jackknifed.conllu", "parsed.conllu", "swap.model",
    ]  # fmt: skip


def test_there_are_commands_to_test():
    assert [arguments[0] for arguments, _ in commands()] == [
        "train", "parse", "evaluate", "info", "train", "train",
    ]  # fmt: skip
