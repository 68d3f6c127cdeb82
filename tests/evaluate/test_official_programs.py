"""Equal to the official programs to the last digit, wherever copies of them are installed.

``trankit`` carries the evaluation program of the CoNLL 2018 shared task, ``uuparser`` that of CoNLL-X, which
needs perl. Both packages are looked at as files, never imported: install them with ``pip install --no-deps``.
"""

import importlib.util
import io
import shutil
import subprocess
import unicodedata
from pathlib import Path
from random import Random

import pytest
from analysed_files import REACHING_BACK, random_files, scored

from arclift.evaluate import Policy, conllx


def _file_of(package, path):
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        pytest.skip(f"{package}, which carries the official program, is not installed")
    return Path(found.submodule_search_locations[0]) / path


@pytest.fixture(scope="module")
def conll18_ud_eval():
    path = _file_of("trankit", "utils/scorers/conll18_ud_eval.py")
    spec = importlib.util.spec_from_file_location("conll18_ud_eval", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def eval_pl():
    path = _file_of("uuparser", "utils/eval.pl")
    if shutil.which("perl") is None:
        pytest.skip("eval.pl needs perl")
    return path


def _assert_equal(program, gold, system):
    wanted = program.evaluate(*(program.load_conllu(io.StringIO(file.decode())) for file in (gold, system)))
    found = scored(gold, system, official=True, format="conllu").conll18.scores
    assert set(found) == set(wanted)
    for name, score in wanted.items():
        mine = found[name]
        assert (mine.correct, mine.gold, mine.system, mine.aligned) == (
            *(score.correct, score.gold_total, score.system_total),
            score.aligned_total,
        ), name
        assert (mine.precision, mine.recall, mine.f1) == (score.precision, score.recall, score.f1)
        assert mine.accuracy == (score.aligned_accuracy or mine.accuracy)


@pytest.mark.parametrize("often", [0.0, 0.1, 0.4, 0.9])
def test_conll_2018(conll18_ud_eval, often, monkeypatch):
    for seed in range(40):
        monkeypatch.setattr("arclift.treebank.stream.CHUNK_BYTES", 200 if seed % 2 else 1 << 18)
        _assert_equal(conll18_ud_eval, *random_files(seed, often=often))


def test_conll_2018_where_a_token_reaches_into_the_sentence_before(conll18_ud_eval, monkeypatch):
    monkeypatch.setattr("arclift.treebank.stream.CHUNK_BYTES", 20)
    _assert_equal(conll18_ud_eval, *REACHING_BACK)


@pytest.mark.parametrize("punctuation", ["conllx", "all"])
def test_conll_x(eval_pl, tmp_path, punctuation):
    for seed in range(6):
        rng = Random(seed)
        gold, system = (tmp_path / name for name in ("gold.conll", "system.conll"))
        sentences = [rng.choices(_FORMS, k=rng.randint(1, 12)) for _ in range(30)]
        for file in (gold, system):
            file.write_text("\n".join(_conllx(rng, forms) for forms in sentences) + "\n", encoding="utf-8")
        flags = ["-q"] if punctuation == "conllx" else ["-q", "-p"]
        done = subprocess.run(
            ["perl", eval_pl, *flags, "-g", gold, "-s", system], capture_output=True, text=True, check=True
        )
        found = scored(gold.read_bytes(), system.read_bytes(), format="conllx", policy=Policy(punctuation))
        assert conllx.summary(found.attachment) == done.stdout.splitlines()


_FORMS = [
    "word",
    "a.b",
    ".",
    "...",
    "_",
    "$",
    "+",
    "«",
    "»x",
    "’s",
    "–",
    "٪",
    "。",
    "、。",
    "€",
    "§",
    "¿?",
    "ʼ",
    "日本",
]


def _conllx(rng, forms):
    words = range(1, len(forms) + 1)
    return "".join(
        f"{word}\t{form}\t_\tN\tN\t_\t{rng.randint(0, len(forms))}\t{rng.choice(('x', 'x:y', 'z'))}\t_\t_\n"
        for word, form in zip(words, forms, strict=True)
    )


def test_the_forms_of_the_conll_x_test_are_hard():
    kinds = {unicodedata.category(character)[0] for form in _FORMS for character in form}
    assert {"P", "S", "L"} <= kinds
