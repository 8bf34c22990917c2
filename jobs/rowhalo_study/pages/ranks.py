# SPDX-License-Identifier: BSD-3-Clause
"""Charts of what single reports hold beyond the table: communication matrices and values per rank, of
every matrix the reports with the most ranks (plots/ranks.py), residual histories (plots/solve.py)
and telemetry."""
import math

from rowhalo_study.results.hdf5 import WrongFile
from rowhalo_study.plots.ranks import flows_of, loads_of, ranks_of, selected, times_of
from rowhalo_study.plots.solve import histories_of, labelled
from rowhalo_study.plots.style import BARS, byte_unit, line_style, short_matrix, time_unit
from rowhalo_study.pages.figures import (DASHES, GREY, INK, SYMBOLS, Chart, Section, Table, axis, bars, bytes_text,
                               error_bars, guide, hover, layout, ranks_text, text, time_text, trace)
from rowhalo_study.pages.scaling import table_chart
from rowhalo_study.results.rows import section

MARKS = 400          # points of a history; longer ones are thinned out
# Monotone in lightness, without its palest part: little still differs from nothing, in grey as well.
PALETTE = [[0.0, "#d5eeb3"], [0.25, "#73c8bd"], [0.5, "#2498c1"], [0.75, "#234da0"], [1.0, "#081d58"]]
LEADS = {
    "communication": "What ranks send to each other before a product. Squares near the diagonal only: "
                     "ranks exchange with their neighbours. A full picture: the matrix has no locality in "
                     "this order of its rows; try the partitions metis or ptscotch. Dashed lines part "
                     "the nodes.",
    "imbalance": "Who has more to do. With exchange all ranks wait for the slowest; without "
                 "it the times show which rank has more work. Uneven times with even nonzeros mean "
                 "a slow device, a busy core or a wrong binding.",
    "history": "The watched norm over the iterations, divided by the first one, with the most ranks that "
               "were run. The dotted line is the tolerance, if a method converged.",
    "telemetry": "What the GPUs told, about ten times per second, while batches were timed. Points are "
                 "means, bars reach from the smallest to the largest sample. A clock that was held down makes "
                 "products slower; the table names the reason."}


def of_detail(detail, matrix, **more):
    """`meta` of what belongs to a report."""
    name = short_matrix(matrix)
    if ": " in detail.family:  # a weak study: its sizes are one matrix
        name = detail.family.split(": ", 1)[1].split("/")[-1]
    return {"matrix": name, "format": None, "transport": None, "ranks": detail.ranks, **more}


def flow_chart(detail, found):
    count, sent = found.ranks, {(one, other): amount for one, other, amount in found.flows}
    logs = [[math.log10(sent[one, other]) if sent.get((one, other)) else None for other in range(count)]
            for one in range(count)]
    said = [[hover(f"rank {one} to rank {other}", bytes_text(sent[one, other])) if (one, other) in sent
             else "" for other in range(count)] for one in range(count)]
    low, high = min(found.flows, key=lambda flow: flow[2])[2], max(found.flows, key=lambda flow: flow[2])[2]
    bounds = [math.log10(low), math.log10(high)] if low < high else [math.log10(high) - 1, math.log10(high)]
    ticks = [bounds[0] + part * (bounds[1] - bounds[0]) for part in ((0, 0.5, 1) if low < high else (1,))]
    total = sum(amount for _, _, amount in found.flows)
    borders = [rank for rank in range(1, count) if found.nodes[rank] != found.nodes[rank - 1]]
    edges = [{"type": "line", "line": {"color": "#d00000", "width": 1, "dash": "dash"}, **ends}
             for at in borders for ends in (
                 {"x0": at - 0.5, "x1": at - 0.5, "y0": -0.5, "y1": count - 0.5},
                 {"y0": at - 0.5, "y1": at - 0.5, "x0": -0.5, "x1": count - 0.5})]
    one = {"type": "heatmap", "z": logs, "hovertext": said, "hoverinfo": "text", "colorscale": PALETTE,
           "zmin": bounds[0], "zmax": bounds[1], "xgap": 1 if count <= 64 else 0,
           "ygap": 1 if count <= 64 else 0, "hoverongaps": False, "meta": of_detail(detail, found.matrix),
           "colorbar": {"title": {"text": "per product", "side": "right"}, "thickness": 14, "tickvals": ticks,
                        "ticktext": [bytes_text(10 ** tick) for tick in ticks], "outlinewidth": 0}}
    whole = {"range": [-0.5, count - 0.5], "constrain": "domain", "showgrid": False,
             **({"tickvals": list(range(count))} if count <= 16 else {})}
    made = layout(axis("receiving rank", **whole), axis("sending rank", **{
        **whole, "range": [count - 0.5, -0.5], "scaleanchor": "x"}), height=440, shapes=edges)
    return Chart(f"{short_matrix(found.matrix)}, {found.partition}, {ranks_text(count)}: "
                 f"{bytes_text(total)} per product", [one], made)


def rank_bars(detail, matrix, series, hovers, ylabel, title):
    """Bars side by side per rank. {label: (values, lows, highs)}, `hovers` {label: [text]}."""
    traces = []
    for (label, (values, lows, highs)), style in zip(series.items(), BARS):
        traces.append(bars(style, label, list(range(len(values))), values, hovers[label],
                           of_detail(detail, matrix),
                           **({"error_y": error_bars(values, lows, highs)} if lows else {})))
    count = len(next(iter(series.values()))[0])
    ticks = {"tickvals": list(range(count))} if count <= 16 else {}
    return Chart(title, traces, layout(axis("rank", **ticks), axis(ylabel, rangemode="tozero"), height=330,
                                       barmode="group"))


def imbalance_charts(detail, values):
    matrix = values["head"].split(", ")[0]
    spread, loads = times_of(values), loads_of(values)
    charts = []
    if spread:
        unit, size = time_unit(max(max(one[0]) for one in spread.values()))
        hovers = {label: [hover(f"rank {rank}", f"{label}: {time_text(value)}",
                                f"batches {time_text(low)} to {time_text(high)}")
                          for rank, (value, low, high) in enumerate(zip(*three))]
                  for label, three in spread.items()}
        scaled = {label: [[value / size for value in part] for part in three]
                  for label, three in spread.items()}
        charts.append(rank_bars(detail, matrix, scaled, hovers, f"time per product ({unit})",
                                f"{values['head']}: time"))
    hovers = {label: [hover(f"rank {rank}", f"{label}: {share:.4g} of the mean")
                      for rank, share in enumerate(shares)] for label, shares in loads.items()}
    charts.append(rank_bars(detail, matrix, {label: (shares, None, None) for label, shares in loads.items()},
                            hovers, "share over the mean", f"{values['head']}: load"))
    return charts


def rank_sections(data, notes):
    """Communication and imbalance; what a missing h5py hides becomes a note."""
    flows, bars_of_ranks = [], []
    for detail in selected(data.details):
        try:
            found, values = flows_of(detail), ranks_of(detail)
        except WrongFile as error:
            if str(error) not in notes:
                notes.append(str(error))
            continue
        if found and found.flows:
            flows.append(flow_chart(detail, found))
        if values:
            bars_of_ranks += imbalance_charts(detail, values)
    unit, size = byte_unit(max((row["halo_bytes"] or 0 for row in data.rows), default=0))
    flows += table_chart(data, "halo_bytes", "Sent by all ranks", f"{unit} per product", bytes_text, size)
    bars_of_ranks += table_chart(data, "nonzero_imbalance", "Nonzeros of the fullest rank",
                                 "over the mean", lambda value: f"{value:.4g} times the mean")
    return [Section(name, title, LEADS[name], charts) for name, title, charts in (
        ("communication", "Communication", flows), ("imbalance", "Imbalance", bars_of_ranks)) if charts]


def history_chart(matrix, ranks, group, styles):
    traces, labels = [], labelled(group)
    meta = {"matrix": short_matrix(matrix), "format": None, "transport": None, "ranks": ranks}
    for label, solver in labels.items():
        colour, marker, dashes = line_style(styles.setdefault(label, len(styles)))
        first, norms = solver["norms"][0] or 1, solver["norms"]
        step = max(1, len(norms) // MARKS)
        places = [place for place in range(len(norms)) if place % step == 0 or place == len(norms) - 1]
        values = [norms[place] / first if norms[place] and norms[place] > 0 else None for place in places]
        traces.append(trace(
            "scatter", label, places, values, [hover(label, f"iteration {place}", "" if value is None
                                                     else f"{value:.3g} of the first norm")
                                               for place, value in zip(places, values)], meta,
            mode="lines+markers", line={"color": colour, "dash": DASHES[dashes], "width": 1.8},
            marker={"color": colour, "symbol": SYMBOLS[marker], "size": 7,
                    "maxdisplayed": 12}))
    longest = max(len(solver["norms"]) for solver in labels.values()) - 1
    for tolerance in sorted({solver["tolerance"] for solver in labels.values()
                             if solver["end"] == "converged"}):
        traces.append(guide(f"tolerance {tolerance:g}", [0, longest], [tolerance] * 2, colour=GREY))
    norms = sorted({solver["norm"] for solver in labels.values()})
    yaxis = axis(f"{norms[0] if len(norms) == 1 else 'watched'} norm over the first", type="log")
    yaxis["exponentformat"] = "power"
    return Chart(f"{short_matrix(matrix)}, {ranks_text(ranks)}", traces,
                 layout(axis("iterations"), yaxis, height=430))


def history_section(data):
    styles = {}
    charts = [history_chart(matrix, ranks, group, styles)
              for (matrix, ranks), group in histories_of(data.details).items()]
    return [Section("history", "Residual histories", LEADS["history"], charts)] if charts else []


def sampled(name, unit, entries, key, limit):
    """A chart of one value of every GPU, report after report."""
    shown = [(label, gpu, meta) for label, gpu, meta in entries if section(gpu, key).get("mean") is not None]
    if not shown:
        return []
    labels = [text(label) for label, _, _ in shown]
    means, lows, highs = ([gpu[key][part] for _, gpu, _ in shown] for part in ("mean", "min", "max"))
    said = [hover(label, f"mean {gpu[key]['mean']:.4g} {unit}", f"{gpu[key]['min']:.4g} to "
                  f"{gpu[key]['max']:.4g} {unit}") for label, gpu, _ in shown]
    traces = [trace("scatter", name, labels, means, said, [meta for _, _, meta in shown], mode="markers",
                    error_y=error_bars(means, lows, highs),
                    marker={"symbol": "diamond", "size": 8, "color": "#1f4e79"})]
    limits = [gpu.get(limit) for _, gpu, _ in shown]
    if any(limits):
        traces.append(guide(f"limit of the {name.lower()}", labels, limits, colour=INK, dash="dash"))
    return [Chart(name, traces, layout(axis("", type="category", tickangle=-40),
                                       axis(f"{name.lower()} ({unit})"), height=400))]


def throttled(gpu):
    return ", ".join(f"{cause['reason']} {cause['share']:.0%}" for cause in gpu["throttling"])


def number(value, digits=4):
    return "" if value is None else f"{value:.{digits}g}"


def telemetry_section(reports):
    """`reports`: [(detail, report)] of JSON."""
    entries, lines, metas = [], [], []
    for detail, report in reports:
        telemetry = section(report, "telemetry")
        matrix = section(report, "matrix").get("source")
        energy = [number(telemetry.get(name)) for name in ("energy_per_product_joules", "gflops_per_watt")]
        for gpu in telemetry.get("gpus") or []:
            meta = of_detail(detail, matrix)
            entries.append((f"{detail.name}, {gpu['host']} {gpu['pci_id'][-7:]}", gpu, meta))
            clock, power = section(gpu, "sm_clock_mhz"), section(gpu, "power_watts")
            lines.append([detail.name, f"{gpu['host']} {gpu['pci_id']}", number(clock.get("mean")),
                          number(gpu.get("highest_sm_clock_mhz")), number(power.get("mean")),
                          number(power.get("max")), number(gpu.get("power_limit_watts")),
                          number(gpu.get("temperature_celsius"), 3), throttled(gpu), *energy])
            metas.append(meta)
        if telemetry and not telemetry.get("gpus") and any(energy):
            lines.append([detail.name, "processors", *[""] * 7, *energy])
            metas.append(of_detail(detail, matrix))
    if not lines:
        return []
    table = Table(["report", "GPU", "clock, MHz", "highest", "power, W", "largest", "limit",
                   "temperature, °C", "held down by", "J per product", "GF/s per W"], lines, metas=metas)
    return [Section("telemetry", "Telemetry", LEADS["telemetry"], [
        *sampled("Clock", "MHz", entries, "sm_clock_mhz", "highest_sm_clock_mhz"),
        *sampled("Power", "W", entries, "power_watts", "power_limit_watts")], (table,))]
