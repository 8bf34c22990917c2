# SPDX-License-Identifier: BSD-3-Clause
"""Is B slower than A? Two results, or two studies, line by line.

usage: rowhalo-study compare A B [--threshold PERCENT]

A and B are tables (.csv of rowhalo-study, rowhalo-study table or classes), folders of studies, or reports of
`rowhalo run`, `kernels` or `solve` (.json, .h5). Of solvers, times per iteration are compared.
Lines are matched by matrix, ranks, device, precision, threads, solver and what was asked of format,
transport, partition and schedule; of what stands on one side only, a word. The ratio is B's median
time over A's; its interval follows from the spread: of the repeats where there are several, else of
the batches in the HDF5 beside the JSON, else of the distance of the slowest twentieth in the JSON.
From 6 repeats on it is one of 95 %; fewer repeats count from the fastest to the slowest, where their
true median lies in 50, 75, 88 and 94 % of all cases for 2, 3, 4 and 5. A line is a regression when
the ratio is beyond the threshold and its whole interval above 1; where only the former holds it is
noisy: run more repeats.
Exit status: 0 none, 1 a regression, or y or a solution was right in A and is wrong in B, 2 wrong
usage or nothing to compare.
"""
import argparse
import math
import sys
from pathlib import Path
from statistics import median
from typing import NamedTuple

from rowhalo_study.calling import typed
from rowhalo_study.names import Parser, say, shown
from rowhalo_study.results.data import grouped, read, with_requested_schedules
from rowhalo_study.results.hdf5 import WrongFile, batch_seconds
from rowhalo_study.results.rows import SOLVER_CHOICE, solver_name

NAME = typed("compare")
# Beside "combination": what was asked of format, transport, graph and partition, and the threads.
KEY = ("matrix", "ranks", "device", "precision", "schedule", "petsc_solver", *SOLVER_CHOICE)
USUAL_BATCHES = 20     # of `run`, where a table of an earlier version does not say
NORMAL_95 = 1.645      # standard deviations from the median to the 95 % quantile
CONFIDENCE = 1.96      # standard deviations of an interval of 95 %
MEDIAN_ERROR = 1.2533  # standard error of a median over that of a mean


class Time(NamedTuple):
    seconds: float
    low: float
    high: float


def interval_of_median(values):
    """The median and its interval by ordinals (binomial), whatever the distribution: of 95 % from 6
    values on, all of them where there are fewer."""
    values = sorted(values)
    count = len(values)
    reach = CONFIDENCE * math.sqrt(count) / 2
    low = max(0, math.floor((count - 1) / 2 - reach))
    return Time(median(values), values[low], values[count - 1 - low])


def batches_of(row):
    """What HDF5 knows, if it is there and can be read."""
    try:
        return batch_seconds(row["hdf5_path"]) if row["hdf5_path"] else []
    except WrongFile:
        return []


def time_of(rows):
    """Over the repeats of a line."""
    values = [row["median_seconds"] for row in rows]
    if len(values) > 1:
        return interval_of_median(values)
    row = rows[0]
    batches = batches_of(row)
    if batches:
        return interval_of_median(batches)._replace(seconds=values[0])
    deviation = ((row["p95_seconds"] or values[0]) - values[0]) / NORMAL_95
    error = CONFIDENCE * MEDIAN_ERROR * deviation / math.sqrt(row["batches"] or USUAL_BATCHES)
    return Time(values[0], max(values[0] - error, row["min_seconds"] or 0), values[0] + error)


class Comparison(NamedTuple):
    name: str
    before: Time
    after: Time
    ratio: float
    low: float
    high: float
    verdict: str


def compared(name, before, after, threshold):
    ratio = after.seconds / before.seconds
    # Errors of both sides are independent: relative ones add as squares.
    down = math.hypot(after.low / after.seconds - 1, before.high / before.seconds - 1)
    up = math.hypot(after.high / after.seconds - 1, before.low / before.seconds - 1)
    low, high = max(0.0, ratio * (1 - down)), ratio * (1 + up)
    if ratio > 1 + threshold:
        verdict = "REGRESSION" if low > 1 else "noisy"
    elif ratio < 1 / (1 + threshold) and high < 1:
        verdict = "faster"
    else:
        verdict = "even"
    return Comparison(name, before, after, ratio, low, high, verdict)


def name_of(row):
    """The words of a line that a reader tells it by."""
    asked = [str(word) for word in dict.fromkeys(row["combination"][:3]) if word]
    asked += ["graph"] if row["combination"][3] is True else []
    words = [row["matrix"], f"{row['ranks']} ranks" if row["ranks"] > 1 else "1 rank",
             row["precision"], row["partition"] or "", " ".join(asked), solver_name(row)]
    return ", ".join(word for word in words if word)


def aligned(cells, left):
    """Lines of a table in columns, of which those of `left` begin at the same place."""
    cells = [[shown(cell) for cell in row] for row in cells]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    return ["  ".join(cell.ljust(width) if column in left else cell.rjust(width)
                      for column, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in cells]


def table(lines):
    heads = ("", "A, ms", "B, ms", "B/A", "interval", "")
    cells = [heads] + [
        (line.name, f"{line.before.seconds * 1e3:.5g}", f"{line.after.seconds * 1e3:.5g}",
         f"{line.ratio:.3f}", f"{line.low:.3f}-{line.high:.3f}", line.verdict) for line in lines]
    return aligned(cells, left=(0, 5))


def report_one_sided(path, names):
    """At most three by name."""
    if names:
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        say(f"only in {path}: {'; '.join(names[:3])}{more}")


class Outcome(NamedTuple):
    """Of two sides: their common lines, and names of lines."""
    lines: list          # Comparison
    broken: list         # lines of A with a wrong y or no solution in B
    only_before: list
    only_after: list


def outcome_of(sides, threshold):
    """What a comparison of two Data says."""
    before, after, wrong = (grouped(with_requested_schedules(rows), *KEY, "combination") for rows in (
        *(side.rows + side.solvers for side in sides), sides[1].failed))
    return Outcome(
        [compared(name_of(rows[0]), time_of(rows), time_of(after[key]), threshold)
         for key, rows in before.items() if key in after],
        [rows[0] for key, rows in before.items() if key in wrong],
        [name_of(rows[0]) for key, rows in before.items() if key not in after and key not in wrong],
        [name_of(rows[0]) for key, rows in after.items() if key not in before])


def mean_ratio(lines):
    """Geometric mean."""
    return math.exp(sum(math.log(line.ratio) for line in lines) / len(lines))


def compare(paths, threshold):
    sides = [read([path]) for path in paths]
    for path, side in zip(paths, sides):
        if not side.rows + side.solvers + side.failed:
            raise WrongFile(f"{path}: holds no finished product of `rowhalo run` or `kernels`, and "
                            "no solver of `solve`")
    lines, broken, only_before, only_after = outcome_of(sides, threshold)
    if not lines and not broken:
        names = [name_of((side.rows + side.solvers + side.failed)[0]) for side in sides]
        raise WrongFile(f"nothing to compare: {paths[0]} holds {names[0]}; {paths[1]} holds "
                        f"{names[1]}; measure the same matrix, ranks, format and transport")
    if lines:
        say(*table(lines))
    for row in broken:
        what = "no solution" if row["method"] else "y is wrong"
        say(f"{what} in {paths[1]}: {name_of(row)}")
    report_one_sided(paths[0], only_before)
    report_one_sided(paths[1], only_after)
    worse = [line for line in lines if line.verdict == "REGRESSION"]
    noisy = [line for line in lines if line.verdict == "noisy"]
    counts = [f"{len(lines)} compared", f"{len(worse)} beyond {100 * threshold:g} %"]
    counts += [f"{len(noisy)} too noisy to tell: run more repeats"] if noisy else []
    counts += [f"{len(broken)} with a wrong y or solution"] if broken else []
    if lines:
        counts.append(f"geometric mean of B/A {mean_ratio(lines):.3f}")
    say("; ".join(counts))
    return 1 if worse or broken else 0


def main(arguments):
    parser = Parser(
        prog=NAME, formatter_class=argparse.RawDescriptionHelpFormatter,
        description=__doc__.split("\n", maxsplit=1)[0],
        epilog=__doc__.split("\n\n", maxsplit=2)[2])
    parser.add_argument("before", metavar="A", type=Path)
    parser.add_argument("after", metavar="B", type=Path)
    parser.add_argument("--threshold", type=float, default=5, metavar="PERCENT",
                        help="slower by more than this is a regression (default: %(default)s)")
    options = parser.parse_args(arguments)
    if not 0 <= options.threshold < 1000:
        parser.error(f"--threshold {options.threshold}: per cent of at least 0, e.g. 5")
    try:
        return compare([options.before, options.after], options.threshold / 100)
    except WrongFile as error:
        say(f"{NAME}: {error}", file=sys.stderr)
        return 2
