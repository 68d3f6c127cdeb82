"""Imports go downwards only, and the public face is what it says it is."""

import ast
from pathlib import Path

import arclift

PACKAGE = Path(arclift.__file__).parent
LAYERS = ["errors", "native", "trees", "transitions", "features", "learners", "graph", "modelfile"]
LAYERS += ["draw", "treebank", "evaluate", "parsing", "experiments", "cli"]


def _imports(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module)
        elif isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
    return {name.split(".")[1] for name in names if name.startswith("arclift.")}


def test_imports_go_downwards_only():
    upwards = []
    for path in sorted(PACKAGE.rglob("*.py")):
        layer = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if layer not in LAYERS:
            continue
        above = LAYERS[LAYERS.index(layer) + 1 :]
        upwards += [f"{path.relative_to(PACKAGE)} imports {name}" for name in _imports(path) if name in above]
    assert upwards == []


def test_every_module_belongs_to_a_layer():
    tops = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in PACKAGE.rglob("*.py")}
    assert tops - {"__init__", "__main__", "_version"} <= set(LAYERS)


def test_every_public_name_is_there():
    assert {name for name in arclift.__all__ if not hasattr(arclift, name)} == set()
    assert arclift.__all__ == sorted(arclift.__all__)
