"""arclift: dependency trees whose arcs cross."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from arclift._version import __version__

if TYPE_CHECKING:
    from arclift.errors import ArcliftError, InputError, TreeError, UsageError
    from arclift.parsing import Parser, load
    from arclift.parsing.treebanks import train
    from arclift.treebank import Reader, Sentence, Token, Treebank, read, read_all, write

# Loaded when first asked for, so that importing the package, and every command, starts at once.
_HOMES = {
    "ArcliftError": "arclift.errors",
    "InputError": "arclift.errors",
    "TreeError": "arclift.errors",
    "UsageError": "arclift.errors",
    "Reader": "arclift.treebank",
    "Sentence": "arclift.treebank",
    "Token": "arclift.treebank",
    "Treebank": "arclift.treebank",
    "Parser": "arclift.parsing",
    "load": "arclift.parsing",
    "read": "arclift.treebank",
    "read_all": "arclift.treebank",
    "train": "arclift.parsing.treebanks",
    "write": "arclift.treebank",
}

__all__ = [
    "ArcliftError",
    "InputError",
    "Parser",
    "Reader",
    "Sentence",
    "Token",
    "TreeError",
    "Treebank",
    "UsageError",
    "__version__",
    "load",
    "read",
    "read_all",
    "train",
    "write",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'arclift' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
