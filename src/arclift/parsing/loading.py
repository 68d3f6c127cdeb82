"""Parsers from files, of any family."""

from __future__ import annotations

import os

from arclift import modelfile
from arclift.errors import ArcliftError, InputError, Place
from arclift.parsing.graph_parser import GraphParser
from arclift.parsing.parser import Parser
from arclift.parsing.transition_parser import TransitionParser

UNFIT = (
    ArcliftError,
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What the parts of a parser raise when they are of wrong types, values or sizes."""

KINDS: dict[str, type[Parser]] = {each.kind: each for each in (GraphParser, TransitionParser)}


def load(path: str | os.PathLike[str]) -> Parser:
    """Return the parser in a file; a file that is none is refused with a sentence."""
    model = modelfile.read(path)
    name = os.fspath(path)
    if model.kind not in KINDS:
        raise InputError(f"this is a {model.kind}, not a parser", Place(name), code="model")
    try:
        return KINDS[model.kind].of_model(model)
    except UNFIT as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error) or type(error).__name__
        raise InputError(
            f"the parts of this model do not fit: {what}",
            Place(name),
            code="model",
            hint="get the file again, or train the model again",
        ) from error
