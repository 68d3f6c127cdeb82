"""Transition systems: rewrite rules as the papers print them, an engine that runs them, and their oracles."""

from arclift.transitions.configuration import Configuration
from arclift.transitions.gold import Gold
from arclift.transitions.registry import SYSTEMS, make
from arclift.transitions.system import System

__all__ = ["SYSTEMS", "Configuration", "Gold", "System", "make"]
