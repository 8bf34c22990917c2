# SPDX-License-Identifier: BSD-3-Clause
"""The page: one HTML file that holds its style, its script, plotly.js, the charts and the table.

It fetches nothing, and its Content-Security-Policy forbids that it could. Whatever comes from data is
escaped for the place where it stands: `escape` for HTML, `script_text` for JSON and code inside
<script>. The same data give the same bytes.
"""
import html
import json
import re
from pathlib import Path

from rowhalo_study.names import shown
from rowhalo_study.pages.figures import with_legend_room

HERE = Path(__file__).resolve().parent
POLICY = ("default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
          "img-src data: blob:; base-uri 'none'; form-action 'none'")
SELECTORS = (("matrix", "Matrix", "all matrices"), ("format", "Format", "all formats"),
             ("transport", "Transport", "all transports"), ("ranks", "Ranks", "all"))


def escape(value):
    """A name or a line, as text or in an attribute."""
    return html.escape(shown(value), quote=True)


def escape_lines(text):
    return "\n".join(map(escape, text.split("\n")))


def script_text(code):
    """Code that cannot end its <script>, nor open a comment that hides the end."""
    return re.sub("<(?=/script)", r"<\\", code, flags=re.IGNORECASE).replace("<!--", "\\x3C!--")


def json_text(value):
    """JSON inside <script>, whatever its strings hold."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def without_nan(value):
    """Numbers that JSON does not know become null."""
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    if isinstance(value, dict):
        return {name: without_nan(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_nan(one) for one in value]
    return value


def list_of(items, kind):
    return f'<ul class="{kind}">' + "".join(f"<li>{escape(item)}</li>" for item in items) + "</ul>" \
        if items else ""


def cell(value, tag="td"):
    number = isinstance(value, (int, float)) or str(value)[:1] in tuple("0123456789+-") and tag == "td"
    return f"<{tag}{' class=n' if number else ''}>{escape('' if value is None else value)}</{tag}>"


def table_html(table):
    lines = []
    for index, line in enumerate(table.lines):
        meta = table.metas[index] if table.metas else None
        chosen = f' data-meta="{escape(json.dumps(meta, sort_keys=True))}"' if meta else ""
        lines.append(f"<tr{chosen}>{''.join(map(cell, line))}</tr>")
    heads = "".join(f"<th>{escape(head)}</th>" for head in table.heads)
    note = f"<p>{escape(table.note)}</p>" if table.note else ""
    return (f'{note}<div class="scroll"><table><thead><tr>{heads}</tr></thead>'
            f"<tbody>{''.join(lines)}</tbody></table></div>")


def machine_html(machines):
    """Hardware and software, one row per fact, a column per machine."""
    tables = []
    for part in range(2):
        facts = list(dict.fromkeys(name for machine in machines for name in machine[part]))
        lines = "".join(f"<tr><th>{escape(fact)}</th>" + "".join(
            f"<td>{escape(machine[part].get(fact, '-'))}</td>" for machine in machines) + "</tr>"
            for fact in facts)
        tables.append(f'<div class="scroll"><table class="machine"><tbody>{lines}</tbody></table></div>')
    return f'<div class="{"pair" if len(machines) < 2 else ""}">{"".join(tables)}</div>'


def cards_html(cards):
    return '<div class="cards">' + "".join(
        f'<div class="card"><b>{escape(card.figure)}</b><span>{escape(card.caption)}</span></div>'
        for card in cards) + "</div>" if cards else ""


def head_html(title, subtitle, verdict, cards, machines):
    notes = (f'<section id="notes"><h2>Worth a look</h2>{list_of(verdict.notes, "notes")}</section>'
             if verdict.notes else "")
    return f"""<header><p class="kind">rowhalo report</p><h1>{escape(title)}</h1>
<p class="subtitle">{escape(subtitle)}</p></header>
<section id="verdict" class="{verdict.tone}"><div class="word">{escape(verdict.word)}</div>
<div><p>{escape(verdict.sentence)}</p>{list_of(verdict.reasons, "reasons")}</div></section>
{cards_html(cards)}
<section id="machine"><h2>Machine</h2>{machine_html(machines)}</section>
{notes}"""


def choices_of(sections, rows_metas):
    """{selector: values} of all charts and tables, in order; a selector with one value is left out."""
    found = {name: {} for name, _, _ in SELECTORS}
    metas = [one["meta"] for section in sections for chart in section.charts for one in chart.traces
             if one.get("meta")] + [meta for meta in rows_metas if meta]
    for meta in metas:
        for name, values in found.items():
            some = meta.get(name)
            values.update(dict.fromkeys(some if isinstance(some, list) else [some]))
    choices = {name: [value for value in values if value is not None] for name, values in found.items()}
    choices["ranks"].sort()
    return {name: values for name, values in choices.items() if len(values) > 1}


def selectors_html(choices):
    fields = []
    for name, title, every in SELECTORS:
        if name in choices:
            options = "".join(f'<option value="{escape(value)}">{escape(value)}</option>'
                              for value in choices[name])
            fields.append(f'<label>{title} <select data-key="{name}"><option value="">{every}</option>'
                          f"{options}</select></label>")
    return "".join(fields)


def laid_out(section):
    """A lone chart is wider, if it has no square shape; legends have their room."""
    alone = len(section.charts) == 1 and section.charts[0].traces[0]["type"] != "heatmap"
    wider = {"third": "half", "half": "whole"} if alone else {}
    return section._replace(charts=[with_legend_room(chart._replace(size=wider.get(chart.size, chart.size)))
                                    for chart in section.charts])


def section_html(section, first):
    """The places of its charts, numbered from `first`."""
    charts = "".join(
        f'<figure class="{chart.size}"><figcaption>{escape(chart.title)}</figcaption>'
        f'<div class="chart" id="chart{first + index}" style="height:{chart.layout["height"]}px"></div>'
        "</figure>" for index, chart in enumerate(section.charts))
    return (f'<section class="charts" id="{section.name}"><h2>{escape(section.title)}</h2>'
            f'<p class="lead">{escape(section.lead)}</p><div class="grid">{charts}</div>'
            f'<p class="none" hidden>Nothing here matches the selection.</p>'
            f"{''.join(map(table_html, section.tables))}</section>")


def recipe_html(recipe):
    files = "".join(f"<details><summary>{escape(name)}</summary><pre>{escape_lines(text)}</pre></details>"
                    for name, text in recipe.files)
    runs = "".join(f"<tr>{cell(ranks)}{cell(nodes or 1)}{cell(commit or '-')}"
                   f"<td><code>{escape(command)}</code></td></tr>"
                   for ranks, nodes, _, commit, command in recipe.runs)
    steps = "\n".join(recipe.steps)
    return f"""<section id="reproduce"><h2>Reproduce</h2><pre>{escape_lines(steps)}</pre>{files}
<details><summary>{len(recipe.runs)} command lines</summary><div class="scroll"><table><thead><tr><th>ranks</th>
<th>nodes</th><th>commit</th><th>command</th></tr></thead><tbody>{runs}</tbody></table></div></details></section>"""


def data_html(table, csv_name):
    return f"""<section id="data"><h2>All results</h2><p><button id="download" type="button">Download
{escape(csv_name)}</button> {len(table.lines)} lines; jobs/NUMBERS.md defines the columns.</p>
<details><summary>Show the table</summary>{table_html(table)}</details></section>"""


def page_html(head, sections, recipe, table, csv_text, csv_name, title, plotly):
    """`head`: HTML of head_html; `plotly`: code of plotly.js."""
    sections = [laid_out(section) for section in sections]
    choices = choices_of(sections, table.metas)
    charts = [chart for section in sections for chart in section.charts]
    model = {"charts": [{"traces": chart.traces, "layout": chart.layout, "top": chart.top,
                         "ticks": list(chart.ticks)} for chart in charts],
             "csv": csv_text, "csvName": csv_name}
    places, first = [], 0
    for section in sections:
        places.append(section_html(section, first))
        first += len(section.charts)
    links = "".join(f'<a href="#{name}">{escape(text)}</a>' for name, text in (
        ("verdict", "Verdict"), ("machine", "Machine"),
        *((section.name, section.title.split(",")[0]) for section in sections),
        ("data", "All results"), ("reproduce", "Reproduce")))
    fields = selectors_html(choices)
    bar = f'<form id="selectors">{fields}<button type="reset">Reset</button></form>' if fields else ""
    style, script = ((HERE / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="rowhalo-study report"><title>{escape(title)}</title>
<style>{style}</style></head><body>
<nav aria-label="Sections">{links}</nav>
<main>{head}
{bar}<noscript><p class="none">Charts and selectors need JavaScript; the tables do not.</p></noscript>
{"".join(places)}
{data_html(table, csv_name)}
{recipe_html(recipe)}
</main>
<script type="application/json" id="model">{json_text(without_nan(model))}</script>
<script>{script_text(plotly)}</script>
<script>{script_text(script)}</script>
</body></html>
"""
