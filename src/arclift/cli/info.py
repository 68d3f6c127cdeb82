"""``arclift info``: what a model is and where it comes from."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arclift.modelfile import ModelFile

NAME = "info"
HELP = "print the card and the configuration of a model"
SHOWN = 12
"""How many labels are shown."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    parser.add_argument("model", metavar="MODEL", help="a model made by arclift")
    parser.add_argument("--json", action="store_true", help="as JSON, with the shapes of all arrays")


def run(arguments: argparse.Namespace) -> int:
    """Print what stands in the model's header."""
    from arclift import modelfile

    model = modelfile.read(arguments.model)
    print(_as_json(model) if arguments.json else _as_text(model, Path(arguments.model)))
    return 0


def _as_json(model: ModelFile) -> str:
    about = {
        "kind": model.kind,
        "card": model.card,
        "config": model.settings.get("config", {}),
        "names": model.settings.get("names", []),
        "arrays": {name: list(array.shape) for name, array in model.arrays.items()},
    }
    return json.dumps(about, indent=2, ensure_ascii=False)


def _as_text(model: ModelFile, path: Path) -> str:
    card = model.card
    made = f", made by arclift {card['arclift']}" if "arclift" in card else ""
    lines = [f"{path.name}: a {model.kind.replace('-', ' ')}, {path.stat().st_size / 1e6:.1f} MB{made}", ""]
    lines += [f"{name:<13} {text}" for name, text in _facts(model) if text]
    for table, values in model.settings.get("config", {}).items():
        lines += ["", f"[{table}]", *(f"{key} = {json.dumps(value)}" for key, value in values.items())]
    return "\n".join(lines)


def _facts(model: ModelFile) -> list[tuple[str, str]]:
    card, names = model.card, model.settings.get("names", [])
    dev = card.get("dev", {})
    scores = {"uas": "UAS", "las": "LAS", "nonprojective_f": "non-projective F"}
    rounds = card.get("rounds", 1)
    return [
        ("trained on", ", ".join(card.get("data", []))),
        ("", ", ".join(f"{card[each]:,} {each}" for each in ("sentences", "words") if each in card)),
        ("chosen by", ", ".join(card.get("dev_data", [])) or "every tenth sentence of these"),
        ("dev scores", ", ".join(f"{scores[name]} {dev[name]:.2%}" for name in scores if name in dev)),
        ("epoch", f"{card['epochs']}{_times(rounds)}" if "epochs" in card else ""),
        ("seed", str(card.get("seed", ""))),
        ("preset", _preset(model.settings.get("config", {}))),
        ("labels", _some(names)),
        ("roots", "several where they seem likely" if model.settings.get("several_roots") else "one"),
    ]


def _times(rounds: int) -> str:
    return f" (an epoch goes {rounds} times through the treebank)" if rounds > 1 else ""


def _some(names: list[str]) -> str:
    shown = ", ".join(name or "_" for name in names[:SHOWN])
    return f"{len(names)}: {shown}{', ...' if len(names) > SHOWN else ''}"


def _preset(config: dict[str, Any]) -> str:
    """Return the preset that the configuration is nearest to, and what is different."""
    from arclift.parsing import PRESETS, preset_config

    if not config:
        return ""
    different = {}
    for name in PRESETS:
        tables = preset_config(name).as_dict()
        different[name] = [
            f"{table}.{key}={json.dumps(value)}"
            for table, values in config.items()
            for key, value in values.items()
            if tables.get(table, {}).get(key) != value
        ]
    nearest = min(different, key=lambda name: len(different[name]))
    return f"{nearest}{' with ' if different[nearest] else ''}{', '.join(different[nearest])}"
