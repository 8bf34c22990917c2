# SPDX-License-Identifier: BSD-3-Clause
"""Measured times beside others: what a machine file expects, an earlier result (the statistics of
rowhalo-study compare), a reference of another machine (those of official/ratios.py)."""
from rowhalo_study.official.ratios import ratio_of, ratios
from rowhalo_study.official.rating import grouped_rows
from rowhalo_study.official.sets import SOLVE
from rowhalo_study.compare.lines import mean_ratio, name_of, words_of
from rowhalo_study.results.expected import summary, with_errors
from rowhalo_study.results.data import fastest, grouped, measured
from rowhalo_study.plots.style import BARS, device_name, four_digits, short_matrix, time_unit
from rowhalo_study.pages.figures import (GREY, INK, Chart, Section, Table, axis, bars, guide, hover, layout, meta_of,
                               ranks_text, sideways, text, time_text, trace, with_what)
from rowhalo_study.results.table import microseconds

LEADS = {
    "expected": "The time that the machine file lets expect beside the measured one. On the line both are "
                "equal; above it the product takes longer than expected, which points to the network, a slow "
                "node or a busy machine.",
    "earlier": "Time over the earlier time with its interval of 95 %: below 1 this result is faster. It is slower, or "
               "faster, if the whole interval is above, or below, 1; else it is not shown, and more runs may tell.",
    "reference": "Rates of this result beside those of the reference. A ratio above 1 means that "
                 "this machine is faster; per {rank}, both are divided by their numbers of ranks."}


def expected_section(data):
    rows = with_errors([row for row in data.rows if row["median_seconds"]])
    if not rows:
        return []
    rows = sorted(rows, key=lambda row: row["expected_error"])
    metas = [meta_of(row) for row in rows]
    unit, size = time_unit(max(row["median_seconds"] for row in rows))
    points = trace(
        "scatter", "a measured product", [row["expected_seconds"] / size for row in rows],
        [row["median_seconds"] / size for row in rows],
        [hover(f"{short_matrix(row['matrix'])}, {ranks_text(row['ranks'])}",
               f"measured {time_text(row['median_seconds'])}",
               f"expected {time_text(row['expected_seconds'])} ({row['expected_error']:+.1%})",
               with_what(row))
         for row in rows], metas, mode="markers",
        marker={"size": 9, "color": BARS[0][0], "symbol": "circle-open", "line": {"width": 2}})
    both = points["x"] + points["y"]
    ends = [0.8 * min(both), 1.25 * max(both)]
    chart = Chart("Measured over expected", [guide("equal", ends, ends), points], layout(
        axis(f"expected ({unit})", type="log", nticks=8), axis(f"measured ({unit})", type="log", nticks=8),
        height=420))
    table = Table(["matrix", "ranks", "format", "transport", "measured, µs", "expected, µs", "error"], [
        [short_matrix(row["matrix"]), row["ranks"], row["format"], row["transport"],
         microseconds(row["median_seconds"]), microseconds(row["expected_seconds"]),
         f"{row['expected_error']:+.1%}"] for row in rows], summary(rows), metas)
    return [Section("expected", "Expected beside measured", LEADS["expected"], [chart], (table,))]


def ratio_chart(lines):
    """Points with intervals; `lines`: Comparison."""
    names = [text(line.name) for line in lines]
    symbols = {"slower": "triangle-right", "faster": "triangle-left", "not shown": "circle-open"}
    colours = {"slower": "#a3333d", "faster": "#1f4e79"}
    made = trace(
        "scatter", "time over the earlier time", [line.ratio for line in lines], names,
        [hover(line.name, f"{line.ratio:.3f}, interval {interval(line)}",
               f"{time_text(line.after.seconds)}, earlier {time_text(line.before.seconds)}",
               words_of(line)) for line in lines], None, mode="markers",
        error_x={"type": "data", "symmetric": False, "thickness": 1, "width": 3,
                 "array": [line.high - line.ratio for line in lines],
                 "arrayminus": [line.ratio - line.low for line in lines]},
        marker={"size": 9, "symbol": [symbols[line.verdict.value] for line in lines],
                "color": [colours.get(line.verdict.value, GREY) for line in lines]})
    layout_made = sideways(axis("time over the earlier time"),
                           axis("", type="category", range=[len(lines) - 0.4, -0.6]),
                           len(lines), showlegend=False)
    layout_made["shapes"] = [{"type": "line", "x0": 1, "x1": 1, "yref": "paper", "y0": 0, "y1": 1,
                              "line": {"color": INK, "width": 1, "dash": "dot"}}]
    return Chart("Ratio and interval", [made], layout_made, "whole")


def interval(one):
    """Of a Comparison or Ratio; a single report of `kernels` or `solve` tells no spread."""
    return f"{one.low:.3f} to {one.high:.3f}" if one.low < one.high else "unknown"


def earlier_section(outcome):
    """`outcome` of compare.outcome_of."""
    lines = sorted(outcome.lines, key=lambda line: -line.ratio)
    cells = [[line.name, f"{line.before.seconds * 1e3:.5g}", f"{line.after.seconds * 1e3:.5g}",
              f"{line.ratio:.3f}", interval(line), words_of(line)]
             for line in lines]
    cells += [[name_of(row), "", "", "", "", "wrong now"] for row in outcome.broken]
    note = f"Geometric mean of the ratios: {mean_ratio(lines):.3f}." if lines else ""
    for names, where in ((outcome.only_before, "the earlier"), (outcome.only_after, "this")):
        if names:
            note += f" Only in {where} result: {'; '.join(names[:3])}"
            note += f" and {len(names) - 3} more." if len(names) > 3 else "."
    table = Table(["", "earlier, ms", "this, ms", "ratio", "interval", ""], cells, note.strip())
    return Section("earlier", "Compared with an earlier result", LEADS["earlier"], [ratio_chart(lines)] if lines else [], (table,))


def reference_name(reference):
    """Machine and study of a reference."""
    first = next(iter(reference.values()))[0]
    devices = [device_name(name) for name in (first["devices"] or "").split("; ")]
    return f"{len(devices)} × {devices[0]}" if devices[0] else first["hosts"] or "reference", first


def same_problem(row, other):
    """By the fingerprint of the matrix, where both tell it."""
    known = row["fingerprint"] and other["fingerprint"]
    alike = row["fingerprint"] == other["fingerprint"] if known else row["matrix"] == other["matrix"]
    return alike and row["precision"] == other["precision"] and row["method"] == other["method"]


def reference_ratios(data, reference, official):
    """[(Ratio, rows of ours)], of an official result as rowhalo-study official has them."""
    if official:
        ours = grouped_rows(data.rows + data.solvers)
        return [(ratio, ours.get(ratio.name, [])) for ratio in ratios(ours, reference)]
    found = []
    usable = [row for row in data.rows + data.solvers if not row["petsc_solver"]
              and (row["gflops"] if row["method"] else row["gbytes_per_second"])]
    for (matrix, ranks, _, _), some in grouped(usable, "matrix", "ranks", "precision", "method").items():
        theirs = next((rows for rows in reference.values() if same_problem(some[0], rows[0])), None)
        if theirs:
            best = fastest(some)
            words = [short_matrix(matrix), some[0]["method"], ranks_text(ranks)]
            found.append((ratio_of(", ".join(filter(None, words)), best, theirs), best))
    return found


def lines_beside(rows, reference, name):
    """[(label, seconds, meta)] of the reference's time for each matrix of ours."""
    found = []
    for (matrix,), some in grouped(rows, "matrix").items():
        theirs = next((one for one in reference.values() if same_problem(some[0], one[0])), None)
        if theirs:
            label = f"reference: {short_matrix(matrix)} on {name}, {ranks_text(theirs[0]['ranks'])}"
            found.append((label, measured(theirs).seconds, {"matrix": meta_of(some[0])["matrix"],
                                                           "guide": True}))
    return found


def reference_section(found, name, first, rank):
    """`found` of reference_ratios."""
    unit = {True: "GF/s", False: "GB/s"}
    rates = [(ratio, rows, unit[bool(rows and rows[0]["method"]) or ratio.name == SOLVE])
             for ratio, rows in found]
    cells = [[ratio.name, four_digits(ratio.ours), four_digits(ratio.theirs), words, f"{ratio.ratio:.3f}",
              interval(ratio), f"{ratio.per_rank:.3f}"] for ratio, rows, words in rates]
    metas = [meta_of(rows[0]) if rows else None for _, rows, _ in rates]
    shown = [(ratio, rows) for ratio, rows, words in rates if words == "GB/s"]
    charts = []
    if shown:
        names = [text(ratio.name) for ratio, _ in shown]
        marks = [meta_of(rows[0]) if rows else dict.fromkeys(("matrix", "format", "transport", "ranks"))
                 for _, rows in shown]
        charts.append(Chart("Rate, GB/s (bytes of CSR)", [
            bars(style, label, names, [getattr(ratio, side) for ratio, _ in shown],
                 [hover(ratio.name, f"{label}: {four_digits(getattr(ratio, side))} GB/s", f"ratio {ratio.ratio:.3f}")
                  for ratio, _ in shown], marks)
            for style, label, side in ((BARS[0], "this result", "ours"), (BARS[1], name, "theirs"))],
            layout(axis("", type="category"), axis("GB/s", rangemode="tozero"), height=380,
                   barmode="group"), "whole"))
    note = (f"Reference: {first['study']}, {ranks_text(first['ranks'])} on {first['hosts']}, "
            f"{name}, rowhalo {first['version']} ({first['git']}), {first['time']}.")
    table = Table(["", "this", "reference", "unit", "ratio", "interval", f"ratio per {rank}"], cells,
                  note, metas)
    return Section("reference", "Beside a reference", LEADS["reference"].format(rank=rank), charts, (table,))
