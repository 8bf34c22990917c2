#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How well `--partition auto` chooses: each partitioner's predicted time beside the measured one.

usage: rowhalo-study partitions [options]                             (see --help)

For every matrix and number of ranks `rowhalo info` predicts the time of a product with each
partitioner, `rowhalo run` measures it, one partitioner after the other, round by round, and
`rowhalo run --partition auto` tells what it takes. Times are compared within a round, since a
process may be slower or faster than the next one by 5 % from beginning to end: what counts is the
median over the rounds of the ratio of two partitioners, given with an interval that holds the true
median 15 times in 16. Rounds end once every interval is narrower than 2 %, or after --rounds.
Partitioners whose cuts agree within 1 % in nonzeros, rows, entries and neighbours are measured
once: hosts differ by more from run to run. Every process tries formats and transports anew: where
their choice changes from run to run, name both in --options. Writes into --output:
  partitions.csv    a line per matrix, ranks and partitioner: that of its run of the median time
  partitions.md     a line per matrix and ranks: what auto took, what it loses, the model's errors;
                    --tables writes it again
The error of the model is that of a ratio, since round figures of the machine stand in it: time with
the partitioner over time with `rows`, predicted over measured, minus 1. The loss of auto is the
time of what it took over that of the best of rows, nnz and box, minus 1.
What a partitioner refuses, and what fails, has its reason there. Python 3.9 or newer.
Exit status: 0 fine, 1 a run failed, 2 wrong usage.
"""
import itertools
import math
import shlex
import statistics
import sys
import tempfile
from pathlib import Path

from rowhalo_study.calling import exit_with, typed
from rowhalo_study.cli.programs import add_program, count, make_folder, report_of, settle, tables_again
from rowhalo_study.names import Parser, lines_text, say
from rowhalo_study.results.rows import ALL_COLUMNS, columns_of, csv_text, rows_of
from rowhalo_study.results.table import machines_of
from rowhalo_study.whole_files import write_whole

NAME = typed("partitions")
MATRICES = (
    "stencil27:64,coef=random", "stencil7:128,coef=random", "stencil5:1024,coef=random",
    "elasticity:32", "road:1000", "banded:rows=200000,half=64,fill=0.2", "rmat:scale=18",
    "web:rows=300000", "arrow:rows=1000000,heavy=5,row=500000",
    "empty:rows=1000000,share=0.8,row=20", "random:rows=200000,row=16",
    "random:rows=20000,columns=500000,row=200")
CHEAP = ("rows", "nnz", "box")  # auto is compared with the best of these
FEWEST = 5  # rounds: the least whose range holds the median 15 times in 16
SURE = 15 / 16
NARROW = 0.02  # interval of a median that needs no further round
CUT = ("imbalance", "row_imbalance", "edge_cut", "halo_entries", "halo_bytes_max_rank",
       "neighbors_mean", "neighbors_max")  # what the time of a product depends on
KEPT = ("study", "kind", "point", "matrix", "ranks", "partition", "reason")  # not taken from a report
ALIKE = 0.01  # cuts that differ by no more in any of these are taken for one
OWN = ("predicted_seconds", "runs", "ratio", "ratio_low", "ratio_high", "error", "chosen", "loss",
       "loss_low", "loss_high", "owners_seconds", "partition_seconds", "auto_seconds",
       "auto_setup_seconds")  # columns of its own


def parse(arguments):
    parser = Parser(prog=NAME,
                                     description=__doc__.split("\n", maxsplit=1)[0],
                                     epilog="exit status: 0 fine, 1 a run failed, 2 usage")
    add_program(parser)
    parser.add_argument("--ranks", default="2,4,8", metavar="A,B", help="default: %(default)s")
    parser.add_argument("--matrix", action="append", metavar="SPEC",
                        help="instead of the 12; may be given again")
    parser.add_argument("--partitions", default="rows,nnz,box,metis", metavar="A,B",
                        help="default: %(default)s")
    parser.add_argument("--rounds", type=count, default=9, metavar="N",
                        help="at most; they end once they agree (default: %(default)s)")
    parser.add_argument("--launcher", default="mpirun -n {ranks}",
                        help="default: %(default)s; {ranks} is replaced")
    parser.add_argument("--device", default="auto", metavar="NAME",
                        help="what to predict and measure for (default: %(default)s)")
    parser.add_argument("--options", default="--format auto --min-seconds 0.3", metavar="TEXT",
                        help="further ones of `run` (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=300, metavar="S",
                        help="time limit of a run (default: %(default)s)")
    parser.add_argument("--tables", action="store_true",
                        help="measure nothing: write partitions.md of --output again")
    options = parser.parse_args(arguments)
    if options.tables:
        return options
    settle(parser, options)
    options.partitions = options.partitions.split(",")
    if "rows" not in options.partitions:
        parser.error("--partitions: rows has to be among them, the errors are relative to it")
    return options


class Runs:
    """Runs of the program for one matrix and number of ranks."""

    def __init__(self, options, matrix, ranks):
        self.options, self.matrix = options, matrix
        self.launcher = shlex.split(options.launcher.format(ranks=ranks))
        self.words = ["--matrix", matrix, "--device", options.device]

    def report(self, command, partition):
        """The report, or None and what it said."""
        with tempfile.TemporaryDirectory(prefix="rowhalo-partitions-") as folder:
            target = Path(folder) / "report.json"
            words = [command, *self.words, "--partition", partition]
            if command == "run":
                words += ["--validate", "none", "--partial-sums", "off", *shlex.split(self.options.options)]
            return report_of([*self.launcher, self.options.rowhalo, *words, "--quiet", "--json",
                              str(target)], target, self.options.seconds)


def line_of(runs, ranks, partition):
    """Predicted, not measured yet; and what tells its cut from others."""
    line = dict.fromkeys((*ALL_COLUMNS, *OWN))
    line.update(study="partitions", kind="", point=f"{partition} on {ranks}", status="skipped",
                matrix=runs.matrix, ranks=ranks, partition=partition)
    report, line["reason"] = runs.report("info", partition)
    if not report:
        return line, None
    found = report["info"]["partitions"][0]
    line.update(predicted_seconds=found["predicted_seconds"], owners_seconds=found["seconds"],
                reason=found["reason"])
    return line, tuple(found[name] for name in CUT)


def measure(runs, lines):
    """Reports of each partitioner, one per round, and the run of the median time into its line. A
    partitioner that fails has its reason in its line, and no reports."""
    line_of_name = {line["partition"]: line for line in lines}
    made = {name: [] for name in line_of_name}
    for number in range(runs.options.rounds if lines else 0):
        names = list(made)
        first = number % len(names)
        for name in names[first:] + names[:first]:
            report, reason = runs.report("run", name)
            if report:
                made[name].append(report)
            else:
                line_of_name[name].update(status="failed", reason=reason)
                del made[name]
        if len(made) < 2 or (number + 1 >= FEWEST and all(
                is_narrow(one, other) for one, other in itertools.combinations(made.values(), 2))):
            break
    for name, reports in made.items():
        middle = sorted(reports, key=seconds_of)[(len(reports) - 1) // 2]
        own, = rows_of({**middle, "cases": []})  # what the report describes
        line = line_of_name[name]
        line.update({column: own[column] for column in own if column not in KEPT},
                    partition_seconds=middle["setup"]["partition_seconds"], runs=len(reports))
    return made


def seconds_of(report):
    return report["timing"]["median_seconds"]


def ratio(reports, others):
    """Of the times of two partitioners: the median over rounds, and an interval that holds the true
    median 15 times in 16 where there are rounds enough."""
    ratios = sorted(seconds_of(one) / seconds_of(other) for one, other in zip(reports, others))
    count = len(ratios)
    # The chance that fewer than k of the ratios lie on one side of the true median is binomial.
    beyond = itertools.accumulate(math.comb(count, k) / 2 ** (count - 1) for k in range(count))
    left_out = max(sum(chance <= 1 - SURE for chance in beyond) - 1, 0)  # on either side
    return statistics.median(ratios), ratios[left_out], ratios[-1 - left_out]


def is_narrow(reports, others):
    _, low, high = ratio(reports, others)
    return high - low <= NARROW


def alike(cut, other):
    return all(abs(one - two) <= ALIKE * max(one, two) for one, two in zip(cut, other))


def share(line, of):
    """Gives a line what was measured with a cut like its own under another name."""
    own = {key: line[key] for key in ("point", "partition", "predicted_seconds", "owners_seconds")}
    line.update(of, **own, reason=line["reason"] or of["reason"] or f"cut as {of['partition']}")


def setup_of(report):
    return sum(seconds or 0 for name, seconds in report["setup"].items()
               if name.endswith("_seconds"))


def compare(lines, made, auto):
    """Ratios, errors of the model, what auto took, what that and the choice itself cost. `made`: the
    reports of each partitioner."""
    of = {line["partition"]: line for line in lines if line["partition"] in made}
    for name, line in of.items() if "rows" in of else ():
        line["ratio"], line["ratio_low"], line["ratio_high"] = ratio(made[name], made["rows"])
        line["error"] = line["predicted_seconds"] / of["rows"]["predicted_seconds"] / line["ratio"] - 1
    if not auto:
        return
    taken = of.get(auto["partition"]["name"])
    if taken:
        loss, low, high = max(ratio(made[taken["partition"]], made[name])
                              for name in (*CHEAP, taken["partition"]) if name in of)
        taken.update(chosen=True, loss=loss - 1, loss_low=low - 1, loss_high=high - 1,
                     auto_seconds=auto["setup"]["partition_seconds"] - taken["partition_seconds"],
                     auto_setup_seconds=setup_of(auto))
    for candidate in auto["partition"]["candidates"]:
        line = next((line for line in lines if line["partition"] == candidate["name"]), None)
        if line and not line["reason"]:
            line["reason"] = candidate["reason"]


def interval_text(loss, low, high):
    return "" if low == high == loss else f" ({100 * low:.1f} to {100 * high:.1f})"


def loss_text(line):
    loss = line["loss"], line["loss_low"], line["loss_high"]
    return f"{100 * loss[0]:+.1f} %{interval_text(*loss)}"


def markdown_text(lines):
    partitions = list(dict.fromkeys(line["partition"] for line in lines))
    points = {}
    for line in lines:
        points.setdefault((line["matrix"], line["ranks"]), {})[line["partition"]] = line
    measured = [line for line in lines if line["median_seconds"]]
    errors = sorted(abs(line["error"]) for line in measured
                    if line["partition"] != "rows" and line["error"] is not None)
    losses = [(line["loss"], line["loss_low"], line["loss_high"]) for line in lines if line["chosen"]]
    text = ["# How --partition auto chooses", "",
            "Time of a product over that with `rows` in the same round: median over rounds "
            "(predicted). In brackets behind a loss: from 5 rounds on the true one lies there 15 times "
            "in 16. All figures: [partitions.csv](partitions.csv); what they mean: rowhalo-study partitions --help."]
    if measured:
        rounds = [line["runs"] for line in measured]
        text += [f"Cuts that agree within 1 % were measured once; {min(rounds)} to {max(rounds)} rounds."]
    if errors and losses:
        worst = max(losses)
        text += [f"Median error of the model {statistics.median(errors):.1%}, largest "
                 f"{errors[-1]:.1%}; auto loses at most {worst[0]:.1%}{interval_text(*worst)}."]
    text += ["", *machines_of(measured), "",
             f"| matrix | ranks | {' | '.join(partitions)} | auto took | loss | auto's choice |",
             "| --- " * (len(partitions) + 5) + "|"]
    for (matrix, ranks), of in points.items():
        base = of["rows"]
        cells = []
        for name in partitions:
            line = of[name]
            if not line["ratio"]:
                cells.append("-")
                continue
            cells.append(f"{line['ratio']:.3f} "
                         f"({line['predicted_seconds'] / base['predicted_seconds']:.3f})")
        taken = next((line for line in of.values() if line["chosen"]), None)
        cells += [taken["partition"], loss_text(taken), f"{taken['auto_seconds']:.2f} s"] \
            if taken else ["-"] * 3
        text.append(f"| {matrix} | {ranks} | {' | '.join(cells)} |")
    return lines_text(text)


def main(arguments):
    options = parse(arguments)
    if options.tables:
        return tables_again(NAME, options.output / "partitions.csv", markdown_text, numbers=OWN)
    make_folder(NAME, options.output)
    lines, failed = [], False
    for matrix in options.matrix or MATRICES:
        for ranks in options.ranks:
            runs = Runs(options, matrix, ranks)
            here, measured, shared = [], [], []  # lines; with their cuts; like one measured
            for name in options.partitions:
                line, cut = line_of(runs, ranks, name)
                here.append(line)
                like = next((of for of, taken in measured if cut and alike(cut, taken)), None)
                if like:
                    shared.append((line, like))
                elif cut:
                    measured.append((line, cut))
            made = measure(runs, [line for line, _ in measured])
            auto, reason = runs.report("run", "auto")
            failed |= auto is None or len(made) < len(measured)
            for line, of in shared:
                share(line, of)
                if of["partition"] in made:
                    made[line["partition"]] = made[of["partition"]]
            compare(here, made, auto)
            lines += here
            taken = next((line for line in here if line["chosen"]), None)
            say(f"{matrix} on {ranks}: "
                  + (f"auto takes {taken['partition']}, {loss_text(taken)}" if taken
                     else reason or "auto took what was not measured"), flush=True)
            write_whole(options.output / "partitions.csv", csv_text(lines, (*OWN, *columns_of(lines))))
            write_whole(options.output / "partitions.md", markdown_text(lines))
    return 1 if failed else 0


if __name__ == "__main__":
    exit_with(main, sys.argv[1:])
