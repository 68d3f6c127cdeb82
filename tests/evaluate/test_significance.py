"""Two systems on the same words: McNemar and the paired bootstrap."""

import io
import math

import numpy as np
import pytest
from analysed_files import conllu, scored

from arclift.errors import UsageError
from arclift.evaluate import compare, evaluate
from arclift.evaluate.significance import bootstrap, mcnemar


def _flags(only_first, only_second, both=3):
    first = [True] * only_first + [False] * only_second + [True] * both
    second = [False] * only_first + [True] * only_second + [True] * both
    return np.array(first), np.array(second)


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [(0, 0, 1.0), (1, 0, 1.0), (0, 5, 2 / 32), (1, 5, 2 * 7 / 64), (2, 8, 2 * 56 / 1024), (4, 4, 1.0)],
)
def test_few_differing_words_are_tested_exactly(only_first, only_second, p):
    found = mcnemar(*_flags(only_first, only_second))
    assert found.method == "exact binomial"
    assert (found.only_first, found.only_second) == (only_first, only_second)
    assert found.p_value == pytest.approx(p)


def test_many_differing_words_are_tested_by_chi_squared():
    found = mcnemar(*_flags(60, 40))
    assert found.method.startswith("chi squared")
    assert found.p_value == pytest.approx(math.erfc(math.sqrt(19**2 / 100 / 2)))
    assert found.p_value == pytest.approx(0.0574, abs=1e-4)  # a published table: chi2 = 3.61, one degree
    assert mcnemar(*_flags(30, 30)).p_value == 1.0


def test_both_tests_hardly_differ_where_one_takes_over_from_the_other():
    exact, approximate = mcnemar(*_flags(7, 17)), mcnemar(*_flags(7, 18))
    assert exact.p_value == pytest.approx(approximate.p_value, abs=0.03)


def test_swapping_the_systems_changes_signs_only():
    words = np.full(40, 10)
    random = np.random.default_rng(1)
    first, second = random.integers(0, 11, 40), random.integers(0, 11, 40)
    one, other = bootstrap(words, first, second, samples=500), bootstrap(words, second, first, samples=500)
    assert one.difference == -other.difference
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
    assert one.p_value == other.p_value


def test_the_same_seed_gives_the_same_answer():
    words = np.full(30, 10)
    first, second = np.arange(30) % 11, (np.arange(30) + 3) % 11
    answers = {bootstrap(words, first, second, samples=300, seed=7) for _ in range(2)}
    assert len(answers) == 1
    assert bootstrap(words, first, second, samples=300, seed=8) not in answers


def test_equal_systems_do_not_differ():
    words = np.array([3, 4, 5])
    found = bootstrap(words, words, words, samples=100)
    assert (found.difference, found.low, found.high, found.p_value) == (0, 0, 0, 1)


def test_a_clear_difference_is_significant_and_a_small_one_is_not():
    words, none = np.full(200, 10), np.zeros(200, dtype=np.int64)
    assert bootstrap(words, none, none + 5, samples=999).p_value == pytest.approx(0.001)
    noise = np.random.default_rng(0).integers(0, 11, (2, 200))
    assert bootstrap(words, *noise, samples=999).p_value > 0.05


def test_no_words_make_no_difference():
    none = np.zeros(2, dtype=np.int64)
    assert bootstrap(none, none, none).p_value == 1


GOLD = conllu("a 2 x\n b 0 root", "c 0 root\n . 1 punct", "d 0 root")
FIRST = conllu("a 0 x\n b 1 root", "c 0 root\n . 1 dep", "d 0 root")


def test_systems_are_compared_on_scored_words():
    evaluations = [evaluate(io.BytesIO(GOLD), io.BytesIO(system), outcomes=True) for system in (FIRST, GOLD)]
    found = compare(*evaluations, samples=50)
    assert (found.uas.first, found.uas.second) == (3 / 5, 1)
    assert (found.las.first, found.las.second) == (2 / 5, 1)
    assert (found.las.mcnemar.only_first, found.las.mcnemar.only_second) == (0, 3)
    assert found.uas.bootstrap.difference == pytest.approx(2 / 5)
    assert compare(*evaluations, samples=0).uas.bootstrap is None


def test_evaluations_without_outcomes_cannot_be_compared():
    with pytest.raises(UsageError, match="same"):
        compare(scored(GOLD, FIRST), scored(GOLD, GOLD))
