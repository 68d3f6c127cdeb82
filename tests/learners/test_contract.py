"""What every learner promises: a new one is done when it passes here."""

from __future__ import annotations

import json

import numpy as np
import pytest
from toys import Problem, exclusive_or, random_problem, separable

from arclift.errors import UsageError
from arclift.learners import LEARNERS, Sets, create, restore

EPOCHS = 30
SMALL: dict[str, dict] = {
    "maxent": {"conjunctions": [[0, 1]], "bits": 12, "step": 1.0, "l2": 0.01},
    "memory": {"k": 1},
    "perceptron": {"conjunctions": [[0, 1]], "bits": 12},
    "mlp": {"hidden": [32], "dims": [16], "batch": 32, "learning_rate": 0.01},
}
"""Hyper-parameters for the toy problems, by learner; every learner stands here."""


@pytest.fixture(params=sorted(LEARNERS))
def name(request):
    return request.param


def _untrained(name: str, problem: Problem, seed: int = 1):
    return create(name, **SMALL[name]).begin(problem.sizes, problem.classes, seed)


def _trained(name: str, problem: Problem, epochs: int = EPOCHS, seed: int = 1):
    learner = _untrained(name, problem, seed)
    learner.fit(problem.rows, problem.right, problem.permitted, epochs=epochs)
    return learner


def _choices(learner, problem: Problem):
    return np.where(problem.permitted != 0, learner.scores(problem.rows), -np.inf).argmax(axis=1)


def _accuracy(learner, problem: Problem) -> float:
    chosen = _choices(learner, problem)
    return float((problem.right[np.arange(len(chosen)), chosen] != 0).mean())


def _same(first, second) -> bool:
    a, b = first.arrays(), second.arrays()
    alike = a.keys() == b.keys() and all(
        a[key].dtype == b[key].dtype and a[key].tobytes() == b[key].tobytes() for key in a
    )
    return alike and first.settings() == second.settings()


def _reloaded(learner):
    return restore(json.loads(json.dumps(learner.settings())), learner.arrays())


@pytest.mark.parametrize("problem", [separable(), exclusive_or()], ids=["separable", "exclusive or"])
def test_it_learns_what_can_be_learned(name, problem):
    learner = _trained(name, problem)
    assert _accuracy(_untrained(name, problem), problem) < 0.9
    assert _accuracy(learner, problem) == 1.0
    assert _accuracy(learner.finish(), problem) == 1.0


def test_the_loss_falls(name):
    problem = separable()
    losses = _untrained(name, problem).fit(problem.rows, problem.right, problem.permitted, epochs=10)
    assert len(losses) == 10
    assert losses[-1] < losses[0]


def test_scores_are_one_float_for_each_row_and_class(name):
    problem = random_problem(0)
    learner = _trained(name, problem, 3)
    for form in (learner, learner.finish()):
        scores = form.scores(problem.rows)
        assert (scores.dtype, scores.shape) == (np.float32, (len(problem.rows), problem.classes))
        assert np.isfinite(scores).all()


def test_a_batch_is_scored_like_its_rows_alone(name):
    problem = random_problem(1)
    learner = _trained(name, problem, 3).finish()
    single = [learner.scores(problem.rows[i : i + 1])[0] for i in range(len(problem.rows))]
    assert learner.scores(problem.rows).tolist() == [row.tolist() for row in single]


def test_no_rows_are_no_trouble(name):
    problem = random_problem(2)
    learner = _trained(name, problem, 1)
    before = learner.arrays()
    nothing = problem.rows[:0], problem.right[:0], problem.permitted[:0]
    assert learner.update(*nothing) == 0.0
    assert learner.fit(*nothing) == [0.0]
    after = learner.arrays()
    assert all(before[key].tobytes() == after[key].tobytes() for key in before)
    for form in (learner, learner.finish()):
        assert form.scores(problem.rows[:0]).shape == (0, problem.classes)


def test_ids_out_of_range_count_as_unknown(name):
    problem = random_problem(3)
    known = np.where((problem.rows < 0) | (problem.rows >= problem.sizes[0]), 2, problem.rows)
    assert (known != problem.rows).any()
    learner = _trained(name, problem, 3)
    clean = _trained(name, problem._replace(rows=known.astype(np.int32)), 3)
    assert _same(learner, clean)
    extreme = np.where(known == 2, np.iinfo(np.int32).max, known).astype(np.int32)
    for form in (learner, learner.finish()):
        assert form.scores(extreme).tolist() == form.scores(known).tolist()


def test_unknown_everywhere_gives_finite_and_equal_scores(name):
    learner = _trained(name, separable(), 3)
    for form in (learner, learner.finish()):
        scores = form.scores(np.full((2, 3), 2, dtype=np.int32))
        assert np.isfinite(scores).all()
        assert scores[0].tolist() == scores[1].tolist()


def test_every_array_is_finite_after_long_training_on_contradictions(name):
    problem = random_problem(4, n=64)
    learner = _trained(name, problem, 60)
    for form in (learner, learner.finish()):
        assert all(np.isfinite(array).all() for array in form.arrays().values())


def test_a_class_that_is_not_permitted_never_counts(name):
    problem = separable()
    learner = _untrained(name, problem)
    permitted = problem.permitted.copy()
    permitted[:, 0] = 0
    permitted[problem.right[:, 0] != 0] = 0  # rows of class 0 have nothing permitted
    other = problem.right.copy()
    other[:, 0] = 1  # right, but never permitted
    twin = _untrained(name, problem)
    learner.fit(problem.rows, problem.right, permitted, epochs=3)
    twin.fit(problem.rows, other, permitted, epochs=3)
    assert _same(learner, twin)


def test_a_row_without_a_permitted_right_class_teaches_nothing(name):
    problem = separable(32)
    learner = _untrained(name, problem)
    before = learner.scores(problem.rows).tolist()
    loss = learner.update(problem.rows, np.zeros_like(problem.right), problem.permitted)
    assert (loss, learner.scores(problem.rows).tolist()) == (0.0, before)


def test_any_right_class_will_do(name):
    problem = separable()
    right = problem.right | np.roll(problem.right, 1, axis=1)
    learner = _trained(name, problem._replace(right=right))
    assert _accuracy(learner.finish(), problem._replace(right=right)) == 1.0


def test_same_seed_same_bytes_and_another_seed_another_order(name):
    problem = random_problem(5)
    assert _same(_trained(name, problem, 3, seed=7), _trained(name, problem, 3, seed=7))
    assert not _same(_trained(name, problem, 3, seed=7), _trained(name, problem, 3, seed=8))


def test_equal_candidates_are_decided_the_same_way_each_time(name):
    problem = separable(64)
    right = np.ones_like(problem.right)  # everything is right: nothing to learn, all is a tie
    chosen = [
        _choices(_trained(name, problem._replace(right=right), 2).finish(), problem).tolist()
        for _ in range(2)
    ]
    assert chosen[0] == chosen[1]


@pytest.mark.parametrize("finished", [False, True])
def test_what_is_saved_comes_back(name, finished):
    problem = random_problem(6)
    learner = _trained(name, problem, 3)
    learner = learner.finish() if finished else learner
    loaded = _reloaded(learner)
    assert _same(learner, loaded)
    assert learner.scores(problem.rows).tolist() == loaded.scores(problem.rows).tolist()


def test_resumed_training_is_uninterrupted_training(name):
    problem = random_problem(7, n=100)
    straight, interrupted = _untrained(name, problem), _untrained(name, problem)
    data = problem.rows, problem.right, problem.permitted
    losses = straight.fit(*data, epochs=4, planned=4)
    again = []
    for _ in range(4):
        again += interrupted.fit(*data, planned=4)
        interrupted = _reloaded(interrupted)
    assert losses == again
    assert _same(straight, interrupted)
    assert _same(straight.finish(), interrupted.finish())


def test_finishing_leaves_training_alone_and_ends_learning(name):
    problem = random_problem(8)
    learner, other = _trained(name, problem, 2), _trained(name, problem, 2)
    finished = learner.finish()
    assert finished.finish() is finished
    learner.fit(problem.rows, problem.right, problem.permitted)
    other.fit(problem.rows, problem.right, problem.permitted)
    assert _same(learner, other)
    with pytest.raises(UsageError, match="finished"):
        finished.update(problem.rows, problem.right, problem.permitted)


def test_arrays_are_copies(name):
    problem = random_problem(9)
    learner = _trained(name, problem, 2)
    before = learner.scores(problem.rows).tolist()
    for array in learner.arrays().values():
        array[...] = 1
    assert learner.scores(problem.rows).tolist() == before


def test_shared_sets_are_the_same_as_spelled_out_ones(name):
    problem = random_problem(10)
    spelled, shared = _untrained(name, problem), _untrained(name, problem)
    spelled.fit(problem.rows, problem.right, problem.permitted, epochs=2)
    shared.fit(problem.rows, Sets.of(problem.right), Sets.of(problem.permitted), epochs=2)
    assert _same(spelled, shared)


def test_wrong_shapes_are_refused(name):
    problem = random_problem(11)
    learner = _untrained(name, problem)
    with pytest.raises(UsageError, match="columns"):
        learner.scores(problem.rows[:, 1:])
    with pytest.raises(UsageError, match="columns"):
        learner.update(problem.rows[:, 1:], problem.right, problem.permitted)
    for right, permitted in [
        (problem.right[:-1], problem.permitted),
        (problem.right, problem.permitted[:, 1:]),
    ]:
        with pytest.raises(UsageError, match="classes"):
            learner.update(problem.rows, right, permitted)
    with pytest.raises(UsageError, match="ids"):
        create(name, **SMALL[name]).begin([2], 3)
    with pytest.raises(UsageError, match="class"):
        create(name, **SMALL[name]).begin([3], 0)


@pytest.mark.parametrize("finished", [False, True])
def test_arrays_of_another_shape_are_refused(name, finished):
    learner = _trained(name, random_problem(12), 1)
    learner = learner.finish() if finished else learner
    for key, array in learner.arrays().items():
        cut = {**learner.arrays(), key: array[..., :-1]}
        missing = {k: v for k, v in learner.arrays().items() if k != key}
        for wrong in (cut, missing):
            with pytest.raises(UsageError, match="settings and arrays"):
                restore(learner.settings(), wrong)


@pytest.mark.parametrize(
    "change", [{"sizes": [3]}, {"classes": 0}, {"hyperparameters": {"other": 1}}, {"seed": None}]
)
def test_settings_that_are_not_of_the_arrays_are_refused(name, change):
    learner = _trained(name, random_problem(13), 1)
    with pytest.raises(UsageError, match="settings and arrays"):
        restore({**learner.settings(), **change}, learner.arrays())


def test_every_learner_is_in_this_suite_and_wrong_names_are_refused(name):
    assert set(LEARNERS) <= set(SMALL)
    with pytest.raises(UsageError, match=name):
        create("no such learner")
    with pytest.raises(UsageError, match=sorted(LEARNERS[name].defaults())[0]):
        create(name, no_such_parameter=1)
