"""Features as data: a language of addresses, compiled to integer programs that all learners share.

`address` is what a feature is made of, `template` the language, `program` the compiler, `evaluator` what runs
it, `text` and `values` the attributes of words as ids, `presets` feature sets by name.
"""

from arclift.features.address import FIRST, NOTHING, ROOT, UNKNOWN, Attribute, FeatureSet, Node, Step, Term
from arclift.features.evaluator import Configuration, row, rows
from arclift.features.presets import preset, preset_names, preset_text
from arclift.features.program import Find, Program, Read, compile_features
from arclift.features.template import parse_attribute, parse_features
from arclift.features.values import Column, Encoder, Values, feature_names

__all__ = [
    "FIRST",
    "NOTHING",
    "ROOT",
    "UNKNOWN",
    "Attribute",
    "Column",
    "Configuration",
    "Encoder",
    "FeatureSet",
    "Find",
    "Node",
    "Program",
    "Read",
    "Step",
    "Term",
    "Values",
    "compile_features",
    "feature_names",
    "parse_attribute",
    "parse_features",
    "preset",
    "preset_names",
    "preset_text",
    "row",
    "rows",
]
