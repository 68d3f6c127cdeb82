"""What may be asked besides trees: confidence, several trees, heads that are kept, one root."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest
from parsers import FAMILIES, blocks_of, parsed, whole

from arclift.errors import InputError, UsageError
from arclift.parsing import Options, load, train_on
from arclift.parsing.calibration import Calibration, Line, log_odds
from arclift.treebank import Block, Reader
from arclift.treebank.formats import CONLLX
from arclift.trees.structure import roots, tree_problems
from training_samples import treebank

TEST = treebank(40, 21)


@pytest.fixture(scope="module", params=FAMILIES)
def parser(request):
    found, _ = train_on(blocks_of(treebank(150, 1)), blocks_of(treebank(200, 2)), FAMILIES[request.param])
    return found


def numbers(data, name):
    return np.array([float(each) for each in re.findall(rf"{name}=([\d.]+)".encode(), data)])


# --- confidence -------------------------------------------------------------------------------------------


def test_scores_go_into_misc_and_change_nothing_else(parser):
    data = TEST.replace(b"\t_\n", b"\tSpaceAfter=No|HeadScore=1\n", 3)
    plain, scored = parsed(parser, data), parsed(parser, data, options=Options(scores=True))
    assert re.sub(rb"\|?HeadScore=[\d.]+\|LabelScore=[\d.]+", b"", scored).replace(b"\t\n", b"\t_\n") == (
        plain.replace(b"|HeadScore=1", b"")
    )
    assert scored.count(b"SpaceAfter=No|HeadScore=") == 3
    for name in ("HeadScore", "LabelScore"):
        assert len(numbers(scored, name)) == whole(plain).words
        assert ((numbers(scored, name) >= 0) & (numbers(scored, name) <= 1)).all()


def test_scores_say_how_often_a_head_is_right(parser):
    data = treebank(400, 31)
    scored = parsed(parser, data, options=Options(scores=True))
    right = whole(scored).heads == whole(data).heads
    sure = numbers(scored, "HeadScore")
    assert abs(sure.mean() - right.mean()) < 0.06
    if parser.kind == "graph-parser":  # on this treebank transitions are as sure of what is wrong
        assert sure[right].mean() > sure[~right].mean() + 0.02


def test_scores_are_the_same_for_any_number_of_jobs(parser, tmp_path):
    chunks = [Block(treebank(4, seed), whole(TEST).format) for seed in range(12)]
    options = Options(scores=True)
    assert list(parser.parse_blocks(chunks, 3, options)) == list(parser.parse_blocks(chunks, 1, options))
    parser.save(tmp_path / "m")
    assert parsed(load(tmp_path / "m"), TEST, options=options) == parsed(parser, TEST, options=options)


def test_a_format_without_misc_is_refused(parser):
    with pytest.raises(UsageError, match="no MISC column for scores: arclift convert --to conllu"):
        list(parser.parse_blocks([Block(TEST, CONLLX)], 1, Options(scores=True)))


@pytest.mark.parametrize("unit", [1.0, 500.0])
def test_calibration_finds_the_line_that_made_the_data(unit):
    rng = np.random.default_rng(1)
    truth = Line(0.5 / unit, -0.3)
    odds = rng.normal(2, 3, 20_000) * unit
    right = rng.random(len(odds)) < truth(odds)
    found = Line.fit(odds, right)
    assert abs(found.slope / truth.slope - 1) < 0.06
    assert abs(found.shift - truth.shift) < 0.08


@pytest.mark.parametrize("right", [[True] * 5, [False] * 5, []])
def test_calibration_of_nothing_but_right_or_wrong_stays_finite(right):
    found = Line.fit(np.full(len(right), 2.0), np.array(right, dtype=np.bool_))
    assert np.isfinite([found.slope, found.shift]).all()
    assert ((found(np.array([0.0, 1e308, -1e308])) >= 0) & (found(np.array([0.0, 1e308, -1e308])) <= 1)).all()


def test_log_odds_are_those_of_the_probability():
    assert np.allclose(log_odds(np.log([0.5, 0.9, 1e-9])), np.log([1, 9, 1e-9]), atol=1e-8)
    assert np.isfinite(log_odds(np.array([0.0, -1e-320, -1e5]))).all()


@pytest.mark.parametrize("state", [7, [[1, 2]], [[1, 2], [3, float("nan")]], [["a", 1], [1, 1]]])
def test_damaged_calibrations_are_refused(state):
    with pytest.raises((ValueError, TypeError)):
        Calibration.restore(state)


# --- several trees ----------------------------------------------------------------------------------------


def test_the_best_trees_come_in_order_and_are_different(parser):
    done = parsed(parser, TEST, options=Options(best=4))
    groups, firsts = {}, []
    for sentence in Reader(io.BytesIO(done)):
        text = bytes(sentence)
        rank = int(re.search(rb"^# tree_rank = (\d)$", text, re.M)[1])
        score = float(re.search(rb"^# tree_score = (\S+)$", text, re.M)[1])
        if rank == 1:
            groups[len(groups)] = []
            firsts.append(re.sub(rb"# tree_.*\n", b"", text))
        group = groups[len(groups) - 1]
        group.append((score, tuple(sentence.heads), tuple(sentence.labels)))
        assert rank == len(group)
    assert len(groups) == 40
    if parser.kind == "graph-parser":  # a beam may find better trees than the best transitions, one by one
        assert b"".join(firsts) == parsed(parser, TEST)
    for group in groups.values():
        assert len({(heads, labels) for _, heads, labels in group}) == len(group)
        assert len(group) == 4 or len(group[0][1]) < 3 or (parser.kind != "graph-parser" and len(group) > 1)
        scores = [score for score, *_ in group]
        assert scores == sorted(scores, reverse=True)
    assert not tree_problems(whole(done).heads, whole(done).offsets).any()


def test_ranks_stand_below_the_comments_and_above_ranges(parser):
    data = (
        b"# text = ab\r\n1-2\tab"
        + b"\t_" * 8
        + b"\r\n"
        + TEST.split(b"\n\n")[0].replace(b"\n", b"\r\n")
        + b"\r\n\r\n"
    )
    done = parsed(parser, data, options=Options(best=2))
    assert done.startswith(b"# text = ab\r\n# tree_rank = 1\r\n# tree_score = ")
    assert done.count(b"\r\n") == done.count(b"\n")
    with pytest.raises(UsageError, match="no comments to number trees by"):
        list(parser.parse_blocks([Block(TEST, CONLLX)], 1, Options(best=2)))


# --- what is kept -----------------------------------------------------------------------------------------


def without_some(data, share, seed):
    """Return the sentences with a share of the heads and labels taken away."""
    rng = np.random.default_rng(seed)
    lines = data.split(b"\n")
    for place, line in enumerate(lines):
        cells = line.split(b"\t")
        if len(cells) == 10:
            for column in (6, 7):
                if rng.random() < share:
                    cells[column] = b"_"
            lines[place] = b"\t".join(cells)
    return b"\n".join(lines)


@pytest.mark.parametrize("share", [0.0, 0.5, 0.9, 1.0])
def test_heads_and_labels_that_are_there_are_kept(parser, share):
    partial = without_some(TEST, share, 5)
    done = parsed(parser, partial, options=Options(keep=True, scores=True))
    block = whole(done)
    assert not tree_problems(block.heads, block.offsets).any()
    for before, after in zip(partial.splitlines(), done.splitlines(), strict=True):
        for old, new in list(zip(before.split(b"\t"), after.split(b"\t"), strict=True))[6:8]:
            assert old in (b"_", new)
    if share == 1.0:
        assert done == parsed(parser, partial, options=Options(scores=True))


def test_keeping_some_heads_helps_the_others(parser):
    data = treebank(300, 41)
    gold = whole(data).heads
    asked = Block(without_some(data, 0.5, 6), whole(data).format).heads < 0
    right = [
        (whole(parsed(parser, without_some(data, 0.5, 6), options=Options(keep=keep))).heads == gold)[
            asked
        ].mean()
        for keep in (False, True)
    ]
    assert right[1] > right[0]


CONTRADICTION = (
    b"1\ta\t_\tX\t_\t_\t2\t_\t_\t_\n2\tb\t_\tX\t_\t_\t1\t_\t_\t_\n3\tc\t_\tX\t_\t_\t_\t_\t_\t_\n\n"
)
TWO_ROOTS = b"1\ta\t_\tX\t_\t_\t0\t_\t_\t_\n2\tb\t_\tX\t_\t_\t0\t_\t_\t_\n3\tc\t_\tX\t_\t_\t_\t_\t_\t_\n\n"


@pytest.mark.parametrize(
    ("data", "message"), [(CONTRADICTION, "cycle: 1 → 2 → 1"), (TWO_ROOTS, "attached to the root")]
)
def test_heads_that_no_tree_can_have_are_an_error(parser, data, message):
    options = Options(keep=True)
    reader = Reader(io.BytesIO(TEST + data), check=lambda block: parser.check(block, options))
    with pytest.raises(InputError, match=message):
        list(parser.parse_blocks(reader.blocks(), 1, options))
    with pytest.raises(InputError, match=message):
        list(parser.parse(Reader(io.BytesIO(data)), keep=True))
    reader = Reader(io.BytesIO(data + TEST), check=lambda b: parser.check(b, options), on_error="skip")
    done = b"".join(parser.parse_blocks(reader.blocks(), 1, options))
    assert done == data + parsed(parser, TEST, options=options)
    assert reader.skipped == 1


# --- one root ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_one_root_can_be_asked_for(family):
    blocks = blocks_of(treebank(150, 7, single_root=False))
    parser, _ = train_on(blocks, blocks, FAMILIES[family])
    data = treebank(60, 8, single_root=False)
    many = [len(roots(s.heads)) for s in whole(parsed(parser, data))]
    one = [len(roots(s.heads)) for s in whole(parsed(parser, data, options=Options(single_root=True)))]
    assert max(many) > 1
    assert set(one) == {1}


@pytest.mark.parametrize("asked", [{"best": 0}, {"best": 2, "keep": True}])
def test_what_makes_no_sense_is_refused(asked):
    with pytest.raises(UsageError, match="ask for"):
        Options(**asked)


def test_sentences_with_fewer_trees_than_asked_for_have_scores_too(parser):
    data = b"1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n\n" + TEST
    done = parsed(parser, data, options=Options(best=3, scores=True))
    assert done.count(b"# tree_rank = 1\n") == data.count(b"\n\n")
    assert b"1\ta\t_\tX\t_\t_\t0\t" in done
    assert done.count(b"HeadScore=") == done.count(b"LabelScore=") >= data.count(b"\t_\n")
