"""Read a treebank and write it again: arclift and four public libraries, in one run.

Each reads the same CoNLL-U file (English EWT and Portuguese Bosque, training parts) into its own objects and
writes it to a file. The peers are installed from the registry into ``.venv-peers``; each runs in a process of
its own. Figures are words per CPU second, the best of three, without start-up.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from common import cpu_seconds, peer_python, read_bytes, save, treebank_files

PEERS = ("conllu", "pyconll", "udapi", "ufal.udpipe")


def with_arclift(path: str, target: str) -> None:
    from arclift.treebank import Reader

    with open(target, "wb") as out:
        for block in Reader(path).blocks():
            out.write(block.replaced(heads=block.heads))


def with_arclift_changed(path: str, target: str) -> None:
    """Every head is written anew: the most that a parser's output can change."""
    import numpy as np

    from arclift.treebank import Reader

    with open(target, "wb") as out:
        for block in Reader(path).blocks():
            out.write(block.replaced(heads=np.where(block.heads == 1, 2, 1)))


def with_arclift_sentences(path: str, target: str) -> None:
    """Through the Python API, with the columns that an analysis needs as Python lists."""
    import arclift

    with open(target, "wb") as out:
        for sentence in arclift.read(path):
            _ = sentence.forms, sentence.heads, sentence.labels
            out.write(bytes(sentence))


def with_conllu(path: str, target: str) -> None:
    import conllu

    with open(path, encoding="utf-8") as file, open(target, "w", encoding="utf-8") as out:
        for sentence in conllu.parse_incr(file):
            out.write(sentence.serialize())


def with_pyconll(path: str, target: str) -> None:
    import pyconll

    with open(target, "w", encoding="utf-8") as out:
        for sentence in pyconll.iter_from_file(path):
            out.write(sentence.conll())
            out.write("\n\n")


def with_udapi(path: str, target: str) -> None:
    from udapi.core.document import Document

    document = Document()
    document.load_conllu(path)
    document.store_conllu(target)


def with_ufal_udpipe(path: str, target: str) -> None:
    from ufal import udpipe

    reader = udpipe.InputFormat.newConlluInputFormat()
    writer = udpipe.OutputFormat.newConlluOutputFormat()
    with open(path, encoding="utf-8") as file, open(target, "w", encoding="utf-8") as out:
        reader.setText(file.read())
        sentence, error = udpipe.Sentence(), udpipe.ProcessingError()
        while reader.nextSentence(sentence, error):
            out.write(writer.writeSentence(sentence))


def measure(name: str, path: str) -> None:
    action = globals()[f"with_{name.replace('.', '_')}"]
    with tempfile.TemporaryDirectory() as folder:
        target = str(Path(folder) / "out.conllu")
        seconds = cpu_seconds(lambda: action(path, target))
        same = Path(target).read_bytes() == Path(path).read_bytes()
    print(json.dumps({"cpu_seconds": round(seconds, 4), "identical": same}))


def main() -> None:
    data = b"".join(read_bytes(path) for path in treebank_files("en_ewt", "pt_bosque", parts=("train",)))
    words = sum(line[:1].isdigit() and line.split(b"\t")[0].isdigit() for line in data.split(b"\n"))
    result: dict[str, dict[str, object]] = {}
    with tempfile.NamedTemporaryFile(suffix=".conllu") as file:
        file.write(data)
        file.flush()
        peers = peer_python(*PEERS)
        for name in ("arclift", "arclift_changed", "arclift_sentences", *PEERS):
            python = sys.executable if name.startswith("arclift") else peers
            done = subprocess.run(
                [python, __file__, name, file.name], check=True, capture_output=True, text=True
            )
            result[name] = json.loads(done.stdout)
            result[name]["words_per_cpu_second"] = round(words / float(str(result[name]["cpu_seconds"])))
    pure = max(int(str(result[name]["words_per_cpu_second"])) for name in ("conllu", "pyconll", "udapi"))
    ratio = int(str(result["arclift"]["words_per_cpu_second"])) / pure
    save(
        "read_write",
        {"words": words, "times_the_fastest_pure_python_reader": round(ratio, 1), "readers": result},
    )


if __name__ == "__main__":
    measure(*sys.argv[1:]) if len(sys.argv) > 1 else main()
