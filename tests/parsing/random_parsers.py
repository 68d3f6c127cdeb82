"""Transition parsers with random weights, and sentences for them."""

from __future__ import annotations

from random import Random

import numpy as np

from arclift.features import Values, compile_features, parse_features
from arclift.learners import create
from arclift.parsing import preset_config
from arclift.parsing.calibration import Calibration
from arclift.parsing.data import Reading
from arclift.parsing.engine import Engine
from arclift.parsing.transition_parser import TransitionParser
from arclift.transitions.registry import settings_of
from arclift.treebank import Block
from arclift.treebank.formats import CONLLU

NAMES = ["det", "obj", "root"]
FORMS = ("a", "bb", "ccc", "שלום", "一二")


def text(seed, sentences=6):
    rng = Random(seed)
    lines = []
    for number in range(sentences):
        lines.append(f"# sent_id = s{number}")
        for i in range(1, rng.randint(1, 7) + 1):
            lines.append(f"{i}\t{rng.choice(FORMS)}\t_\tX\t_\t_\t0\troot\t_\t_")
        lines.append("")
    return Block("".join(f"{line}\n" for line in lines).encode(), CONLLU)


def random_parser(system, seed, scheme="exact"):
    """A parser with random weights, over all classes."""
    rng = np.random.default_rng(seed)
    program = compile_features(parse_features("s0.form\ni0.form\ns0.form + i0.form\nhistory1\ns0.label"))
    pairs = [(t, label) for t in range(len(system.rules)) for label in range(-1, len(NAMES))]
    transitions, labels = (np.array(column, dtype=np.int32) for column in zip(*pairs, strict=True))
    block = text(0, 20)
    values = Values.learn(program.words, Reading().columns(block), 1)
    sizes = program.sizes(values.sizes, len(NAMES), len(system.rules))
    learner = create("perceptron", bits=9).begin(sizes, len(pairs))
    for _ in range(10):
        rows = rng.integers(0, 6, (20, len(sizes)), dtype=np.int32)
        right = np.eye(len(pairs), dtype=np.uint8)[rng.integers(0, len(pairs), 20)]
        learner.update(rows, right, np.ones_like(right))
    config = preset_config("classic").changed(
        {"system": {"name": system.name, **settings_of(system)}, "lifting": {"scheme": scheme}}
    )
    return TransitionParser(
        config=config, names=NAMES, root_label="root", several_roots=False, card={},
        calibration=Calibration(), feature_names=(),
        values=values, engine=Engine(system, program, transitions, labels), learner=learner.finish(),
        other_label="obj",
    )  # fmt: skip
