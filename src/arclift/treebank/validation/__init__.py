"""What is wrong with a treebank: the backbone of the file (level 1), its cells and its trees (level 2)."""

from arclift.treebank.validation.validator import Finding, Validator

__all__ = ["Finding", "Validator"]
