"""The labels of the encoding schemes (Nivre & Nilsson 2005, Table 1), and how they are written.

=========  ========================  ===============  ==============================================
scheme     arc that was lifted       arc on the path  number of labels (n = those of the treebank)
=========  ========================  ===============  ==============================================
baseline   ``d``                     ``p``            n
head       ``d↑h``                   ``p``            at most n(n+1)
head+path  ``d↑h``                   ``p↓``           at most 2n(n+1)
path       ``d↑``                    ``p↓``           at most 4n
exact      ``d↑`` or ``d↑k``         ``p↓``           at most 2n(K+1), K = the greatest ordinal used
=========  ========================  ===============  ==============================================

d is the label of the lifted word, h that of its syntactic head, both from the original tree. On the path
are all words that it was lifted past; under ``exact`` only the syntactic heads are marked, and k >= 2 is an
ordinal (``arclift.trees.exact``). A word can be both: ``d↑h↓``. MaltParser writes ``d|h``, ``d|``, ``p%``;
spaCy ``d||h``.

Labels that contain a character of the markers are escaped, so that every label can be told from its marks.
``parse`` takes any string, also what a parser made up: what is no mark is part of the label.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from arclift.errors import UsageError


class Scheme(StrEnum):
    """How the lifts are written into the labels."""

    BASELINE = "baseline"
    HEAD = "head"
    HEAD_PATH = "head+path"
    PATH = "path"
    EXACT = "exact"

    @property
    def names_head(self) -> bool:
        """Whether a lifted arc bears the label of the syntactic head."""
        return self in (Scheme.HEAD, Scheme.HEAD_PATH)

    @property
    def marks_path(self) -> bool:
        """Whether arcs are marked from which something was lifted."""
        return self in (Scheme.HEAD_PATH, Scheme.PATH, Scheme.EXACT)


@dataclass(frozen=True, slots=True)
class Label:
    """A label taken apart: ``argument`` is the head's label or the ordinal, empty if there is none."""

    base: str
    lifted: bool = False
    argument: str = ""
    path: bool = False


@dataclass(frozen=True, slots=True)
class Markers:
    """The strings that stand for ↑ and ↓ (``path`` None: there is no such mark), and the escape character."""

    lifted: str = "↑"
    path: str | None = "↓"
    escape: str = "\\"

    def __post_init__(self) -> None:
        marks = [self.lifted, self.escape, *([] if self.path is None else [self.path])]
        characters = [character for mark in marks for character in set(mark)]
        if not all(marks) or len(self.escape) != 1:
            raise UsageError("a marker must not be empty, and the escape must be one character")
        if len(set(characters)) < len(characters) or any(c.isspace() or c.isdigit() for c in characters):
            raise UsageError("markers and escape must not share characters, nor have white space or digits")

    def format(self, label: Label) -> str:
        """Write a label; ``parse`` gives it back."""
        text = self._escaped(label.base)
        if label.lifted:
            text += self.lifted + self._escaped(label.argument)
        if label.path:
            if self.path is None:
                raise UsageError("these markers have none for the path: choose others, or the scheme head")
            text += self.path
        return text

    def parse(self, text: str) -> Label:
        """Take any label apart: the first lifted marker counts, and a path marker at the end."""
        parts: list[list[str]] = [[]]
        path = False
        at = 0
        while at < len(text):
            if text[at] == self.escape and at + 1 < len(text):
                parts[-1].append(text[at + 1])
                at += 2
            elif len(parts) == 1 and text.startswith(self.lifted, at):
                parts.append([])
                at += len(self.lifted)
            elif self.path is not None and text[at:] == self.path:
                path = True
                break
            else:
                parts[-1].append(text[at])
                at += 1
        return Label("".join(parts[0]), len(parts) > 1, "".join(parts[-1]) if len(parts) > 1 else "", path)

    def _escaped(self, text: str) -> str:
        special = self.escape + self.lifted + (self.path or "")
        return "".join(self.escape + c if c in special else c for c in text)


PAPER = Markers()
MALT = Markers("|", "%")
SPACY = Markers("||", None)

PRESETS = {"paper": PAPER, "malt": MALT, "spacy": SPACY}
"""The markers by name: of the paper, of MaltParser, of spaCy (which knows only the scheme head)."""


def check_markers(scheme: Scheme, markers: Markers) -> None:
    """Raise ``UsageError`` if the scheme needs a mark that the markers do not have."""
    if scheme.marks_path and markers.path is None:
        raise UsageError(f"the scheme {scheme} marks the path, for which these markers have no sign")
