"""What a parser is made of: one tree of dataclasses, written as TOML, checked before anything runs.

A parser is of one of two families, and has the tables of its family::

    [parser]
    family = "graph"         # scores all arcs of a sentence, takes the best tree

    [graph]
    state = 64

    [training]
    epochs = 20

or::

    [parser]
    family = "transition"    # builds the tree step by step

    [system]
    name = "arc_eager"
    root = "none"

    [lifting]
    scheme = "head+path"     # or "none"

    [features]
    preset = "fast"          # or: text = "s0.form, ..."

    [oracle]
    exploration = 0.0        # the share of training sentences that the parser goes through by itself

    [learner]
    name = "perceptron"

    [training]
    epochs = 10
    seed = 1

Tables that are left out, and keys of them, are as the preset has them. An unknown key is an error.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from arclift.errors import InputError, Place, UsageError
from arclift.trees.labels import Scheme

NO_LIFTING = "none"
FAMILIES = {"graph": ("graph",), "transition": ("system", "lifting", "features", "oracle", "learner")}
"""The families, and the tables that only they have."""


@dataclass(frozen=True)
class ParserConfig:
    """The family of a parser."""

    family: str = "graph"

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise UsageError(f"parser.family is one of {', '.join(FAMILIES)}, not {self.family!r}")


@dataclass(frozen=True)
class GraphConfig:
    """The network of a graph parser, and how it learns; see `arclift.graph`."""

    inputs: str = "lower lemma upos xpos feats feats* prefix2 prefix3 suffix1 suffix2 suffix3"
    """What a word is known by; what the treebank has not is left out."""
    minimum: int = 2
    """Values that fewer words have are unknown."""
    embedding: int = 128
    state: int = 64
    layers: int = 2
    arc: int = 64
    label: int = 64
    dropout: float = 0.25
    unknown: float = 0.2
    """The share of forms and lemmas that are taken for unknown in training."""
    crossing: float = 2.0
    """How often non-projective arcs count in training: they are rare, and are missed if they count once."""
    rate: float = 0.005
    batch: int = 300
    """How many words, roughly, make one step."""
    steps: int = 450
    """An epoch has about so many steps at least: it goes through a small treebank several times."""

    def __post_init__(self) -> None:
        if any(size < 16 or size % 16 for size in (self.embedding, self.state, self.arc, self.label)):
            raise UsageError("embedding, state, arc and label of a graph parser are multiples of 16")
        if not 1 <= self.layers <= 8 or min(self.minimum, self.batch, self.steps) < 1:
            raise UsageError("a graph parser has 1 to 8 layers; minimum, batch and steps are at least 1")
        if not (self.rate > 0 and self.crossing > 0):
            raise UsageError("graph.rate and graph.crossing are above 0")
        if not (0 <= self.dropout < 1 and 0 <= self.unknown < 1):
            raise UsageError("dropout and unknown are shares from 0 to below 1")
        if not self.inputs.split():
            raise UsageError("graph.inputs names at least one attribute of words, such as lower")


@dataclass(frozen=True)
class SystemConfig:
    """A transition system; ``settings`` are its own."""

    name: str = "arc_eager"
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class LiftingConfig:
    """The encoding scheme under which the training trees are lifted, or ``none``."""

    scheme: str = Scheme.HEAD_PATH.value

    def __post_init__(self) -> None:
        known = (NO_LIFTING, *(scheme.value for scheme in Scheme))
        if self.scheme not in known:
            raise UsageError(f"lifting.scheme is one of {', '.join(known)}, not {self.scheme!r}")


@dataclass(frozen=True)
class FeaturesConfig:
    """A feature preset, or features as text; values that fewer words have are unknown."""

    preset: str = "fast"
    text: str = ""
    minimum: int = 2


@dataclass(frozen=True)
class OracleConfig:
    """What training shows to the learner; see `arclift.parsing.exploration`."""

    exploration: float = 0.0
    """The share of sentences, from the second epoch on, that the parser goes through by itself."""

    def __post_init__(self) -> None:
        if not 0 <= self.exploration <= 1:
            raise UsageError(f"oracle.exploration is a share from 0 to 1, not {self.exploration}")


@dataclass(frozen=True)
class LearnerConfig:
    """A learner; ``settings`` are its hyper-parameters."""

    name: str = "perceptron"
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class TrainingConfig:
    """How long to train: at most ``epochs``, and until dev has not improved for ``patience`` of them."""

    epochs: int = 20
    patience: int = 20
    seed: int = 1

    def __post_init__(self) -> None:
        if min(self.epochs, self.patience) < 1 or self.seed < 0:
            raise UsageError("training needs epochs and patience of at least 1, and a seed of at least 0")


@dataclass(frozen=True)
class Config:
    """Everything that decides what a parser becomes, but its data."""

    parser: ParserConfig = field(default_factory=ParserConfig)
    graph: GraphConfig = field(default_factory=GraphConfig)
    system: SystemConfig = field(default_factory=SystemConfig)
    lifting: LiftingConfig = field(default_factory=LiftingConfig)
    features: FeaturesConfig = field(default_factory=FeaturesConfig)
    oracle: OracleConfig = field(default_factory=OracleConfig)
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)

    def as_dict(self) -> dict[str, Any]:
        """Return the tables of the family as TOML has them: settings stand beside the name they belong to."""
        tables = {name: table for name, table in asdict(self).items() if name not in self._others()}
        for table in tables.values():
            table.update(table.pop("settings", {}))
        return tables

    def changed(self, tables: Mapping[str, Any]) -> Config:
        """Return this configuration with other values; unknown tables and keys are errors."""
        parts = {part.name: getattr(self, part.name) for part in fields(self)}
        for name, table in tables.items():
            if name not in parts:
                raise UsageError(f"no table {name!r} in a configuration; there are {', '.join(parts)}")
            if not isinstance(table, Mapping):
                raise UsageError(f"{name} is a table: write [{name}], or {name}.key = value")
            parts[name] = _changed(name, parts[name], dict(table))
        config = Config(**parts)
        for name in tables:
            if name in config._others():
                raise UsageError(
                    f"{name} is no table of a {config.parser.family} parser: its tables are "
                    f"{', '.join(config.as_dict())} (choose the family first, by parser.family or a preset)"
                )
        return config

    def _others(self) -> list[str]:
        """Return the tables that only the other families have."""
        return [table for family, its in FAMILIES.items() if family != self.parser.family for table in its]

    def set(self, assignments: list[str]) -> Config:
        """Return this configuration changed by texts such as ``training.epochs=5``."""
        config = self
        for assignment in assignments:
            key, found, value = assignment.partition("=")
            table, dot, name = key.strip().partition(".")
            if not found or not dot:
                raise UsageError(f"--set {assignment!r}: write table.key=value, such as training.epochs=5")
            config = config.changed({table: {name: _value(value.strip())}})
        return config


def _changed(name: str, part: Any, table: dict[str, Any]) -> Any:
    """Return one part with other values; where it has ``settings``, other keys belong to these."""
    known = {each.name: getattr(part, each.name) for each in fields(part)}
    settings = dict(known.pop("settings", {}))
    if "settings" in {each.name for each in fields(part)} and table.get("name", part.name) != part.name:
        settings = {}  # another system or learner has settings of its own
    for key, value in table.items():
        if key in known:
            if isinstance(known[key], float) and type(value) is int:
                value = float(value)
            if type(value) is not type(known[key]):
                expected = type(known[key]).__name__
                raise UsageError(f"{name}.{key} is of type {expected}, not {type(value).__name__}: {value!r}")
            known[key] = value
        elif hasattr(part, "settings"):
            settings[key] = value
        else:
            raise UsageError(f"no key {key!r} in the table {name}; there are {', '.join(known)}")
    return replace(part, **known, **({"settings": settings} if hasattr(part, "settings") else {}))


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


PRESETS: dict[str, dict[str, Any]] = {
    "fast": {},
    "classic": {"parser": {"family": "transition"}, "training": {"epochs": 12, "patience": 4}},
    "nivre2005": {
        "parser": {"family": "transition"},
        "features": {"preset": "nivre2005", "minimum": 1},
        "learner": {"name": "memory"},
    },
}
"""Configurations by name: what they have that is not the default."""


def preset_config(name: str) -> Config:
    """Return a configuration by name; an unknown name is an error that lists those known."""
    if name not in PRESETS:
        raise UsageError(f"no preset is called {name!r}; there are {', '.join(PRESETS)}")
    return Config().changed(PRESETS[name])


def read_config(path: str, start: Config | None = None) -> Config:
    """Return the configuration in a TOML file; what it does not say is as in ``start``."""
    try:
        tables = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", Place(path), code="open") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"this is no TOML: {error}", Place(path), code="config") from error
    return (start or Config()).changed(tables)
