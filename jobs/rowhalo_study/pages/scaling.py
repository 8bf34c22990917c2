# SPDX-License-Identifier: BSD-3-Clause
"""Charts over the number of ranks: strong and weak scaling of products and solvers, efficiency,
exposed halo. The lines are those of plots/scaling.py; where it shows the fastest of many
combinations, the page has a line for each format and transport as well, for its selectors.
"""
from rowhalo_study.results.data import grouped, measured
from rowhalo_study.plots.scaling import (exposed_lines, nodes_by_ranks, petsc_products, petsc_solvers, spread_of,
                              strong_lines, weak_lines)
from rowhalo_study.plots.solve import headed, ours
from rowhalo_study.plots.style import line_style, time_unit
from rowhalo_study.pages.figures import (DASHES, SYMBOLS, Chart, Section, axis, curve, guide, hover, layout,
                               log_ticks, meta_of, ranks_axis, ranks_text, spread_text, time_text, top_of, trace,
                               with_what)

LEADS = {
    "strong": "The matrix stays, the ranks grow. The dotted line is ideal scaling; where a measured line "
              "bends up, more ranks make the product slower. Points are medians over repeats, bars reach "
              "from the fastest to the slowest.",
    "weak": "The matrix grows with the ranks, so the time would ideally stay the same. A drop of the "
            "efficiency at two ranks is the cost of any exchange; a drop that continues comes from "
            "the network or from imbalance.",
    "efficiency": "The rate of a rank (nonzeros per second) over that at the fewest ranks; 100 % is "
                  "ideal. Above it, the share of each rank fits into its cache.",
    "exposed": "Time of a product minus that of the same product without exchange: the halo time "
               "that interior rows do not hide. It should be small and should not grow.",
    "solver": " Times are per iteration. Open marks are PETSc's solvers on the same ranks, on the CPU."}


def by_combination(rows, lines_of):
    """[(format and transport, lines)] of what was run; one rank belongs to every transport."""
    alone = [row for row in rows if row["ranks"] == 1]
    found = []
    for (name, sent), some in grouped([row for row in rows if row["ranks"] > 1], "format",
                                      "transport").items():
        first = [row for row in alone if row["format"] == name]
        found.append((" ".join(filter(None, (name, sent))), lines_of(first + some)))
    return found


def with_choices(rows, lines_of):
    """[(line, only)]: the lines of the pictures, and those that a choice of format or transport shows."""
    lines = lines_of(rows)
    if not any(line.label.endswith(", fastest") for line in lines):
        return [(line, None) for line in lines]
    chosen = [line._replace(label=f"{line.label.replace(', fastest', '')} {words}")
              for words, some in by_combination(rows, lines_of) for line in some]
    return [(line, "all") for line in lines] + [(line, "chosen") for line in chosen]


def point_meta(line):
    """{ranks: meta} of a line."""
    return {ranks: meta_of(rows[0]) for ranks, rows in line.points.items()}


def traced(index, line, only, values, texts, **more):
    """A curve of `values` {ranks: (value, low, high)} whose hover says `texts` {ranks: lines}."""
    said = {ranks: hover(line.label, ranks_text(ranks), *texts[ranks], with_what(line.points[ranks][0]))
            for ranks in values}
    made = curve(index, line.label, values, said, point_meta(line), **more)
    made["meta"]["only"] = only
    return made


def device_of(lines):
    return lines[0].rows()[0]["device"]


def largest_time(lines):
    return max(measured(rows).seconds for line in lines for rows in line.points.values())


def expected_traces(lines, value):
    """Thin dashed lines of the colour of what was measured; one of them in the legend."""
    found = []
    for index, (line, only) in enumerate(lines):
        ranks = sorted(line.expected())
        if ranks:
            found.append(guide("expected (machine file)", ranks, [value(line, count) for count in ranks],
                               shown=not found, colour=line_style(index)[0], dash="dash",
                               meta={"matrix": point_meta(line)[ranks[0]]["matrix"],
                                     "only": only, "guide": True}))
    return found


def open_marks(index, label, times, size, meta):
    """PETSc's times beside a line of ours."""
    colour, marker, dashes = line_style(index)
    ranks = sorted(times)
    return trace("scatter", label, ranks, [times[count].seconds / size for count in ranks],
                 [hover(label, ranks_text(count), spread_text(times[count])) for count in ranks],
                 [{**meta[count], "format": None, "transport": None} for count in ranks],
                 mode="lines+markers", line={"color": colour, "dash": DASHES[dashes], "width": 1},
                 marker={"color": colour, "symbol": SYMBOLS[marker] + "-open", "size": 9})


def ideal_of(line, size, only, shown):
    ranks, first = sorted(line.points), min(line.points)
    start = measured(line.points[first]).seconds / size * first
    return guide("ideal", ranks, [start / count for count in ranks], shown=shown, legendgroup="ideal",
                 meta={"matrix": point_meta(line)[first]["matrix"], "only": only, "guide": True})


def speed_text(line, ranks):
    return f"efficiency {100 * line.efficiency(ranks):.1f} %"


def time_chart(lines, theirs, what, strong, reference=None):
    """`lines`: with `only`; `theirs`: PETSc's beside them; `reference`: [(label, seconds, meta)]."""
    unit, size = time_unit(largest_time([line for line, _ in lines]))
    traces, heights = [], []
    for index, (line, only) in enumerate(lines):
        values = {ranks: [value / size for value in measured(rows)]
                  for ranks, rows in line.points.items()}
        if strong:
            traces.append(ideal_of(line, size, only, index == 0))
        texts = {ranks: (spread_text(measured(rows)), speed_text(line, ranks))
                 for ranks, rows in line.points.items()}
        traces.append(traced(index, line, only, values, texts))
        heights += values.values() if only != "chosen" else ()
        traces += [open_marks(index, label, times, size, point_meta(line))
                   for place, label, times in theirs if place == index and only != "chosen"]
    traces += expected_traces(lines, lambda line, ranks: line.expected()[ranks] / size)
    everywhere = nodes_by_ranks([line for line, _ in lines])
    traces += [guide(label, [min(everywhere), max(everywhere)], [seconds / size] * 2, dash="dashdot",
                     colour="#000000", meta=meta) for label, seconds, meta in reference or ()]
    yaxis = axis(f"time per {what} ({unit})", **({"type": "log"} if strong else {"rangemode": "tozero"}))
    made = layout(ranks_axis(everywhere, device_of([line for line, _ in lines])), yaxis, height=350)
    expected = [(one, one, one) for line, _ in lines for one in
                (seconds / size for seconds in line.expected().values())]
    heights += [(one.seconds / size,) * 3 for _, _, times in theirs for one in times.values()]
    if strong:
        return Chart("Time", traces, made, ticks=log_ticks(heights + expected))
    return Chart("Time", traces, made, top=top_of(heights + expected))


def speedup_chart(lines):
    everywhere = nodes_by_ranks([line for line, _ in lines])
    ranks = sorted(everywhere)
    traces = [guide("ideal", ranks, ranks)]
    for index, (line, only) in enumerate(lines):
        values = {count: spread_of(line, count, count) for count in line.points}
        texts = {count: (f"speed-up {value[0]:.3g}", speed_text(line, count))
                 for count, value in values.items()}
        traces.append(traced(index, line, only, values, texts))
    fewest = f"{ranks[0]} rank" if ranks[0] == 1 else f"{ranks[0]} ranks, times {ranks[0]}"
    made = layout(ranks_axis(everywhere, device_of([line for line, _ in lines])),
                  axis(f"speed-up against {fewest}", type="log"), height=350)
    return Chart("Speed-up", traces, made, ticks=tuple(2.0 ** power for power in range(-6, 16)))


def efficiency_chart(lines, title):
    everywhere = nodes_by_ranks([line for line, _ in lines])
    ranks = sorted(everywhere)
    traces, heights = [guide("ideal", [ranks[0], ranks[-1]], [100, 100])], [(100, 100, 100)]
    for index, (line, only) in enumerate(lines):
        values = {count: spread_of(line, count, 100) for count in line.points}
        texts = {count: (f"{value[0]:.1f} %", spread_text(measured(line.points[count])))
                 for count, value in values.items()}
        traces.append(traced(index, line, only, values, texts))
        heights += values.values() if only != "chosen" else ()
    traces += expected_traces(lines, lambda line, count: 100 * line.efficiency(
        count, "expected_seconds"))
    return Chart(title, traces, layout(ranks_axis(everywhere, device_of([line for line, _ in lines])),
                                       axis("efficiency (%)", rangemode="tozero")), top=top_of(heights))


def scaling_sections(data, reference_of):
    """Strong, weak, efficiency, exposed of products; `reference_of` lines: see time_chart."""
    strong, weak = (with_choices(data.rows, lines_of) for lines_of in (strong_lines, weak_lines))
    sections, efficiency = [], []
    if strong:
        lines = [line for line, _ in strong]
        sections.append(Section("strong", "Strong scaling", LEADS["strong"], [
            time_chart(strong, petsc_products([line for line, only in strong if only != "chosen"]),
                       "product", True, reference_of(lines)), speedup_chart(strong)]))
        efficiency.append(efficiency_chart(strong, "Strong efficiency"))
    if weak:
        sections.append(Section("weak", "Weak scaling", LEADS["weak"],
                                [time_chart(weak, [], "product", False)]))
        efficiency.append(efficiency_chart(weak, "Weak efficiency"))
    if efficiency:
        sections.append(Section("efficiency", "Efficiency", LEADS["efficiency"], efficiency))
    return sections


def table_chart(data, column, title, label, say, size=1):
    """A column that does not depend on times, over `size` and over ranks, as [Chart] or []. `say`: text of
    a value."""
    rows = [row for row in data.rows if row[column] is not None]
    lines = strong_lines(rows) + weak_lines(rows)
    if not lines or max(row["ranks"] for row in rows) < 2:
        return []
    traces = []
    for index, line in enumerate(lines):
        values = {ranks: some[0][column] for ranks, some in line.points.items()}
        traces.append(traced(index, line, None, {ranks: (value / size,) * 3 for ranks, value
                                                 in values.items()},
                             {ranks: (say(value), f"partition {some[0]['partition'] or 'unknown'}")
                              for (ranks, some), value in zip(line.points.items(), values.values())}))
    return [Chart(title, traces, layout(ranks_axis(nodes_by_ranks(lines), device_of(lines)),
                                        axis(label, rangemode="tozero")))]


def exposed_section(data):
    lines = with_choices(data.rows, exposed_lines)
    if not lines:
        return []
    waits = [{ranks: measured(rows, "exposed_seconds") for ranks, rows in line.points.items()}
             for line, _ in lines]
    unit, size = time_unit(max(one.seconds for (_, only), wait in zip(lines, waits)
                               if only != "chosen" for one in wait.values()))
    times, shares = [], []
    for index, ((line, only), wait) in enumerate(zip(lines, waits)):
        parts = {ranks: 100 * one.seconds / measured(line.points[ranks]).seconds
                 for ranks, one in wait.items()}
        texts = {ranks: (f"{spread_text(one)} exposed", f"{parts[ranks]:.1f} % of "
                         f"{time_text(measured(line.points[ranks]).seconds)}")
                 for ranks, one in wait.items()}
        times.append(traced(index, line, only, {ranks: [value / size for value in one]
                                                for ranks, one in wait.items()}, texts))
        shares.append(traced(index, line, only, {ranks: (share, share, share)
                                                 for ranks, share in parts.items()}, texts))
    everywhere = ranks_axis(nodes_by_ranks([line for line, _ in lines]),
                            device_of([line for line, _ in lines]))
    return [Section("exposed", "Exposed halo", LEADS["exposed"], [
        Chart("Time", times, layout(everywhere, axis(f"exposed per product ({unit})",
                                                     rangemode="tozero")),
              top=top_of([value / size for value in one] for (_, only), wait in zip(lines, waits)
                         if only != "chosen" for one in wait.values())),
        Chart("Share of the product", shares, layout(everywhere, axis("exposed (%)",
                                                                      rangemode="tozero")))])]


def solver_sections(data):
    """Strong and weak scaling of solvers: one line per method."""
    rows, sections = ours(data), []
    theirs = [row for row in data.solvers if row["petsc_solver"]]
    for name, title, lines_of in (("strong", "Solvers: strong scaling", strong_lines),
                                  ("weak", "Solvers: weak scaling", weak_lines)):
        lines, head = headed(lines_of(rows))
        if not lines:
            continue
        shown = [(line, None) for line in lines]
        charts = [time_chart(shown, petsc_solvers(lines, theirs), "iteration", name == "strong")]
        charts += [speedup_chart(shown)] if name == "strong" else []
        charts.append(efficiency_chart(shown, "Efficiency")._replace(
            size="whole" if len(charts) == 2 else "half"))
        sections.append(Section(f"solve-{name}", title + head.replace("; ", ", ", 1),
                                LEADS[name] + LEADS["solver"], charts))
    return sections
