# SPDX-License-Identifier: BSD-3-Clause
"""Expected beside measured times of products: a sick network or GPU shows as a time above the expected.

usage: rowhalo-study expected INPUT ... [--output FILE.csv]

INPUT is what rowhalo-study table takes: reports of `rowhalo run --machine FILE` (.json, .h5), folders of them,
studies, tables. Every line with both times is printed, what is slowest beside its expectation first.
The error is the expected time over the measured one, minus 1: -50 % means twice the expected time.
FILE.csv holds these lines in the same order, with every column of NUMBERS.md and expected_error;
FILE.md beside it holds what is printed. Python 3.9 or newer; .h5 needs h5py.
Exit status: 0 fine, 2 wrong usage or input, or the output cannot be written.
"""
import sys
from pathlib import Path
from statistics import median

from rowhalo_study.calling import typed
from rowhalo_study.names import Parser, aligned, say
from rowhalo_study.plots.style import short_matrix
from rowhalo_study.results.data import read
from rowhalo_study.results.hdf5 import WrongFile
from rowhalo_study.results.rows import columns_of
from rowhalo_study.results.table import csv_path, microseconds, transport_of, write_tables

NAME = typed("expected")
FIGURES = (("median_seconds", "measured, us", microseconds),
           ("expected_seconds", "expected, us", microseconds),
           ("expected_error", "error", "{:+.1%}".format))
NAMES = ("matrix", "ranks", "device", "format", "transport")


def lines_of(inputs):
    """Rows with both times and their error, the most negative one first."""
    rows = with_errors(read(inputs).rows)
    if not rows:
        raise WrongFile(f"{inputs[0]}: no line has an expected time; measure with `rowhalo run "
                        "--machine FILE`, and make FILE by `rowhalo network`")
    return rows


def with_errors(rows):
    """Those that have both times."""
    rows = [row for row in rows if row["expected_seconds"]]
    for row in rows:
        row["expected_error"] = row["expected_seconds"] / row["median_seconds"] - 1
    return sorted(rows, key=lambda row: row["expected_error"])


def table(rows):
    heads = [*NAMES, *(title for _, title, _ in FIGURES)]
    cells = [heads] + [[short_matrix(row["matrix"]), str(row["ranks"]), row["device"] or "",
                        row["format"] or "", transport_of(row) or "-",
                        *(show(row[name]) for name, _, show in FIGURES)] for row in rows]
    return aligned(cells, left=(0, 2, 3, 4))


def summary(rows):
    errors = [abs(row["expected_error"]) for row in rows]
    return (f"{len(rows)} lines; |error|: median {median(errors):.1%}, largest {max(errors):.1%}")


def main(arguments):
    parser = Parser(prog=NAME,
                                     description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("inputs", nargs="+", metavar="INPUT", type=Path,
                        help="reports (.json, .h5), folders of them, studies, tables (.csv)")
    parser.add_argument("--output", type=csv_path, metavar="FILE.csv",
                        help="the lines as a table; FILE.md is written beside it")
    options = parser.parse_args(arguments)
    try:
        rows = lines_of(options.inputs)
        say(*table(rows))
        say(summary(rows))
        if options.output:
            for row in rows:
                row["study"] = row["study"] or options.output.stem
            write_tables(options.output, rows, ("expected_error", *columns_of(rows)), FIGURES,
                         f"\n{summary(rows)}\n")
    except (WrongFile, OSError) as error:
        say(f"{NAME}: {error}", file=sys.stderr)
        return 2
    return 0
