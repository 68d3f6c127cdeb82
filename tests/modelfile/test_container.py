"""Models on disk: what is written is read, and nothing else is."""

import json
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arclift.errors import InputError
from arclift.modelfile import MAJOR, ModelFile, container, read, write

MODEL = ModelFile(
    "toy",
    {"layers": [3, 4], "name": "é", "nested": {"on": True, "none": None}},
    {
        "weights": np.arange(12, dtype=np.float32).reshape(3, 4),
        "bytes": np.array([1, 2, 255], dtype=np.uint8),
        "empty": np.zeros((0, 2), dtype=np.int32),
        "small": np.array([-3, 4], dtype=np.int16),
    },
    {"seed": 1},
)


@pytest.fixture
def path(tmp_path):
    write(tmp_path / "toy.model", MODEL)
    return tmp_path / "toy.model"


def test_what_was_written_is_read(path):
    found = read(path)
    assert (found.kind, found.settings, found.card) == (MODEL.kind, MODEL.settings, MODEL.card)
    assert found.arrays.keys() == MODEL.arrays.keys()
    for name, array in MODEL.arrays.items():
        assert found.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(found.arrays[name], array)


def test_the_same_model_is_the_same_bytes_in_any_order(path, tmp_path):
    turned = ModelFile(
        MODEL.kind,
        dict(reversed(MODEL.settings.items())),
        dict(reversed(MODEL.arrays.items())),
        MODEL.card,
    )
    write(tmp_path / "again.model", turned)
    assert (tmp_path / "again.model").read_bytes() == path.read_bytes()


def test_only_the_whole_file_takes_the_name(path, tmp_path):
    before = path.read_bytes()
    with pytest.raises(TypeError):
        write(path, ModelFile("toy", {"no": object()}, {}, {}))
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["toy.model"]


@given(at=st.integers(0, 10**6), change=st.integers(1, 255))
def test_a_changed_byte_anywhere_is_noticed(tmp_path_factory, at, change):
    folder = tmp_path_factory.mktemp("changed")
    write(folder / "toy.model", MODEL)
    data = bytearray((folder / "toy.model").read_bytes())
    data[at % len(data)] ^= change
    (folder / "toy.model").write_bytes(data)
    outcome = _outcome(folder / "toy.model")
    if isinstance(outcome, InputError):
        assert "toy.model: " in str(outcome)
    else:  # white space between the header and the arrays means nothing
        assert outcome.settings == MODEL.settings
        assert outcome.arrays["weights"].tolist() == MODEL.arrays["weights"].tolist()


def _outcome(path):
    try:
        return read(path)
    except InputError as error:
        return error


@given(size=st.integers(0, 2000))
def test_a_truncated_file_is_refused(tmp_path_factory, size):
    folder = tmp_path_factory.mktemp("cut")
    write(folder / "toy.model", MODEL)
    data = (folder / "toy.model").read_bytes()
    (folder / "toy.model").write_bytes(data[: min(size, len(data) - 1)])
    with pytest.raises(InputError):
        read(folder / "toy.model")


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("bytes") / "x.model"
    path.write_bytes(data)
    with pytest.raises(InputError):
        read(path)


def _with_header(path, **changes):
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    outer = json.loads(data[8 : 8 + length])
    header = json.loads(outer["__metadata__"]["arclift"]) | changes
    outer["__metadata__"]["arclift"] = json.dumps({k: v for k, v in header.items() if v is not None})
    text = json.dumps(outer).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data[8 + length :])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": f"{MAJOR + 1}.0"}, f"it has format {MAJOR + 1}.0, and this arclift reads {MAJOR}.x"),
        ({"format": None}, "its header has no version"),
        ({"format": "new"}, "its header has no version"),
        ({"settings": None}, "its header has no settings"),
        ({"settings": {"layers": [9]}}, "its checksum does not fit its content"),
        ({"card": {"seed": 2}}, "its checksum does not fit its content"),
    ],
)
def test_headers_that_do_not_fit_are_refused_with_a_sentence(path, change, message):
    _with_header(path, **change)
    with pytest.raises(InputError, match=message):
        read(path)


@pytest.mark.parametrize("nested", ['"\\ud800"', "[" * 100_000 + "]" * 100_000, "9" * 5000])
def test_json_that_python_cannot_take_is_refused(path, nested):
    _with_header(path, card="CARD")
    data = path.read_bytes().replace(b'\\"CARD\\"', json.dumps(nested)[1:-1].encode())
    header = data[8 : data.rindex(b"}") + 1].rstrip()
    path.write_bytes(struct.pack("<Q", len(header)) + header)
    with pytest.raises(InputError, match="no model of arclift, or a damaged one"):
        read(path)


def test_a_later_minor_version_is_read(path):
    _with_header(path, format=f"{MAJOR}.9")
    assert read(path).kind == "toy"


def test_other_files_are_refused(tmp_path, monkeypatch):
    from safetensors.numpy import save_file

    save_file({"a": np.zeros(3)}, tmp_path / "plain.safetensors")
    with pytest.raises(InputError, match="not our header"):
        read(tmp_path / "plain.safetensors")
    with pytest.raises(InputError, match="cannot be read: no such file"):
        read(tmp_path / "none")
    with pytest.raises(InputError):
        read(tmp_path)
    monkeypatch.setattr(container, "MAX_BYTES", 10)
    with pytest.raises(InputError, match="larger than any model"):
        read(tmp_path / "plain.safetensors")
