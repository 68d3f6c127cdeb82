"""An evaluation as one self-contained HTML page: scores, tables, and the worst sentences drawn."""

from __future__ import annotations

from collections import Counter
from html import escape

from arclift.draw import draw_html, draw_svg
from arclift.evaluate.evaluation import Analysed, Comparison, Evaluation
from arclift.evaluate.report import Part, comparison_part, notes, parts, percent
from arclift.evaluate.tables import Tables

MATRIX_SIZE = 20

_STYLE = """
:root{color-scheme:light dark;
--text:#1c1e21;--back:#fff;--soft:#5b6470;--line:#d9dde3;--card:#f5f7f9;--error:200,60,20}
@media (prefers-color-scheme:dark){:root{
--text:#e4e6ea;--back:#15171a;--soft:#9aa4b2;--line:#343a42;--card:#1e2126;--error:255,130,80}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--text);background:var(--back);
max-width:70rem;margin:2rem auto;padding:0 1.25rem}
h1{font-size:1.6rem;margin:0}h2{font-size:1.15rem;margin:2.5rem 0 .25rem}
h3{font-size:1rem;margin:1.75rem 0 .5rem}
.soft{color:var(--soft);font-size:.875rem;margin:.1rem 0 .75rem}
.cards{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.5rem 0}
.card{background:var(--card);border:1px solid var(--line);border-radius:.5rem;
padding:.5rem .9rem;min-width:5.5rem}
.card b{display:block;font-size:1.6rem;font-variant-numeric:tabular-nums;line-height:1.2}
.card span{color:var(--soft);font-size:.8125rem}
.note{border-left:3px solid rgb(var(--error));padding-left:.75rem;margin:.4rem 0}
.parts{columns:31rem;column-gap:2.5rem}
section{break-inside:avoid;padding-top:.1px}section>h3{margin-top:1.25rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9375rem}
th,td{padding:.2rem .55rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th{color:var(--soft);font-weight:600}th:first-child,td:first-child{text-align:left}
.matrix td,.matrix th{padding:.15rem .35rem;font-size:.8125rem;text-align:center}
.matrix th.top{writing-mode:vertical-rl;transform:rotate(180deg);text-align:left;border:0}
.matrix td.right{color:var(--soft);background:var(--card)}
.drawing{border:1px solid var(--line);border-radius:.5rem;padding:.5rem}
details>summary{cursor:pointer}
"""


def as_html(
    evaluation: Evaluation, second: Evaluation | None = None, comparison: Comparison | None = None
) -> str:
    """Return the page."""
    title = f"{evaluation.system_file} against {evaluation.gold_file}"
    body = [
        "<h1>Evaluation</h1>",
        f'<p class="soft">{evaluation.sentences} sentences, {evaluation.words} words of '
        f"{escape(evaluation.gold_file)}</p>",
    ]
    if comparison:
        body.append(_part(comparison_part(comparison, str(evaluation.policy))))
    for one in filter(None, (evaluation, second)):
        body += _system(one)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def _system(evaluation: Evaluation) -> list[str]:
    pieces = [f"<h2>{escape(evaluation.system_file)}</h2>", _cards(evaluation)]
    pieces += [f'<p class="note">{escape(note)}</p>' for note in notes(evaluation)]
    pieces += ['<div class="parts">', *map(_part, parts(evaluation)), "</div>"]
    if evaluation.tables:
        pieces.append(_matrix(evaluation.tables))
    if evaluation.worst:
        pieces.append("<h3>The sentences with the most errors</h3>")
        pieces.append(
            '<p class="soft">Above in blue what only the gold file has, below and dashed what only the '
            "system has.</p>"
        )
        pieces += map(_drawing, evaluation.worst)
    return pieces


def _cards(evaluation: Evaluation) -> str:
    cards = []
    if evaluation.attachment and evaluation.nonprojective:
        cards = [
            ("UAS", evaluation.attachment.uas),
            ("LAS", evaluation.attachment.las),
            ("exact match", evaluation.attachment.exact_match_labelled),
            ("non-projective F", evaluation.nonprojective.labelled.f1),
        ]
    elif evaluation.conll18:
        cards = [(name, evaluation.conll18.scores[name].f1) for name in ("Words", "UAS", "LAS")]
    if evaluation.conll18:
        cards += [(name, evaluation.conll18.scores[name].f1) for name in ("CLAS", "MLAS", "BLEX")]
    boxes = (f'<div class="card"><b>{percent(share)}</b><span>{name}</span></div>' for name, share in cards)
    return f'<div class="cards">{"".join(boxes)}</div>'


def _part(part: Part) -> str:
    title, header, rows = part
    name, _, policy = title.partition(" (")
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    lines = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return (
        f'<section><h3>{escape(name)}</h3><p class="soft">{escape(policy.removesuffix(")"))}</p>'
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
        "</section>"
    )


def _matrix(tables: Tables) -> str:
    """Draw how often each of the labels with the most errors is taken for each other one."""
    counts = tables.label_confusion
    if not counts:
        return ""
    involved: Counter[str] = Counter()
    for (gold, system), count in counts.items():
        involved[gold] += count
        involved[system] += count
    names = sorted(sorted(involved, key=lambda name: (-involved[name], name))[:MATRIX_SIZE])
    most = max(counts.values())
    header = "".join(f'<th class="top">{escape(name)}</th>' for name in names)
    rows = "".join(
        f"<tr><th>{escape(gold)}</th>{''.join(_cell(counts, gold, system, most) for system in names)}</tr>"
        for gold in names
    )
    return (
        '<h3>Relations confused</h3><p class="soft">Rows: gold. Columns: system. Numbers: words with the '
        f"wrong relation, for the {len(names)} relations with the most errors.</p>"
        f'<div class="scroll"><table class="matrix"><tr><th></th>{header}</tr>{rows}</table></div>'
    )


def _cell(counts: Counter[tuple[str, str]], gold: str, system: str, most: int) -> str:
    if gold == system:
        return '<td class="right">·</td>'
    count = counts.get((gold, system), 0)
    if not count:
        return "<td></td>"
    shade = 0.08 + 0.62 * (count / most) ** 0.5
    style = f"background:rgba(var(--error),{shade:.2f})"
    return f'<td style="{style}" title="{escape(gold)} → {escape(system)}">{count}</td>'


def _drawing(one: Analysed) -> str:
    svg = draw_svg(one.forms, *one.gold, tags=one.tags, other=one.system, title=f"Sentence {one.id}")
    errors = f"{one.errors} error{'s' * (one.errors != 1)}"
    return (
        f"<details open><summary>{escape(one.id)}: {errors} in {len(one.forms)} words</summary>"
        f'<div class="drawing">{draw_html(svg)}</div></details>'
    )
