"""Precision and recall of the arcs that are non-projective in the one tree or in the other."""

import pytest
from analysed_files import conllu, scored

CROSSING = "a 3 x\n b 4 y\n c 4 z\n d 0 root"  # a ← c spans b, which hangs on d
PLAIN = "a 4 x\n b 4 y\n c 4 z\n d 0 root"


def test_precision_counts_the_systems_arcs_and_recall_the_gold_ones():
    found = scored(conllu(CROSSING, PLAIN, CROSSING), conllu(CROSSING, CROSSING, PLAIN)).nonprojective
    assert (found.unlabelled.system, found.unlabelled.system_right) == (2, 1)
    assert (found.unlabelled.gold, found.unlabelled.gold_right) == (2, 1)
    assert found.unlabelled.precision == found.unlabelled.recall == found.unlabelled.f1 == 0.5


def test_an_arc_is_right_even_if_it_is_projective_in_the_other_tree():
    # Both have a ← c; only in the gold tree does the arc cross, because there b hangs on d.
    found = scored(conllu(CROSSING), conllu("a 3 x\n b 3 y\n c 4 z\n d 0 root")).nonprojective.unlabelled
    assert (found.gold, found.gold_right, found.system) == (1, 1, 0)
    assert (found.recall, found.precision, found.f1) == (1, 0, 0)


def test_labels_count_in_the_labelled_score_only():
    found = scored(conllu(CROSSING), conllu(CROSSING.replace("3 x", "3 other"))).nonprojective
    assert found.unlabelled.f1 == 1
    assert found.labelled.f1 == 0


def test_f_is_the_harmonic_mean_of_precision_and_recall():
    found = scored(conllu(CROSSING, CROSSING), conllu(CROSSING, PLAIN)).nonprojective.unlabelled
    assert found.f1 == pytest.approx(2 * 1 * 0.5 / 1.5)


@pytest.mark.parametrize("broken", ["a 2 x\n b 1 y\n c 4 z\n d 0 root", "a _ x\n b 4 y\n c 4 z\n d 0 root"])
def test_a_sentence_that_is_no_tree_has_no_nonprojective_arcs(broken):
    found = scored(conllu(CROSSING, CROSSING), conllu(broken, CROSSING))
    assert (found.nonprojective.unlabelled.system, found.nonprojective.unlabelled.gold) == (1, 2)
    assert sum(found.system_problems.values()) == 1


def test_several_roots_are_no_obstacle():
    found = scored(conllu("a 3 x\n b 0 root\n c 0 root"), conllu("a 3 x\n b 0 root\n c 0 root")).nonprojective
    assert found.unlabelled.gold == 1
