"""Learners: symbolic rows in, one score for each class out, all behind one contract."""

from arclift.learners.contract import Learner, Scorer, Sets
from arclift.learners.mlp import Mlp
from arclift.learners.perceptron import Perceptron
from arclift.learners.registry import LEARNERS, create, restore

__all__ = ["LEARNERS", "Learner", "Mlp", "Perceptron", "Scorer", "Sets", "create", "restore"]
