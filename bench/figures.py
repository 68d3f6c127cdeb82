"""Put the figures of bench/results and docs/tables into the README and docs/speed.md, between markers.

python bench/figures.py           rewrites them
python bench/figures.py --check   fails if that would change it
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from common import RESULTS, ROOT

README = ROOT / "README.md"
SPEED = ROOT / "docs" / "speed.md"
MEMORY = ROOT / "docs" / "memory.md"


def result(name: str) -> dict[str, Any]:
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(header)
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def ddt() -> str:
    path = ROOT / "docs" / "tables" / "nivre2005-transformation.json"
    figures = json.loads(path.read_text(encoding="utf-8"))
    schemes = ("head", "head+path", "path", "exact")
    published = ["published (2005)", "92.3 (123)", "99.8 (147)", "98.3 (99)", ""]
    rows = [published]
    for name, title in (("da_ddt, one root", "sentences with one root"), ("da_ddt", "all sentences")):
        cells = (figures[name]["schemes"][scheme] for scheme in schemes)
        rows.append([title, *(f"{cell['recovered_percent']:.2f} ({cell['labels']})" for cell in cells)])
    return table(("", *schemes), rows)


def millions(words: float) -> str:
    return f"{words / 1e6:.2f} million" if words >= 1e6 else f"{words:,.0f}"


def speeds() -> str:
    readers = result("read_write")["readers"]
    lifting = result("lift_lower")["all 21 treebanks"]
    evaluation = result("evaluate")
    names = {
        "arclift": "read and write CoNLL-U: arclift, by blocks",
        "arclift_changed": "the same, every head written anew",
        "arclift_sentences": "the same, through sentence objects with forms, heads, labels as lists",
        "ufal.udpipe": "the same: ufal.udpipe (C++)",
        "pyconll": "the same: pyconll",
        "udapi": "the same: udapi",
        "conllu": "the same: conllu",
    }
    rows = [[title, millions(readers[name]["words_per_cpu_second"])] for name, title in names.items()]
    for scheme in ("head", "exact"):
        for way, job in (("lift", "projectivize"), ("lower", "deprojectivize")):
            title = f"{job} --scheme {scheme}, bytes in, bytes out"
            rows.append([title, millions(lifting[scheme][f"{way}_bytes"])])
    rows.append(
        ["evaluate, all scores, both files read", millions(evaluation["parsed"]["words_per_cpu_second"])]
    )
    return table(("job", "words/s"), rows)


def others() -> str:
    memory, start, linear = result("memory"), result("start"), result("linear")
    loaded = memory["in_memory"]["150 MB"]["above_start_over_file"]
    streamed = memory["streaming"]
    wait = start["arclift stats examples/crossing.conllu"]["wall_seconds"]
    worst = max(linear["lifting 10,000 words, CPU seconds"].values())
    growth = max(row["exponent"] for row in linear["cpu_seconds"].values())
    return "\n".join(
        [
            f"- Memory: {loaded:.1f} times the file's size when a treebank is loaded whole; "
            f"{streamed['peak_megabytes']:.0f} MB, start included, while "
            f"{streamed['stream_bytes'] / 1e9:.0f} GB stream through `projectivize`.",
            f"- Waiting: `arclift stats` of a small file takes {wait:.2f} s from start to exit.",
            "- Long sentences: from 10,000 to 100,000 words the cost of reading, writing, testing, lifting "
            f"and drawing grows with the length to the power of {growth:.2f} at most; of all trees of 10,000 "
            f"words that we tried the worst is lifted in {worst:.2f} s.",
        ]
    )


def pieces(results: dict[str, Any], beginning: str) -> dict[str, Any]:
    """Return the results whose names begin alike, without that beginning."""
    return {
        name.removeprefix(beginning): each for name, each in results.items() if name.startswith(beginning)
    }


def parsing() -> str:
    speed = result("parse_speed")
    banks = pieces(speed, "one core, ").values()
    words = [bank["arclift"]["all"] for bank in banks]
    times = [bank["times_udpipe"] for bank in banks]
    training, waiting = speed["training on en_ewt"], speed["waiting"]
    return "\n".join(
        [
            f"- Parsing with `fast`, CoNLL-U in and out, one core: {min(words):,} to {max(words):,} words "
            f"per CPU second, {min(times):.0f} to {max(times):.0f} times UDPipe 1's parser "
            "([docs/speed.md](docs/speed.md)).",
            f"- Training `fast` on English EWT ({training['words']:,} words): "
            f"{training['cpu_seconds'] / 60:.1f} CPU minutes, {training['peak_megabytes']} MB; the model has "
            f"{training['model_bytes'] / 1e6:.1f} MB, is loaded in "
            f"{1000 * waiting['load_seconds']:.0f} ms, and `arclift parse` of one sentence takes "
            f"{waiting['one_sentence_cpu_seconds']:.2f} CPU s from start to exit.",
        ]
    )


def peers() -> str:
    rows = []
    for bank, row in pieces(result("parse_speed"), "one core, ").items():
        rows.append(
            [
                f"{bank} ({row['words']:,} words)",
                f"{row['arclift']['all']:,}",
                f"{row['ufal.udpipe']['all']:,}",
                f"{row['spacy']['all']:,}",
                f"{row['spacy']['model alone']:,}",
                f"{row['times_udpipe']:.1f}",
                f"{row['times_spacy']:.1f}",
            ]
        )
    return table(
        ("text", "arclift `fast`", "UDPipe 1", "spaCy", "spaCy's model alone", "× UDPipe", "× spaCy"), rows
    )


def waits() -> str:
    speed = result("parse_speed")
    rows = []
    for bank, facts in pieces(speed, "training on ").items():
        rows.append(
            [
                f"training on {bank} ({facts['words']:,} words, {facts['epochs']} epochs)",
                f"{facts['cpu_seconds']:.0f} CPU s, {facts['peak_megabytes']} MB of memory, "
                f"model of {facts['model_bytes'] / 1e6:.1f} MB",
            ]
        )
    rows += [
        ["loading a model", f"{1000 * speed['waiting']['load_seconds']:.0f} ms"],
        [
            "`arclift parse` of one sentence, start to exit",
            f"{speed['waiting']['one_sentence_seconds']:.2f} s, "
            f"{speed['waiting']['one_sentence_cpu_seconds']:.2f} CPU s",
        ],
    ]
    both = speed["two cores"]
    for kind in ("one job", "two jobs", "two processes"):
        run = both[kind]
        rows.append(
            [
                f"{both['words']:,} words, {kind}, start to exit",
                f"{run['wall_seconds']:.1f} s, {run['cpu_seconds']:.1f} CPU s",
            ]
        )
    rows.append(
        [
            "gain of two jobs; of two processes with half of the text each",
            f"{both['gain_of_two_jobs']:.2f}; {both['gain_of_two_processes']:.2f}",
        ]
    )
    return table(("what", "measured"), rows)


def stages() -> str:
    profile = result("parse_profile")
    names = profile["stages"]
    shares, times = profile["shares"], profile["nanoseconds_a_word"]
    rows = [[names[stage], f"{times[stage]}", f"{100 * shares[stage]:.0f} %"] for stage in names]
    rows.append(["all", f"{sum(times.values())}", "100 %"])
    return table(("stage", "ns a word", "share"), rows)


def network() -> str:
    inside = result("parse_profile")["inside_the_network"]
    rows = [[name, f"{100 * share:.1f} %"] for name, share in inside.items()]
    return table(("part of the network's time", "share"), rows)


def limits() -> str:
    profile = result("parse_profile")
    counts, most = profile["multiply_adds_a_word"], profile["limits"]
    total, peak = sum(counts.values()), most["multiply_adds_per_second"]
    words_at_peak = peak / total
    read = profile["bytes_of_sums_a_word"] * profile["words_per_cpu_second"]
    parts = ", ".join(f"{name} {count:,}" for name, count in counts.items())
    lines = [
        f"- Multiply-adds for each word: {total:,} ({parts}).",
        f"- One core does {peak / 1e9:.0f} thousand million of them in a second at most ({most['kind']}, "
        f"measured by `bench/limits.cpp`): {words_at_peak / 1e6:.2f} million words.",
        f"- The network reaches {profile['multiply_adds_per_second'] / 1e9:.0f} thousand million, "
        f"{100 * profile['share_of_the_peak']:.0f} % of that, all its other work included"
        + (
            f"; its products alone {100 * profile['share_of_the_peak_within_products']:.0f} %."
            if "share_of_the_peak_within_products" in profile
            else "."
        ),
        f"- Memory: the sums of embeddings of a word are {profile['bytes_of_sums_a_word']:,} bytes, at this "
        f"speed {read / 1e9:.1f} GB/s at most; one core reads {most['bytes_per_second'] / 1e9:.0f} GB/s. "
        "Arithmetic is the limit, not memory.",
    ]
    return "\n".join(lines)


def memory_based() -> str:
    found = result("memory_speed")
    rows = [
        [name, f"{found[key]['queries_per_second']:,}", f"{found[key]['peak_bytes'] / 1e6:.0f} MB"]
        for name, key in (("arclift", "arclift"), ("TiMBL 6.5", "timbl"))
    ]
    growth = found["queries_per_second_by_instances"]
    parts = ", ".join(f"{speed:,} with {int(count):,}" for count, speed in growth.items())
    return "\n".join(
        [
            table(("", "queries per CPU second", "memory of the process"), rows),
            "",
            f"{found['instances']:,} instances of {found['features']} features and {found['classes']} "
            f"classes: {found['times_timbl']} times TiMBL's speed, {found['same_answers']} answers the same. "
            f"Queries a second by instances: {parts}.",
        ]
    )


BLOCKS = {
    MEMORY: {"memory": memory_based},
    README: {"ddt": ddt, "figures": lambda: f"{speeds()}\n\n{parsing()}\n{others()}"},
    SPEED: {"speed": peers, "waiting": waits, "stages": stages, "network": network, "limits": limits},
}


def fill(path: Path) -> bool:
    """Put the figures into one page; return whether that changed it."""
    old = path.read_text(encoding="utf-8")
    new = filled(old, BLOCKS[path])
    if "--check" not in sys.argv:
        path.write_text(new, encoding="utf-8")
    return new != old


def filled(text: str, blocks: dict[str, Callable[[], str]]) -> str:
    for name, content in blocks.items():
        block = f"<!-- {name} -->\n\n{content()}\n\n<!-- end -->"
        text = re.sub(rf"<!-- {name} -->.*?<!-- end -->", lambda _, block=block: block, text, flags=re.DOTALL)
    return text


def main() -> None:
    changed = [path.name for path in BLOCKS if fill(path)]
    if "--check" in sys.argv and changed:
        sys.exit(f"the figures of {', '.join(changed)} are not those of bench/results")


if __name__ == "__main__":
    main()
