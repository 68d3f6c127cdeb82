"""Box-drawing characters by the weights of their four arms, and what replaces them where they are missing."""

from __future__ import annotations

import codecs
import re

ARROW, UNKNOWN, CUT, NOT_SHOWN, DIFFERS = "►", "?", "↺", "…", "≠"

# Up, right, down, left: 0 nothing, 1 light, 2 heavy. Light corners are round, heavy ones square.
_BY_ARMS = {
    "0000": " ", "0101": "─", "0202": "━", "1010": "│", "2020": "┃",
    "0110": "╭", "1100": "╰", "0220": "┏", "2200": "┗",
    "1110": "├", "1210": "┝", "2110": "┞", "1120": "┟", "2120": "┠", "2210": "┡", "1220": "┢", "2220": "┣",
    "0111": "┬", "0121": "┰", "0212": "┯", "0222": "┳", "1101": "┴", "2101": "┸", "1202": "┷", "2202": "┻",
    "1111": "┼", "1212": "┿", "2111": "╀", "1121": "╁", "2121": "╂", "2212": "╇", "1222": "╈", "2222": "╋",
}  # fmt: skip
_FACING, _MIRRORED = "╭╰┏┗├┝┞┟┠┡┢┣►", "╮╯┓┛┤┥┦┧┨┩┪┫◄"
_MIRROR = str.maketrans(_FACING, _MIRRORED)

_LINES = {"─": "-", "━": "=", "│": "|", "┃": ":"}
_SIGNS = {ARROW: ">", "◄": "<", CUT: "@", NOT_SHOWN: "~", DIFFERS: "!"}
_JOINTS = [joint for joint in [*_BY_ARMS.values(), *_MIRRORED[:-1]] if joint not in {" ", *_LINES}]
_ASCII = str.maketrans(_LINES | _SIGNS | dict.fromkeys(_JOINTS, "+"))

_HEAVY_GLYPHS = "".join(joint for arms, joint in _BY_ARMS.items() if "2" in arms)
_HEAVY_GLYPHS += _HEAVY_GLYPHS.translate(_MIRROR)
# Pieces of a drawn line that are heavy; an arrow belongs to the line it ends.
HEAVY = re.compile(f"[{_HEAVY_GLYPHS}]*━{ARROW}|◄━[{_HEAVY_GLYPHS}]*|[{_HEAVY_GLYPHS}]+")

MARK = re.compile(f"[{UNKNOWN}{CUT}{NOT_SHOWN}]")


def glyph(up: int, right: int, down: int, left: int) -> str:
    """Return the character whose arms have these weights."""
    return _BY_ARMS[f"{up}{right}{down}{left}"]


def mirrored(line: str) -> str:
    """Return a drawn line as seen in a mirror."""
    return line[::-1].translate(_MIRROR)


def in_ascii(line: str) -> str:
    """Return a drawn line in ASCII: heavy lines become ``=`` and ``:``, joints ``+``."""
    return line.translate(_ASCII)


def is_known(encoding: str) -> bool:
    """Say whether Python can encode text in ``encoding``."""
    try:
        return bool(codecs.lookup(encoding))
    except LookupError:
        return False


def are_in(encoding: str) -> bool:
    """Say whether ``encoding`` holds all characters that drawings use."""
    try:
        return bool("".join(map(chr, _ASCII)).encode(encoding))
    except UnicodeEncodeError:
        return False
