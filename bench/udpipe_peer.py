"""UDPipe 1 on the shared treebanks: trained on train, chosen by dev, scored once on test; gold tags.

python bench/udpipe_peer.py            trains what is missing, saving each result (hours: one core)

The settings are UDPipe's own, with ``use_gold_tags``. Where the training data have more than 15,000 words
its structured prediction is off (``structured_interval=0``), which costs it little and saves two thirds of
the time; its transition system is ``projective`` (its default) everywhere and also ``swap`` where more than
1 % of the arcs cross. Scores: all words, labels without subtypes; NP is the F1 of non-projective arcs,
unlabelled.
Speed: words per CPU second, CoNLL-U to CoNLL-U, parser only.
"""

from __future__ import annotations

import io
import json
import resource
import subprocess
import sys
import tempfile
import time
from typing import Any

from common import RESULTS, read_bytes, save, treebank_files

FULL = [
    "cs_cltt",
    "la_perseus",
    "hu_szeged",
    "got_proiel",
    "cu_proiel",
    "tr_imst",
    "ga_idt",
    "sv_lines",
    "grc_agdt",
    "eu_bdt",
    "ja_gsd",
    "da_ddt",
    "nl_lassysmall",
    "zh_gsd",
    "pt_bosque",
    "en_ewt",
]
"""The treebanks with full training data, smallest first."""
CROSSING = [
    "la_perseus",
    "hu_szeged",
    "got_proiel",
    "cu_proiel",
    "sv_lines",
    "ga_idt",
    "da_ddt",
    "nl_lassysmall",
    "eu_bdt",
    "ja_gsd",
    "grc_agdt",
]
"""Those where more than 1 % of the arcs are non-projective."""
MUCH = 15_000
FILE = "udpipe"


def conllu(bank: str, part: str) -> bytes:
    """Return a part of a treebank as CoNLL-U."""
    from arclift.treebank import Reader
    from arclift.treebank.convert import Converter
    from arclift.treebank.formats import CONLLU

    path = treebank_files(bank, parts=(part,))[0]
    reader = Reader(io.BytesIO(read_bytes(path)))
    return b"".join(Converter(CONLLU).convert(reader.blocks()))


def work(bank: str, system: str) -> dict[str, Any]:
    """Train, parse the test part, and return the figures; runs in a process of its own."""
    import ufal.udpipe as udpipe

    def sentences(data: bytes) -> Any:
        found, reader = udpipe.Sentences(), udpipe.InputFormat.newConlluInputFormat()
        reader.setText(data.decode())
        sentence, error = udpipe.Sentence(), udpipe.ProcessingError()
        while reader.nextSentence(sentence, error):
            found.push_back(sentence)
            sentence = udpipe.Sentence()
        assert not error.occurred(), error.message
        return found

    train, dev, test = (conllu(bank, part) for part in ("train", "dev", "test"))
    learned = sentences(train)
    words = sum(len(sentence.words) - 1 for sentence in learned)
    options = f"use_gold_tags=1;transition_system={system}"
    options += {"swap": ";transition_oracle=static_lazy", "projective": ";transition_oracle=dynamic"}[system]
    several = any(sum(word.head == 0 for word in s.words) > 1 for s in learned)
    options += ";single_root=0" if several else ""
    options += ";structured_interval=0" if words > MUCH else ""
    start = time.process_time()
    error = udpipe.ProcessingError()
    model = udpipe.Trainer.train(
        "morphodita_parsito", learned, sentences(dev), "none", "none", options, error
    )
    trained = time.process_time() - start
    assert not error.occurred(), error.message
    with tempfile.NamedTemporaryFile() as kept:
        kept.write(model)
        kept.flush()
        loaded = udpipe.Model.load(kept.name)
    pipeline = udpipe.Pipeline(loaded, "conllu", udpipe.Pipeline.NONE, udpipe.Pipeline.DEFAULT, "conllu")
    text = test.decode()
    start = time.process_time()
    parsed = pipeline.process(text, error)
    seconds = time.process_time() - start
    return {
        "options": options,
        **scores(test, parsed.encode()),
        "train_cpu_seconds": round(trained, 1),
        "words_per_cpu_second": round(sum(len(s.words) - 1 for s in sentences(test)) / seconds),
        "model_bytes": len(model),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def scores(gold: bytes, system: bytes, form: str = "conllu") -> dict[str, float]:
    """Return LAS, UAS and non-projective F1 in percent."""
    from arclift.evaluate import Policy, evaluate

    found = evaluate(io.BytesIO(gold), io.BytesIO(system), policy=Policy(subtypes="cut"), format=form)
    assert found.attachment is not None
    assert found.nonprojective is not None
    return {
        "las": round(100 * found.attachment.las, 2),
        "uas": round(100 * found.attachment.uas, 2),
        "np": round(100 * found.nonprojective.unlabelled.f1, 1),
    }


def main() -> None:
    if len(sys.argv) == 3:
        print(json.dumps(work(*sys.argv[1:])))
        return
    path = RESULTS / f"{FILE}.json"
    results = json.loads(path.read_text(encoding="utf-8"))["test"] if path.exists() else {}
    for system, banks in (("projective", FULL), ("swap", CROSSING)):
        for bank in banks:
            done = results.setdefault(bank, {})
            if system in done:
                continue
            command = [sys.executable, __file__, bank, system]
            run = subprocess.run(command, check=True, capture_output=True, text=True)
            done[system] = json.loads(run.stdout.splitlines()[-1])
            print(bank, system, done[system], flush=True)
            save(FILE, {"test": results}, quiet=True)


if __name__ == "__main__":
    main()
