"""The native scan and splice do what their twins do, on whatever they are given."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nasty_files import COLUMNS, HEAD_COLUMN, any_bytes, broken_files, valid_files

from arclift import native
from arclift.treebank.formats import FORMATS
from arclift.treebank.scan import Flaw, scan
from arclift.treebank.splice import splice

needs_core = pytest.mark.skipif(native.PAIRS["scan"].native is None, reason="the core is not built")


def _layout(format):
    layout = FORMATS[format]
    return len(layout.columns), layout.open_ended, layout.has_ids, layout.head_column


def _agree(data, *layout):
    twin, core = native.PAIRS["scan"].python(data, *layout), native.PAIRS["scan"].native(data, *layout)
    for name, expected, got in zip(twin._fields, twin, core, strict=True):
        assert (expected.dtype, expected.shape) == (got.dtype, got.shape), name
        assert np.array_equal(expected, got), name
    return twin


@needs_core
@pytest.mark.parametrize("format", COLUMNS)
@given(data=st.data(), skip_bom=st.booleans())
def test_twins_agree_on_valid_and_broken_files(format, data, skip_bom):
    text = data.draw(valid_files(format) | broken_files(format))
    _agree(text, *_layout(format), skip_bom)


@needs_core
@given(any_bytes, st.sampled_from(list(COLUMNS)), st.booleans())
def test_twins_agree_on_random_bytes(text, format, skip_bom):
    found = _agree(text, *_layout(format), skip_bom)
    assert found.offsets[0] == 0
    assert len(found.starts) == len(found.offsets)


@pytest.mark.parametrize("format", COLUMNS)
@given(data=st.data())
def test_valid_files_have_no_flaws_and_every_cell_is_found(format, data):
    text = data.draw(valid_files(format))
    found = scan(text, *_layout(format), True)
    assert len(found[5]) == 0
    lines = [line.removesuffix(b"\r") for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
    if format == "vertical":
        words = [line.split(b"\t") for line in lines if line]
    else:
        words = [cells for cells in (line.split(b"\t") for line in lines) if cells[0].isdigit()]
    columns = len(FORMATS[format].columns)
    read = [[text[row[c] : row[c + 1] - 1] for c in range(columns)] for row in found[0].tolist()]
    assert read == [[*cells[: columns - 1], b"\t".join(cells[columns - 1 :])] for cells in words]
    if format in HEAD_COLUMN:
        column = HEAD_COLUMN[format]
        assert found[1].tolist() == [-1 if row[column] == b"_" else int(row[column]) for row in words]


def _row(id, head="0", columns=10):
    cells = [str(id), "w", *"_" * (columns - 2)]
    cells[6] = head
    return "\t".join(cells) + "\n"


_GOOD = _row(1) + "\n"
BROKEN = {
    Flaw.COLUMNS: (_row(1) + "2\tw\n", 2),
    Flaw.ID: (_row(1) + _row("x"), 2),
    Flaw.ORDER: (_row(1) + _row(3), 2),
    Flaw.HEAD: (_row(1, "-1"), 1),
    Flaw.HEAD_RANGE: (_row(1, "1") + _row(2, "3") + _row(3, "9"), 3),
    Flaw.RANGE: (_row("2-3") + _row(1) + _row(2), 1),
    Flaw.EMPTY_NODE: (_row(1) + _row("1.2"), 2),
    Flaw.UTF8: (_row(1) + _row(2).replace("w", "\udcff"), 2),
    Flaw.NUL: (_row(1) + _row(2).replace("w", "\0"), 2),
    Flaw.NO_WORDS: (_row("0.1"), 2),  # there is no line to point at but the one that ends it,
}


def test_each_flaw_has_an_example():
    assert set(BROKEN) == set(Flaw)


@pytest.mark.parametrize("flaw", Flaw, ids=lambda flaw: flaw.name)
def test_a_flaw_costs_one_sentence_and_is_found_on_its_line(flaw):
    rows, line = BROKEN[flaw]
    data = (_GOOD + rows + "\n" + _GOOD).encode("utf-8", "surrogateescape")
    found = native.PAIRS["scan"].python(data, *_layout("conllu"), True)
    assert found.flaws[:, 0].tolist() == [flaw]
    assert found.flaws[0, 2] == 1
    assert data.count(b"\n", 0, found.flaws[0, 1]) == 2 + line - 1
    assert np.diff(found.offsets).tolist() == [1, 0, 1]
    if native.PAIRS["scan"].native:
        _agree(data, *_layout("conllu"), True)


@pytest.mark.parametrize(
    "rows",
    [
        "1-1",
        "2-3",
        "1-3",
        "1-2 1 2-2",
        "1 1-2",
        "1.0",
        "2.1",
        "1 0.1",
        "1 1.1 1.1",
        "1 1.1 1.3",
        "-1",
        "1-",
        "1.x",
    ],
)
def test_ranges_and_empty_nodes_out_of_place_are_flaws_or_harmless(rows):
    data = ("".join(_row(id) for id in rows.split()) + "\n").encode()
    found = native.PAIRS["scan"].python(data, *_layout("conllu"), True)
    assert len(found.flaws) == 1
    if native.PAIRS["scan"].native:
        _agree(data, *_layout("conllu"), True)


@needs_core
@given(data=st.data())
def test_splices_agree_and_replace_what_they_should(data):
    text = data.draw(valid_files("conllu"))
    fields = scan(text, *_layout("conllu"), True)[0]
    texts = [b"", b"x", b"a longer text"]
    ids = st.lists(st.integers(-1, 2), min_size=len(fields), max_size=len(fields))
    columns = sorted(data.draw(st.sets(st.sampled_from([1, 2, 7, 9]), max_size=3)))
    edits = [(column, np.array(data.draw(ids), dtype=np.int32), texts) for column in columns]
    twin, core = native.PAIRS["splice"]
    written = twin(text, 0, len(text), fields, edits)
    assert core(text, 0, len(text), fields, edits) == written
    again = scan(written, *_layout("conllu"), True)[0]
    for before, after, word in zip(fields.tolist(), again.tolist(), range(len(fields)), strict=True):
        for column in range(1, 10):
            chosen = [texts[ids[word]] for edited, ids, _ in edits if edited == column and ids[word] >= 0]
            old = text[before[column] : before[column + 1] - 1]
            assert written[after[column] : after[column + 1] - 1] == (chosen[0] if chosen else old)


def test_splice_refuses_arrays_that_do_not_fit():
    fields = np.array([[0, 2, 4]], dtype=np.uint32)
    ids = np.array([0], dtype=np.int32)
    assert splice(b"a\tb", 0, 3, fields, [(1, ids, [b"c"])]) == b"a\tc"
    with pytest.raises(ValueError, match="order"):
        splice(b"a\tb", 0, 2, fields, [(1, ids, [b"c"])])


_DUMP = """
import hashlib, sys
from arclift.treebank.formats import CONLLU
from arclift.treebank.block import Block
row = b"%d\\t%s" + b"\\t_" * 4 + b"\\t0\\t_\\t_\\t_\\n"
data = b"".join(row % (i, b"x" * (i % 70)) for i in range(1, 400)) + b"\\n"
block = Block(data, CONLLU)
assert block.words == 399
print(hashlib.sha256(block.fields.tobytes() + block.heads.tobytes()).hexdigest())
"""


@needs_core
def test_every_instruction_set_finds_the_same():
    answers = {
        subprocess.run(
            [sys.executable, "-c", _DUMP],
            env={**os.environ, "ARCLIFT_CPU": cpu, "ARCLIFT_NATIVE": wish},
            capture_output=True,
            check=True,
        ).stdout
        for cpu, wish in [("baseline", "1"), ("avx2", "1"), ("avx512", "1"), ("", "0")]
    }
    assert len(answers) == 1
