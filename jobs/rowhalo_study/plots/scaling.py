# SPDX-License-Identifier: BSD-3-Clause
"""Pictures over the number of ranks: strong and weak scaling of products and solvers, exposed halo.

A line is a matrix (strong) or the matrices of a study (weak), of solvers with one method, with one
combination of format, transport and so on; where there are many combinations, the fastest at every
number of ranks. Efficiency is the rate (nonzeros per second) of a rank over that at the fewest ranks, so that weak
sizes which are not exactly even compare; in strong scaling that is the usual definition. Where lines of
the table have an expected time, it is drawn beside the measured one.
"""
import math
from typing import NamedTuple

from rowhalo_study.plots.style import (EXPECTED, FEW_LINES, NothingToDraw, line_style, logarithmic_ranks, panels,
                                       plain_log, room_above, save, short_matrix, subject, time_unit)
from rowhalo_study.results.data import COMBINATION, fastest, grouped, measured, with_requested_schedules
from rowhalo_study.results.rows import SOLVER_CHOICE

# Never mixed within a line.
REQUESTED = ("device", "precision", "schedule", "petsc_solver", *SOLVER_CHOICE)
EVEN_SIZES = 1.25   # most that nonzeros per rank differ for a weak line without a study


class Line(NamedTuple):
    label: str
    points: dict   # {ranks: rows (repeats) of one combination}

    def rows(self):
        return [row for rows in self.points.values() for row in rows]

    def rate(self, ranks, time="median_seconds"):
        rows = self.points[ranks]
        return rows[0]["nonzeros"] / measured(rows, time).seconds / ranks

    def efficiency(self, ranks, time="median_seconds"):
        return self.rate(ranks, time) / self.rate(min(self.points), time)

    def expected(self):
        """{ranks: seconds}; empty unless the fewest ranks and others have an expected time."""
        times = {ranks: measured(rows, "expected_seconds") for ranks, rows in self.points.items()}
        times = {ranks: time.seconds for ranks, time in times.items() if time}
        return times if len(times) > 1 and min(self.points) in times else {}


def generator(row):
    return short_matrix(row["matrix"]).split(":")[0]


def share_of(rows):
    """Nonzeros per rank, where there are the fewest."""
    first = min(rows, key=lambda row: row["ranks"])
    share = first["nonzeros"] / first["ranks"]
    name, size = next(one for one in (("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1))
                      if share >= one[1] or one[1] == 1)
    return f"{share / size:.3g}{name and ' ' + name} nonzeros"


def varying(groups, names):
    return [name for name in names if len({rows[0][name] for rows in groups}) > 1]


def described(row, names):
    words = {"graph": "graph" if row.get("graph") is True else "",
             "reproducible": "reproducible" if row.get("reproducible") else "",
             "preconditioner": "without preconditioner" if row.get("preconditioner") == "none"
             else row.get("preconditioner"),
             "threads": f"{row.get('threads')} threads"}
    return " ".join(filter(None, (str(words.get(name, row.get(name) or "")) for name in names)))


def lines_of_group(label, rows, room):
    """One line, or one a combination where those that scale are few."""
    by_ranks = grouped(rows, "ranks")
    combinations = grouped(rows, "combination")
    if max(len(grouped(some, "combination")) for some in by_ranks.values()) > 1:
        whole = [some for some in combinations.values()
                 if len(grouped(some, "ranks")) == len(by_ranks)]
        if 1 < len(whole) <= room:
            asked = [dict(zip(COMBINATION, some[0]["combination"])) for some in whole]
            names = [name for name in COMBINATION if len({one[name] for one in asked}) > 1]
            return [Line(f"{label} {described(one, names)}",
                         {ranks: few for (ranks,), few in grouped(some, "ranks").items()})
                    for one, some in zip(asked, whole)]
        label += ", fastest"
    return [Line(label, {ranks: fastest(some) for (ranks,), some in by_ranks.items()})]


def lines_of(groups):
    """Lines of {(label words): rows} with at least two numbers of ranks, sorted."""
    groups = {key: rows for key, rows in groups.items() if len(grouped(rows, "ranks")) > 1}
    found = []
    for (label, *_), rows in groups.items():
        names = varying(groups.values(), REQUESTED)
        full = " ".join(filter(None, [label, described(rows[0], names)]))
        found += lines_of_group(full, rows, max(1, (FEW_LINES - 2) // len(groups)))
    return found


def strong_lines(rows):
    rows = with_requested_schedules([row for row in rows if row["kind"] != "weak"])
    groups = {}
    for (matrix, *rest), some in grouped(rows, "matrix", *REQUESTED).items():
        groups[(short_matrix(matrix), *rest)] = some
    return lines_of(groups)


def weak_lines(rows):
    """Of studies that say so; else of generators whose matrices grow as the ranks do."""
    rows = with_requested_schedules(rows)
    groups = {}
    for row in rows:
        if row["kind"] == "weak":
            groups.setdefault((generator(row), row["study"],
                               *(row[name] for name in REQUESTED)), []).append(row)
    unsaid = grouped([row for row in rows if row["kind"] == ""], "matrix")
    single = [row for some in unsaid.values() if len(grouped(some, "ranks")) == 1 for row in some]
    for row in single:
        groups.setdefault((generator(row), None, *(row[name] for name in REQUESTED)),
                          []).append(row)
    for key in [key for key in groups if key[1] is None]:
        shares = [row["nonzeros"] / row["ranks"] for row in groups[key]]
        if max(shares) > EVEN_SIZES * min(shares):
            del groups[key]
    return lines_of({(f"{key[0]}, {share_of(rows)} per rank", *key[1:]): rows
                     for key, rows in groups.items()})


def plot_line(axes, index, line, values, **style):
    """`values`: {ranks: (value, low, high)}."""
    colour, marker, dashes = line_style(index)
    ranks = sorted(values)
    middle = [values[count][0] for count in ranks]
    errors = [[value - values[count][1] for value, count in zip(middle, ranks)],
              [values[count][2] - value for value, count in zip(middle, ranks)]]
    axes.errorbar(ranks, middle, yerr=[[max(0, one) for one in side] for side in errors],
                  color=colour, marker=marker, linestyle=dashes, capsize=2.5, elinewidth=0.8,
                  label=line.label, **style)


def draw_expected(axes, lines, value):
    """`value` of (line, ranks); the largest that was drawn."""
    drawn = [0.0]
    for index, line in enumerate(lines):
        ranks = sorted(line.expected())
        values = [value(line, count) for count in ranks]
        if values:
            axes.plot(ranks, values, color=line_style(index)[0], **EXPECTED)
        drawn += values
    return max(drawn)


def draw_expected_times(axes, lines, size):
    """With a line in the legend for all of them; the largest time."""
    largest = draw_expected(axes, lines, lambda line, ranks: line.expected()[ranks] / size)
    if largest:
        axes.plot([], [], color="0.2", label="thin dashed: expected (machine file)", **EXPECTED)
    return largest


def nodes_by_ranks(lines):
    return {row["ranks"]: row["nodes"] or 1 for line in lines for row in line.rows()}


def petsc_products(lines):
    """PETSc's times beside ours: [(index of our line, label, {ranks: time})]; of few lines only."""
    found = []
    for index, line in enumerate(lines if len(lines) <= 2 else ()):
        times = {ranks: measured(rows, "petsc_seconds") for ranks, rows in line.points.items()}
        if all(times.values()):
            cpu = " (CPU)" if line.rows()[0]["device"] == "gpu" else ""
            found.append((index, f"PETSc MatMult{cpu}, {line.label.replace(', fastest', '')}", times))
    return found


def petsc_solvers(lines, rows):
    """The same of solvers; `rows`: of PETSc's."""
    def report_of(row):
        return tuple(row[name] for name in ("study", "point", "repeat", "time", *SOLVER_CHOICE))
    found = []
    for index, line in enumerate(lines):
        reports = {report_of(row) for row in line.rows()}
        beside = [row for row in rows if report_of(row) in reports]
        for (_,), some in grouped(beside, "petsc_solver").items():
            name = f"PETSc {some[0]['petsc_solver']}"
            name += " (CPU)" if line.rows()[0]["device"] == "gpu" else ""
            label = line.label.replace(some[0]["method"], name)
            found.append((index, label, {ranks: measured(few) for (ranks,), few
                                         in grouped(some, "ranks").items()}))
    return found


def draw_time(axes, lines, theirs, what):
    slowest = max(measured(rows).seconds for line in lines for rows in line.points.values())
    unit, size = time_unit(slowest)
    for index, line in enumerate(lines):
        values = {ranks: [value / size for value in measured(rows)]
                  for ranks, rows in line.points.items()}
        first = min(values)
        ideal = [values[first][0] * first / ranks for ranks in sorted(values)]
        axes.plot(sorted(values), ideal, color="0.45", linewidth=0.8, linestyle=(0, (1, 2)),
                  label="ideal" if index == 0 else None)
        plot_line(axes, index, line, values)
        for _, label, times in (one for one in theirs if one[0] == index):
            colour, marker, dashes = line_style(index)
            axes.plot(sorted(times), [times[ranks].seconds / size for ranks in sorted(times)],
                      color=colour, marker=marker, markerfacecolor="white", linewidth=0.8,
                      linestyle=dashes, label=label)
    draw_expected_times(axes, lines, size)
    axes.set_yscale("log")
    axes.set_ylabel(f"time per {what} ({unit})")
    axes.set_title("time")
    plain_log(axes.yaxis)


def spread_of(line, ranks, ideal=1.0):
    """Efficiency with the spread of the time at `ranks`, times `ideal`."""
    time, value = measured(line.points[ranks]), line.efficiency(ranks) * ideal
    return value, value * time.seconds / time.high, value * time.seconds / time.low


def draw_speedup(axes, lines):
    everywhere = sorted(nodes_by_ranks(lines))
    axes.plot(everywhere, everywhere, color="0.45", linewidth=0.8, linestyle=(0, (1, 2)),
              label="ideal")
    for index, line in enumerate(lines):
        plot_line(axes, index, line, {ranks: spread_of(line, ranks, ranks)
                                      for ranks in line.points})
    axes.set_yscale("log", base=2)
    low, high = axes.get_ylim()  # whole powers of 2, which have the labels
    axes.set_ylim(2.0 ** math.floor(math.log2(low)), 2.0 ** math.ceil(math.log2(high)))
    fewest = min(everywhere)
    axes.set_ylabel(f"speed-up against {fewest} rank{'s, times ' + str(fewest) if fewest > 1 else ''}"
                    " (no unit)")
    axes.set_title("speed-up")
    plain_log_of_two(axes.yaxis)


def plain_log_of_two(axis):
    from matplotlib import ticker  # pylint: disable=import-outside-toplevel
    axis.set_major_locator(ticker.LogLocator(base=2))
    axis.set_minor_locator(ticker.NullLocator())
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:.3g}"))


def draw_efficiency(axes, lines, title):
    axes.axhline(100, color="0.45", linewidth=0.8, linestyle=(0, (1, 2)), label="ideal")
    spreads = []
    for index, line in enumerate(lines):
        values = {ranks: spread_of(line, ranks, 100) for ranks in line.points}
        plot_line(axes, index, line, values)
        spreads += values.values()
    expected = draw_expected(axes, lines, lambda line, ranks: 100 * line.efficiency(
        ranks, "expected_seconds"))
    axes.set_ylim(0, room_above(max(expected, *(one[0] for one in spreads)),
                                max(one[2] for one in spreads)))
    axes.set_ylabel("efficiency (%)")
    axes.set_title(title)


def finish(figure, axes, lines, folder, name, head=""):
    rows = [row for line in lines for row in line.rows()]
    for one in axes:
        logarithmic_ranks(one, nodes_by_ranks(lines), rows[0]["device"])
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, -0.01),
                  ncol=min(4, len(labels)))
    figure.suptitle(subject(rows) + head, fontsize=10)
    return save(figure, folder, name)


def strong_picture(lines, theirs, what, folder, name, head=""):
    figure, axes = panels(3, width=4.2, height=3.6)
    draw_time(axes[0], lines, theirs, what)
    draw_speedup(axes[1], lines)
    draw_efficiency(axes[2], lines, "efficiency")
    return finish(figure, axes, lines, folder, name, head)


def strong(data, folder):
    lines = strong_lines(data.rows)
    if not lines:
        raise NothingToDraw("no matrix was run at several numbers of ranks")
    return strong_picture(lines, petsc_products(lines), "product", folder, "strong")


def weak_picture(lines, what, folder, name, head=""):
    figure, axes = panels(2, width=4.6, height=3.6)
    slowest = max(measured(rows).seconds for line in lines for rows in line.points.values())
    unit, size = time_unit(slowest)
    for index, line in enumerate(lines):
        plot_line(axes[0], index, line, {ranks: [value / size for value in measured(rows)]
                                         for ranks, rows in line.points.items()})
    highest = max(measured(rows).high for line in lines for rows in line.points.values())
    expected = draw_expected_times(axes[0], lines, size) * size
    axes[0].set_ylim(0, room_above(max(slowest, expected), highest) / size)
    axes[0].set_ylabel(f"time per {what} ({unit})")
    axes[0].set_title("time, even sizes per rank: ideally level")
    draw_efficiency(axes[1], lines, "weak efficiency (rate of a rank)")
    axes[0].plot([], [], color="0.45", linewidth=0.8, linestyle=(0, (1, 2)), label="ideal")
    return finish(figure, axes, lines, folder, name, head)


def weak(data, folder):
    lines = weak_lines(data.rows)
    if not lines:
        raise NothingToDraw("no study is weak, and no generator's matrices grow as the ranks do")
    return weak_picture(lines, "product", folder, "weak")


def exposed_lines(rows):
    """Weak and strong ones alike; a single rank has no halo."""
    rows = [row for row in rows if row["ranks"] > 1 and row["exposed_seconds"] is not None]
    return strong_lines(rows) + weak_lines(rows)


def exposed(data, folder):
    lines = exposed_lines(data.rows)
    if not lines:
        raise NothingToDraw("fewer than two numbers of ranks above one were run")
    figure, axes = panels(2, width=4.6, height=3.6)
    waits = [{ranks: measured(some, "exposed_seconds") for ranks, some in line.points.items()}
             for line in lines]
    unit, size = time_unit(max(one.seconds for wait in waits for one in wait.values()))
    for index, (line, wait) in enumerate(zip(lines, waits)):
        plot_line(axes[0], index, line, {ranks: [value / size for value in one]
                                         for ranks, one in wait.items()})
        shares = {ranks: 100 * one.seconds / measured(line.points[ranks]).seconds
                  for ranks, one in wait.items()}
        plot_line(axes[1], index, line, {ranks: (share, share, share)
                                         for ranks, share in shares.items()})
    axes[0].set_ylabel(f"exposed halo time per product ({unit})")
    axes[1].set_ylabel("share of the product (%)")
    for one in axes:
        one.set_ylim(0, 1.05 * one.get_ylim()[1])
    axes[0].set_title("exposed: product minus that without exchange")
    axes[1].set_title("of the product")
    return finish(figure, axes, lines, folder, "exposed")
