"""Parsers: what they are made of, how they are trained, and how they run."""

from arclift.parsing.checkpoint import Epoch
from arclift.parsing.config import PRESETS, Config, preset_config, read_config
from arclift.parsing.jackknife import jackknife
from arclift.parsing.loading import load
from arclift.parsing.options import Options
from arclift.parsing.parser import Parser
from arclift.parsing.portions import split
from arclift.parsing.train import Report, train_on

__all__ = [
    "PRESETS",
    "Config",
    "Epoch",
    "Options",
    "Parser",
    "Report",
    "jackknife",
    "load",
    "preset_config",
    "read_config",
    "split",
    "train_on",
]
