"""The heads of one sentence, basic and enhanced: a tree and a connected graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arclift.treebank.validation.cells import NODE, NUMBER
from arclift.treebank.validation.rows import Paragraph

_HEAD, _DEPREL, _DEPS = 6, 7, 8


def check_tree(paragraph: Paragraph, single_root: bool) -> None:
    """Find heads out of range, loops, cycles and missing roots; needs numbered words."""
    cells = paragraph.words.cells
    if not all(NUMBER.fullmatch(row[_HEAD]) for row in cells):
        return  # that has been said, and without all heads there is no tree to look at
    lines = paragraph.words.lines
    heads = [0, *(int(row[_HEAD]) for row in cells)]
    wrong = False
    for word, head in enumerate(heads):
        if word and (head > len(cells) or head == word):
            paragraph.report("self-loop" if head == word else "head-range", lines[word - 1], str(head))
            wrong = True
    roots = [word for word, head in enumerate(heads) if word and not head]
    if not roots:
        paragraph.report("no-root", lines[0])
    if single_root and len(roots) > 1:
        paragraph.report("several-roots", lines[roots[1] - 1], "words " + ", ".join(map(str, roots[:8])))
    if not wrong:
        for cycle in cycles(heads):
            words = cycle[:8] + ["..."] * (len(cycle) > 8) + cycle[:1]
            paragraph.report("cycle", lines[cycle[0] - 1], " > ".join(map(str, words)))


def cycles(heads: Sequence[int]) -> Iterator[list[int]]:
    """Yield each cycle among ``heads`` (of which ``heads[0]`` is 0), from its first word along the heads."""
    walk = [0] * len(heads)  # the walk, numbered by its first word, on which each word was met
    for start in range(1, len(heads)):
        word = start
        while word and not walk[word]:
            walk[word] = start
            word = heads[word]
        if word and walk[word] == start:
            cycle = [word]
            while heads[cycle[-1]] != word:
                cycle.append(heads[cycle[-1]])
            first = cycle.index(min(cycle))
            yield cycle[first:] + cycle[:first]


def check_root_relation(paragraph: Paragraph) -> None:
    """Find words with head 0 that are not called root, and the other way round."""
    for row, line in zip(paragraph.words.cells, paragraph.words.lines, strict=True):
        is_root, called_root = row[_HEAD] == "0", row[_DEPREL].partition(":")[0] == "root"
        if is_root != called_root:
            paragraph.report("root-relation" if is_root else "false-root", line, row[_DEPREL])


def check_graph(paragraph: Paragraph) -> None:
    """Check DEPS as a graph over words and empty nodes; needs numbered rows."""
    words, empty_nodes = paragraph.words, paragraph.empty_nodes
    if not empty_nodes.cells and all(
        row[_DEPS] == "_" or row[_DEPS] == f"{row[_HEAD]}:{row[_DEPREL]}" for row in words.cells
    ):
        _check_complete(paragraph)
        return  # what is wrong with the heads has been said
    lines: dict[str, int] = {"0": 0}
    for rows in (words, empty_nodes):
        lines.update(zip([row[0] for row in rows.cells], rows.lines, strict=True))
    children: dict[str, list[str]] = {id: [] for id in lines}
    attached: list[str] = []
    readable = True
    for row in [*words.cells, *empty_nodes.cells]:
        id, cell = row[0], row[_DEPS]
        if cell == "_":
            continue
        attached.append(id)
        for arc in cell.split("|"):
            head = arc.partition(":")[0]
            if head == id:
                paragraph.report("deps-self-loop", lines[id], arc)
            elif head in children:
                children[head].append(id)
            else:
                readable = False
                if NODE.fullmatch(head):
                    paragraph.report("deps-head", lines[id], arc)
    _check_complete(paragraph)
    if readable:
        reached = _reachable(children)
        for id in attached:
            if id not in reached:
                paragraph.report("deps-unreachable", lines[id], id)


def _reachable(children: dict[str, list[str]]) -> set[str]:
    reached = {"0"}
    waiting = ["0"]
    while waiting:
        for child in children[waiting.pop()]:
            if child not in reached:
                reached.add(child)
                waiting.append(child)
    return reached


def _check_complete(paragraph: Paragraph) -> None:
    """Find words without DEPS beside words with them; empty nodes have a rule of their own."""
    missing = [
        line
        for row, line in zip(paragraph.words.cells, paragraph.words.lines, strict=True)
        if row[_DEPS] == "_"
    ]
    if missing and len(missing) < len(paragraph.words.lines):
        paragraph.report("incomplete-deps", missing[0], f"{len(missing)} words without")


def check_projective_heads(paragraph: Paragraph) -> None:
    """Check PHEAD and PDEPREL of CoNLL-X."""
    n = len(paragraph.words.cells)
    for row, line in zip(paragraph.words.cells, paragraph.words.lines, strict=True):
        head, relation = row[8], row[9]
        if (head == "_") != (relation == "_"):
            paragraph.report("phead-pair", line, f"{head} {relation}")
        if paragraph.numbered and NUMBER.fullmatch(head) and int(head) > n:
            paragraph.report("phead-range", line, head)
