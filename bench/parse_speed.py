"""Parsing, CoNLL-U in and CoNLL-U out, on one core, beside UDPipe 1 and spaCy; what two cores bring; waiting.

python bench/parse_speed.py [again]     measures what results/parse_speed.json has not yet, or all of it again

Each parser works in a process of its own: it reads a file, parses, writes a file. Figures are words per CPU
second, all threads counted, start and loading of the model not: the median of nine runs; for the peers, which
take long, the mean of two. The text is all of a treebank, each sentence once. The speed of the peers hardly
depends on how well they parse, so their models are trained for a moment only: UDPipe 1 with its default
network, spaCy with its preset for efficiency. Models are kept in build/bench.
"""

from __future__ import annotations

import json
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: one core

import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from common import RESULTS, ROOT, peer_python, read_bytes, save, treebank_files

FILE = "parse_speed"
MODELS = ROOT / "build" / "bench"
BANKS = ("en_ewt", "pt_bosque")
PEERS = ("ufal.udpipe", "spacy")
RUNS = {"arclift": 9, "ufal.udpipe": 2, "spacy": 2}
TAUGHT = 500
"""Sentences that the peers' models are trained on."""
MANY = 15_000_000
"""Words enough that starting hardly counts."""
ONE = b"1\tHello\thello\tINTJ\tUH\t_\t_\t_\t_\t_\n\n"
WORD = re.compile(rb"^\d+\t", re.MULTILINE)

Action = Callable[[], Any]


def seconds_of(action: Action) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


# --- arclift -----------------------------------------------------------------------------------------------


def train_arclift(bank: str, path: Path) -> None:
    """Train with the preset ``fast``, and note beside the model what it took."""
    from arclift.parsing import preset_config, train_on
    from arclift.treebank import Reader

    def blocks(part: str) -> list[Any]:
        return list(Reader(treebank_files(bank, parts=(part,))[0], trees=True).blocks())

    start = time.process_time()
    parser, report = train_on(blocks("train"), blocks("dev"), preset_config("fast"))
    seconds = time.process_time() - start
    parser.save(path)
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    facts = {
        "words": report.words,
        "epochs": len(report.epochs),
        "cpu_seconds": round(seconds, 1),
        "peak_megabytes": round(peak * 1024 / 1e6),
        "dev_las": round(100 * report.best.las, 2),
    }
    path.with_suffix(".json").write_text(json.dumps(facts), encoding="utf-8")


def with_arclift(model: Path, source: str, target: str) -> dict[str, Action]:
    from arclift.parsing import load
    from arclift.treebank import Reader
    from arclift.treebank.stream import LARGE_CHUNK_BYTES

    parser = load(model)

    def parse() -> None:
        with open(target, "wb") as out:
            out.writelines(parser.parse_blocks(Reader(source).blocks(LARGE_CHUNK_BYTES)))

    return {"all": parse}


# --- UDPipe 1 ----------------------------------------------------------------------------------------------


def train_udpipe(bank: str, path: Path) -> None:
    from ufal import udpipe

    text = read_bytes(treebank_files(bank, parts=("train",))[0]).decode()
    reader, sentences = udpipe.InputFormat.newConlluInputFormat(), udpipe.Sentences()
    reader.setText(text)
    error, sentence = udpipe.ProcessingError(), udpipe.Sentence()
    while len(sentences) < TAUGHT and reader.nextSentence(sentence, error):
        sentences.push_back(sentence)
        sentence = udpipe.Sentence()
    options = "use_gold_tags=1;iterations=1;structured_interval=0"
    none = udpipe.Sentences()
    model = udpipe.Trainer.train("morphodita_parsito", sentences, none, "none", "none", options, error)
    assert not error.occurred(), error.message
    path.write_bytes(model)


def with_ufal_udpipe(model: Path, source: str, target: str) -> dict[str, Action]:
    from ufal import udpipe

    loaded = udpipe.Model.load(str(model))

    def parse() -> None:
        pipeline = udpipe.Pipeline(loaded, "conllu", udpipe.Pipeline.NONE, udpipe.Pipeline.DEFAULT, "conllu")
        error = udpipe.ProcessingError()
        text = Path(source).read_text(encoding="utf-8")
        Path(target).write_text(pipeline.process(text, error), encoding="utf-8")
        assert not error.occurred(), error.message

    return {"all": parse}


# --- spaCy -------------------------------------------------------------------------------------------------


def rows_of(text: str) -> list[list[list[str]]]:
    """Return the cells of the words of each sentence."""
    found = []
    for part in text.strip().split("\n\n"):
        rows = [line.split("\t") for line in part.split("\n") if not line.startswith("#")]
        found.append([row for row in rows if row[0].isdigit()])
    return found


def train_spacy(bank: str, path: Path) -> None:
    import spacy
    from spacy.cli.init_config import init_config
    from spacy.tokens import Doc
    from spacy.training import Example

    text = read_bytes(treebank_files(bank, parts=("train",))[0]).decode()
    config = init_config(lang=bank[:2], pipeline=["parser"], optimize="efficiency")
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    examples = []
    for rows in rows_of(text)[:TAUGHT]:
        heads = [int(row[6]) - 1 if row[6] != "0" else place for place, row in enumerate(rows)]
        doc = Doc(nlp.vocab, words=[row[1] for row in rows], heads=heads, deps=[row[7] for row in rows])
        examples.append(Example(Doc(nlp.vocab, words=[row[1] for row in rows]), doc))
    optimizer = nlp.initialize(lambda: examples)
    for begin in range(0, TAUGHT, 50):
        nlp.update(examples[begin : begin + 50], sgd=optimizer)
    nlp.to_disk(path)


def with_spacy(model: Path, source: str, target: str) -> dict[str, Action]:
    """Also the model alone, from documents to documents, since reading and writing are in Python here."""
    import spacy
    from spacy.tokens import Doc

    nlp = spacy.load(model)
    kept = rows_of(Path(source).read_text(encoding="utf-8"))

    def documents(sentences: list[list[list[str]]]) -> list[Any]:
        return [Doc(nlp.vocab, words=[row[1] for row in rows]) for rows in sentences]

    def parse() -> None:
        sentences = rows_of(Path(source).read_text(encoding="utf-8"))
        with open(target, "w", encoding="utf-8") as out:
            for rows, doc in zip(sentences, nlp.pipe(documents(sentences)), strict=True):
                for row, token in zip(rows, doc, strict=True):
                    row[6] = str(token.head.i + 1 if token.head.i != token.i else 0)
                    row[7] = token.dep_
                    out.write("\t".join(row) + "\n")
                out.write("\n")

    ready = iter([documents(kept) for _ in range(RUNS["spacy"])])
    return {"all": parse, "model alone": lambda: list(nlp.pipe(next(ready)))}


# --- one core ----------------------------------------------------------------------------------------------


def tool_function(action: str, tool: str) -> Callable[..., Any]:
    names = {"ufal.udpipe": {"train": "udpipe", "with": "ufal_udpipe"}}
    return globals()[f"{action}_{names.get(tool, {}).get(action, tool)}"]


def measure(tool: str, model: Path, source: str) -> None:
    """Print the median seconds of what a parser does; runs in a process of its own."""
    with tempfile.NamedTemporaryFile() as target:
        actions = tool_function("with", tool)(model, source, target.name)
        found = {
            name: statistics.median(seconds_of(action) for _ in range(RUNS[tool]))
            for name, action in actions.items()
        }
    print(json.dumps(found))


def model_of(tool: str, bank: str, python: str) -> Path:
    """Return the path of a model, which is trained if it is not there."""
    path = MODELS / f"{tool}-{bank}"
    if not path.exists():
        MODELS.mkdir(parents=True, exist_ok=True)
        subprocess.run([python, __file__, "train", tool, bank, str(path)], check=True)
    return path


def one_core(bank: str) -> dict[str, Any]:
    data = b"".join(map(read_bytes, treebank_files(bank)))
    words = len(WORD.findall(data))
    found: dict[str, Any] = {"words": words}
    with tempfile.NamedTemporaryFile(suffix=".conllu") as source:
        source.write(data)
        source.flush()
        for tool in RUNS:
            python = sys.executable if tool == "arclift" else peer_python(*PEERS)
            model = model_of(tool, bank, python)
            run = subprocess.run(
                [python, __file__, "measure", tool, str(model), source.name],
                check=True,
                capture_output=True,
                text=True,
            )
            seconds = json.loads(run.stdout.splitlines()[-1])
            found[tool] = {name: round(words / each) for name, each in seconds.items()}
    ours = found["arclift"]["all"]
    found["times_udpipe"] = round(ours / found["ufal.udpipe"]["all"], 1)
    found["times_spacy"] = round(ours / found["spacy"]["all"], 1)
    return found


# --- two cores, and waiting --------------------------------------------------------------------------------


def arclift_command(*arguments: object) -> list[str]:
    return [str(Path(sys.executable).with_name("arclift")), *map(str, arguments)]


def timed(*commands: list[str]) -> tuple[float, float]:
    """Return wall-clock and CPU seconds of commands that run side by side, from start to exit."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    for process in [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]:
        assert process.wait() == 0
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def two_cores(model: Path) -> dict[str, Any]:
    """Time one job, two jobs, and two processes on half of the text each: what the machine has to give.

    The quickest of several rounds counts: whatever else runs on the machine only takes away.
    """
    files = [path for path in treebank_files() if ".conllu" in path.suffixes]
    data = b"".join(map(read_bytes, files))
    words = len(WORD.findall(data))
    times = -(-MANY // words)
    halves = times - times % 2 + 2 if times % 2 else times
    with tempfile.TemporaryDirectory() as folder:
        half, whole = Path(folder, "half.conllu"), Path(folder, "whole.conllu")
        half.write_bytes(data * (halves // 2))
        whole.write_bytes(data * halves)
        one = arclift_command("parse", model, whole)
        kinds = {
            "one job": [one],
            "two jobs": [[*one, "--jobs", "2"]],
            "two processes": [arclift_command("parse", model, half)] * 2,
        }
        runs: dict[str, list[tuple[float, float]]] = {name: [] for name in kinds}
        for _ in range(3):
            for name, commands in kinds.items():
                runs[name].append(timed(*commands))
    best = {name: min(pairs) for name, pairs in runs.items()}
    return {
        "words": words * halves,
        **{
            name: {"wall_seconds": round(wall, 2), "cpu_seconds": round(cpu, 2)}
            for name, (wall, cpu) in best.items()
        },
        "gain_of_two_jobs": round(best["one job"][0] / best["two jobs"][0], 3),
        "gain_of_two_processes": round(best["one job"][0] / best["two processes"][0], 3),
    }


def waiting(model: Path) -> dict[str, float]:
    """Return how long loading takes, and one sentence from process start to exit; the medians of eleven."""
    load = (
        "import sys, time; from arclift.parsing import load; start = time.perf_counter(); "
        "load(sys.argv[1]).worker(); print(time.perf_counter() - start)"
    )
    command = [sys.executable, "-c", load, str(model)]
    loads = [
        float(subprocess.run(command, check=True, capture_output=True, text=True).stdout) for _ in range(11)
    ]
    with tempfile.NamedTemporaryFile(suffix=".conllu") as file:
        file.write(ONE)
        file.flush()
        command = arclift_command("parse", model, file.name)
        walls, cpus = zip(*(timed(command) for _ in range(11)), strict=True)
    return {
        "load_seconds": round(statistics.median(loads), 4),
        "one_sentence_seconds": round(statistics.median(walls), 3),
        "one_sentence_cpu_seconds": round(statistics.median(cpus), 3),
    }


def training(bank: str) -> dict[str, Any]:
    """Return what training took, and the size of the model."""
    model = model_of("arclift", bank, sys.executable)
    facts: dict[str, Any] = json.loads(model.with_suffix(".json").read_text(encoding="utf-8"))
    return {**facts, "model_bytes": model.stat().st_size}


def main(again: bool) -> None:
    path = RESULTS / f"{FILE}.json"
    result = json.loads(path.read_text(encoding="utf-8")) if path.exists() and not again else {}
    model = model_of("arclift", BANKS[0], sys.executable)
    pieces: dict[str, Action] = {
        **{f"training on {bank}": partial(training, bank) for bank in BANKS},
        **{f"one core, {bank}": partial(one_core, bank) for bank in BANKS},
        "waiting": lambda: waiting(model),
        "two cores": lambda: two_cores(model),
    }
    for name, measured in pieces.items():
        if name not in result:
            result[name] = measured()
            save(FILE, result, quiet=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        main(again="again" in sys.argv)
    elif sys.argv[1] == "train":
        tool_function("train", sys.argv[2])(sys.argv[3], Path(sys.argv[4]))
    else:
        measure(sys.argv[2], Path(sys.argv[3]), sys.argv[4])
