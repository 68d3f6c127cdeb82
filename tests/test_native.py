"""The compiled core and its plain twins: neither side misses a name, and either can be forced."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from arclift import native

SOURCES = Path(__file__).parent.parent / "src/arclift/native"


def _import_all() -> None:
    import importlib
    import pkgutil

    import arclift

    for module in pkgutil.walk_packages(arclift.__path__, "arclift."):
        if not module.name.endswith(("__main__", "_core")):
            importlib.import_module(module.name)


@pytest.mark.skipif(not native.ENABLED, reason="the compiled core is not in use")
def test_each_compiled_name_has_a_plain_twin_and_the_other_way_round():
    _import_all()
    core = sys.modules["arclift.native._core"]
    compiled = {name for name in dir(core) if not name.startswith("_")} - {"cpu"}
    assert compiled == set(native.PAIRS)


@pytest.mark.skipif(not SOURCES.is_dir(), reason="the C++ sources are not beside the tests")
def test_each_loop_names_its_twin():
    for source in SOURCES.glob("*.cpp"):
        if source.name != "core.cpp":
            twins = re.findall(r"Twins?: (.+)", source.read_text(encoding="utf-8").split("#include")[0])
            assert twins, f"{source.name} does not say which Python code it mirrors"


def _run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "always", "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_plain_code_can_be_forced_and_is_silent_then():
    done = _run("from arclift import native; print(native.ENABLED)", ARCLIFT_NATIVE="0")
    assert (done.stdout, done.stderr) == ("False\n", "")


@pytest.mark.parametrize(("wish", "code"), [("1", 1), ("", 0)])
def test_a_missing_core_is_an_error_if_insisted_on_and_else_one_warning(wish, code):
    hide = "import sys; sys.modules['arclift.native._core'] = None; import arclift.treebank"
    done = _run(hide, ARCLIFT_NATIVE=wish)
    assert done.returncode == code
    assert done.stderr.count("RuntimeWarning: arclift's compiled core is not installed") == 1 - code
    assert ("ARCLIFT_NATIVE=1 asks for the compiled core" in done.stderr) == bool(code)


@pytest.mark.skipif(not native.ENABLED, reason="the compiled core is not in use")
def test_the_instruction_set_can_be_lowered():
    done = _run("from arclift.native import _core; print(_core.cpu())", ARCLIFT_CPU="baseline")
    assert done.stdout == "baseline\n"
