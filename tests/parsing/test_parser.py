"""A parser from treebank to trees: trained, saved, loaded, run, and always giving one tree a sentence."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from parsers import FAMILIES, GRAPH, TRANSITION, blocks_of, parsed, whole

from arclift.errors import InputError, UsageError
from arclift.native import PAIRS
from arclift.parsing import load, preset_config, split, train_on
from arclift.parsing.engine import Machine
from arclift.treebank import Block, Reader
from arclift.treebank.formats import CONLLU, LINES
from arclift.trees.structure import TreeFlaw, tree_problems
from training_samples import treebank

EXAMPLE = Path(__file__).parents[2] / "examples" / "crossing.conllu"


@pytest.fixture(scope="module", params=FAMILIES)
def quick(request):
    return FAMILIES[request.param]


@pytest.fixture(scope="module")
def trained(quick):
    blocks = blocks_of(treebank(150, 1))
    return train_on(blocks, blocks_of(treebank(40, 2)), quick)


TRANSITIONS = ["lifting.scheme=exact", "training.epochs=40", "training.patience=40"]


@pytest.mark.parametrize(
    "config",
    [
        preset_config("classic").set(["learner.name=perceptron", *TRANSITIONS]),
        preset_config("classic").set(["learner.name=mlp", *TRANSITIONS]),
        GRAPH.set(["graph.rate=0.02", "graph.dropout=0.0", "graph.unknown=0.0", "training.epochs=60"]),
    ],
    ids=["perceptron", "mlp", "graph"],
)
def test_what_can_be_learned_is_learned(config):
    blocks = blocks_of(EXAMPLE.read_bytes())
    _, report = train_on(blocks, blocks, config)
    assert report.best.las > 0.8
    assert report.best.nonprojective_f > 0.7
    assert report.lost == 0


def test_every_sentence_gets_one_tree_and_nothing_else_changes(trained):
    parser, _ = trained
    data = b"# text = x\n1-2\tab" + b"\t_" * 8 + b"\n" + treebank(60, 3).replace(b"\t_\n", b"\tM=1\n")
    done = parsed(parser, data)
    block = whole(done)
    assert not tree_problems(block.heads, block.offsets).any()
    for before, after in zip(data.splitlines(), done.splitlines(), strict=True):
        cells, others = before.split(b"\t"), after.split(b"\t")
        assert cells[:6] + cells[8:] == others[:6] + others[8:]


@pytest.mark.parametrize("scheme", ["none", "head", "path", "exact"])
@pytest.mark.parametrize("system", ["arc_eager", "arc_standard", "swap"])
def test_random_weights_give_trees_too(system, scheme):
    sets = [f"system.name={system}", f"lifting.scheme={scheme}", "training.epochs=1", "learner.bits=8"]
    parser, _ = train_on(blocks_of(treebank(20, 4)), blocks_of(treebank(5, 5)), TRANSITION.set(sets))
    block = whole(parsed(parser, treebank(80, 6, single_root=False)))
    assert not tree_problems(block.heads, block.offsets).any()


def test_several_roots_come_only_from_data_that_has_them(quick):
    blocks = blocks_of(treebank(150, 7, single_root=False))
    parser, _ = train_on(blocks, blocks, quick)
    block = whole(parsed(parser, treebank(100, 8, single_root=False)))
    assert set(tree_problems(block.heads, block.offsets).tolist()) == {TreeFlaw.NONE, TreeFlaw.SEVERAL_ROOTS}


def test_a_saved_parser_parses_the_same(trained, tmp_path):
    parser, _ = trained
    parser.save(tmp_path / "a.model")
    again = load(tmp_path / "a.model")
    again.save(tmp_path / "b.model")
    assert (tmp_path / "a.model").read_bytes() == (tmp_path / "b.model").read_bytes()
    data = treebank(50, 9)
    assert parsed(again, data) == parsed(parser, data)


def test_the_same_seed_makes_the_same_file(quick, tmp_path):
    config = quick.set(["training.epochs=2"])
    for name in ("a", "b"):
        parser, _ = train_on(blocks_of(treebank(30, 1)), blocks_of(treebank(9, 2)), config)
        parser.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_any_number_of_jobs_gives_the_same_bytes(trained):
    parser, _ = trained
    data = [treebank(5, seed) for seed in range(40)]
    chunks = [Block(each, CONLLU) for each in data]
    assert list(parser.parse_blocks(chunks, 3)) == list(parser.parse_blocks(chunks))
    with pytest.raises(UsageError, match="jobs"):
        next(parser.parse_blocks(chunks, 0))


def test_sentences_can_be_parsed_one_by_one(trained):
    parser, _ = trained
    data = treebank(20, 10)
    singly = b"".join(map(bytes, parser.parse(Reader(io.BytesIO(data)))))
    assert singly == parsed(parser, data)


def test_tagged_text_comes_out_as_conllu(trained):
    parser, _ = trained
    (done,) = parser.parse_blocks([Block(b"a/NOUN b/VERB\nc\n", LINES)])
    block = whole(done)
    assert [s.forms for s in block] == [["a", "b"], ["c"]]
    assert not tree_problems(block.heads, block.offsets).any()


def test_odd_input_is_parsed(trained):
    parser, _ = trained
    rows = [
        "1\t \t_\t_\t_\t_\t_\t_\t_\t_",
        "2\t🙂\tx\tNEW\tQ\tZ=9|Y\t_\t_\t_\t_",
        "3\tشمس\t_\tX\t_\t_\t3\tself\t_\t_",
    ]
    block = whole(parsed(parser, "\n".join(rows).encode() + b"\n\n"))
    assert not tree_problems(block.heads, block.offsets).any()
    assert parsed(parser, b"") == b""


def test_a_sentence_of_twenty_thousand_words_is_parsed(trained):
    if PAIRS["Machine"].native is not Machine:
        pytest.skip("the plain engine is for short sentences")
    parser, _ = trained
    words = "".join(f"{i}\tw-1\t_\tNOUN\t_\t_\t_\t_\t_\t_\n" for i in range(1, 20_001))
    block = whole(parsed(parser, words.encode() + b"\n"))
    assert not tree_problems(block.heads, block.offsets).any()


ONE = b"1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n"


@pytest.mark.filterwarnings("ignore:fewer than 10 sentences")
@pytest.mark.parametrize("data", [ONE, ONE.replace(b"\troot\t", b"\t_\t"), ONE.replace(b"\tX\t", b"\t_\t")])
def test_one_sentence_of_one_word_is_enough_to_train(quick, data):
    train_blocks, dev = split(blocks_of(data))
    parser, report = train_on(train_blocks, dev, quick.set(["training.epochs=1"]))
    assert report.best.las == 1.0
    assert parsed(parser, data) == data


def test_without_dev_every_tenth_sentence_is_held_out():
    blocks, dev = split(blocks_of(treebank(95, 1)))
    assert (sum(map(len, blocks)), sum(map(len, dev))) == (86, 9)


def test_nothing_to_learn_from_is_an_error():
    with pytest.raises(InputError, match="no sentence to learn from"):
        train_on([], [], TRANSITION)


def test_damaged_parts_are_refused(trained, tmp_path):
    from arclift import modelfile

    parser, _ = trained
    parser.save(tmp_path / "a.model")
    model = modelfile.read(tmp_path / "a.model")
    wrong_ones = {"classes": [[99], [0]], "learner": {}, "values": {}, "inputs": {}}
    changes = [{name: value} for name, value in wrong_ones.items() if name in model.settings]
    for change in ({"names": 7}, {"names": model.settings["names"][:1]}, {"config": {"x": {}}}, *changes):
        wrong = modelfile.ModelFile(model.kind, {**model.settings, **change}, model.arrays, model.card)
        modelfile.write(tmp_path / "b.model", wrong)
        with pytest.raises(InputError, match=r"b\.model"):
            load(tmp_path / "b.model")
    modelfile.write(tmp_path / "c.model", modelfile.ModelFile("tagger", {}, {}))
    with pytest.raises(InputError, match="a tagger, not a parser"):
        load(tmp_path / "c.model")
