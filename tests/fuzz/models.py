"""Model files that are damaged, or made to do harm: refused, or loaded and then as good as any other.

A file is damaged either in its bytes, which the checksum or the format must notice, or in what it says, with
the checksum made right again, so that what reads the parts must notice.
"""

from __future__ import annotations

import json
import struct
import tempfile
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arclift import modelfile
from arclift.errors import InputError
from arclift.modelfile import container
from arclift.parsing import load
from arclift.parsing.parser import Parser
from fuzz.parsers import random_parser
from fuzz.parsing import parse

INPUTS = 5
_SENTENCES = 4

_VALUES: list[Any] = [None, True, False, -1, 0, 1, 2, 3, 7, 255, 2**31 - 1, 2**31, 2**63, -(2**70)]
_VALUES += [0.5, -1e308, float("nan"), float("inf"), "", "x", "root", "a\tb", "\n", "\ud800", "\0", "../x"]
_VALUES += ["s0.form", "feats*", "none", "first", "swap", "exact", "mlp", "perceptron", "graph"]
_VALUES += [[], {}, [[]], [1, 2], ["a", "a"], {"a": {}}]
_TYPES = [
    np.int8,
    np.int16,
    np.int32,
    np.int64,
    np.uint8,
    np.uint64,
    np.float16,
    np.float32,
    np.float64,
    bool,
]
_NAMES = ["network/parse", "network/states9", "network/inputs1", "values/0.text", "learner/used", "x", "../x"]


def run(seed: int) -> int:
    """Damage the file of a new parser in several ways, and load it."""
    rng = Random(f"models {seed}")
    parser = random_parser(rng)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fuzzed.model"
        parser.save(path)
        data, model = path.read_bytes(), modelfile.read(path)
        for _ in range(INPUTS):
            path.write_bytes(_damaged(rng, data) if rng.random() < 0.3 else _hostile(rng, model))
            refused, loaded = _loaded(path)
            assert not refused or refused.startswith(str(path))
            if loaded:
                parse(rng, loaded, _SENTENCES)
    return INPUTS


def _loaded(path: Path) -> tuple[str, Parser | None]:
    """Return why a file is refused, or the parser in it."""
    try:
        return "", load(path)
    except InputError as error:
        return str(error), None


# --- bytes ------------------------------------------------------------------------------------------------


def _damaged(rng: Random, data: bytes) -> bytes:
    begin, size = rng.randrange(len(data)), rng.choice([1, 1, 4, 100])
    (header,) = struct.unpack("<Q", data[:8])
    match rng.randrange(7):
        case 0:
            return (
                data[:begin]
                + bytes(b ^ 1 << rng.randrange(8) for b in data[begin : begin + size])
                + data[begin + size :]
            )
        case 1:
            return data[:begin]
        case 2:
            return data + rng.randbytes(size)
        case 3:
            wrong = rng.choice([0, 1, header - 1, header + 1, 1 << 31, 1 << 62, (1 << 64) - 1, len(data)])
            return struct.pack("<Q", wrong) + data[8:]
        case 4:
            return data[:begin] + data[begin + size :]
        case 5:
            at = rng.randrange(8, 8 + header)
            return (
                data[:at] + rng.choice([b"0", b'"', b"{", b"}", b"9", b",", b"\xff", b"\\"]) + data[at + 1 :]
            )
    return rng.randbytes(rng.choice([0, 7, 8, 9, 300]))


# --- what they say ----------------------------------------------------------------------------------------


def _hostile(rng: Random, model: modelfile.ModelFile) -> bytes:
    kind, settings, card = model.kind, deepcopy(model.settings), dict(model.card)
    arrays = dict(model.arrays)
    outer: dict[str, Any] = {}
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        match rng.randrange(12):
            case 0 | 1 | 2 | 3:
                _change_value(rng, settings)
            case 4 | 5 | 6 | 7 | 8 | 9:
                _change_array(rng, arrays)
            case 10:
                outer["format"] = rng.choice(["2.0", "0.9", "1", "1.99", "x", "", "²", "9" * 5000, 1, None])
            case 11:
                kind = rng.choice(["graph-parser", "transition-parser", "tagger", ""])
                card = rng.choice([card, {"text": rng.choice(["\ud800", "a"])}])
    return _signed(rng, kind, settings, card, arrays, outer)


def _change_value(rng: Random, settings: dict[str, Any]) -> None:
    """Change one value anywhere in a tree of dictionaries and lists."""
    place: Any = settings
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = rng.choice(keys)
        if not isinstance(place[key], dict | list) or not place[key] or rng.random() < 0.2:
            break
        place = place[key]
    match rng.randrange(6):
        case 0:
            del place[key]
        case 1 if isinstance(place, list):
            place.insert(rng.randint(0, len(place)), place[key])
        case 2 if type(place[key]) is int:
            place[key] += rng.choice([-1, 1, 100])
        case 3 if isinstance(place, dict):
            place[rng.choice(["extra", "", "name"])] = rng.choice(_VALUES)
        case _:
            place[key] = rng.choice(_VALUES)


def _change_array(rng: Random, arrays: dict[str, NDArray[Any]]) -> None:
    if not arrays:
        return
    weights = [name for name in arrays if not name.endswith((".text", ".ends"))]
    name = rng.choice(rng.choice([list(arrays), weights or list(arrays)]))
    array = np.atleast_1d(arrays[name])
    with np.errstate(all="ignore"):
        match rng.randrange(10):
            case 0:
                arrays[name] = array.astype(rng.choice(_TYPES))
            case 1:
                arrays[name] = array.reshape(rng.choice([-1, (1, *array.shape), (*array.shape, 1)]))
            case 2:
                arrays[name] = array[: rng.randint(0, len(array))]
            case 3:
                arrays[name] = np.concatenate([array, array[: rng.choice([1, 16, len(array)])]])
            case 4:
                arrays[name] = rng.choice(
                    [array.T, array.reshape(-1)[:1].reshape(-1, *[1] * 3), np.array(1, array.dtype)]
                )
            case 5:
                del arrays[name]
            case 6:
                arrays[rng.choice([*_NAMES, *arrays])] = array
            case 7:
                arrays[name] = np.frombuffer(rng.randbytes(array.nbytes), array.dtype).reshape(array.shape)
            case _:
                arrays[name] = _with_extremes(rng, array)


def _with_extremes(rng: Random, array: NDArray[Any]) -> NDArray[Any]:
    """Set one value, or all, to one at the edge of what the type holds."""
    if array.dtype.kind == "f":
        values = [np.nan, np.inf, -np.inf, 0.0, -1.0, 1e-45, 3e38, 1e30]
    elif array.dtype.kind == "b":
        values = [False, True]
    else:
        limits = np.iinfo(array.dtype)
        values = [limits.min, limits.max, 0, 1, limits.max // 2]
    changed = array.copy()
    flat = changed.reshape(-1)
    if flat.size:
        flat[slice(None) if rng.random() < 0.5 else rng.randrange(flat.size)] = rng.choice(values)
    return changed


def _signed(
    rng: Random,
    kind: str,
    settings: dict[str, Any],
    card: dict[str, Any],
    arrays: dict[str, NDArray[Any]],
    outer: dict[str, Any],
) -> bytes:
    """Return the bytes of a model whose checksum is right, whatever is in it."""
    from safetensors.numpy import save

    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    header: dict[str, Any] = {
        "format": "1.0",
        "kind": kind,
        "settings": settings,
        "card": card,
        "sha256": container._digest(kind, settings, card, whole),
        **outer,
    }
    text = json.dumps(header)
    match rng.randrange(60):
        case 0:
            text = text.replace(
                '"settings": {', '"settings": {"deep": ' + "[" * 50_000 + "]" * 50_000 + ", ", 1
            )
        case 1:
            text = text.replace('"settings": {', '"settings": {"long": ' + "9" * 5000 + ", ", 1)
        case 2:
            text = rng.choice(["", "null", "[]", "1", text[:-1], '{"format": "1.0"}'])
    return save(whole, {"arclift": text})
