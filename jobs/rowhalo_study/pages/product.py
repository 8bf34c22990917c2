# SPDX-License-Identifier: BSD-3-Clause
"""Charts of one product or iteration: its phases, transports and formats side by side, the roofline.
What they show is chosen by the modules of the pictures (plots/product.py, formats.py, solve.py)."""
from rowhalo_study.results.data import grouped, is_baseline, measured
from rowhalo_study.plots.formats import (ALL_POINTS, SPAN, best_of, ceilings_over, format_panels, is_theirs, per_device,
                              under_the_roof)
from rowhalo_study.plots.product import breakdown_lines, columns_of, phases_of, transport_panels
from rowhalo_study.plots.scaling import strong_lines, weak_lines
from rowhalo_study.plots.solve import FLOOR, headed, ours, single_points
from rowhalo_study.plots.solve import phases_of as solver_phases_of
from rowhalo_study.plots.style import (BARS, FEW_LINES, LINES, OURS, PALE, THEIRS, name_of_ranks, short,
                            short_matrix, time_unit)
from rowhalo_study.pages.figures import (INK, SYMBOLS, Chart, Section, axis, bars, error_bars, guide, hover, layout,
                               log_ticks, meta_of, ranks_text, sideways, spread_text, text, time_text, trace,
                               with_what)

LEADS = {
    "breakdown": "How the time of a product is divided. Phases come from a pass of their own; what a "
                 "transport moves beside the interior rows shows in none, only the wait that is left. The "
                 "diamond is the product itself. In strong scaling times are multiplied by the ranks: a "
                 "phase that grows limits scaling.",
    "transports": "The same product with every way for the ghosts to travel, at the fewest and at the most "
                  "ranks. The hatched end of a bar is exposed halo time.",
    "formats": "Every format on the same matrix, fastest on top; hatched bars are baselines. "
               "The number with × is the time of the best baseline over that of the bar: above 1 the bar "
               "is faster.",
    "roofline": "Rates over flops per byte of the format's own bytes; lines are bandwidths measured in "
                "the same run. A point just below the read line can only gain by fewer bytes. A point far "
                "below it suffers from gathers of x, from short or uneven rows, or from a matrix that is "
                "too small for the device.",
    "solve-breakdown": "How an iteration is divided; columns are means of iterations launched one by one, "
                       "the diamond is the median of the measured ones. The thick line is the floor: the "
                       "bytes of an iteration over the measured read bandwidth."}


def diamond(columns, size, name, metas, labels, texts):
    """The measured whole over its column."""
    ranks = list(columns.wholes)
    wholes = [columns.wholes[count] for count in ranks]
    values, lows, highs = ([one[part] / size for one in wholes] for part in range(3))
    return trace("scatter", name, labels, values, texts, metas, mode="markers",
                 error_y={**error_bars(values, lows, highs), "color": INK},
                 marker={"symbol": "diamond", "size": 10, "color": "white",
                         "line": {"color": INK, "width": 1.5}})


def phase_chart(line, parts_of, whole, top=0.0, floors=None):
    """Columns of phases over ranks. `floors`: {ranks: seconds} per iteration."""
    columns = columns_of(line, parts_of)
    top = max(top, columns.top())
    unit, size = time_unit(top)
    ranks = list(columns.phases)
    labels, metas = [str(count) for count in ranks], [meta_of(line.points[count][0]) for count in ranks]
    traces = []
    for phase, style in zip(columns.phases[ranks[0]], BARS):
        seconds = {count: columns.phases[count][phase] for count in ranks}
        said = [hover(line.label, ranks_text(count),
                      f"{phase} {time_text(seconds[count] / columns.scale[count])}",
                      f"{seconds[count] / (sum(columns.phases[count].values()) or 1):.1%} of the column",
                      with_what(line.points[count][0])) for count in ranks]
        traces.append(bars(style, phase, labels, [seconds[count] / size for count in ranks], said, metas))
    said = [hover(line.label, ranks_text(count), f"{whole} {spread_text(measured(line.points[count]))}",
                  f"efficiency {line.efficiency(count):.1%}", with_what(line.points[count][0]))
            for count in ranks]
    traces.append(diamond(columns, size, whole, metas, labels, said))
    floored = [count for count in ranks if (floors or {}).get(count)]
    if floored:
        traces.append(trace(
            "scatter", FLOOR, [str(count) for count in floored],
            [floors[count] * columns.scale[count] / size for count in floored],
            [hover(line.label, ranks_text(count), f"floor {time_text(floors[count])}", "floor over time "
                   f"{floors[count] / measured(line.points[count]).seconds:.1%}") for count in floored],
            [meta_of(line.points[count][0]) for count in floored], mode="markers",
            marker={"symbol": "line-ew-open", "size": 38, "color": INK, "line": {"width": 3, "color": INK}}))
    yaxis = axis(f"time × ranks ({unit})" if columns.strong else f"time ({unit})",
                 range=[0, 1.08 * top / size])
    xaxis = axis(name_of_ranks(line.rows()[0]["device"]), type="category")
    return Chart(line.label, traces, layout(xaxis, yaxis, height=320, bargap=0.38), "third")


def breakdown_section(data):
    charts = [phase_chart(line, phases_of, "the product itself") for line in breakdown_lines(data.rows)]
    return [Section("breakdown", "Breakdown of a product", LEADS["breakdown"], charts)] if charts else []


def solve_breakdown_section(data):
    rows = ours(data)
    lines = strong_lines(rows) + weak_lines(rows) or single_points(rows)
    if not lines:
        return []
    shown, head = headed(lines)
    # Methods on one matrix compare on one scale.
    top = max(columns_of(line, solver_phases_of).top() for line in shown) if head else 0.0
    charts = []
    for line in shown:
        floors = {ranks: measured(some, "floor_seconds") for ranks, some in line.points.items()}
        charts.append(phase_chart(line, solver_phases_of, "time per iteration (median)", top, {
            ranks: one.seconds for ranks, one in floors.items() if one}))
    return [Section("solve-breakdown", "Breakdown of an iteration" + head.replace("; ", ", ", 1),
                    LEADS["solve-breakdown"], charts)]


def transport_chart(panel):
    found = sorted(panel.found.items(), key=lambda item: -measured(item[1]).seconds)
    unit, size = time_unit(max(measured(rows).seconds for _, rows in found))
    names = [text(f"{name}, graph" if graph else name) for (name, graph), _ in found]
    metas = [meta_of(rows[0]) for _, rows in found]
    products = [measured(rows) for _, rows in found]
    waits = [min(measured(rows, "exposed_seconds").seconds, one.seconds)
             for (_, rows), one in zip(found, products)]
    said = [hover(name, f"product {spread_text(one)}", f"exposed {time_text(wait)}, "
                  f"{wait / one.seconds:.1%}", with_what(rows[0]))
            for name, one, wait, (_, rows) in zip(names, products, waits, found)]
    traces = [bars(BARS[2], "product without exchange",
                   [(one.seconds - wait) / size for one, wait in zip(products, waits)], names, said, metas,
                   orientation="h"),
              bars(BARS[1], "exposed halo", [wait / size for wait in waits], names, said, metas,
                   orientation="h", textposition="outside", cliponaxis=False,
                   text=[f"{short(one.seconds / size)} ({short(wait / size)})"
                         for one, wait in zip(products, waits)])]
    longest = max(one.seconds for one in products) / size
    return Chart(panel.title, traces, sideways(
        axis(f"time per product; in brackets exposed ({unit})", range=[0, 1.25 * longest]),
        axis("", type="category"), len(found)))


def transports_section(data):
    charts = [transport_chart(panel) for panel in transport_panels(data.rows)]
    return [Section("transports", "Transports", LEADS["transports"], charts)] if charts else []


def format_chart(panel, rows):
    """A trace of ours and one of the baselines."""
    names = sorted(panel.found, key=lambda name: -panel.found[name].seconds)
    theirs = [panel.found[name].seconds for name in names if is_theirs(name)]
    unit, size = time_unit(panel.found[names[-1]].seconds)
    longest = panel.found[names[0]].seconds / size
    limit = min(longest, 4 * panel.found[names[-1]].seconds / size)
    meta = meta_of(rows[0])
    traces = []
    for style, title, outside in (((OURS, ""), "ours", False), ((THEIRS, "////"), "baselines", True)):
        some = [name for name in names if is_theirs(name) == outside]
        times = [panel.found[name] for name in some]
        gains = [f"{min(theirs) / one.seconds:.2f}×" if theirs else "" for one in times]
        cuts = [" (cut)" if one.seconds / size > 1.001 * limit else "" for one in times]
        traces.append(bars(
            style, title, [min(one.seconds / size, limit) for one in times], [text(name) for name in some],
            [hover(name, spread_text(one), gain and f"{gain} of the speed of the best baseline")
             for name, one, gain in zip(some, times, gains)],
            [{**meta, "format": name} for name in some], orientation="h", textposition="outside",
            cliponaxis=False, text=[f"{short(one.seconds / size)}  {gain}{cut}"
                                    for one, gain, cut in zip(times, gains, cuts)]))
    if theirs:
        traces.append(guide("best baseline", [min(theirs) / size] * 2, [text(names[0]), text(names[-1])]))
    return Chart(panel.title, [one for one in traces if one["x"]], sideways(
        axis(f"time per product ({unit})", range=[0, 1.3 * limit]),
        axis("", type="category", categoryorder="array", categoryarray=[text(name) for name in names]),
        len(names)))


def formats_section(data):
    charts = []
    for panel in format_panels(data.rows):
        rows = [row for row in data.rows if (row["matrix"], row["ranks"]) == (panel.matrix, panel.ranks)]
        charts.append(format_chart(panel, rows))
    return [Section("formats", "Formats", LEADS["formats"], charts)] if charts else []


def roof_chart(groups, ceilings, reference):
    """`reference`: (label, GB/s per device) of another machine's read bandwidth, or None."""
    traces, points = [], []
    few = len(groups) <= FEW_LINES
    for index, ((matrix, ranks), rows) in enumerate(groups.items()):
        shown = list(grouped(rows, "combination").values()) if len(groups) <= ALL_POINTS else best_of(rows)
        colour, marker, _ = LINES[index if few else 0]
        places = [per_device(some) for some in shown]
        points += places
        label = short_matrix(matrix) + (f", {ranks_text(ranks)}" if ranks > 1 else "")
        traces.append(trace(
            "scatter", label, [one[0] for one in places], [one[1] for one in places],
            [hover(label, some[0]["format"], f"{place[1]:.4g} GF/s of one device, {place[0]:.3g} flops per "
                   f"byte", f"{some[0]['share_of_read_bandwidth'] or 0:.1%} of the read bandwidth")
             for some, place in zip(shown, places)], [meta_of(some[0]) for some in shown], mode="markers",
            showlegend=few, marker={
                "size": 9, "line": {"color": colour, "width": 1.5},
                "symbol": [SYMBOLS[marker] + ("-open" if place[2] else "") for place in places],
                "color": [colour] * len(places)}))
    span = [min(one[0] for one in points) / SPAN, max(one[0] for one in points) * SPAN]
    roofs = [(f"{name}, {speed:.0f} GB/s", speed, dash) for (name, speed), dash in zip(
        sorted(ceilings.items(), key=lambda item: -item[1]), ("solid", "dash", "dot"))]
    roofs += [(f"{reference[0]}, {reference[1]:.0f} GB/s", reference[1], "longdashdot")] if reference else []
    traces += [guide(name, span, [one * speed for one in span], dash=dash, colour=INK)
               for name, speed, dash in roofs]
    rates = [(one[1],) * 3 for one in points] + [(one * max(ceilings.values()),) * 3 for one in span]
    title = "GF/s of one device" + ("" if few else ", our fastest format and (open) the best baseline")
    xaxis = axis("flops per byte", type="log", tickvals=log_ticks([(one,) for one in span]))
    return Chart(title, traces, layout(xaxis, axis("GF/s of one device", type="log"), height=430),
                 ticks=log_ticks(rates))


def share_chart(groups):
    """Of ours a bar, of the best baseline a square; the roof is 100 %."""
    named = {"ours": [], "theirs": []}
    for (matrix, ranks), rows in groups.items():
        label = text(short_matrix(matrix) + (f", {ranks}" if ranks > 1 else ""))
        for some in best_of(rows):
            share = 100 * (some[0]["share_of_read_bandwidth"] or 0)
            named["theirs" if is_baseline(some[0]["format"]) else "ours"].append(
                (label, share, some[0], hover(label, some[0]["format"], f"{share:.1f} % of the read "
                                              "bandwidth", spread_text(measured(some)))))
    traces = []
    if named["ours"]:
        traces.append(bars((PALE, ""), "our fastest format", *([one[part] for one in named["ours"]]
                                                               for part in (1, 0, 3)),
                           [meta_of(one[2]) for one in named["ours"]], orientation="h", cliponaxis=False,
                           text=[text(one[2]["format"]) for one in named["ours"]], textposition="inside"))
    if named["theirs"]:
        traces.append(trace("scatter", "best baseline", *([one[part] for one in named["theirs"]]
                                                          for part in (1, 0, 3)),
                            [meta_of(one[2]) for one in named["theirs"]], mode="markers",
                            marker={"symbol": "square-open", "size": 9, "color": INK}))
    order = [text(short_matrix(matrix) + (f", {ranks}" if ranks > 1 else "")) for matrix, ranks in groups]
    made = sideways(axis("share of the read bandwidth (%)", rangemode="tozero"),
                    axis("", type="category", categoryorder="array", categoryarray=order[::-1]),
                    len(order))
    made["shapes"] = [{"type": "line", "x0": 100, "x1": 100, "yref": "paper", "y0": 0, "y1": 1,
                       "line": {"color": INK, "width": 1}}]
    return Chart("Share of the read bandwidth", traces, made)


def roofline_section(data, reference):
    rows = under_the_roof(data.rows)
    if not rows:
        return []
    groups = grouped(rows, "matrix", "ranks")
    return [Section("roofline", "Roofline", LEADS["roofline"], [
        roof_chart(groups, ceilings_over(rows, data.ceilings), reference), share_chart(groups)])]
