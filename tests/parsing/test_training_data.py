"""Whatever training data has in it: a parser that gives trees, or an error that says where and why."""

from __future__ import annotations

import io
import lzma

import pytest

import arclift
from arclift.errors import InputError, UsageError
from arclift.parsing import jackknife, preset_config, split, train_on
from arclift.treebank import Reader
from arclift.trees.structure import tree_problems
from training_samples import GRAPH_SETS, TRANSITION_SETS, treebank

SHORT = ["training.epochs=2"]
FAMILIES = {
    "graph": preset_config("fast").set([*GRAPH_SETS, *SHORT]),
    "transition": preset_config("classic").set([*TRANSITION_SETS, *SHORT]),
}
BASE = treebank(20, 1)
BOM = b"\xef\xbb\xbf"


@pytest.fixture(params=FAMILIES)
def config(request):
    return FAMILIES[request.param]


def row(number, form="a", head=0, label="root", upos="X"):
    return f"{number}\t{form}\t_\t{upos}\t_\t_\t{head}\t{label}\t_\t_\n"


def sentence(*words):
    return ("".join(row(number, *word) for number, word in enumerate(words, 1)) + "\n").encode()


def chain(length):
    return sentence(*(("a", number, "x" if number else "root") for number in range(length)))


def conll09(data):
    """The same words in CoNLL-2009: lemma, tags, features, heads and labels twice."""
    lines = []
    for line in data.decode().splitlines():
        if line:
            number, form, lemma, tag, _, feats, head, label, *_ = line.split("\t")
            line = "\t".join(
                [number, form, *2 * [lemma], *2 * [tag], *2 * [feats], *2 * [head], *2 * [label], "_", "_"]
            )
        lines.append(f"{line}\n")
    return "".join(lines).encode()


EMOJI, HEBREW, MARK, SEPARATOR = "🙂👩\u200d👧", "שלום", "\u200f", "\u2028"
NASTY = sentence(
    ("a b", 2, "x"), (EMOJI,), (HEBREW, 2, "x"), (MARK, 3, "y"), (SEPARATOR, 3, "y"), ("#", 2, "x")
)
DATA = {
    "one sentence": sentence(("a",)),
    "one label": BASE.replace(b"\troot\t", b"\tx\t").replace(b"\tverb\t", b"\tx\t"),
    "labels of only _": BASE.replace(b"\troot\t", b"\t_\t").replace(b"\tverb\t", b"\t_\t"),
    "nothing but roots": 5 * sentence(*5 * [("a", 0, "root")]),
    "nothing but forms": BASE.replace(b"VERB", b"_").replace(b"A=0", b"_").replace(b"A=1", b"_"),
    "nothing but _": (8 * sentence(("_", 0, "_", "_"), ("_", 1, "_", "_"))),
    "the same sentence again and again": 30 * sentence(("a",), ("b", 1, "x")),
    "spaces, emoji, right to left": 12 * NASTY,
    "multiword tokens and comments": b"# x\n1-2\tab" + 8 * b"\t_" + b"\n" + 11 * NASTY,
    "no end of line at the end": BASE.rstrip(b"\n"),
    "line ends of Windows": BASE.replace(b"\n", b"\r\n"),
    "a BOM": BOM + BASE,
    "CoNLL-X": b"1\ta\ta\tN\tNN\t_\t0\tROOT\t0\tROOT\n\n" * 12,
    "CoNLL-2009": conll09(BASE),
    "a word of 100,000 letters": BASE + sentence(("x" * 100_000,)),
}


def trees_of(parser, path):
    """Parse a file, and check that nothing but trees is changed."""
    done = list(parser.parse_blocks(Reader(path).blocks()))
    for before, after in zip(Reader(path).blocks(), done, strict=True):
        predicted = {before.format.column("head"), before.format.column("deprel")}
        for old, new in zip(before.data.splitlines(), after.splitlines(), strict=True):
            pairs = zip(old.split(b"\t"), new.split(b"\t"), strict=True)
            assert all(x == y for place, (x, y) in enumerate(pairs) if place not in predicted)
    path.with_name("parsed").write_bytes(b"".join(done))
    return list(Reader(path.with_name("parsed"), trees=True).blocks())


@pytest.mark.filterwarnings("ignore:fewer than 10 sentences")
@pytest.mark.parametrize("data", DATA.values(), ids=DATA)
def test_odd_training_data_makes_a_parser(config, data, tmp_path):
    path = tmp_path / "train"
    path.write_bytes(data)
    parser = arclift.train(path, preset=config, output=tmp_path / "model")
    for block in trees_of(arclift.load(tmp_path / "model"), path):
        assert not tree_problems(block.heads, block.offsets).any() or parser.several_roots
    assert sorted(each.name for each in tmp_path.iterdir()) == ["model", "parsed", "train"]


NO_DATA = "this has no sentence with a tree"
BAD = {
    b"": NO_DATA,
    b"\n\n\n": NO_DATA,
    b"# only a comment\n\n": "has no heads, and trees are needed",
    b"a/N b/V\n": "has no heads, and trees are needed",
    BASE + sentence(("a", "_")): r"train, line \d+, sentence 21: word 1 has no head",
    BASE + sentence(("a", 2), ("b", 1)): r"train, line \d+, sentence 21: no word is attached to the root",
    BASE + sentence(("a", 9)): r"train, line \d+, sentence 21: ",
    BASE + b"1\ta\t_\n\n": r"train, line \d+, sentence 21: 3 columns",
    BASE.replace(b"wroot", b"\xe9"): r"train, line \d+, sentence 1: .* no UTF-8",
}


@pytest.mark.parametrize(("data", "message"), BAD.items())
def test_bad_training_data_is_an_error_that_says_where(config, data, message, tmp_path):
    path = tmp_path / "train"
    path.write_bytes(data)
    with pytest.raises((InputError, UsageError), match=message):
        arclift.train(path, preset=config, output=tmp_path / "model")
    assert [each.name for each in tmp_path.iterdir()] == ["train"]


def test_too_little_to_hold_anything_out_is_noted():
    data = treebank(9, 1)
    with pytest.warns(UserWarning, match="fewer than 10 sentences, and no dev data"):
        kept, held_out = split(list(Reader(io.BytesIO(data)).blocks()))
    assert b"".join(block.data for block in kept) == data
    assert held_out == kept


def test_an_empty_dev_is_an_error(config, tmp_path):
    (tmp_path / "train").write_bytes(BASE)
    (tmp_path / "dev").write_bytes(b"\n")
    with pytest.raises(InputError, match=f"dev: {NO_DATA}"):
        arclift.train(tmp_path / "train", tmp_path / "dev", preset=config)
    blocks = list(Reader(tmp_path / "train", trees=True).blocks())
    with pytest.raises(InputError, match="dev is empty"):
        train_on(blocks, [], config)


def test_long_sentences_are_learned_from_or_left_out_with_a_warning(tmp_path):
    path, dev = tmp_path / "train", tmp_path / "dev"
    path.write_bytes(BASE + chain(20_000) + chain(1001))
    dev.write_bytes(BASE[: len(BASE) // 2].rpartition(b"\n\n")[0])
    assert arclift.train(path, dev, preset=FAMILIES["transition"]).names[0] == "verb"
    with pytest.warns(UserWarning, match="2 of 22 training sentences have more than 1,000 words"):
        arclift.train(path, dev, preset=FAMILIES["graph"])
    path.write_bytes(chain(1001))
    with pytest.raises(InputError, match=r"all 1 have more than 1,000 words .*--preset classic"):
        arclift.train(path, dev, preset=FAMILIES["graph"])


def test_dev_that_is_training_data_is_noted(tmp_path, config):
    for name in ("train", "dev"):
        (tmp_path / name).write_bytes(BASE)
    with pytest.warns(UserWarning, match="dev is the same as .*train"):
        arclift.train(tmp_path / "train", tmp_path / "dev", preset=config)


def test_several_files_are_one_treebank(config, tmp_path):
    parts = [BOM + treebank(15, 1), treebank(15, 2).rstrip(b"\n"), lzma.compress(BOM + treebank(15, 3))]
    for number, part in enumerate(parts):
        (tmp_path / f"{number}.conllu").write_bytes(part)
    files = [tmp_path / f"{number}.conllu" for number in range(3)]
    reports = []
    parser = arclift.train(files, preset=config, on_start=reports.append)
    (tmp_path / "all").write_bytes(b"".join(treebank(15, seed) for seed in (1, 2, 3)))
    whole = arclift.train(tmp_path / "all", preset=config)
    assert (reports[0].sentences, parser.card["data"]) == (41, ["0.conllu", "1.conllu", "2.conllu"])
    for each, name in ((parser, "a"), (whole, "b")):
        each.with_card({}).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_files_of_several_formats_are_refused(config, tmp_path):
    (tmp_path / "a").write_bytes(BASE)
    (tmp_path / "b").write_bytes(conll09(BASE))
    with pytest.raises(UsageError, match=r"several formats \(conll09, conllu\): .* arclift convert"):
        arclift.train([tmp_path / "a", tmp_path / "b"], preset=config)
    assert arclift.train(tmp_path / "a", tmp_path / "b", preset=config).names  # dev may be another


def skipping(data, tmp_path):
    (tmp_path / "skipping").write_bytes(data)
    return list(Reader(tmp_path / "skipping", trees=True, on_error="skip").blocks())


FLAWED = sentence(("a", 2), ("b", 1)) + b"1\ta\tb\n\n"


def test_skipped_sentences_are_in_no_part(config, tmp_path):
    blocks = skipping(BASE + FLAWED + BASE, tmp_path)
    sound = skipping(BASE + BASE, tmp_path)
    kept, held_out = split(blocks)
    assert sum(block.words for block in kept + held_out) == sum(block.words for block in sound)
    assert not [error for block in kept + held_out for error in block.errors()]
    _, report = train_on(blocks, skipping(BASE + FLAWED, tmp_path), config)
    assert report.words == sum(block.words for block in sound)


@pytest.mark.parametrize("dev", [None, BASE])
def test_a_jackknife_loses_nothing(config, dev, tmp_path):
    data = BOM + b"# first\n" + BASE + FLAWED + b"# last\n" + NASTY + b"# at the end\n\n"
    dev = dev and skipping(dev, tmp_path)
    blocks = skipping(data, tmp_path)
    heard = []
    done = jackknife(blocks, 4, config, dev=dev, output=tmp_path / "out", on_part=heard.append)
    assert b"".join(done.blocks) == (tmp_path / "out").read_bytes()
    assert FLAWED in b"".join(done.blocks)
    lines = zip(data.splitlines(), b"".join(done.blocks).splitlines(), strict=True)
    assert all(old.split(b"\t")[:6] == new.split(b"\t")[:6] for old, new in lines)
    assert done.parts == heard
    assert [part.sentences for part in done.parts] == [5, 5, 5, 6]  # 21 and 22 are skipped
    assert done.total.sentences == 21


def test_the_parser_of_a_part_has_not_seen_it(tmp_path):
    """Each sentence has a label of its own: no parser that has not seen it can give it."""
    data = b"".join(sentence(("a",), ("b", 1, f"own{number}")) for number in range(1, 13))
    blocks = skipping(data, tmp_path)
    done = jackknife(blocks, 3, FAMILIES["transition"].set(["lifting.scheme=none"]), dev=blocks)
    labels = [each.labels[1] for block in skipping(b"".join(done.blocks), tmp_path) for each in block]
    for number, label in enumerate(labels, 1):
        assert int(label.removeprefix("own")) % 3 != number % 3
