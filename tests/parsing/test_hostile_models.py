"""Model files whose checksum is right and whose parts are not: refused with a sentence."""

from random import Random

import numpy as np
import pytest

from arclift import modelfile
from arclift.errors import InputError
from arclift.parsing import load
from fuzz.parsers import graph_parser, transition_parser

ANY = [
    ("names", ["a", 1], "labels are a list of texts"),
    ("names", "root", "labels are a list of texts"),
    ("names", ["root", "root"], "labels differ"),
    ("names", ["a\tb"], "neither tabs nor line ends"),
    ("root_label", None, "labels are a list of texts"),
    ("root_label", "\n", "neither tabs nor line ends"),
    ("several_roots", 1, "neither true nor false"),
    ("config", [], "do not fit"),
    ("config", {"parser": None}, "do not fit"),
]
TRANSITION = [
    ("other_label", 7, "labels are a list of texts"),
    ("classes", [[2**40], [0]], "do not fit"),
    ("classes", 7, "do not fit"),
    ("values", [], "do not fit"),
    ("values", {"attributes": [["form", ""]]}, "do not fit"),
    ("learner", {"learner": []}, "do not fit"),
    ("feature_names", 7, "do not fit"),
]
GRAPH = [
    ("root_label", "is not there", "the label of roots is none of the labels"),
    ("inputs", {"attributes": []}, "in order of their columns"),
    ("inputs", 7, "do not fit"),
]
CASES = [(make, *case) for make in (graph_parser, transition_parser) for case in ANY]
CASES += [(transition_parser, *case) for case in TRANSITION] + [(graph_parser, *case) for case in GRAPH]


@pytest.mark.parametrize(("make", "key", "value", "message"), CASES)
def test_settings_of_wrong_kinds_are_refused(make, key, value, message, tmp_path):
    path = tmp_path / "hostile.model"
    make(Random(1)).save(path)
    model = modelfile.read(path)
    wrong = modelfile.ModelFile(model.kind, {**model.settings, key: value}, model.arrays, model.card)
    modelfile.write(path, wrong)
    with pytest.raises(InputError, match=message):
        load(path)


@pytest.mark.parametrize(("make", "key"), [(graph_parser, "several_roots"), (transition_parser, "classes")])
def test_settings_that_are_missing_are_named(make, key, tmp_path):
    path = tmp_path / "hostile.model"
    make(Random(1)).save(path)
    model = modelfile.read(path)
    del model.settings[key]
    modelfile.write(path, model)
    with pytest.raises(InputError, match=f"'{key}' is missing"):
        load(path)


def test_a_learner_that_has_not_finished_is_refused(tmp_path):
    path = tmp_path / "hostile.model"
    transition_parser(Random(1)).save(path)
    model = modelfile.read(path)
    model.settings["learner"]["finished"] = False
    modelfile.write(path, model)
    with pytest.raises(InputError, match="has not finished learning"):
        load(path)


def test_flat_arrays_are_refused(tmp_path):
    path = tmp_path / "hostile.model"
    graph_parser(Random(1)).save(path)
    model = modelfile.read(path)
    for name in ("network/label", "network/embeddings"):
        arrays = {**model.arrays, name: np.zeros(3, dtype=np.int8)}
        modelfile.write(path, modelfile.ModelFile(model.kind, model.settings, arrays, model.card))
        with pytest.raises(InputError, match="do not fit"):
            load(path)
