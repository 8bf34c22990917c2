# SPDX-License-Identifier: BSD-3-Clause
"""One table of many reports: a CSV with all figures and their provenance, and a markdown of it.

usage: rowhalo-study table INPUT ... [--output FILE.csv] [--study NAME]

INPUT is what rowhalo-study plot takes: reports of `rowhalo run`, `kernels` and `solve` (.json, .h5), folders of
them, studies, tables. FILE.csv has a line per case with every column of NUMBERS.md; rowhalo-study plot, rowhalo-study compare and
rowhalo-study table read it in place of the reports. FILE.md beside it shows the figures most asked for, and
what was measured with what; without --output it is printed. Python 3.9 or newer; .h5 needs h5py.
Exit status: 0 fine, 1 the output cannot be written, 2 wrong usage or input.
"""
import argparse
import sys
from pathlib import Path

from rowhalo_study.calling import typed
from rowhalo_study.names import Parser, lines_text, say, shown
from rowhalo_study.plots.style import device_name, four_digits, short
from rowhalo_study.results.data import COMBINATION, reader_of
from rowhalo_study.results.hdf5 import WrongFile
from rowhalo_study.results.rows import csv_text, unique
from rowhalo_study.whole_files import write_whole

NAME = typed("table")
# Columns that tell lines apart; those with one value for all of them stand above the table.
KEYS = ("matrix", "nonzeros", "precision", "device", "nodes", "ranks", "threads", "partition",
        "schedule", "format", "method", "petsc_solver", "preconditioner", "norm", "reproducible",
        "repeat")
TRANSPORT = COMBINATION.index("transport")


def microseconds(value):
    return four_digits(value * 1e6)


# Shown where any line has them: column, title, text of a value.
FIGURES = (
    ("median_seconds", "time, us", microseconds),
    ("expected_seconds", "expected, us", microseconds),
    ("exposed_seconds", "exposed, us", microseconds),
    ("called_seconds", "called, us", microseconds), ("graph_seconds", "in graph, us", microseconds),
    ("cold_seconds", "cold, us", microseconds), ("petsc_seconds", "PETSc, us", microseconds),
    ("gflops", "GF/s", short), ("gbytes_per_second", "GB/s", short),
    ("share_of_read_bandwidth", "share", "{:.0%}".format),
    ("setup_products", "set-up, products", "{:.0f}".format),
    ("max_error_ratio", "error", "{:.2g}".format), ("y_hash", "y_hash", str))
SUM_FIGURES = (("partial_sums", "sums sent", str),)  # of tables that hold a line with some
PAIR_FIGURES = (  # of tables that hold a line of `run --pair`
    ("transposed_seconds", "transposed, us", microseconds), ("pair_seconds", "pair, us", microseconds),
    ("pair_time_ratio", "pair over sum", "{:.3f}".format),
    ("pair_memory_ratio", "memory over A", "{:.3f}".format),
    ("transposed_format", "transposed format", str))
SOLVER_FIGURES = (  # of tables that hold a line of `solve`; times are per iteration
    ("product_seconds", "product, us", microseconds),
    ("vectors_seconds", "vectors, us", microseconds),
    ("reductions_seconds", "reductions, us", microseconds),
    ("floor_share", "share of the floor", "{:.0%}".format), ("execution", "execution", str),
    ("reduction_by", "reduction by", str), ("iterations", "iterations", str),
    ("solve_seconds", "in all, us", microseconds),
    ("true_residual", "true residual", "{:.2g}".format), ("end", "end", str))


def cell(value):
    return "-" if value is None or value == "" else shown(value).replace("|", "/")


def transport_of(row):
    """With the graph, and whether it was left to auto; one rank exchanges nothing."""
    if not row["transport"]:
        return ""
    words = []
    if row["ranks"] > 1:
        auto = row["combination"][TRANSPORT] == "auto"
        words.append(("auto: " if auto else "") + row["transport"])
    if row["graph"]:
        words.append("graph")
    return ", ".join(words)


def note_of(row):
    if row["passed"] is False:
        return f"WRONG: {row['reason'] or row['end'] or 'y is beyond its bound'}"
    if row["reason"] or row["status"] not in ("ok", "skipped"):
        return row["reason"] or row["verdict"]
    return "y not checked" if row["against"] == "none" else ""


def machines_of(rows):
    """A line per set of devices, build and libraries: what was measured with what, and when."""
    found = {}
    for row in rows:
        devices = [device_name(name) for name in (row["devices"] or "").split("; ") if name]
        named = [f"{devices.count(name)} x {name}" for name in unique(devices)]
        built = [f"{title} {row[name]}" for name, title in (
            ("version", "rowhalo"), ("git", "commit"), ("compiler", "compiler"), ("mpi", "MPI"),
            ("cuda", "CUDA"), ("nccl", "NCCL"), ("petsc", "PETSc")) if row[name]]
        if named or built:
            found.setdefault(", ".join(named + built), []).append(row["time"] or "")
    for words, times in found.items():
        first, last = min(times), max(times)
        yield f"- {words}; {first}" + (f" to {last}" if last != first else "")


def markdown_text(rows, title, csv_name=None, own_figures=None):
    varying = [name for name in KEYS if len({row[name] for row in rows}) > 1]
    constant = [f"{name} {rows[0][name]}" for name in KEYS
                if name not in varying and rows[0][name] not in (None, "")]
    solvers = SOLVER_FIGURES if any(row["method"] for row in rows) else ()
    sums = SUM_FIGURES if any(row["partial_sums"] for row in rows) else ()
    pair = PAIR_FIGURES if any(row["pair_seconds"] for row in rows) else ()
    figures = [figure for figure in own_figures or sums + FIGURES + pair + solvers
               if any(row[figure[0]] is not None for row in rows)]
    transports = any(row["transport"] for row in rows)
    notes = any(note_of(row) for row in rows)
    heads = [*varying, *(["transport"] if transports else []), *(title for _, title, _ in figures),
             *(["notes"] if notes else [])]
    text = [f"# {title}", ""]
    if csv_name:
        text += [f"Every figure, its provenance and the command line: [{csv_name}]({csv_name}). "
                 "How the numbers are made: jobs/NUMBERS.md.", ""]
    text += [*machines_of(rows), f"- in all lines: {', '.join(constant)}", "",
             f"| {' | '.join(heads)} |", "| --- " * len(heads) + "|"]
    for row in rows:
        cells = [cell(row[name]) for name in varying]
        cells += [cell(transport_of(row))] if transports else []
        cells += [cell(None if row[name] is None else show(row[name])) for name, _, show in figures]
        cells += [cell(note_of(row))] if notes else []
        text.append(f"| {' | '.join(cells)} |")
    return lines_text(text)


def csv_path(text):
    """The value of --output."""
    if not text.endswith(".csv"):
        raise argparse.ArgumentTypeError(f"{text}: give the name of a .csv file")
    return Path(text)


def title_of(rows):
    return ", ".join(unique(row["study"] for row in rows if row["study"]))


def write_tables(output, rows, columns=None, figures=None, end=""):
    """FILE.csv and, with `end` below its table, FILE.md beside it; says so."""
    target = output.with_suffix(".md")
    write_whole(output, csv_text(rows, columns))
    write_whole(target,
                markdown_text(rows, title_of(rows) or output.stem, output.name, figures) + end)
    say(f"{len(rows)} lines in {output} and {target}")


def main(arguments):
    parser = Parser(prog=NAME,
                                     description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("inputs", nargs="+", metavar="INPUT", type=Path,
                        help="reports (.json, .h5), folders of them, studies, tables (.csv)")
    parser.add_argument("--output", type=csv_path, metavar="FILE.csv",
                        help="the table; FILE.md is written beside it (default: the text of FILE.md "
                             "is printed)")
    parser.add_argument("--study", metavar="NAME",
                        help="name of the study, where the reports belong to none")
    options = parser.parse_args(arguments)
    try:
        rows = reader_of(options.inputs).rows
        if not rows:
            raise WrongFile(f"{options.inputs[0]}: holds no product of `rowhalo run` or `kernels`, "
                            "and no solver of `solve`")
        for row in rows:
            row["study"] = row["study"] or options.study or ""
        if options.output:
            write_tables(options.output, rows)
            return 0
        text = markdown_text(rows, title_of(rows) or options.inputs[0].stem)
    except WrongFile as error:
        say(f"{NAME}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        say(f"{NAME}: {error}", file=sys.stderr)
        return 1
    say(*text.rstrip("\n").split("\n"))
    return 0
