"""The learners by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from arclift.errors import UsageError
from arclift.learners.contract import Learner
from arclift.learners.maxent import Maxent
from arclift.learners.memory import Memory
from arclift.learners.mlp import Mlp
from arclift.learners.perceptron import Perceptron

LEARNERS: dict[str, type[Learner]] = {learner.name: learner for learner in (Maxent, Memory, Mlp, Perceptron)}


def learner_class(name: str) -> type[Learner]:
    """Return the class of a learner; an unknown name is an error that lists those known."""
    if name not in LEARNERS:
        raise UsageError(f"no learner is called {name!r}; there are {', '.join(sorted(LEARNERS))}")
    return LEARNERS[name]


def create(name: str, **hyperparameters: Any) -> Learner:
    """Return an untrained learner; a wrong hyper-parameter is an error that lists the right ones."""
    kind = learner_class(name)
    wrong = sorted(hyperparameters.keys() - kind.defaults().keys())
    if wrong:
        known = ", ".join(sorted(kind.defaults()))
        raise UsageError(f"{name} has no hyper-parameter {wrong[0]!r}; there are {known}")
    return kind(**hyperparameters)


def restore(settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Learner:
    """Return the learner that ``settings()`` and ``arrays()`` describe."""
    return learner_class(settings["learner"]).from_arrays(settings, arrays)
