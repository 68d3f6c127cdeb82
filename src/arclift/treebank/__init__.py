"""Treebanks in and out: formats, streams, columns and views, without losing a byte."""

from arclift.treebank.block import Block
from arclift.treebank.formats import FORMATS, Format
from arclift.treebank.reader import Reader, Treebank, read, read_all, write
from arclift.treebank.sentence import Sentence, Token
from arclift.treebank.strings import StringTable

__all__ = [
    "FORMATS",
    "Block",
    "Format",
    "Reader",
    "Sentence",
    "StringTable",
    "Token",
    "Treebank",
    "read",
    "read_all",
    "write",
]
