# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of one product: its phases (breakdown), and the transports side by side.

Phases come from a separate pass that waits after each of them, without a graph: what overlaps in a
product stands one above the other here, so a column may be higher than the product itself. In strong
scaling times are multiplied by the ranks: ideally columns are level, and what grows is what costs.
"""
from typing import NamedTuple

from rowhalo_study.plots.scaling import Line, strong_lines, weak_lines
from rowhalo_study.plots.style import (BARS, EDGE, NothingToDraw, name_of_ranks, name_rows, panels, room_above, save,
                                       short, short_matrix, subject, time_unit)
from rowhalo_study.results.data import COMBINATION, Measured, fastest, grouped, measured

PHASES = {"pack": "pack", "exchange": "wait for ghosts", "interior": "interior", "boundary": "boundary"}
MOST_PANELS = 6
MOST_MATRICES = 6   # of the transports, with two panels each


def single_points(rows):
    """Lines of data with one number of ranks only."""
    return [Line(short_matrix(matrix), {ranks: fastest(some)})
            for (matrix, ranks), some in grouped(rows, "matrix", "ranks").items()]


def phases_of(rows):
    return {title: measured(rows, f"{phase}_seconds").seconds for phase, title in PHASES.items()}


class Columns(NamedTuple):
    """What a panel of phases shows, in seconds per rank or, of strong scaling, times the ranks."""
    strong: bool
    scale: dict      # {ranks: what times are multiplied by}
    phases: dict     # {ranks: {phase: seconds}}
    wholes: dict     # {ranks: Measured}

    def top(self):
        return max(*(sum(one.values()) for one in self.phases.values()),
                   *(one.seconds for one in self.wholes.values()))


def columns_of(line, parts_of=phases_of):
    """`parts_of` the repeats of a point: {phase: seconds}."""
    ranks = sorted(line.points)
    strong = len(ranks) > 1 and len(grouped(line.rows(), "matrix")) == 1
    scale = {count: count if strong else 1 for count in ranks}
    phases = {count: {name: scale[count] * seconds
                      for name, seconds in parts_of(line.points[count]).items()}
              for count in ranks}
    wholes = {count: Measured(*(scale[count] * value for value in measured(line.points[count])))
              for count in ranks}
    return Columns(strong, scale, phases, wholes)


def draw_phases(axes, columns, title, device, whole="the product itself", top=0):
    """A column of phases at every number of ranks and a diamond for the `whole`, up to `top` at least.
    Gives {ranks: (position, what the axis shows per second)}."""
    top = max(top, columns.top())
    unit, size = time_unit(top)
    for position, (count, phases) in enumerate(columns.phases.items()):
        base = 0
        for (phase, seconds), (colour, hatch) in zip(phases.items(), BARS):
            axes.bar(position, seconds / size, 0.62, bottom=base / size, color=colour, hatch=hatch,
                     label=phase if position == 0 else None, **EDGE)
            base += seconds
        one = columns.wholes[count]
        axes.errorbar(position, one.seconds / size, capsize=3, elinewidth=0.9, color="black",
                      yerr=[[(one.seconds - one.low) / size], [(one.high - one.seconds) / size]],
                      marker="D", markerfacecolor="white", linestyle="none",
                      label=whole if position == 0 else None)
    ranks = list(columns.phases)
    axes.set_ylim(0, room_above(top, max(one.high for one in columns.wholes.values())) / size)
    axes.set_xticks(range(len(ranks)))
    axes.set_xticklabels([str(count) for count in ranks])
    beside = 0.6 if len(ranks) > 1 else 1.1
    axes.set_xlim(-beside, len(ranks) - 1 + beside)
    axes.grid(axis="x", visible=False)
    axes.set_xlabel(name_of_ranks(device))
    axes.set_ylabel(f"time × ranks ({unit})" if columns.strong else f"time ({unit})")
    axes.set_title(title, fontsize=9)
    return {count: (position, columns.scale[count] / size) for position, count in enumerate(ranks)}


def breakdown_lines(rows):
    """Of the products that have phases."""
    rows = [row for row in rows if row["interior_seconds"] is not None]
    return strong_lines(rows) + weak_lines(rows) or single_points(rows)


def breakdown(data, folder):
    lines = breakdown_lines(data.rows)
    if not lines:
        raise NothingToDraw("no report of `rowhalo run` with phases is there")
    rows = [row for line in lines for row in line.rows()]
    shown = lines[:MOST_PANELS]
    figure, axes = panels(len(shown), width=4.0, height=3.3)
    for one, line in zip(axes, shown):
        draw_phases(one, columns_of(line), line.label, rows[0]["device"])
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, -0.01), ncol=5)
    figure.suptitle(f"{subject(rows)}\nphases: means of a pass of their own, slowest rank of each", fontsize=10)
    return save(figure, folder, "breakdown")


def transports_of(rows):
    """{(transport, graph): rows of the repeats}, all with the format that most of them have."""
    def count_and_speed(some):
        return -len(grouped(some, "transport", "graph")), fastest(some) and measured(
            fastest(some)).seconds
    one_format = min(grouped(rows, "format").values(), key=count_and_speed)
    return {key: fastest(some) for key, some in grouped(one_format, "transport", "graph").items()}


def draw_transports(axes, title, found):
    """A bar a transport: the product, of which the right, hatched part is exposed."""
    found = sorted(found.items(), key=lambda item: -measured(item[1]).seconds)
    unit, size = time_unit(max(measured(rows).seconds for _, rows in found))
    slowest = max(measured(rows).seconds for _, rows in found) / size
    for position, ((_, graph), rows) in enumerate(found):
        product = measured(rows)
        exposed = min(measured(rows, "exposed_seconds").seconds, product.seconds)
        local = (product.seconds - exposed) / size
        axes.barh(position, local, 0.66, color=BARS[0][0] if graph else BARS[2][0], **EDGE)
        axes.barh(position, exposed / size, 0.66, left=local, color=BARS[1][0], hatch=BARS[1][1],
                  **EDGE)
        axes.text(product.seconds / size + 0.015 * slowest, position,
                  f"{short(product.seconds / size)} ({short(exposed / size)})", va="center",
                  fontsize=7.5)
    axes.set_yticks(range(len(found)))
    name_rows(axes, [f"{name}, graph" if graph else name for (name, graph), _ in found])
    axes.set_xlim(0, 1.28 * slowest)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(f"time per product; in brackets exposed ({unit})")
    axes.set_title(title, fontsize=9)


class TransportPanel(NamedTuple):
    title: str
    matrix: str
    ranks: int
    found: dict      # {(transport, graph): rows}


def transport_panels(rows):
    """Of every matrix the fewest and the most ranks at which several transports were run."""
    named = COMBINATION.index("transport")  # what auto took in its repeats is no comparison
    rows = [row for row in rows if row["ranks"] > 1 and row["exposed_seconds"] is not None
            and row["combination"][named] not in (None, "auto")]
    shown = []
    for (matrix, precision, schedule), some in grouped(rows, "matrix", "precision", "schedule").items():
        of_ranks = {ranks: transports_of(few) for (ranks,), few in grouped(some, "ranks").items()}
        several = [ranks for ranks, found in of_ranks.items() if len(found) > 1]
        for ranks in sorted({min(several), max(several)} if several else ()):
            chosen = next(iter(of_ranks[ranks].values()))[0]["format"]
            words = [short_matrix(matrix), f"{ranks} ranks", chosen]
            words += [precision] if len(grouped(rows, "precision")) > 1 else []
            words += [schedule] if len(grouped(rows, "schedule")) > 1 else []
            shown.append(TransportPanel(", ".join(filter(None, words)), matrix, ranks, of_ranks[ranks]))
    return shown


def transports(data, folder):
    shown = transport_panels(data.rows)
    if not shown:
        raise NothingToDraw("no matrix was run with several transports on more than one rank")
    shown = shown[:2 * MOST_MATRICES]
    tallest = max(len(panel.found) for panel in shown)
    figure, axes = panels(len(shown), width=4.8, height=1.2 + 0.32 * tallest, columns=2)
    for one, panel in zip(axes, shown):
        draw_transports(one, panel.title, panel.found)
    from matplotlib import patches  # pylint: disable=import-outside-toplevel
    kinds = [(BARS[2], "product without exchange"), (BARS[0], "the same, in a graph"),
             (BARS[1], "exposed halo")]
    if not any(graph for panel in shown for _, graph in panel.found):
        del kinds[1]
    figure.legend(handles=[patches.Patch(facecolor=colour, hatch=hatch, label=label, **EDGE)
                           for (colour, hatch), label in kinds],
                  loc="upper center", bbox_to_anchor=(0.5, -0.01), ncol=3)
    figure.suptitle(subject([row for panel in shown for rows in panel.found.values()
                             for row in rows]), fontsize=10)
    return save(figure, folder, "transports")
