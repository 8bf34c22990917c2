# SPDX-License-Identifier: BSD-3-Clause
"""The page: one HTML file that holds its style, its script, the pictures and the table, from page.html.j2.

It fetches nothing, and its Content-Security-Policy forbids that it could. Jinja2 escapes whatever comes from data; names pass
`shown` before. Pictures are SVG inside <img>, where no script in them runs. The same data give the same bytes.
"""
import base64
import html
import json
import re
from pathlib import Path

from rowhalo_study.names import shown
from rowhalo_study.pages.words import KEYS
from rowhalo_study.results.hdf5 import WrongFile, remedy

HERE = Path(__file__).resolve().parent
POLICY = ("default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
          "img-src data: blob:; base-uri 'none'; form-action 'none'")


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


def is_number(value):
    return isinstance(value, (int, float)) or str(value)[:1] in tuple("0123456789+-")


def choices_of(metas):
    """[(selector, values)]; a selector with one value is left out."""
    found = []
    for name in KEYS:
        values = dict.fromkeys(meta[name] for meta in metas if meta and meta.get(name) is not None)
        if len(values) > 1:
            found.append((name, sorted(values) if name == "ranks" else list(values)))
    return found


def picture_uri(svg):
    return "data:image/svg+xml;base64," + base64.b64encode(svg).decode()


def page_html(**parts):
    """`parts`: what page.html.j2 names."""
    try:
        import jinja2  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise WrongFile(f"a page needs the Python package jinja2 ({error}): {remedy('jinja2')}") from error
    from markupsafe import Markup  # pylint: disable=import-outside-toplevel
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(str(HERE)), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: value if isinstance(value, Markup) else "" if value is None else shown(value))
    environment.filters.update(
        lines=lambda text: Markup(escape_lines(text)), number=is_number, uri=picture_uri,
        meta=lambda one: json.dumps(one, sort_keys=True))
    metas = [meta for table in [parts["table"], *(one for part in parts["sections"] for one in part.tables)]
             for meta in table.metas]
    style, script = (Markup((HERE / name).read_text(encoding="utf-8")) for name in ("page.css", "page.js"))
    return environment.get_template("page.html.j2").render(
        policy=POLICY, style=style, script=Markup(script_text(script)), choices=choices_of(metas),
        model=Markup(json_text({"csv": parts["csv_text"], "csvName": parts["csv_name"]})), **parts)
