# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of formats: times beside vendors' baselines, and the roofline with measured ceilings.

The roof is the bandwidth that a kernel which only reads reached in the same run, times the flops a
byte of the format's own bytes (NUMBERS.md); there is no flop ceiling in sight of a sparse product.
"""
from typing import NamedTuple

from rowhalo_study.plots.style import (EDGE, FEW_LINES, LINES, OURS, OVER, PALE, THEIRS, NothingToDraw, name_rows,
                                       panels, plain_log, save, short, short_matrix, subject, time_unit)
from rowhalo_study.results.data import fastest, grouped, is_baseline, measured

FEWEST_FORMATS = 3
PANELS = 6          # a picture
WIDEST = 4.0        # times the fastest; bars beyond are cut and say their time
SPAN = 1.5          # of the intensity, beyond the points
ALL_POINTS = 2      # matrices of which the roofline shows every format


def measured_formats(rows):
    """{name: time}, PETSc's product among them where it was timed."""
    found = {name: measured(fastest(some)) for (name,), some in grouped(rows, "format").items()}
    petsc = measured(rows, "petsc_seconds")
    if petsc:
        found["PETSc MatMult"] = petsc
    return found


def is_theirs(name):
    return is_baseline(name) or name == "PETSc MatMult"


def draw_formats(axes, title, found):
    names = sorted(found, key=lambda name: -found[name].seconds)
    fastest_time = found[names[-1]].seconds
    theirs = [found[name].seconds for name in names if is_theirs(name)]
    unit, size = time_unit(fastest_time)
    limit = min(WIDEST * fastest_time, max(one.seconds for one in found.values())) / size
    for position, name in enumerate(names):
        seconds = found[name].seconds
        outside = is_theirs(name)
        axes.barh(position, min(seconds / size, limit), 0.7, color=THEIRS if outside else OURS,
                  hatch="////" if outside else "", **EDGE)
        text = short(seconds / size)
        if theirs:
            text += f"  {min(theirs) / seconds:.2f}×"
        axes.text(min(seconds / size, limit) + 0.012 * limit, position,
                  text + (" (cut)" if seconds / size > 1.001 * limit else ""), va="center",
                  fontsize=7, **OVER)
    if theirs:
        axes.axvline(min(theirs) / size, color="black", linestyle=":", linewidth=0.9, zorder=0.9)
    axes.set_yticks(range(len(names)))
    name_rows(axes, names, fontsize=7.5)
    axes.set_xlim(0, 1.4 * limit)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(f"time per product ({unit})"
                    + ("; × of the best baseline's speed" if theirs else ""))
    axes.set_title(title, fontsize=9)


class FormatPanel(NamedTuple):
    title: str
    matrix: str
    ranks: int
    found: dict      # {format: time}


def format_panels(rows):
    """Of matrices that were run with several formats."""
    shown = []
    for (matrix, ranks, precision, _), some in grouped(rows, "matrix", "ranks", "precision",
                                                       "device").items():
        found = measured_formats(some)
        if len(set(found) - {"PETSc MatMult"}) >= FEWEST_FORMATS:
            words = f"{short_matrix(matrix)}, {precision}"
            shown.append(FormatPanel(words + (f", {ranks} ranks" if ranks > 1 else ""), matrix, ranks,
                                     found))
    return shown


def formats(data, folder):
    shown = format_panels(data.rows)
    if not shown:
        raise NothingToDraw(f"no matrix was run with {FEWEST_FORMATS} formats")
    from matplotlib import patches  # pylint: disable=import-outside-toplevel
    paths = []
    for first in range(0, len(shown), PANELS):
        page = shown[first:first + PANELS]
        tallest = max(len(panel.found) for panel in page)
        figure, axes = panels(len(page), width=5.2, height=1.2 + 0.19 * tallest, columns=2)
        for one, panel in zip(axes, page):
            draw_formats(one, panel.title, panel.found)
        kinds = [patches.Patch(facecolor=OURS, label="ours", **EDGE),
                 patches.Patch(facecolor=THEIRS, hatch="////", label="baseline", **EDGE)]
        figure.legend(handles=kinds, loc="upper center", bbox_to_anchor=(0.5, -0.01), ncol=2)
        figure.suptitle(subject(data.rows), fontsize=10)
        paths += save(figure, folder, "formats" if first == 0
                      else f"formats-{first // PANELS + 1}")
    return paths


def per_device(rows):
    """Flops a byte, GF/s of one device, and whether a vendor's."""
    row, seconds = rows[0], measured(rows).seconds
    return (2 * row["nonzeros"] / row["bytes"], 2e-9 * row["nonzeros"] / seconds / row["ranks"],
            is_baseline(row["format"]))


def best_of(rows):
    """The fastest of ours and of the baselines, as far as there are any."""
    named = [row for row in rows if row["format"] != "auto"]
    halves = [[row for row in named if is_baseline(row["format"]) == outside]
              for outside in (False, True)]
    return [fastest(half) for half in halves if half]


def case_name(matrix, ranks):
    return short_matrix(matrix) + (f", {ranks} ranks" if ranks > 1 else "")


def with_baselines(groups):
    return any(is_baseline(row["format"]) for rows in groups.values() for row in rows)


def draw_roof(axes, groups, ceilings):
    points = []
    for index, ((matrix, ranks), rows) in enumerate(groups.items()):
        shown = list(grouped(rows, "combination").values()) if len(groups) <= ALL_POINTS \
            else best_of(rows)
        few = len(groups) <= FEW_LINES
        colour, marker, _ = LINES[index if few else 0]
        names = [some[0]["format"] for some in best_of(rows)]
        for some in shown:
            intensity, rate, outside = per_device(some)
            points.append((intensity, rate))
            axes.plot(intensity, rate, marker, color=colour, linestyle="none", alpha=0.95,
                      markerfacecolor="white" if outside else colour)
            if len(groups) <= ALL_POINTS and some[0]["format"] in names:
                axes.annotate(some[0]["format"], (intensity, rate), fontsize=7,
                              xytext=(5, -9 if outside else 4),
                              textcoords="offset points")
        label = case_name(matrix, ranks)
        if few or index == 0:
            axes.plot([], [], marker, color=colour, linestyle="none",
                      label=label if few else "our fastest format of a matrix")
    if with_baselines(groups):
        axes.plot([], [], "o", color="black", markerfacecolor="white", linestyle="none",
                  label="open: baselines")
    span = [min(point[0] for point in points) / SPAN, max(point[0] for point in points) * SPAN]
    for (name, speed), dashes in zip(sorted(ceilings.items(), key=lambda item: -item[1]),
                                     ("-", "--", ":")):
        axes.plot(span, [one * speed for one in span], color="black", linestyle=dashes,
                  linewidth=1.1, label=f"{name}, {speed:.0f} GB/s")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(span)
    axes.set_ylim(bottom=min(point[1] for point in points) / SPAN)
    plain_log(axes.xaxis)
    plain_log(axes.yaxis)
    axes.set_xlabel("flops per byte, the format's own bytes")
    axes.set_ylabel("GF/s of one device")
    axes.set_title("roofline, measured ceilings")


def draw_shares(axes, groups):
    """Of ours a bar, of the best baseline a mark; the roof is 100 %."""
    for position, (_, rows) in enumerate(groups.items()):
        for some in best_of(rows):
            share = 100 * (some[0]["share_of_read_bandwidth"] or 0)
            if is_baseline(some[0]["format"]):
                axes.plot(share, position, "s", color="black", markerfacecolor="white",
                          markersize=4.5)
            else:
                axes.barh(position, share, 0.7, color=PALE, **EDGE)
                axes.text(1.02, position, some[0]["format"], va="center", fontsize=7,
                          transform=axes.get_yaxis_transform())
    axes.axvline(100, color="black", linewidth=1.1)
    axes.set_yticks(range(len(groups)))
    name_rows(axes, [case_name(*group) for group in groups], fontsize=7.5)
    axes.set_ylim(max(len(groups), 4) - 0.4, -0.6)
    axes.set_xlim(left=0)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("share of the read bandwidth (%)"
                    + ("; square: best baseline" if with_baselines(groups) else ""))
    axes.set_title("our fastest format")


def under_the_roof(rows):
    """Those with a measured bandwidth, of the precision that most of them have."""
    rows = [row for row in rows if row["bytes"] and row["read_bandwidth_gbytes"]
            and row["share_of_read_bandwidth"]]
    return max(grouped(rows, "precision").values(), key=len, default=[])


def ceilings_over(rows, measured_ceilings):
    """Of one device, the read bandwidth among them."""
    read = max(row["read_bandwidth_gbytes"] / row["ranks"] for row in rows)
    return {**measured_ceilings, "read": measured_ceilings.get("read", read)}


def roofline(data, folder):
    device = under_the_roof(data.rows)
    if not device:
        raise NothingToDraw("no report knows the bandwidth: it is measured on GPUs")
    groups = grouped(device, "matrix", "ranks")
    ceilings = ceilings_over(device, data.ceilings)
    height = max(3.8, 1.3 + 0.2 * len(groups))
    figure, axes = panels(2, width=5.4, height=height, columns=2)
    draw_roof(axes[0], groups, ceilings)
    draw_shares(axes[1], groups)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, -0.01),
                  ncol=min(4, len(labels)))
    figure.suptitle(subject(device), fontsize=10)
    return save(figure, folder, "roofline")
