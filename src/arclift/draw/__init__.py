"""Drawings of forms, heads and labels, be they a tree or not: as lines of text, and as SVG.

Plain sequences in, one string out; heads count from 1, and 0 is the artificial root. Arcs that are not
projective stand out. Non-trees are drawn with what is wrong with them marked.
"""

from arclift.draw.svg import draw_html, draw_svg
from arclift.draw.text import draw_text

__all__ = ["draw_html", "draw_svg", "draw_text"]
