"""What `arclift.treebank.validation` can find: one rule for each error id.

Level 1 is the backbone of the file: encoding, lines, columns, numbering. Level 2 is what stands in the cells
and whether the heads are a tree. The levels are those of Universal Dependencies' own validation; the ids are
ours. An error breaks the format, a warning is allowed but asks for a second look.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Severity = Literal["error", "warning"]


class Rule(NamedTuple):
    """One thing that can be wrong."""

    id: str
    level: int
    severity: Severity
    what: str
    hint: str


_LEVEL_1 = (
    ("empty-file", "error", "the file has no sentences", "was it written to its end?"),
    ("binary-file", "error", "this is a binary file", "a treebank is text in UTF-8"),
    ("endless-sentence", "error", "no empty line far and wide", "an empty line ends a sentence"),
    ("invalid-utf8", "error", "the line is no UTF-8", "convert the file to UTF-8"),
    ("nul-byte", "error", "the line has a NUL character", "remove it"),
    ("control-character", "warning", "the line has a control character", "remove it"),
    ("byte-order-mark", "warning", "the file begins with a byte order mark", "save it as UTF-8 without BOM"),
    ("carriage-return", "warning", "lines end with CR LF", "lines of CoNLL-U end with LF alone"),
    ("missing-final-newline", "error", "the last line has no line end", "end the file with an empty line"),
    ("missing-final-empty-line", "error", "no empty line ends the last sentence", "add an empty line"),
    ("extra-empty-line", "error", "an empty line ends no sentence", "one empty line parts two sentences"),
    ("white-space-line", "error", "the line holds only white space", "an empty line is really empty"),
    ("misplaced-comment", "error", "a comment after the first row", "comments come before the words"),
    ("no-words", "error", "the sentence has no words", "comments alone are no sentence"),
    ("column-count", "error", "the row has not 10 columns", "columns are separated by one tab"),
    ("empty-cell", "error", "the cell is empty", "write _ where there is nothing"),
    ("outer-white-space", "error", "white space at an end of the cell", "remove it"),
    ("double-white-space", "error", "several spaces in a row in the cell", "use one space"),
    ("inner-white-space", "error", "white space in a column that takes none", "remove it"),
    ("not-nfc", "warning", "the text is not in Unicode's normal form C", "normalize the file to NFC"),
    ("invalid-id", "error", "the id is no number", "ids are 1, 2, 3, ..., ranges 3-4, empty nodes 5.1"),
    ("id-sequence", "error", "the id is out of order", "words are numbered 1, 2, 3, ..."),
    ("range-order", "error", "the range ends before its second word", "a range 3-4 holds two words or more"),
    ("misplaced-range", "error", "the range is not before its first word", "3-4 stands right before 3"),
    ("overlapping-range", "error", "the range overlaps the one before", "a word is in one range only"),
    (
        "range-beyond-sentence",
        "error",
        "the range goes beyond the last word",
        "its words are in the sentence",
    ),
    ("misplaced-empty-node", "error", "the empty node is out of order", "after word 5 come 5.1, 5.2, ..."),
    ("conllx-comment", "warning", "CoNLL-X has no comments", "is this CoNLL-U? --format conllu"),
    ("conllx-row", "error", "CoNLL-X has no ranges or empty nodes", "is this CoNLL-U? --format conllu"),
)

_LEVEL_2 = (
    ("missing-sent-id", "error", "the sentence has no sent_id", "add # sent_id = ..."),
    ("several-sent-ids", "error", "the sentence has more than one sent_id", "keep one"),
    (
        "invalid-sent-id",
        "error",
        "the sent_id is not one word",
        "no white space; a slash only before a layer",
    ),
    ("duplicate-sent-id", "error", "another sentence has this sent_id", "ids are unique in a file"),
    ("missing-text", "error", "the sentence has no text", "add # text = ..."),
    ("several-texts", "error", "the sentence has more than one text", "keep one"),
    ("text-outer-white-space", "error", "white space at an end of the text", "remove it"),
    ("text-mismatch", "error", "text and forms differ", "compare forms, ranges and SpaceAfter=No"),
    ("invalid-upos", "error", "no such universal tag", "there are 17: ADJ, ADP, ADV, AUX, CCONJ, ..."),
    ("invalid-feats", "error", "the features are not written Name=Value|...", "Case=Nom|Number=Plur"),
    ("unsorted-feats", "error", "the features are not sorted", "sort by name, upper as lower case"),
    ("duplicate-feature", "error", "a feature is there twice", "several values are separated by commas"),
    ("feature-values", "error", "values are not sorted or not distinct", "sort them: PronType=Int,Rel"),
    ("invalid-head", "error", "the head is no number", "a head is the id of a word, or 0"),
    ("head-range", "error", "the head is beyond the last word", "a head is a word of the same sentence"),
    ("self-loop", "error", "the word is its own head", "attach it to another word"),
    ("cycle", "error", "the heads go round in a circle", "every word leads to the root"),
    ("no-root", "error", "no word has head 0", "one word is the root"),
    ("several-roots", "error", "more than one word has head 0", "one word is the root"),
    ("root-relation", "error", "a word with head 0 is not called root", "its relation is root"),
    ("false-root", "error", "a word called root has a head", "only a word with head 0 is called root"),
    ("invalid-deprel", "error", "the relation is not written as UD asks", "nsubj, or nsubj:pass"),
    ("unknown-deprel", "error", "no such universal relation", "there are 37: nsubj, obj, obl, nmod, ..."),
    ("invalid-deps", "error", "DEPS is not written head:relation|...", "4:nsubj|6.1:nsubj"),
    ("unsorted-deps", "error", "DEPS is not sorted", "sort by head, then by relation"),
    ("duplicate-deps", "error", "DEPS has the same arc twice", "keep one"),
    ("deps-head", "error", "DEPS names a head that is not there", "a word or empty node of the sentence"),
    ("deps-self-loop", "error", "DEPS attaches a node to itself", "attach it to another node"),
    ("deps-root", "error", "in DEPS, 0 and root do not go together", "0:root, and no other"),
    ("deps-unreachable", "error", "no path in DEPS leads from 0 to the node", "connect it"),
    ("incomplete-deps", "error", "some nodes have DEPS and others none", "give all nodes DEPS, or none"),
    ("invalid-misc", "warning", "MISC has an empty item", "items are separated by one |"),
    ("invalid-space-after", "error", "SpaceAfter is not No", "SpaceAfter=No, or leave it out"),
    ("space-after-in-range", "error", "SpaceAfter at a word of a range", "it belongs to the range"),
    ("range-cells", "error", "a range has more than form, Typo and MISC", "its words have the analysis"),
    ("empty-node-cells", "error", "an empty node has HEAD or DEPREL", "its arcs stand in DEPS"),
    ("empty-node-deps", "error", "an empty node has no DEPS", "its arcs stand in DEPS"),
    ("unspecified-cell", "error", "CPOSTAG, POSTAG and DEPREL may not be _", "CoNLL-X wants a value"),
    ("empty-feature", "error", "FEATS has an empty item", "items are separated by one |"),
    ("invalid-phead", "error", "PHEAD is neither a number nor _", "the id of a word, 0 or _"),
    ("phead-range", "error", "PHEAD is beyond the last word", "a head is a word of the same sentence"),
    ("phead-pair", "error", "PHEAD without PDEPREL, or the other way round", "fill both, or neither"),
)

RULES: dict[str, Rule] = {
    id: Rule(id, level, severity, what, hint)  # type: ignore[arg-type]
    for level, rules in ((1, _LEVEL_1), (2, _LEVEL_2))
    for id, severity, what, hint in rules
}


def as_markdown() -> str:
    """Return the table of all rules, as it stands in docs/validation.md."""
    cells = [
        (f"`{rule.id}`", str(rule.level), rule.severity, rule.what, rule.hint) for rule in RULES.values()
    ]
    rows = [" | ".join(cell.replace("|", "\\|") for cell in row) for row in cells]
    lines = ["id | level | class | meaning | what to do", "---|---|---|---|---", *rows]
    return "".join(f"| {line} |\n" for line in lines)
