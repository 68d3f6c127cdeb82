from __future__ import annotations

import pytest
from drawn_samples import BROKEN, DUTCH, ENGLISH
from hypothesis import given
from hypothesis import strategies as st

from arclift.draw.analysis import Fault, analyse
from arclift.errors import UsageError
from strategies import (
    Heads,
    arbitrary_strategy,
    heads_strategy,
    is_projective_by_definition,
    is_tree_by_walking,
)


def test_each_fault_is_found_at_its_word() -> None:
    analysis = analyse(len(BROKEN.forms), BROKEN.heads, BROKEN.labels, 9)
    assert analysis.faults == {1: Fault.CYCLE, 4: Fault.LOOP, 5: Fault.OUTSIDE, 6: Fault.MISSING}
    assert analysis.heads == [0, 0, 3, 1, 0, 0, 0, 0, 7, 0]
    assert [analysis.given_head(word) for word in (1, 5, 6)] == ["2", "99", "_"]


def test_crossing_arcs_are_found() -> None:
    assert not any(analyse(11, ENGLISH.heads, ENGLISH.labels, 11).crossing)
    crossing = analyse(10, DUTCH.heads, DUTCH.labels, 10).crossing
    assert [word for word, crosses in enumerate(crossing) if crosses] == [3, 4, 6]


@given(heads_strategy(12, single_root=False))
def test_trees_are_taken_as_they_are(heads: Heads) -> None:
    given_heads = heads.tolist()
    analysis = analyse(len(given_heads), given_heads, ["x"] * len(given_heads), len(given_heads))
    assert analysis.faults == {}
    assert analysis.heads[1:] == given_heads
    assert any(analysis.crossing) != is_projective_by_definition(given_heads)


@given(arbitrary_strategy(12))
def test_any_heads_become_a_tree_by_cutting_only_faults(heads: Heads) -> None:
    given_heads = heads.tolist()
    analysis = analyse(len(given_heads), given_heads, ["x"] * len(given_heads), len(given_heads))
    assert is_tree_by_walking(analysis.heads[1:])
    changed = {word for word in range(1, len(analysis) + 1) if analysis.heads[word] != given_heads[word - 1]}
    assert changed == set(analysis.faults)


@given(heads_strategy(14, min_size=2, single_root=False), st.integers(0, 14))
def test_arcs_cross_in_a_part_of_a_sentence_as_they_do_in_all_of_it(heads: Heads, limit: int) -> None:
    given_heads = heads.tolist()
    words = len(given_heads)
    shown = min(limit, words)
    part = analyse(words, given_heads, ["x"] * words, shown).crossing
    whole = analyse(words, given_heads, ["x"] * words, words).crossing
    for word, head in enumerate(given_heads, start=1):
        assert part[word] == (whole[word] and word <= shown and head <= shown)


def test_numbers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(UsageError, match="2 words, 1 heads and 2 labels"):
        analyse(2, [0], ["a", "b"], 2)
    with pytest.raises(UsageError, match="2 words, 2 heads and 1 labels"):
        analyse(2, [0, 1], ["a"], 2)
