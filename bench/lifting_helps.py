"""Does lifting help a projective parser, and do non-projective systems do without? On five treebanks' test.

python bench/lifting_helps.py     trains what is missing, saving each result (an hour: one core), and writes
                                  the table to docs/tables/lifting-helps.md

Every parser is the preset ``classic`` but for its system and scheme, trained on train, chosen by dev, scored
once on test. Schemes: ``none`` trains on the trees as they are, of which arc-eager's oracle leaves out what
it cannot build; ``baseline`` lifts and does not lower; the others lift and lower. Systems whose focus is not
the top of the stack and the next word read the same features from where theirs is, see ``features``.

Gold tokens and tags, all words, labels without subtypes. p-values: McNemar's test over the words, two-sided.
Parsed test parts are kept in build/bench/lifting_helps: tests between two parsers need both.
"""

from __future__ import annotations

import json
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core, the same sums each time

import io
import re
import time
from pathlib import Path
from typing import Any

from common import RESULTS, ROOT, save, treebank_files

from arclift.evaluate import Evaluation, Policy, compare, evaluate
from arclift.features.presets import preset_text
from arclift.parsing import preset_config, train_on
from arclift.treebank import Block, Reader

FILE = "lifting_helps"
TABLE = ROOT / "docs" / "tables" / "lifting-helps.md"
OUTPUTS = ROOT / "build" / "bench" / FILE
BANKS = ("da_ddt", "nl_lassysmall", "grc_agdt", "la_perseus", "eu_bdt")
SCHEMES = ("none", "baseline", "head", "head+path", "path", "exact")
SYSTEMS = ("attardi", "swap", "covington", "planar2")
AGAINST = ("none", "baseline")
"""The schemes that all others are tested against."""

BEHIND = "t0.form\nt0.upos\nt1.upos\nt0.upos + i0.upos\n"
"""Features of the second stack, for systems that bring words back from there."""


def one_down(text: str) -> str:
    """Return features with the focus one node down: s0 becomes s1 and i0 becomes s0."""
    nodes = {"s0": "s1", "s1": "s2", "s2": "s3", "i0": "s0", "i1": "i0", "i2": "i1", "i3": "i2"}
    return re.sub(r"\b[si]\d\b", lambda node: nodes[node[0]], text)


def features(system: str) -> str:
    """Return the features of ``classic`` as they fit a system."""
    text = preset_text(preset_config("classic").features.preset)
    return {"swap": one_down(text), "covington": text + BEHIND, "planar2": text + BEHIND}.get(system, text)


def parsers() -> dict[str, dict[str, Any]]:
    """Return by name what is changed in ``classic``."""
    changes: dict[str, dict[str, Any]] = {
        f"arc-eager, {scheme}": {"lifting": {"scheme": scheme}} for scheme in SCHEMES
    }
    for system in SYSTEMS:
        changes[system] = {
            "system": {"name": system},
            "lifting": {"scheme": "none"},
            "features": {"text": features(system)},
        }
    return changes


def blocks(bank: str, part: str) -> list[Block]:
    return list(Reader(treebank_files(bank, parts=(part,))[0], trees=True).blocks())


def output_of(bank: str, name: str) -> Path:
    return OUTPUTS / f"{bank} {name}".replace(", ", "-").replace(" ", "-")


def train_and_parse(bank: str, name: str, changes: dict[str, Any]) -> dict[str, Any]:
    """Train, parse the test part into its file, and return how training went."""
    start = time.process_time()
    parser, report = train_on(
        blocks(bank, "train"), blocks(bank, "dev"), preset_config("classic").changed(changes)
    )
    seconds = time.process_time() - start
    OUTPUTS.mkdir(parents=True, exist_ok=True)
    output_of(bank, name).write_bytes(b"".join(parser.parse_blocks(blocks(bank, "test"))))
    return {
        "dev_las": round(100 * report.best.las, 2),
        "epoch": report.best.number,
        "arcs_lost_in_training": report.lost,
        "labels": len(parser.names),
        "train_cpu_seconds": round(seconds, 1),
    }


def evaluated(bank: str, name: str) -> Evaluation:
    test = blocks(bank, "test")
    gold = io.BytesIO(b"".join(block.data for block in test))
    return evaluate(
        gold, str(output_of(bank, name)), policy=Policy(subtypes="cut"), format=test[0].format, outcomes=True
    )


def scores(found: Evaluation) -> dict[str, Any]:
    assert found.attachment is not None
    assert found.nonprojective is not None
    attachment, arcs = found.attachment, found.nonprojective
    percent = {
        "uas": attachment.uas,
        "las": attachment.las,
        "exact_unlabelled": attachment.exact_match_unlabelled,
        "exact_labelled": attachment.exact_match_labelled,
    }
    for kind, score in (("unlabelled", arcs.unlabelled), ("labelled", arcs.labelled)):
        percent |= {
            f"np_{kind}_precision": score.precision,
            f"np_{kind}_recall": score.recall,
            f"np_{kind}_f": score.f1,
        }
    return {name: round(100 * share, 2) for name, share in percent.items()}


def tests(found: Evaluation, others: dict[str, Evaluation]) -> dict[str, Any]:
    """Return p-values of UAS and LAS against other parsers."""
    p = {}
    for name, other in others.items():
        compared = compare(other, found, samples=0)
        p[name] = {"uas": compared.uas.mcnemar.p_value, "las": compared.las.mcnemar.p_value}
    return p


def complete(results: dict[str, Any], bank: str, name: str) -> bool:
    return name in results.get(bank, {}) and output_of(bank, name).exists()


def main() -> None:
    path = RESULTS / f"{FILE}.json"
    results = json.loads(path.read_text(encoding="utf-8"))["test"] if path.exists() else {}
    for bank in BANKS:
        others: dict[str, Evaluation] = {}
        for name, changes in parsers().items():
            fresh = not complete(results, bank, name)
            course = train_and_parse(bank, name, changes) if fresh else results[bank][name]["training"]
            found = evaluated(bank, name)
            results.setdefault(bank, {})[name] = {
                **scores(found),
                "p": tests(found, others),
                "training": course,
            }
            if name.split(", ")[-1] in AGAINST:
                others[name] = found
            save(FILE, {"test": results}, quiet=True)
            TABLE.write_text(table(results), encoding="utf-8")


# --- the table ---------------------------------------------------------------------------------------------


def stars(cell: dict[str, Any], other: str, score: str) -> str:
    """Return how sure the difference is: one star for p < 0.05, two for 0.01, three for 0.001."""
    p = cell["p"].get(other, {}).get(score, 1.0)
    return "*" * sum(p < limit for limit in (0.05, 0.01, 0.001))


def table(results: dict[str, Any]) -> str:
    lines = [
        "# What lifting brings",
        "",
        "Written by `bench/lifting_helps.py`, which says how. Test parts; gold tags; all words; labels "
        "without subtypes. Exact: sentences with all arcs right. NP: non-projective arcs. Each pair is "
        "unlabelled / labelled. Stars: LAS differs from that of `none` (first column of stars) or `baseline` "
        "(second), McNemar's test over words, \\* p < 0.05, \\*\\* p < 0.01, \\*\\*\\* p < 0.001.",
    ]
    none, baseline = (f"arc-eager, {scheme}" for scheme in AGAINST)
    for bank, rows in results.items():
        lines += [
            "",
            f"## {bank}",
            "",
            "| parser | UAS / LAS | ≠ none | ≠ baseline | exact | NP precision | NP recall | NP F "
            "| arcs lost | labels | training, CPU s |",
            "| --- | ---: | :---: | :---: |" + " ---: |" * 7,
        ]
        for name, cell in rows.items():
            pairs = [
                f"{cell[f'np_unlabelled_{score}']:.1f} / {cell[f'np_labelled_{score}']:.1f}"
                for score in ("precision", "recall", "f")
            ]
            course = cell["training"]
            cells = [
                f"{cell['uas']:.2f} / {cell['las']:.2f}",
                stars(cell, none, "las").replace("*", "\\*"),
                stars(cell, baseline, "las").replace("*", "\\*"),
                f"{cell['exact_unlabelled']:.1f} / {cell['exact_labelled']:.1f}",
                *pairs,
                f"{course['arcs_lost_in_training']:,}",
                str(course["labels"]),
                f"{course['train_cpu_seconds']:.0f}",
            ]
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
