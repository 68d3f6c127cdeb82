"""Feature sets by name, each a text file in ``presets/`` that says where its features come from."""

from __future__ import annotations

from importlib.resources import files

from arclift.errors import UsageError
from arclift.features.address import FeatureSet
from arclift.features.template import parse_features

_FOLDER = files("arclift.features") / "presets"


def preset_names() -> tuple[str, ...]:
    """Return the names of all presets, in order of the alphabet."""
    names = [entry.name for entry in _FOLDER.iterdir()]
    return tuple(sorted(name.removesuffix(".txt") for name in names if name.endswith(".txt")))


def preset_text(name: str) -> str:
    """Return the text of the preset with this name, comments and all."""
    if name not in preset_names():
        raise UsageError(f"no feature preset is called {name!r}; there are: {', '.join(preset_names())}")
    return (_FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def preset(name: str) -> FeatureSet:
    """Return the feature set with this name."""
    return parse_features(preset_text(name))
