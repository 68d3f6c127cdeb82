"""What README and docs say is so: examples run, figures are those of the scripts, links lead on."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

from arclift.cli.main import COMMANDS

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md")), ROOT / "CONTRIBUTING.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_python_examples_give_what_they_show(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    failed, _ = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert failed == 0


def test_the_readme_opens_with_demo_and_test():
    commands = re.findall(r"^\$ (make \w+)", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert commands[:2] == ["make demo", "make test"]


def test_the_readme_names_every_command():
    text = README.read_text(encoding="utf-8")
    assert [
        command for command in COMMANDS if f"`arclift {command}" not in text.replace("`, `", "`, `arclift ")
    ] == []


@pytest.mark.skipif(
    not (ROOT / "bench" / "figures.py").exists(), reason="the benchmarks are not beside the tests"
)
def test_the_readmes_figures_are_those_the_scripts_printed():
    done = subprocess.run(
        [sys.executable, str(ROOT / "bench" / "figures.py"), "--check"], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page):
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if not (page.parent / link).exists()]
    if (ROOT / "bench").is_dir():
        assert missing == []
