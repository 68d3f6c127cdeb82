"""The model container: one safetensors file, its arrays beside a header of JSON.

The header's metadata has one entry, ``arclift``, with

``format``    the version of this container, ``MAJOR.MINOR``: a reader refuses another major version
``kind``      what the model is, such as ``transition-parser``
``settings``  everything needed to build it again but the arrays, effective configuration included
``card``      where it comes from: data, licence, scores, seed, version of arclift
``sha256``    of the arrays' names, types, shapes and bytes, and of settings and card

Loading maps the file, checks it and copies nothing. The same model is written as the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arclift.errors import InputError, Place

MAJOR, MINOR = 1, 0
MAX_BYTES = 1 << 32

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class ModelFile:
    """What stands in a model file."""

    kind: str
    settings: dict[str, Any]
    arrays: Arrays
    card: dict[str, Any] = field(default_factory=dict)


def write(path: str | os.PathLike[str], model: ModelFile) -> None:
    """Write a model; an older file of the name is replaced only when the new one is whole."""
    from safetensors.numpy import save

    arrays = {name: np.ascontiguousarray(array) for name, array in sorted(model.arrays.items())}
    header = {
        "format": f"{MAJOR}.{MINOR}",
        "kind": model.kind,
        "settings": model.settings,
        "card": model.card,
        "sha256": _digest(model.kind, model.settings, model.card, arrays),
    }
    data = save(arrays, {"arclift": json.dumps(header, sort_keys=True, ensure_ascii=False)})
    write_whole(path, [data])


def write_whole(path: str | os.PathLike[str], data: Iterable[bytes]) -> None:
    """Write a file; an older one of the name is replaced only when the new one is whole."""
    target = Path(path)
    unfinished = target.with_name(f".{target.name}.unfinished")
    try:
        with unfinished.open("wb") as stream:
            stream.writelines(data)
        unfinished.replace(target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(target)) from error
    finally:
        unfinished.unlink(missing_ok=True)


def read(path: str | os.PathLike[str]) -> ModelFile:
    """Read a model; whatever is not a whole and sound one of this version is refused with a sentence."""
    name = os.fspath(path)
    header, arrays = _opened(name)
    for key, kind in (("kind", str), ("settings", dict), ("card", dict), ("sha256", str)):
        if not isinstance(header.get(key), kind):
            raise _refusal(name, f"its header has no {key}", "the file is damaged or not written by arclift")
    if header["sha256"] != _digest(header["kind"], header["settings"], header["card"], arrays):
        raise _refusal(name, "its checksum does not fit its content", "the file is damaged: get it again")
    return ModelFile(header["kind"], header["settings"], arrays, header["card"])


def _opened(name: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    from safetensors import SafetensorError, safe_open

    try:
        if Path(name).stat().st_size > MAX_BYTES:
            raise _refusal(name, "it is larger than any model", "is this the right file?")
        with safe_open(name, framework="numpy") as file:
            header = _header(name, file.metadata())
            return header, {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118 -- not a mapping
    except (SafetensorError, ValueError, TypeError, KeyError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise _refusal(name, "this is no model of arclift, or a damaged one", str(error)) from error
    except OSError as error:
        raise _refusal(name, f"cannot be read: {(error.strerror or str(error)).lower()}", "") from error


def _header(name: str, metadata: dict[str, str] | None) -> dict[str, Any]:
    text = (metadata or {}).get("arclift")
    if text is None:
        raise _refusal(name, "this is no model of arclift", "it has arrays, but not our header")
    header = json.loads(text)
    json.dumps(
        header, ensure_ascii=False
    ).encode()  # raises where a text is none, such as half a pair of UTF-16
    version = header.get("format") if isinstance(header, dict) else None
    if not isinstance(version, str) or not version.partition(".")[0].isdigit():
        raise _refusal(name, "its header has no version", "the file is damaged or not written by arclift")
    if int(version.partition(".")[0]) != MAJOR:
        raise _refusal(
            name,
            f"it has format {version}, and this arclift reads {MAJOR}.x",
            "train the model again, or install the arclift it was made with",
        )
    assert isinstance(header, dict)
    return header


def _digest(kind: str, settings: dict[str, Any], card: dict[str, Any], arrays: Arrays) -> str:
    digest = hashlib.sha256(json.dumps([kind, settings, card], sort_keys=True).encode())
    for name, array in sorted(arrays.items()):
        digest.update(json.dumps([name, array.dtype.str, array.shape]).encode())
        digest.update(np.ascontiguousarray(array).data if array.size else b"")
    return digest.hexdigest()


def _refusal(name: str, what: str, hint: str) -> InputError:
    return InputError(what, Place(name), code="model", hint=hint)
