"""Scores of a system output against a gold file, and of two systems against each other."""

from arclift.evaluate.evaluation import Comparison, Evaluation, compare, evaluate
from arclift.evaluate.policy import Policy

__all__ = ["Comparison", "Evaluation", "Policy", "compare", "evaluate"]
