"""The compiled loops, each paired with the plain Python function that specifies it.

``@accelerated`` on a function or class puts the compiled object of the same name in its place when the
compiled core is there. Both stay reachable in ``PAIRS`` for the tests that hold them against each other.

Environment: ``ARCLIFT_NATIVE=0`` forces the plain functions, ``ARCLIFT_NATIVE=1`` fails when the compiled
core is missing, anything else takes the core if it can and warns once if it cannot.
"""

from __future__ import annotations

import importlib
import os
import warnings
from types import ModuleType
from typing import Any, NamedTuple, TypeVar, cast

T = TypeVar("T")


class Pair(NamedTuple):
    """The two implementations of one name; ``native`` is None where the core is not built."""

    python: Any
    native: Any


PAIRS: dict[str, Pair] = {}


def _load_core() -> ModuleType | None:
    try:
        return importlib.import_module("arclift.native._core")
    except ImportError as error:
        if os.environ.get("ARCLIFT_NATIVE") == "1":
            raise ImportError(
                "ARCLIFT_NATIVE=1 asks for the compiled core, which is missing or broken; "
                "install arclift with a C++20 compiler, or unset ARCLIFT_NATIVE"
            ) from error
        return None


_CORE = _load_core()
ENABLED = _CORE is not None and os.environ.get("ARCLIFT_NATIVE") != "0"

if _CORE is None and os.environ.get("ARCLIFT_NATIVE") != "0":
    warnings.warn(
        "arclift's compiled core is not installed; the plain Python code is used, which is much slower. "
        "Reinstall with a C++20 compiler, or set ARCLIFT_NATIVE=0 to silence this.",
        RuntimeWarning,
        stacklevel=2,
    )


def accelerated(plain: T) -> T:
    """Return the compiled object named like ``plain`` if it can be used, else ``plain`` itself."""
    name = cast(Any, plain).__name__.lstrip("_")
    compiled = getattr(_CORE, name, None)
    PAIRS[name] = Pair(plain, compiled)
    return cast(T, compiled) if ENABLED and compiled is not None else plain
