"""What every format promises: each byte comes back, memory stays flat, and errors say where."""

import contextlib
import gzip
import io
import lzma
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nasty_files import COLUMNS, broken_files, each_treebank, valid_files

import arclift
from arclift.errors import InputError
from arclift.treebank import Reader, stream
from arclift.treebank.formats import FORMATS, detect
from arclift.treebank.strings import StringTable

FORMATS_READ = [*COLUMNS, "tokens", "lines"]
each_format = pytest.mark.parametrize("format", FORMATS_READ)


@contextlib.contextmanager
def chunks_of(size):
    before = stream.CHUNK_BYTES
    stream.CHUNK_BYTES = size
    try:
        yield
    finally:
        stream.CHUNK_BYTES = before


def blocks_of(data, format, **options):
    return list(Reader(io.BytesIO(data), format=format, on_error="skip", **options).blocks())


def sentences_of(data, format):
    return [
        (s.number, s.line, bytes(s), len(s), tuple(s.comments))
        for block in blocks_of(data, format)
        for s in block
    ]


# -- every byte comes back ------------------------------------------------------------------------------


@each_format
@given(data=st.data())
def test_writing_what_was_read_gives_the_same_bytes(format, data):
    text = data.draw(valid_files(format))
    target = io.BytesIO()
    arclift.write(target, arclift.read(io.BytesIO(text), format=format))
    assert target.getvalue() == text


@each_format
@given(data=st.data())
def test_blocks_keep_the_bytes_of_broken_files_too(format, data):
    text = data.draw(broken_files(format))
    assert b"".join(block.data for block in blocks_of(text, format)) == text


@each_format
@given(data=st.data())
def test_replacing_every_column_by_itself_changes_nothing(format, data):
    text = data.draw(valid_files(format))
    for block in blocks_of(text, format):
        columns = [name for name in FORMATS[format].columns if name not in ("id", "head", "pred")]
        if format in ("tokens", "lines"):
            columns = ["form"]
        texts = {name: [cell for s in block for cell in s.column(name)] for name in columns}
        ids = np.arange(block.words, dtype=np.int32)
        heads = block.heads if block.format.head_column >= 0 else None
        written = block.replaced(heads=heads, columns={name: (ids, cells) for name, cells in texts.items()})
        assert written == block.data


@each_treebank
def test_every_treebank_comes_back_byte_for_byte(path):
    raw = path.read_bytes()
    text = lzma.decompress(raw) if path.suffix == ".xz" else raw
    target = io.BytesIO()
    arclift.write(target, arclift.read(path))
    assert target.getvalue() == text


# -- chunks ---------------------------------------------------------------------------------------------


@each_format
@given(data=st.data(), size=st.integers(1, 40))
@example(data=None, size=1)
@example(data=None, size=2)
@example(data=None, size=3)
def test_it_does_not_matter_where_chunks_end(format, data, size):
    text = data.draw(valid_files(format) | broken_files(format)) if data else _TAILS[format]
    text = text.removeprefix(b"\xef\xbb\xbf")  # less than a chunk, always
    whole = sentences_of(text, format)
    with chunks_of(size):
        assert sentences_of(text, format) == whole


_ROWS = {
    "conllu": b"1\ta" + b"\t_" * 4 + b"\t0" + b"\t_" * 3,
    "conllx": b"1\ta" + b"\t_" * 4 + b"\t0" + b"\t_" * 3,
    "conll09": b"1\ta" + b"\t_" * 6 + b"\t0" + b"\t_" * 5,
    "vertical": b"a\tb",
    "tokens": b"a/b",
    "lines": b"a/b",
}
_TAILS = {
    format: row + b"\n\n\r\n" + row + b"\r\n\r\n# c\n\n# d = e\n\n" + row + b"\n\n\n# late\n\n\n"
    if format not in ("vertical", "tokens", "lines")
    else row + b"\n\n" + row + b"\r\n\r\n\n" + row + b"\n\n \n\n"
    for format, row in _ROWS.items()
}


def test_comments_belong_to_the_sentence_after_them_wherever_chunks_end():
    row = _ROWS["conllu"]
    text = b"# newdoc\n\n" + row + b"\n\n# only a comment\n\n\n# sent_id = 2\n" + row + b"\n\n# late\n"
    for size in range(3, len(text)):
        with chunks_of(size):
            comments = [s.comments for s in arclift.read(io.BytesIO(text), format="conllu")]
        assert comments == [["# newdoc"], ["# only a comment", "# sent_id = 2"]]


def test_memory_stays_flat_on_endless_input(monkeypatch):
    monkeypatch.setattr(stream, "CHUNK_BYTES", 1 << 12)
    sentence = _ROWS["conllu"] + b"\n\n"

    class Endless(io.RawIOBase):
        given = 0

        def readable(self):
            return True

        def readinto(self, buffer):
            part = (sentence * (len(buffer) // len(sentence) + 2))[self.given % len(sentence) :][
                : len(buffer)
            ]
            buffer[: len(part)] = part
            self.given += len(part)
            return len(part)

    source = Endless()
    for number, block in enumerate(Reader(io.BufferedReader(source), format="conllu").blocks()):
        assert len(block.data) <= 3 << 12
        if number == 200:
            break
    assert source.given <= 220 << 12


def test_a_sentence_without_end_is_an_error_not_a_memory_hog(monkeypatch):
    monkeypatch.setattr(stream, "MAX_SENTENCE_BYTES", 1 << 16)
    monkeypatch.setattr(stream, "CHUNK_BYTES", 1 << 12)
    for text in (b"1\t" * (1 << 20), b"1\ta\n" * (1 << 18), b"\n" * (1 << 20), b"# c\n\n" * (1 << 18)):
        with pytest.raises(InputError, match="no sentence ends") as caught:
            list(Reader(io.BytesIO(text), format="conllu", on_error="skip"))
        assert caught.value.code == "endless-sentence"


# -- where it comes from --------------------------------------------------------------------------------


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress], ids=["plain", "gz", "xz"])
def test_files_and_streams_are_unpacked(tmp_path, pack):
    text = (_ROWS["conllu"] + b"\n\n") * 3
    path = tmp_path / "file.conllu"
    path.write_bytes(pack(text))
    assert b"".join(map(bytes, arclift.read(path))) == text
    assert b"".join(map(bytes, arclift.read(str(path)))) == text
    assert b"".join(map(bytes, arclift.read(io.BytesIO(pack(text))))) == text
    with path.open("rb") as opened:
        assert b"".join(map(bytes, arclift.read(opened))) == text


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress], ids=["gz", "xz"])
@pytest.mark.parametrize("harm", ["cut", "overwritten"])
def test_damaged_archives_name_the_file(tmp_path, pack, harm):
    packed = pack(b"".join(b"1\t%x" % (i * 7919 % 65536) + b"\t_" * 8 + b"\n\n" for i in range(3000)))
    middle = len(packed) // 2
    damaged = packed[:middle] + (b"" if harm == "cut" else b"\xff" * 40 + packed[middle + 40 :])
    path = tmp_path / "damaged.conllu.x"
    path.write_bytes(damaged)
    with pytest.raises(InputError) as caught:
        list(arclift.read(path, format="conllu", on_error="skip"))
    assert caught.value.code == "damaged"
    assert str(path) in str(caught.value)


def test_a_pipe_that_gives_little_at_a_time_is_read_to_its_end():
    text = (_ROWS["conllu"] + b"\n\n") * 50
    read_end, write_end = os.pipe()

    def feed():
        with open(write_end, "wb", buffering=0) as pipe:
            for begin in range(0, len(text), 7):
                pipe.write(text[begin : begin + 7])

    feeder = threading.Thread(target=feed)
    feeder.start()
    with open(read_end, "rb") as pipe:
        assert b"".join(map(bytes, arclift.read(pipe))) == text
    feeder.join()


def test_standard_input_is_called_minus():
    text = (_ROWS["conllx"] + b"\n\n") * 2
    code = "import arclift, sys; print(len(list(arclift.read('-'))))"
    done = subprocess.run([sys.executable, "-c", code], input=text, capture_output=True, check=True)
    assert done.stdout.strip() == b"2"


def test_a_file_that_is_not_there_is_named(tmp_path):
    for path in (tmp_path / "none.conllu", tmp_path):
        with pytest.raises(InputError, match="cannot be read") as caught:
            list(arclift.read(path))
        assert str(path) in str(caught.value)


def test_an_empty_file_has_no_sentences(tmp_path):
    path = tmp_path / "empty.conllu"
    for text in (b"", b"\n", b"\xef\xbb\xbf", b"# only = a comment\n"):
        path.write_bytes(text)
        assert list(arclift.read(path)) == []


def test_a_binary_file_is_refused():
    with pytest.raises(InputError, match="binary") as caught:
        list(arclift.read(io.BytesIO(bytes(range(256)) * 9)))
    assert caught.value.code == "binary"


# -- errors ---------------------------------------------------------------------------------------------


def _with_flaw():
    good = b"# sent_id = %d\n" + _ROWS["conllu"] + b"\n\n"
    return good % 1 + b"# sent_id = bad\n1\tw\n2\tw\n\n" + good % 3 + b"1\t" + b"\xff\n\n"


def test_stop_gives_the_sentences_before_the_bad_one_and_then_says_where_it_is():
    reader = iter(arclift.read(io.BytesIO(_with_flaw())))
    assert next(reader).id == "1"
    with pytest.raises(InputError, match="2 columns") as caught:
        next(reader)
    error = caught.value
    assert (error.code, error.place.line) == ("columns", 5)
    assert error.hint


def test_skip_leaves_out_the_bad_ones_and_hands_each_over():
    errors = []
    reader = Reader(io.BytesIO(_with_flaw()), on_error="skip", on_skip=errors.append)
    assert [sentence.id for sentence in reader] == ["1", "3"]
    assert reader.skipped == 2
    assert [(error.code, error.place.line) for error in errors] == [("columns", 5), ("columns", 11)]


def test_an_unknown_way_with_errors_is_refused():
    with pytest.raises(arclift.UsageError):
        Reader(io.BytesIO(), on_error="ignore")


# -- size -----------------------------------------------------------------------------------------------


def test_a_sentence_of_100_000_words_is_read_and_written():
    row = b"%d\tw" + b"\t_" * 4 + b"\t%d\tdep\t_\t_\n"
    text = b"".join(row % (i, i - 1) for i in range(1, 100_001)) + b"\n"
    (sentence,) = arclift.read(io.BytesIO(text))
    assert len(sentence) == 100_000
    assert sentence.heads.tolist() == list(range(100_000))
    assert bytes(sentence) == text


# -- which format ---------------------------------------------------------------------------------------

_U, _X = b"1\ta\ta\tNOUN\t_\t_\t0\troot\t_\t_\n", b"1\ta\ta\tN\tNN\t_\t0\tROOT\t_\t_\n"


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (_U + b"\n", None, "conllu"),
        (b"# text = a\n" + _X + b"\n", None, "conllu"),
        (_X + b"\n", None, "conllx"),
        (_X + b"\n", "file.conllu", "conllu"),
        (_U + b"\n", "file.conll", "conllx"),
        (_U + b"\n", "file.conllx.gz", "conllx"),
        (b"1-1\ta\t" + b"_\t" * 7 + b"_\n" + _X, "file.conll", "conllu"),
        (_U.replace(b"\t_\t_\n", b"\t0\tROOT\n"), None, "conllx"),
        (_U.replace(b"\t_\t_\n", b"\t0:root\t_\n"), "file.conll", "conllu"),
        (b"1\ta" + b"\t_" * 12 + b"\n\n", None, "conll09"),
        (b"1\ta" + b"\t_" * 15 + b"\n\n", "file.conll", "conll09"),
        (_U.replace(b"\t", b"  "), None, "conllu"),  # so that the reader asks for tabs
        (b"1\ta\ta\tNOUN\t_\t_\t0\troot\n\n", None, "conllu"),  # eight columns: it asks for ten
        (b"The\tDET\n1995\tNUM\n\n", None, "vertical"),
        (b"1995\tNUM\nwas\tVERB\n\n", None, "vertical"),
        (b"The\nyear\n\nThe\nend\n\n", None, "vertical"),
        (b"The/DET\n/\nyear/NOUN\n\nThe/DET\nend/NOUN\n\n", None, "tokens"),
        (b"The/DET year/NOUN\nThe/DET end/NOUN\n", None, "lines"),
        (b"1995 was a good year\n", None, "lines"),
        (b"# sent_id = 1\n# text = a", None, "conllu"),
        (b"\xef\xbb\xbf" + _U, None, "conllu"),
        (_X.replace(b"\n", b"\r\n"), None, "conllx"),
        (b"", None, "conllu"),
        (b"\n\n", None, "conllu"),
    ],
)
def test_the_format_is_recognised(text, name, expected):
    assert detect(text, name).name == expected


@each_treebank
def test_the_format_of_every_treebank_is_recognised_with_and_without_its_name(path):
    with stream.open_bytes(path) as (opened, _):
        start = opened.read(stream.CHUNK_BYTES)
    expected = "conllx" if path.suffix == ".conll" else "conllu"
    assert detect(start, path.name).name == detect(start).name == expected


def test_the_format_can_be_forced():
    (sentence,) = arclift.read(io.BytesIO(_U + b"\n"), format="conllx")
    assert sentence.column("phead") == ["_"]
    (sentence,) = arclift.read(
        io.BytesIO(_U + b"\n"), format="vertical:_1,form,lemma,upos,xpos,feats,_7,_8,_9,_10"
    )
    assert sentence.forms == ["a"]
    assert sentence.heads.tolist() == [-1]


@pytest.mark.parametrize(
    "name", ["conll", "conllu:form", "vertical:upos", "vertical:form,form", "vertical:form,x"]
)
def test_formats_that_are_none_are_refused(name):
    with pytest.raises(arclift.UsageError):
        arclift.read(io.BytesIO(), format=name)


def test_blocks_are_as_large_as_asked_for_and_hold_the_same_bytes():
    data = b"1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n" * 400
    sizes = {}
    for at_once in (None, 1000, 4000):
        blocks = list(Reader(io.BytesIO(data)).blocks(at_once))
        assert b"".join(block.data for block in blocks) == data
        sizes[at_once] = [len(block.data) for block in blocks]
    assert len(sizes[None]) < len(sizes[4000]) < len(sizes[1000])
    assert max(sizes[1000]) <= 2000 < max(sizes[4000]) <= 8000


def test_threads_may_share_a_table_of_strings():
    words = [b"w%d" % (k % 3000) for k in range(30_000)]
    data = b" ".join(words)
    ends = np.cumsum([len(word) + 1 for word in words]).astype(np.uint32) - 1
    starts = np.append(np.uint32(0), ends[:-1] + 1).astype(np.uint32)
    table, found = StringTable(), {}

    def add(thread):
        found[thread] = [table.add_spans(data, starts, ends) for _ in range(3)]

    threads = [threading.Thread(target=add, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(table) == 3000
    for ids in [ids for several in found.values() for ids in several]:
        assert [table[id] for id in ids[:5000].tolist()] == words[:5000]
