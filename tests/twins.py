"""Every test of a native loop is also a test that it agrees with its plain twin."""

from __future__ import annotations

from typing import Any

import numpy as np

from arclift.native import PAIRS


def agreed(name: str, *arguments: Any, **options: Any) -> Any:
    """Return what both implementations of ``name`` answer, or raise what both raise; fail if they differ."""
    plain = _answer(PAIRS[name].python, arguments, options)
    if PAIRS[name].native is not None:
        compiled = _answer(PAIRS[name].native, arguments, options)
        assert _comparable(plain) == _comparable(compiled)
    if isinstance(plain, Exception):
        raise plain
    return plain


def _answer(function: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    try:
        return function(*arguments, **options)
    except ValueError as error:
        return error


def _comparable(answer: Any) -> Any:
    if isinstance(answer, tuple):
        return tuple(map(_comparable, answer))
    if isinstance(answer, np.ndarray):
        return answer.dtype, answer.shape, answer.tolist()
    if isinstance(answer, Exception):
        return type(answer), str(answer)
    return answer
