"""The packed order: every word once, all sentences step by step."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arclift.graph.packing import Packed

LENGTHS = st.lists(st.integers(1, 9), min_size=1, max_size=8)


@given(LENGTHS)
def test_every_word_stands_once_at_its_place(lengths):
    packed = Packed(np.array(lengths))
    assert sorted(packed.words.tolist()) == list(range(sum(lengths)))
    starts = np.append(0, np.cumsum(lengths))
    for at, word in enumerate(packed.words.tolist()):
        sentence = int(np.searchsorted(starts, word, side="right")) - 1
        assert packed.place[at] == word - starts[sentence]
        assert packed.lengths[packed.sentence[at]] == lengths[sentence]


@given(LENGTHS)
def test_mirror_and_previous_stay_in_the_sentence(lengths):
    packed = Packed(np.array(lengths))
    mirror = packed.mirror
    assert (packed.sentence[mirror] == packed.sentence).all()
    assert (packed.place[mirror] + packed.place == packed.lengths[packed.sentence] - 1).all()
    later = np.flatnonzero(packed.place > 0)
    assert (packed.sentence[packed.previous] == packed.sentence[later]).all()
    assert (packed.place[packed.previous] == packed.place[later] - 1).all()


@given(LENGTHS)
def test_padding_is_where_no_word_is(lengths):
    packed = Packed(np.array(lengths))
    assert packed.padded.shape == (len(lengths), max(lengths))
    assert ((packed.padded >= 0).sum(axis=1) == packed.lengths).all()
