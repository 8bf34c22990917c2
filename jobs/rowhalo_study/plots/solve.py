# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of solvers: time per iteration over ranks, the phases of an iteration, residual histories.

The pictures over ranks are those of products (scaling.py, product.py) with a line or panel per method.
Phases are means of iterations launched one by one, the time per iteration is the median of those that
were measured: a graph that saves launches, or a few disturbed iterations, leaves the diamond below its
column. Histories are read from the reports.
"""
import re
import textwrap
from os.path import commonprefix
from typing import NamedTuple

from rowhalo_study.plots.product import columns_of, draw_phases
from rowhalo_study.plots.ranks import selected
from rowhalo_study.plots.scaling import (REQUESTED, Line, described, petsc_solvers, strong_lines, strong_picture,
                                         varying, weak_lines, weak_picture)
from rowhalo_study.plots.style import NothingToDraw, line_style, panels, save, short_matrix, subject
from rowhalo_study.results.data import fastest, grouped, measured, report_of, with_requested_schedules
from rowhalo_study.results.rows import SOLVER_CHOICE

MOST_PANELS = 8
MARKS = 12          # of a line of a history
TITLE_WIDTH = 36    # of a panel, in letters
FLOOR = "floor: bytes over the read bandwidth"
NOTE = "columns: mean of an iteration launched by itself, slowest rank of each phase"


def ours(data):
    """PETSc's solvers are drawn beside ours, never alone."""
    return [row for row in data.solvers if not row["petsc_solver"]]


def headed(lines):
    """The lines without the words that all of them begin with, and these for the picture's head."""
    shared = commonprefix([line.label for line in lines]).rpartition(" ")[0]
    if len(lines) < 2 or not shared:
        return lines, ""
    return [line._replace(label=line.label[len(shared) + 1:]) for line in lines], f"; {shared}"


def strong(data, folder):
    lines, head = headed(strong_lines(ours(data)))
    if not lines:
        raise NothingToDraw("no solver was run at several numbers of ranks")
    theirs = petsc_solvers(lines, [row for row in data.solvers if row["petsc_solver"]])
    return strong_picture(lines, theirs, "iteration", folder, "solve-strong", head)


def weak(data, folder):
    lines, head = headed(weak_lines(ours(data)))
    if not lines:
        raise NothingToDraw("no study of solvers is weak")
    return weak_picture(lines, "iteration", folder, "solve-weak", head)


def phases_of(rows):
    """Of an iteration; the exposed part of the products by itself where the report knows it."""
    mean = {name: measured(rows, f"{name}_seconds") for name in ("product", "exposed", "vectors",
                                                                 "reductions")}
    seconds = {name: value.seconds if value else 0.0 for name, value in mean.items()}
    exposed = min(seconds["exposed"], seconds["product"])
    name = "product without exposed halo" if mean["exposed"] else "product with its halo"
    return {name: seconds["product"] - exposed, "exposed halo": exposed, "vectors": seconds["vectors"],
            "reductions": seconds["reductions"]}


def single_points(rows):
    """Lines of data with one number of ranks only."""
    groups = grouped(with_requested_schedules(rows), "matrix", "ranks", *REQUESTED)
    names = varying(groups.values(), REQUESTED)
    return [Line(f"{short_matrix(matrix)} {described(some[0], names)}".strip(),
                 {ranks: fastest(some)}) for (matrix, ranks, *_), some in groups.items()]


def draw_iteration(axes, line, columns, device, top):
    """Phases, the floor as a thick line, and above the column the shares of what is ideal."""
    title = textwrap.fill(re.sub(",(?! )", ", ", line.label), TITLE_WIDTH)
    places = draw_phases(axes, columns, title, device,
                         "time per iteration (median)", top)
    axes.set_ylim(0, 1.2 * axes.get_ylim()[1])
    for number, (ranks, (position, per_second)) in enumerate(places.items()):
        words = [f"{100 * line.efficiency(ranks):.0f} %"] if len(places) > 1 else []
        floor = measured(line.points[ranks], "floor_seconds")
        share = measured(line.points[ranks], "floor_share")
        if floor:
            axes.hlines(floor.seconds * per_second, position - 0.4, position + 0.4, color="black",
                        linewidth=2, label=None if number else FLOOR)
        if share:
            words.append(f"({100 * share.seconds:.0f} %)")
        axes.text(position, 0.98, "\n".join(words), transform=axes.get_xaxis_transform(),
                  ha="center", va="top", fontsize=8)


def legend_of(axes):
    """{label: handle} of all panels."""
    return {label: handle for one in axes
            for handle, label in zip(*one.get_legend_handles_labels())}


def breakdown(data, folder):
    rows = ours(data)
    lines = strong_lines(rows) + weak_lines(rows) or single_points(rows)
    if not lines:
        raise NothingToDraw("no report of `rowhalo solve` is there")
    shown, head = headed(lines[:MOST_PANELS])
    figure, axes = panels(len(shown), width=3.3, height=3.5, columns=4 if len(shown) > 3 else 3)
    columns = [columns_of(line, phases_of) for line in shown]
    # Methods on one matrix compare on one scale.
    top = max(one.top() for one in columns) if head else 0
    for one, line, column in zip(axes, shown, columns):
        draw_iteration(one, line, column, rows[0]["device"], top)
    handles = legend_of(axes)
    if not any(row["exposed_seconds"] is not None for row in rows):
        handles.pop("exposed halo")
    figure.legend(handles.values(), handles, loc="upper center", bbox_to_anchor=(0.5, -0.01), ncol=6)
    above = ["efficiency"] if max(len(line.points) for line in shown) > 1 else []
    above += ["in brackets floor over time per iteration"] if FLOOR in handles else []
    note = f"; above: {', '.join(above)}" if above else ""
    figure.suptitle(f"{subject(rows)}{head}\n{NOTE}{note}", fontsize=10)
    return save(figure, folder, "solve-breakdown")


class History(NamedTuple):
    family: str      # as in Detail, of which the most ranks are shown
    ranks: int
    name: str
    matrix: str
    solvers: list


def histories_of(details):
    """{(matrix, ranks): histories}: of every matrix with the most ranks; of reports that were named
    all."""
    found = []
    for detail in details:
        report = report_of(detail)
        solvers = [solver for solver in report.get("solvers") or [] if len(solver["norms"]) > 1]
        if solvers:
            found.append(History(detail.family, detail.ranks, detail.name,
                                 report["matrix"]["source"], solvers))
    groups = {}
    for one in selected(found):
        groups.setdefault((one.matrix, one.ranks), []).append(one)
    return groups


def labelled(group):
    """{label: solver} of the histories of one matrix: the method and what else differs."""
    solvers = [(report, solver) for report in group for solver in report.solvers]
    names = varying([[solver] for _, solver in solvers], SOLVER_CHOICE[1:])
    labels = {}
    for report, solver in solvers:
        label = " ".join(filter(None, (solver["method"], described(solver, names))))
        # The same solver in two reports: the second is told by its report.
        labels[f"{label}, {report.name}" if label in labels else label] = solver
    return labels


def draw_history(axes, labels, styles):
    from matplotlib import ticker  # pylint: disable=import-outside-toplevel
    for label, solver in labels.items():
        index = styles.setdefault(label, len(styles))
        colour, marker, dashes = line_style(index)
        first = solver["norms"][0] or 1
        # What is zero or not finite has no place on a log axis.
        values = [norm / first if norm else float("nan") for norm in solver["norms"]]
        step = max(len(labels), len(values) // MARKS)  # marks of lines that coincide take turns
        axes.plot(range(len(values)), values, color=colour, marker=marker, linestyle=dashes,
                  markevery=(index % step, step), label=label)
    converged = {solver["tolerance"] for solver in labels.values() if solver["end"] == "converged"}
    for number, tolerance in enumerate(sorted(converged)):
        axes.axhline(tolerance, color="0.45", linewidth=0.8, linestyle=(0, (1, 2)),
                     label="tolerance" if number == 0 else None)
    axes.set_yscale("log")
    axes.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
    axes.set_xlabel("iterations")
    norms = sorted({solver["norm"] for solver in labels.values()})
    axes.set_ylabel(f"{norms[0] if len(norms) == 1 else 'watched'} norm over the first (no unit)")


def history(data, folder):
    groups = histories_of(data.details)
    if not groups:
        raise NothingToDraw("no report of `rowhalo solve` is there; a CSV holds no histories")
    shown = list(groups.items())[:MOST_PANELS]
    figure, axes = panels(len(shown), width=5.0, height=3.6)
    styles = {}
    for one, ((matrix, ranks), group) in zip(axes, shown):
        draw_history(one, labelled(group), styles)
        one.set_title(f"{short_matrix(matrix)}, {ranks} rank{'s' if ranks > 1 else ''}", fontsize=9)
    handles = legend_of(axes)
    figure.legend(handles.values(), handles, loc="upper center", bbox_to_anchor=(0.5, -0.01),
                  ncol=min(4, len(handles)))
    return save(figure, folder, "history")
