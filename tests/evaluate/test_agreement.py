"""Two columns, the same or not: the native loop and its twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arclift.evaluate import agreement
from twins import agreed

assert agreement  # its import pairs the two implementations


def _table(rows):
    data = b"".join(b"\t".join(row) + b"\n" for row in rows)
    fields, at = [], 0
    for row in rows:
        starts = [at]
        for cell in row:
            starts.append(starts[-1] + len(cell) + 1)
        at = starts[-1]
        fields.append(starts)
    return data, np.array(fields, dtype=np.uint32).reshape(-1, 3)


cells = st.sampled_from([b"", b"a", b"ab", b"ba", "é".encode(), b"_"])


@given(st.lists(st.tuples(cells, cells, cells), max_size=8))
def test_cells_are_the_same_iff_their_bytes_are(rows):
    gold, gold_fields = _table([row[:2] for row in rows])
    system, system_fields = _table([(row[0], row[2]) for row in rows])
    found = agreed("same_cells", gold, gold_fields, 1, system, system_fields, 1)
    assert found.tolist() == [row[1] == row[2] for row in rows]
    assert agreed("same_cells", gold, gold_fields, 0, system, system_fields, 0).all()


def test_a_last_column_that_is_not_there_is_empty():
    fields = np.array([[0, 3, 3]], dtype=np.uint32)
    assert agreed("same_cells", b"ab", fields, 1, b"ab", fields, 1).tolist() == [1]
    assert agreed("same_cells", b"ab", fields, 0, b"ab", fields, 1).tolist() == [0]


@pytest.mark.parametrize(
    ("column", "end", "message"),
    [(2, 3, "no such column"), (-1, 3, "no such column"), (1, 9, "a column leaves the data")],
)
def test_what_is_not_within_the_data_is_refused(column, end, message):
    fields = np.array([[0, 1, end]], dtype=np.uint32)
    with pytest.raises(ValueError, match=message):
        agreed("same_cells", b"ab", fields, column, b"ab", fields, column)


def test_sides_of_different_length_are_refused():
    fields = np.zeros((2, 2), dtype=np.uint32)
    with pytest.raises(ValueError, match="same number of words"):
        agreed("same_cells", b"", fields, 0, b"", fields[:1], 0)
