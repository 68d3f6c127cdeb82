"""Parsers that have learned nothing: random networks, random transition systems, features and weights."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arclift.errors import UsageError
from arclift.features import Values, feature_names
from arclift.graph.inputs import Inputs
from arclift.graph.network import Shape, untrained
from arclift.graph.scorer import _kinds, quantise
from arclift.learners import Learner, create, restore
from arclift.parsing import preset_config
from arclift.parsing.calibration import Calibration, Line
from arclift.parsing.data import Reading
from arclift.parsing.engine import Engine
from arclift.parsing.graph_parser import GraphParser
from arclift.parsing.parser import Parser
from arclift.parsing.transition_parser import TransitionParser, program_of
from arclift.transitions.registry import settings_of, variants
from arclift.treebank import Block
from arclift.treebank.formats import CONLLU
from arclift.trees.labels import Scheme
from fuzz.texts import LABELS, sentences

Arrays = dict[str, NDArray[Any]]

SYSTEMS = variants()
ATTRIBUTES = ["form", "lower", "lemma", "upos", "xpos", "feats", "feats*", "prefix1", "prefix3", "suffix2"]
PRESETS = ("nivre2005", "attardi2006", "malt-nivreeager", "malt-2planar", "malt-covnonproj", "fast")
_FEATURES = """
s0.form s1.upos s-1.form  i0.form  i1.xpos  i-1.upos  t0.form  t-1.lemma  l0.form  l3.upos  r0.form  s0.label
i0.label  s0.feats  i0.feats*  s0.head.form  s0.head.head.upos  s0.lc1.form  s0.rc1.label  s0.lc2.rc1.upos
i0.lc1.label  s0.prev.form  s0.next.label  t0.rc3.form  valency(s0)  valency(s0.left)  valency(i0.right)
distance(s0,i0)  distance(s0,s1.head)  arc(s0,i0)  arc(t0,i0)  history1  history2  history9  s0.suffix3
i0.prefix1  i0.shape  s0.form+i0.form  s0.upos+i0.upos+i1.upos  s0.feats*+i0.feats*  history1+s0.label
s99.form  i0.lc99.upos
"""
FEATURES = _FEATURES.split()
MARKED = (
    "obj↑",
    "nsubj↓",
    "dep↑↓",
    "dep↑obj",
    "obj↑dep↓",
    "↑",
    "↓",
    "dep↑2",
    "dep↑99",
    "obj↑-1",
    "a b",
    "\\↑",
    "",
)
"""Labels that look as if something had been lifted, rightly or not."""


def random_parser(rng: Random) -> Parser:
    """Return a parser of any family."""
    return rng.choice([graph_parser, transition_parser])(rng)


def _labels(rng: Random) -> list[str]:
    names = [*LABELS, *MARKED]
    return rng.sample(names, rng.randint(1, len(names)))


def _fields(rng: Random, names: list[str]) -> dict[str, Any]:
    root = rng.choice(names)
    lines = [Line(rng.choice([-1e12, 0.0, 1.0, 1e12]), rng.choice([-1e12, 0.0, 3.0])) for _ in range(2)]
    return {
        "names": names,
        "root_label": root,
        "several_roots": rng.random() < 0.3,
        "card": {"seed": 1},
        "calibration": Calibration(*lines),
    }


def _columns(rng: Random) -> dict[str, Any]:
    return Reading().columns(Block(sentences(rng, 4), CONLLU))


# --- graph parsers -----------------------------------------------------------------------------------------


def graph_parser(rng: Random) -> GraphParser:
    """Return a parser with a network of any size, its weights as in training or any that may be in a file."""
    text = " ".join(rng.sample(ATTRIBUTES, rng.randint(1, len(ATTRIBUTES))))
    try:
        inputs = Inputs.learn(text, _columns(rng), rng.randint(1, 3))
    except UsageError:  # nothing but feats*, and no feature has a name
        return graph_parser(rng)
    names = _labels(rng)
    sizes = {name: 16 * rng.choice([1, 1, 1, 2, 3, 4, 6]) for name in ("embedding", "state", "arc", "label")}
    sizes["layers"] = rng.randint(1, 3)
    shape = Shape(inputs.size, len(names), **sizes)
    return GraphParser(
        config=preset_config("fast").changed({"graph": {"inputs": text, **sizes}}),
        inputs=inputs,
        arrays=rng.choice([_quantised, _any_network])(rng, shape),
        **_fields(rng, names),
    )


def _quantised(rng: Random, shape: Shape) -> Arrays:
    """Return a network as training quantises it, of weights that may have grown or shrunk without measure."""
    wide = np.float32(rng.choice([1e-30, 0.01, 1, 1, 1, 30, 1000, 1e6]))
    noise = np.random.default_rng(rng.getrandbits(32))
    weights = untrained(shape, rng.getrandbits(32))
    for name, w in weights.items():
        if not w.any():
            w += noise.normal(0, 0.5, w.shape).astype(np.float32)
        if rng.random() < 0.5:
            w *= wide
        if rng.random() < 0.02:
            w[...] = 0
        assert w.dtype == np.float32, name
    tops = {name: 10.0 ** rng.uniform(-8, 3) for name in ("head", "dependent", "turned", "hidden")}
    return quantise(weights, shape.layers, tops)


def _any_network(rng: Random, shape: Shape) -> Arrays:
    """Return arrays of the right types and shapes with any values that a file may hold."""
    noise = np.random.default_rng(rng.getrandbits(32))
    sizes = (shape.embedding, shape.state, shape.layers, shape.arc, shape.label, shape.labels)
    arrays: Arrays = {"embeddings": _numbers(rng, noise, np.int8, (shape.values, shape.embedding))}
    for name, kind, size in _kinds(sizes):
        arrays[name] = _numbers(rng, noise, kind, size)
    arrays["small"][:] = 10.0 ** rng.uniform(-20, 20)
    return arrays


def _numbers(rng: Random, noise: np.random.Generator, kind: Any, size: tuple[int, ...]) -> NDArray[Any]:
    if kind in (np.float32, np.float64):
        return (10.0 ** noise.uniform(-30, rng.choice([-3, 0, 18]), size)).astype(kind)
    limits = np.iinfo(np.int8) if kind == np.int8 else None
    least, most = (limits.min, limits.max) if limits else (-(1 << 28), 1 << 28)
    match rng.randrange(6):
        case 0:
            return np.full(size, rng.choice([least, most, 0]), dtype=kind)
        case 1:
            return noise.choice([least, most], size).astype(kind)
        case 2:
            return noise.integers(-3, 4, size, dtype=kind)
    return noise.integers(least, most, size, dtype=kind, endpoint=True)


# --- transition parsers ------------------------------------------------------------------------------------


def transition_parser(rng: Random) -> TransitionParser:
    """Return a parser of any system, with random features, classes and weights."""
    system = rng.choice(SYSTEMS)
    features: dict[str, Any] = {"text": "\n".join(rng.sample(FEATURES, rng.randint(1, 14)))}
    if rng.random() < 0.1:
        features = {"preset": rng.choice(PRESETS)}
    config = preset_config("classic").changed(
        {
            "system": {"name": system.name, **settings_of(system)},
            "lifting": {"scheme": rng.choice(["none", *(scheme.value for scheme in Scheme)])},
            "features": features,
        }
    )
    columns = _columns(rng)
    known = feature_names(columns["feats"])
    try:
        program = program_of(config, known)
    except UsageError:  # nothing but feats*, and no feature has a name
        return transition_parser(rng)
    values = Values.learn(program.words, columns, rng.randint(1, 3))
    names = _labels(rng)
    pairs = [(rule, label) for rule in range(len(system.rules)) for label in range(-1, len(names))]
    pairs = rng.sample(pairs, rng.choice([len(pairs), rng.randint(1, len(pairs)), min(6, len(pairs))]))
    transitions, labels = (np.array(ids, dtype=np.int32) for ids in zip(*pairs, strict=True))
    sizes = program.sizes(values.sizes, len(names), len(system.rules))
    return TransitionParser(
        config=config,
        feature_names=known,
        values=values,
        engine=Engine(system, program, transitions, labels),
        learner=rng.choice([_perceptron, _mlp])(rng, sizes, len(pairs)),
        other_label=rng.choice([*names, "other"]),
        **_fields(rng, names),
    )


def _perceptron(rng: Random, sizes: list[int], classes: int) -> Learner:
    bits = rng.randint(1, 8)
    joined = [rng.choices(range(len(sizes)), k=rng.randint(1, 3)) for _ in range(rng.randint(0, 5))]
    settings = create("perceptron", bits=bits, conjunctions=joined).begin(sizes, classes).settings()
    most = rng.choice([1, 3, 1000, 1 << 20, (1 << 31) - 1])
    noise = np.random.default_rng(rng.getrandbits(32))
    weights = noise.integers(-most, most, (1 << bits, classes), dtype=np.int32, endpoint=True)
    arrays = {"used": np.arange(1 << bits, dtype=np.int32), "weights": weights}
    return restore({**settings, "finished": True}, arrays)


def _mlp(rng: Random, sizes: list[int], classes: int) -> Learner:
    hidden = [rng.choice([1, 7, 16, 17, 40, 64]) for _ in range(rng.choice([1, 1, 2, 3]))]
    learner = create("mlp", hidden=hidden, dims=(rng.choice([1, 2, 5, 16]),), table=rng.choice([0, 3, 1000]))
    learner.begin(sizes, classes, rng.getrandbits(20))
    noise = np.random.default_rng(rng.getrandbits(32))
    learner._weights *= np.float32(rng.choice([0.0, 1e-20, 0.01, 1, 1, 10, 1e4]))
    learner._sample = noise.integers(0, learner.sizes, (5, len(sizes)), dtype=np.int32)
    learner._counts[:] = noise.integers(0, 9, len(learner._counts))
    return learner.finish()
