# SPDX-License-Identifier: BSD-3-Clause
"""Charts of a page as Plotly's dictionaries, in the colours, markers and dashes of the pictures.

A trace says in `meta` what each of its points belongs to: matrix, format, transport, ranks. The
page's selectors keep the points that match; None matches every choice (PETSc's solvers have no format of
ours, a product on one rank has no transport). `only` in `meta` shows a trace while no format and transport
is chosen ("all"), or while one is ("chosen"). Texts under the mouse are made here, so that the page
computes nothing. Names from data pass `text`, because Plotly takes tags in every text.
"""
import html
import math
from typing import NamedTuple

from rowhalo_study.names import shown
from rowhalo_study.plots.scaling import generator
from rowhalo_study.plots.style import byte_unit, line_style, room_above, short_matrix, time_unit

SYMBOLS = {"o": "circle", "s": "square", "^": "triangle-up", "D": "diamond", "v": "triangle-down",
           "P": "cross", "X": "x", "<": "triangle-left"}
DASHES = {"-": "solid", "--": "dash", "-.": "dashdot", ":": "dot"}
PATTERNS = {"": "", "////": "/", "....": "."}
INK, GREY, GRID = "#1b2733", "#6b7683", "#e3e7eb"
WIDTHS = {"whole": 560, "half": 430, "third": 250}  # of a legend, on a small screen too (pixels)
LEGEND_ENTRY, LEGEND_LINE = 48, 19                  # of an entry without its name; of a line (pixels)
KEYS = ("matrix", "format", "transport", "ranks")


class Chart(NamedTuple):
    title: str
    traces: list
    layout: dict
    size: str = "half"      # of the page's width: whole, half, third
    # While nothing is chosen: end of the vertical axis, and its ticks; else Plotly chooses.
    top: float = 0.0
    ticks: tuple = ()


class Section(NamedTuple):
    name: str               # of the anchor
    title: str
    lead: str               # how to read it, plain text
    charts: list
    tables: tuple = ()      # Table


class Table(NamedTuple):
    heads: list
    lines: list             # of cells: text or number
    note: str = ""
    metas: list = ()        # of every line, for the selectors


def text(value):
    """For Plotly, which takes <b> and &lt; in any text; a line break would end a name."""
    return html.escape(shown(" ".join(str(value).split())), quote=False)


def family(row):
    """What the selector of matrices calls it: sizes of a weak study are one matrix."""
    return generator(row) if row["kind"] == "weak" else short_matrix(row["matrix"])


def meta_of(row):
    """Of a line of the table. On one rank nothing travels."""
    several = row["ranks"] and row["ranks"] > 1
    return {"matrix": family(row), "format": row["format"], "ranks": row["ranks"],
            "transport": row["transport"] if several else None}


def metas(points):
    """One `meta` of several: a list per key."""
    return {key: [one[key] for one in points] for key in KEYS}


def trace(kind, name, x, y, hover, meta, **more):
    """`meta`: a dictionary for all points, or one per point; None for lines that are no data."""
    if isinstance(meta, list):
        meta = metas(meta)
    return {"type": kind, "name": text(name), "x": x, "y": y, "hovertext": hover,
            "hoverinfo": "text" if hover else "skip", "meta": meta, **more}


def error_bars(values, lows, highs):
    return {"type": "data", "symmetric": False, "thickness": 1, "width": 4,
            "array": [max(0.0, high - value) for value, high in zip(values, highs)],
            "arrayminus": [max(0.0, value - low) for value, low in zip(values, lows)]}


def curve(index, name, points, hover, meta, **more):
    """A measured line with error bars. `points`: {x: (value, low, high)}; `hover`, `meta`: {x: ...}."""
    colour, marker, dashes = line_style(index)
    places = sorted(points)
    values, lows, highs = ([points[place][part] for place in places] for part in range(3))
    more = {"legendgroup": str(index), **more}
    if any(low != high for low, high in zip(lows, highs)):
        more["error_y"] = error_bars(values, lows, highs)
    return trace("scatter", name, places, values, [hover[place] for place in places],
                 [meta[place] for place in places], mode="lines+markers",
                 line={"color": colour, "dash": DASHES[dashes], "width": 2},
                 marker={"color": colour, "symbol": SYMBOLS[marker], "size": 8}, **more)


def guide(name, x, y, shown=True, colour=GREY, dash="dot", meta=None, **more):
    """A line to compare with: ideal, a roof, the expected time."""
    return trace("scatter", name, x, y, None, meta, mode="lines", showlegend=shown,
                 line={"color": colour, "dash": dash, "width": 1.2}, **more)


def bars(style, name, x, y, hover, meta, **more):
    """`style`: a colour and a hatch, which tells the bar in grey."""
    colour, hatch = style
    pattern = {"shape": PATTERNS[hatch], "fillmode": "replace", "fgcolor": INK, "bgcolor": colour,
               "size": 7, "solidity": 0.18} if hatch else {}
    return trace("bar", name, x, y, hover, meta, **more, marker={
        "color": colour, "line": {"color": INK, "width": 0.6}, **({"pattern": pattern} if hatch else {})})


def axis(title, **more):
    return {"title": {"text": title, "standoff": 8}, "automargin": True, "gridcolor": GRID,
            "linecolor": GREY, "zeroline": False, "exponentformat": "none", **more}


def ranks_axis(points, device):
    """A log axis with a tick at every number of ranks that was run; `points`: {ranks: nodes}."""
    several = max(points.values()) > 1
    ranks = sorted(points)
    title = "ranks (one GPU each)" if device == "gpu" else "ranks"
    return axis(title + (", nodes below" if several else ""), type="log", tickvals=ranks,
                ticktext=[f"{count}<br>{points[count]}" if several else str(count)
                          for count in ranks])


def top_of(points):
    """End of an axis with these (value, low, high): see plots/style.py."""
    points = list(points)
    return room_above(max(one[0] for one in points), max(one[2] for one in points))


def log_ticks(points):
    """Plain numbers on a logarithmic axis with these (value, low, high)."""
    values = [value for one in points for value in one if value > 0]
    low, high = min(values), max(values)
    steps = (1, 2, 5) if high > 5 * low else (1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)
    steps = steps if high < 1000 * low else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return tuple(float(f"{step * 10.0 ** power:.3g}") for power in powers for step in steps)


def layout(xaxis, yaxis, height=330, **more):
    return {"height": height, "xaxis": xaxis, "yaxis": yaxis,
            "margin": {"l": 60, "r": 16, "t": 30, "b": 48}, "hovermode": "closest",
            "legend": {"orientation": "h", "x": 0, "y": -0.22, "yanchor": "top",
                       "xanchor": "left", "traceorder": "normal"}, "barmode": "stack", **more}


def with_legend_room(chart):
    """The chart with a legend below the plot and as high as both need. Traces that only a choice
    shows are not counted: their legend scrolls."""
    names = [one["name"] for one in chart.traces if one.get("showlegend", True) and "name" in one
             and (one.get("meta") or {}).get("only") != "chosen"]
    if len(names) < 2 or chart.layout.get("showlegend") is False:
        return chart
    across = max(1, int(WIDTHS[chart.size] / (LEGEND_ENTRY + 6.3 * max(map(len, names)))))
    below = LEGEND_LINE * -(-len(names) // across)
    made = dict(chart.layout, margin=dict(chart.layout["margin"]), legend=dict(chart.layout["legend"]))
    made["height"] += below
    made["margin"]["b"] += 10 + below
    plot = made["height"] - made["margin"]["b"] - made["margin"]["t"]
    made["legend"]["y"] = -(made["margin"]["b"] - below) / plot
    return chart._replace(layout=made)


def sideways(xaxis, yaxis, count, **more):
    """The layout of horizontal bars, of which there are `count`."""
    return layout(xaxis, yaxis, height=100 + 22 * max(count, 3), bargap=0.25, **more)


def quantity(value, unit, size):
    return f"{value / size:.4g} {unit}"


def time_text(seconds):
    return quantity(seconds, *time_unit(seconds))


def bytes_text(amount):
    return quantity(amount, *byte_unit(amount))


def spread_text(one):
    """A Measured: the time, and from the fastest to the slowest where that is known."""
    words = time_text(one.seconds)
    if one.low != one.high:
        unit, size = time_unit(one.seconds)
        words += f" ({one.low / size:.4g} to {quantity(one.high, unit, size)})"
    return words


def ranks_text(count):
    return "1 rank" if count == 1 else f"{count} ranks"


def hover(title, *lines):
    """The box under the mouse; `lines` that are empty are left out."""
    return "<br>".join([f"<b>{text(title)}</b>"] + [text(line) for line in lines if line])


def with_what(row):
    """Format and transport of a line."""
    sent = row["transport"] if row["ranks"] > 1 else ""
    words = [row["format"], sent, "in a graph" if row["graph"] else ""]
    return ", ".join(word for word in words if word)
