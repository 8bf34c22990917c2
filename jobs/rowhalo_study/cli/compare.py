# SPDX-License-Identifier: BSD-3-Clause
"""Is B slower than A? Two results, or two studies, line by line.

usage: rowhalo-study compare A B [--threshold PERCENT]

A and B are tables (.csv of collect, table or classes), folders of studies, or reports of `rowhalo run`, `kernels` or `solve`
(.json, .h5). Of solvers, times per iteration are compared. Lines are matched by matrix, ranks, device, precision, threads,
solver and what was asked of format, transport, partition and schedule; what is left of a matrix, one line on each side, is
compared, too, and what has changed is named. The ratio is B's time over A's with an interval of 95 %: of runs in pairs
where those of A and B took turns, by ranks (Mann-Whitney) from 4 runs each on, of fewer by their logarithms (Student). Of
one run on each side the noise between runs is not known: 3 % is assumed. A line is slower, or faster, if its whole
interval is above, or below, 1. Otherwise it is not shown, and the number of runs is told that would show a difference of
this size. Equal lines are told apart by mistake in at most 5 % of all cases.
With --threshold the question is whether B is at most so much slower.
Exit status: 0 B is not shown to be slower (with --threshold: is at most so much slower), 1 a line is slower (by more than
the threshold), or y or a solution was right in A and is wrong in B, 2 wrong usage or nothing to compare, 4 --threshold was
given, and the runs cannot tell.
"""
import argparse
import sys
from pathlib import Path

from rowhalo_study.calling import typed
from rowhalo_study.compare.lines import mean_ratio, name_of, outcome_of, words_of
from rowhalo_study.names import Parser, aligned, say
from rowhalo_study.plots.style import machine
from rowhalo_study.results.data import read
from rowhalo_study.results.hdf5 import WrongFile
from rowhalo_study.results.statistics import Verdict

NAME = typed("compare")
CANNOT_TELL = 4


def table(lines):
    heads = ("", "A, ms", "B, ms", "B/A", "interval", "batches", "runs", "")
    cells = [heads] + [
        (line.name, f"{line.before.seconds * 1e3:.5g}", f"{line.after.seconds * 1e3:.5g}", f"{line.ratio:.3f}",
         f"{line.low:.3f}-{line.high:.3f}", f"{line.noise[0]:.1%}", "?" if line.noise[1] is None else f"{line.noise[1]:.1%}",
         words_of(line) + (f" ({'; '.join(line.changed)})" if line.changed else "")) for line in lines]
    return aligned(cells, left=(0, 7))


def one_sided(path, names):
    """At most three by name."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return [f"only in {path}: {'; '.join(names[:3])}{more}"] if names else []


def summary(outcome):
    lines, shorter = outcome.lines, [line for line in outcome.lines if line.more and line.verdict is Verdict.NOT_SHOWN]
    counts = [f"{len(lines)} compared", *(f"{len(outcome.of(verdict))} {verdict.value}" for verdict in Verdict)]
    counts += [f"{len(outcome.broken)} with a wrong y or solution"] if outcome.broken else []
    if lines:
        counts.append(f"geometric mean of B/A {mean_ratio(lines):.3f}")
    yield "; ".join(counts)
    if len(lines) >= 20:
        yield f"of so many equal lines up to {0.025 * len(lines):.0f} would look slower by chance: measure those again"
    if shorter:
        yield (f"batches: standard error within a run; runs: noise between them. {max(line.more for line in shorter)} more "
               "runs of each would decide every line that more runs can decide")


def status_of(outcome, threshold):
    if outcome.broken:
        return 1
    if threshold is None:
        return 1 if outcome.of(Verdict.SLOWER) else 0
    if any(line.low > 1 + threshold for line in outcome.lines):
        return 1
    return CANNOT_TELL if any(line.high > 1 + threshold for line in outcome.lines) else 0


def answer(outcome, threshold, status):
    """To the question of --threshold."""
    if threshold is None or not outcome.lines:
        return []
    worst = max(line.high for line in outcome.lines)
    said = {0: "yes", 1: "no", CANNOT_TELL: "the runs cannot tell: run more repeats"}[status]
    return [f"at most {100 * threshold:g} % slower: {said}; the highest end of an interval is {worst:.3f}"]


def compare(paths, threshold):
    sides = [read([path]) for path in paths]
    for path, side in zip(paths, sides):
        if not side.rows + side.solvers + side.failed:
            raise WrongFile(f"{path}: holds no finished product of `rowhalo run` or `kernels`, and "
                            "no solver of `solve`")
    outcome = outcome_of(sides)
    if not outcome.lines and not outcome.broken:
        names = [name_of((side.rows + side.solvers + side.failed)[0]) for side in sides]
        raise WrongFile(f"nothing to compare: {paths[0]} holds {names[0]}; {paths[1]} holds "
                        f"{names[1]}; measure the same matrix in the same precision")
    if outcome.lines:
        say(*table(outcome.lines))
    for row in outcome.broken:
        say(f"{'no solution' if row['method'] else 'y is wrong'} in {paths[1]}: {name_of(row)}")
    status = status_of(outcome, threshold)
    machines = [machine(side.rows + side.solvers + side.failed) or "not known" for side in sides]
    if machines[0] != machines[1]:
        say(f"devices have changed: {machines[0]} -> {machines[1]}")
    say(*one_sided(paths[0], outcome.only_before), *one_sided(paths[1], outcome.only_after), *summary(outcome),
        *answer(outcome, threshold, status))
    return status


def main(arguments):
    parser = Parser(
        prog=NAME, formatter_class=argparse.RawDescriptionHelpFormatter,
        description=__doc__.split("\n", maxsplit=1)[0],
        epilog=__doc__.split("\n\n", maxsplit=2)[2])
    parser.add_argument("before", metavar="A", type=Path)
    parser.add_argument("after", metavar="B", type=Path)
    parser.add_argument("--threshold", type=float, metavar="PERCENT",
                        help="ask whether B is at most so much slower (default: whether it is slower)")
    options = parser.parse_args(arguments)
    if options.threshold is not None and not 0 <= options.threshold < 1000:
        parser.error(f"--threshold {options.threshold}: per cent of at least 0, e.g. 5")
    try:
        return compare([options.before, options.after], options.threshold and options.threshold / 100)
    except WrongFile as error:
        say(f"{NAME}: {error}", file=sys.stderr)
        return 2
