"""What must hold of parsed text, whoever parsed it and however."""

from __future__ import annotations

import numpy as np

from arclift.parsing.options import DEFAULTS, Options
from arclift.parsing.parser import Parser
from arclift.treebank import Block
from arclift.treebank.formats import CONLLU
from arclift.trees.structure import TreeFlaw, tree_problems


def check_parsed(parser: Parser, before: Block, after: bytes, options: Options = DEFAULTS) -> None:
    """Raise unless each sentence has one tree and nothing has changed but what may."""
    form = before.format if before.format.head_column >= 0 else CONLLU
    done = Block(after, form, first_line=before.first_line)
    parser.check(done, options)
    if before.format.head_column < 0:
        assert done.words == before.words
        assert not len(done.flaws)
    elif options.best == 1:
        assert done.offsets.tolist() == before.offsets.tolist()
        assert done.flaws[:, [0, 2]].tolist() == before.flaws[:, [0, 2]].tolist()
        _check_lines(before, after, options)
        for flawed in before.flaws[:, 2].tolist():
            assert bytes(done[flawed]) == bytes(before[flawed])
    several = parser.several_roots and not options.single_root
    problems = tree_problems(done.heads, done.offsets)
    bad = problems > (TreeFlaw.SEVERAL_ROOTS if several else TreeFlaw.NONE)
    assert not bad.any(), f"sentence {int(np.argmax(bad))} is no tree"
    if options.keep:
        kept = before.heads >= 0
        assert done.heads[kept].tolist() == before.heads[kept].tolist()


def _check_lines(before: Block, after: bytes, options: Options) -> None:
    """Compare line by line: an own look at the columns, not the one that wrote them."""
    names = ["deprel", "head", *(["misc"] if options.scores else [])]
    changing = sorted((before.format.column(name) for name in names), reverse=True)
    for old, new in zip(before.data.split(b"\n"), after.split(b"\n"), strict=True):
        if old == new:
            continue
        cells, others = old.split(b"\t"), new.split(b"\t")
        assert cells[0].removeprefix(b"\xef\xbb\xbf").isdigit(), f"a line that is no word: {old!r}"
        for column in changing:
            del cells[column], others[column]
        assert cells == others, f"{old!r} became {new!r}"
