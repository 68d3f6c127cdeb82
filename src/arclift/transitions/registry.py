"""All transition systems by name, and by name and settings."""

from __future__ import annotations

from dataclasses import fields
from itertools import product
from typing import Any, Literal, get_args, get_origin, get_type_hints

from arclift.errors import UsageError
from arclift.transitions.arc_eager import ArcEager
from arclift.transitions.arc_hybrid import ArcHybrid
from arclift.transitions.arc_standard import ArcStandard
from arclift.transitions.attardi import Attardi
from arclift.transitions.covington import Covington
from arclift.transitions.planar2 import Planar2
from arclift.transitions.swap import Swap
from arclift.transitions.system import System
from arclift.transitions.yamada import Yamada

_CLASSES: tuple[type[System], ...] = (
    ArcEager,
    ArcStandard,
    ArcHybrid,
    Yamada,
    Attardi,
    Swap,
    Covington,
    Planar2,
)
SYSTEMS: dict[str, type[System]] = {system.name: system for system in _CLASSES}
"""The classes by name."""


def make(name: str, **settings: Any) -> System:
    """Return the system of this name with these settings, the others as they are by default."""
    if name not in SYSTEMS:
        raise UsageError(f"there is no transition system {name!r}; there are {', '.join(SYSTEMS)}")
    choices = choices_of(SYSTEMS[name])
    for key, value in settings.items():
        if key not in choices:
            known = f"; it has {', '.join(choices)}" if choices else ", nor any other"
            raise UsageError(f"the system {name} has no setting {key!r}{known}")
        if not any(value == choice and type(value) is type(choice) for choice in choices[key]):
            allowed = ", ".join(map(repr, choices[key]))
            raise UsageError(f"{key} of the system {name} is one of {allowed}, not {value!r}")
    return SYSTEMS[name](**settings)


def choices_of(system: type[System]) -> dict[str, tuple[Any, ...]]:
    """Return the settings of a system, and the values that each can have."""
    hints = get_type_hints(system)
    return {
        field.name: get_args(hints[field.name]) if get_origin(hints[field.name]) is Literal else (False, True)
        for field in fields(system)  # type: ignore[arg-type]
    }


def settings_of(system: System) -> dict[str, Any]:
    """Return the settings of a system as they are."""
    return {name: getattr(system, name) for name in choices_of(type(system))}


def variants(*names: str) -> list[System]:
    """Return the systems of these names (of all if there is none) with all settings."""
    found = []
    for name in names or SYSTEMS:
        choices = choices_of(SYSTEMS[name])
        found += [
            make(name, **dict(zip(choices, values, strict=True))) for values in product(*choices.values())
        ]
    return found


def compared() -> list[System]:
    """Return the systems that differ in what their oracles build, for tables of coverage."""
    attardi = [{"degree": degree, "extract_insert": False} for degree in (2, 3)]
    attardi += [{"degree": 2}, {}, {"rewrite": 2007}]
    return [
        *(make("arc_eager", root=root) for root in ("none", "first")),
        *map(make, ("arc_standard", "arc_hybrid", "yamada")),
        *(make("attardi", **settings) for settings in attardi),
        *(make("swap", order=order) for order in ("eager", "lazy")),
        make("arc_hybrid", swap=True),
        make("covington", projective=True),
        make("covington"),
        make("planar2"),
    ]


def title(system: System) -> str:
    """Return the name, and the settings that are not the default: ``arc_eager(root=first)``."""
    default = make(system.name)
    differing = [key for key in settings_of(system) if getattr(system, key) != getattr(default, key)]
    settings = ", ".join(f"{key}={getattr(system, key)}" for key in differing)
    return f"{system.name}({settings})" if settings else system.name
