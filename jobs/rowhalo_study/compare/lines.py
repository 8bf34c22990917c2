# SPDX-License-Identifier: BSD-3-Clause
"""Two results line by line: which lines belong together, their ratio, its interval, the verdict.

Lines belong together if matrix, ranks, device, precision, solver and what was asked of format, transport, partition and
schedule are equal. What is left of a matrix on both sides, one line each, was measured in another way: it is compared, and
`changed` names what differs.
"""
import math
from typing import NamedTuple

from rowhalo_study.results.data import COMBINATION, grouped, with_requested_schedules
from rowhalo_study.results.hdf5 import WrongFile, batch_seconds
from rowhalo_study.results.rows import SOLVER_CHOICE, solver_name
from rowhalo_study.results.statistics import (Ratio, Run, Time, Verdict, alternate, batch_error, between_runs,
                                              interval_of_median, ratio_of, runs_to_show, verdict_of)

# What must be equal, and what may have been changed, each beside "combination": what was asked of format, transport, graph
# and partition, and the threads.
SAME = ("matrix", "precision", "petsc_solver", *SOLVER_CHOICE)
WAYS = ("ranks", "device", "schedule")


class Comparison(NamedTuple):
    name: str
    before: Time
    after: Time
    ratio: float         # B over A
    low: float
    high: float
    verdict: Verdict
    changed: tuple       # texts: what differs beside the times
    more: object         # runs on either side that would show the difference; None: no practical number
    noise: tuple         # relative: of the batches of a run; between runs, None where it is not known


class Outcome(NamedTuple):
    """Of two sides: their common lines, and names of lines."""
    lines: list          # Comparison
    broken: list         # lines of A with a wrong y or no solution in B
    only_before: list
    only_after: list

    def of(self, verdict):
        return [line for line in self.lines if line.verdict is verdict]


def batches_of(row):
    """What HDF5 knows, if it is there and can be read."""
    try:
        return batch_seconds(row["hdf5_path"]) if row.get("hdf5_path") else []
    except WrongFile:
        return []


def run_of(row):
    seconds = row["median_seconds"]
    return Run(seconds, batch_error(seconds, batches_of(row), row["p95_seconds"], row["batches"]))


def time_of(rows):
    """Over the runs of a line; of a single one over its batches."""
    if len(rows) > 1:
        return interval_of_median(row["median_seconds"] for row in rows)
    run = run_of(rows[0])
    reach = 2 * run.batch_error * run.seconds
    return Time(run.seconds, max(run.seconds - reach, rows[0]["min_seconds"] or 0), run.seconds + reach)


def ratio_of_rows(before, after) -> Ratio:
    """B over A. Runs that took turns are compared in pairs, in the order of their times."""
    times = [[row["time"] or "" for row in rows] for rows in (before, after)]
    paired = all(map(all, times)) and alternate(*times)
    if paired:
        before, after = (sorted(rows, key=lambda row: row["time"]) for rows in (before, after))
    return ratio_of(list(map(run_of, before)), list(map(run_of, after)), paired)


def compared(name, before, after, changed=()):
    """`before`, `after`: the rows of a line."""
    ratio = ratio_of_rows(before, after)
    runs = [list(map(run_of, rows)) for rows in (before, after)]
    between = [one for one in map(between_runs, runs) if one is not None]
    batches = max(run.batch_error for side in runs for run in side)
    return Comparison(name, time_of(before), time_of(after), ratio.value, ratio.low, ratio.high, verdict_of(ratio), changed,
                      runs_to_show(ratio, min(len(before), len(after))), (batches, max(between, default=None)))


def name_of(row):
    """The words of a line that a reader tells it by."""
    asked = [str(word) for word in dict.fromkeys(row["combination"][:3]) if word]
    asked += ["graph"] if row["combination"][3] is True else []
    asked += [row["swept"]] if row["swept"] else []
    words = [row["matrix"], f"{row['ranks']} ranks" if row["ranks"] > 1 else "1 rank",
             row["precision"], row["partition"] or "", " ".join(asked), solver_name(row)]
    return ", ".join(word for word in words if word)


def changes(before, after):
    """["format csr -> sell"]: what two lines differ in."""
    pairs = [*((name, before[name], after[name]) for name in WAYS),
             *zip(COMBINATION, before["combination"], after["combination"])]
    return tuple(f"{name.replace('_', ' ')} {'-' if one is None else one} -> {'-' if other is None else other}"
                 for name, one, other in pairs if one != other)


def left_over(before, after):
    """[(rows, rows)] of lines that have no counterpart: of those that SAME makes equal, where each side has one."""
    sides = [grouped([rows[0] for rows in side.values()], *SAME) for side in (before, after)]
    found = []
    for key, rows in sides[0].items():
        others = sides[1].get(key, [])
        if len(rows) == len(others) == 1:
            found.append((rows[0], others[0]))
    return found


def key_of(row):
    return tuple(row[name] for name in (*SAME, *WAYS, "combination"))


def outcome_of(sides):
    """What a comparison of two Data says."""
    before, after, wrong = (grouped(with_requested_schedules(rows), *SAME, *WAYS, "combination") for rows in (
        *(side.rows + side.solvers for side in sides), sides[1].failed))
    lines = [compared(name_of(rows[0]), rows, after[key]) for key, rows in before.items() if key in after]
    broken = [rows[0] for key, rows in before.items() if key in wrong]
    alone = {key: rows for key, rows in before.items() if key not in after and key not in wrong}
    new = {key: rows for key, rows in after.items() if key not in before}
    for first, second in left_over(alone, new):
        lines.append(compared(name_of(first), alone.pop(key_of(first)), new.pop(key_of(second)), changes(first, second)))
    return Outcome(lines, broken, [name_of(rows[0]) for rows in alone.values()], [name_of(rows[0]) for rows in new.values()])


def mean_ratio(lines):
    """Geometric mean."""
    return math.exp(sum(math.log(line.ratio) for line in lines) / len(lines))


def words_of(line):
    """The verdict as a person reads it."""
    if line.verdict is not Verdict.NOT_SHOWN:
        return line.verdict.value
    if line.more is None:
        return f"{line.verdict.value}: within the noise"
    return f"{line.verdict.value}; about {line.more} more run{'s' if line.more > 1 else ''} of each would show it"
