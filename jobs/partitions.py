#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How well `--partition auto` chooses: each partitioner's predicted time beside the measured one.

usage: partitions.py [options]                             (see --help)

For every matrix and number of ranks `rowhalo info` predicts the time of a product with each
partitioner, `rowhalo run` measures it, one partitioner after the other, round by round, and `rowhalo
run --partition auto` tells what it takes. The shortest median of a partitioner counts; rounds end
once the second shortest of each is within 1 % of it, so a busy host has to be slow twice alike to
mislead, or after --rounds. Partitioners whose cuts agree within 1 % in nonzeros, rows, entries and
neighbours are measured once: hosts differ by more from run to run. Writes into --output:
  partitions.csv    a line per matrix, ranks and partitioner, with its provenance
  partitions.md     a line per matrix and ranks: what auto took, what it loses, the model's errors
The error of the model is that of a ratio, since round figures of the machine stand in it: time with
the partitioner over time with `rows`, predicted over measured, minus 1. The loss of auto is the
measured time of what it took over that of the best of rows, nnz and box, minus 1.
What a partitioner refuses, and what fails, has its reason there. Python 3.8 or newer.
Exit status: 0 fine, 1 a run failed, 2 wrong usage.
"""
import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from calling import typed
from comparing import add_program, csv_text, settle
from whole_files import write_whole

NAME = typed("partitions.py")
MATRICES = (
    "stencil27:64,coef=random", "stencil7:128,coef=random", "stencil5:1024,coef=random",
    "elasticity:32", "road:1000", "banded:rows=200000,half=64,fill=0.2", "rmat:scale=18",
    "web:rows=300000", "arrow:rows=1000000,heavy=5,row=500000",
    "empty:rows=1000000,share=0.8,row=20", "random:rows=200000,row=16",
    "random:rows=20000,columns=500000,row=200")
CHEAP = ("rows", "nnz", "box")  # the best of these auto is held against
SETTLED = 1.01  # second shortest median over the shortest
CUT = ("imbalance", "row_imbalance", "edge_cut", "halo_entries", "halo_bytes_max_rank",
       "neighbors_mean", "neighbors_max")  # what the time of a product depends on
ALIKE = 0.01  # cuts that differ by no more in any of these are taken for one
COLUMNS = ("matrix", "ranks", "partition", "predicted_seconds", "median_seconds", "spread", "runs",
           "error", "chosen", "loss", "owners_seconds", "partition_seconds", "auto_seconds",
           "setup_seconds", "reason", "rows", "nonzeros", "device", "format", "transport", "version",
           "git", "hosts", "time", "command_line")


def parse(arguments):
    parser = argparse.ArgumentParser(prog=NAME,
                                     description=__doc__.split("\n", maxsplit=1)[0],
                                     epilog="exit status: 0 fine, 1 a run failed, 2 usage")
    add_program(parser)
    parser.add_argument("--ranks", default="2,4,8", metavar="A,B", help="default: %(default)s")
    parser.add_argument("--matrix", action="append", metavar="SPEC",
                        help="instead of the 12; may be given again")
    parser.add_argument("--partitions", default="rows,nnz,box,metis", metavar="A,B",
                        help="default: %(default)s")
    parser.add_argument("--rounds", type=int, default=6, metavar="N",
                        help="at most; they end once they agree (default: %(default)s)")
    parser.add_argument("--launcher", default="mpirun -n {ranks}",
                        help="default: %(default)s; {ranks} is replaced")
    parser.add_argument("--device", default="auto", metavar="NAME",
                        help="what to predict and measure for (default: %(default)s)")
    parser.add_argument("--options", default="--format auto --min-seconds 0.3", metavar="TEXT",
                        help="further ones of `run` (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=300, metavar="S",
                        help="time limit of a run (default: %(default)s)")
    options = parser.parse_args(arguments)
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
            try:
                done = subprocess.run([*self.launcher, self.options.rowhalo, *words, "--quiet",
                                       "--json", str(target)], timeout=self.options.seconds,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                      check=False)
            except subprocess.TimeoutExpired:
                return None, f"took longer than {self.options.seconds:g} s"
            if done.returncode == 0:
                return json.loads(target.read_text(encoding="utf-8")), ""
        said = [line for line in done.stderr.splitlines() if "rowhalo:" in line or "error" in line]
        return None, said[0].strip() if said else f"exit status {done.returncode}"


def line_of(runs, ranks, partition):
    """Predicted, not measured yet; and what tells its cut from others."""
    line = dict.fromkeys(COLUMNS)
    line.update(matrix=runs.matrix, ranks=ranks, partition=partition, reason="")
    report, line["reason"] = runs.report("info", partition)
    if not report:
        return line, None
    found = report["info"]["partitions"][0]
    line.update(predicted_seconds=found["predicted_seconds"], owners_seconds=found["seconds"],
                reason=found["reason"])
    return line, tuple(found[name] for name in CUT)


def measure(runs, lines):
    """Medians and provenance of lines of distinct cuts, in rounds. False where a run failed."""
    made_of = {line["partition"]: (line, []) for line in lines}
    for _ in range(runs.options.rounds):
        for partition, (line, made) in list(made_of.items()):
            report, reason = runs.report("run", partition)
            if not report:
                line["reason"] = reason
                del made_of[partition]
                continue
            made.append(report)
            made.sort(key=median_of)
        if all(spread_of(made) <= SETTLED for _, made in made_of.values()):
            break
    for line, made in made_of.values():
        source = made[0]["provenance"]
        line.update(
            median_seconds=median_of(made[0]), runs=len(made),
            spread=spread_of(made) - 1 if len(made) > 1 else None,
            rows=made[0]["matrix"]["rows"], nonzeros=made[0]["matrix"]["nonzeros"],
            device=made[0]["kernel"]["device"], format=made[0]["kernel"]["format"],
            transport=made[0]["halo"]["transport"], setup_seconds=setup_of(made[0]),
            partition_seconds=made[0]["setup"]["partition_seconds"],
            version=source["version"], git=source["git"], time=source["time"],
            hosts=" ".join(dict.fromkeys(source["hosts"])),
            command_line=shlex.join([*runs.launcher, "rowhalo", "run", *runs.words, "--partition",
                                     line["partition"], *shlex.split(runs.options.options)]))
    return len(made_of) == len(lines)


def median_of(report):
    return report["timing"]["median_seconds"]


def spread_of(reports):
    """Second shortest median over the shortest; infinite where there is only one."""
    return median_of(reports[1]) / median_of(reports[0]) if len(reports) > 1 else float("inf")


def alike(cut, other):
    return all(abs(one - two) <= ALIKE * max(one, two) for one, two in zip(cut, other))


def share(line, of):
    """Gives a line what was measured with a cut like its own under another name."""
    own = {key: line[key] for key in ("partition", "predicted_seconds", "owners_seconds")}
    line.update(of, **own, reason=line["reason"] or of["reason"] or f"cut as {of['partition']}")


def setup_of(report):
    return sum(seconds or 0 for name, seconds in report["setup"].items()
               if name.endswith("_seconds"))


def compare(lines, auto):
    """Errors of the model, what auto took, what that and the choice itself cost."""
    of = {line["partition"]: line for line in lines if line["median_seconds"]}
    base = of.get("rows")
    for line in of.values() if base else ():
        predicted = line["predicted_seconds"] / base["predicted_seconds"]
        line["error"] = predicted / (line["median_seconds"] / base["median_seconds"]) - 1
    if not auto:
        return
    taken = of.get(auto["partition"]["name"])
    if taken:
        best = min(of[name]["median_seconds"] for name in CHEAP if name in of)
        taken.update(chosen=True, loss=taken["median_seconds"] / best - 1,
                     auto_seconds=auto["setup"]["partition_seconds"] - taken["partition_seconds"],
                     setup_seconds=setup_of(auto))
    for candidate in auto["partition"]["candidates"]:
        line = next((line for line in lines if line["partition"] == candidate["name"]), None)
        if line and not line["reason"]:
            line["reason"] = candidate["reason"]


def percent(value):
    return "-" if value is None else f"{100 * value:+.1f} %"


def markdown_text(lines, partitions):
    points = {}
    for line in lines:
        points.setdefault((line["matrix"], line["ranks"]), {})[line["partition"]] = line
    measured = [line for line in lines if line["median_seconds"]]
    errors = sorted(abs(line["error"]) for line in measured
                    if line["partition"] != "rows" and line["error"] is not None)
    losses = [line["loss"] for line in lines if line["chosen"]]
    text = ["# How --partition auto chooses", "",
            "Times of a product over that with `rows`, measured (predicted). All figures: "
            "[partitions.csv](partitions.csv); what they mean: jobs/partitions.py."]
    if measured:
        text += [f"Commit {measured[0]['git']}, device {measured[0]['device']}, "
                 f"{measured[0]['hosts']}, {measured[0]['time']}."]
        text += ["Cuts that agree within 1 % were measured once. The second shortest median is at most "
                 f"{max(line['spread'] or 0 for line in measured):.1%} above the shortest, which counts."]
    if errors and losses:
        text += [f"Median error of the model {errors[len(errors) // 2]:.1%}, largest "
                 f"{errors[-1]:.1%}; auto loses at most {max(losses):.1%}."]
    text += ["", f"| matrix | ranks | {' | '.join(partitions)} | auto took | loss | auto's choice |",
             "| --- " * (len(partitions) + 5) + "|"]
    for (matrix, ranks), of in points.items():
        base = of["rows"]
        cells = []
        for name in partitions:
            line = of[name]
            if not line["median_seconds"] or not base["median_seconds"]:
                cells.append("-")
                continue
            cells.append(f"{line['median_seconds'] / base['median_seconds']:.3f} "
                         f"({line['predicted_seconds'] / base['predicted_seconds']:.3f})")
        taken = next((line for line in of.values() if line["chosen"]), None)
        cells += [taken["partition"], percent(taken["loss"]), f"{taken['auto_seconds']:.2f} s"] \
            if taken else ["-"] * 3
        text.append(f"| {matrix} | {ranks} | {' | '.join(cells)} |")
    return "\n".join(text) + "\n"


def main(arguments):
    options = parse(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    lines, failed = [], False
    for matrix in options.matrix or MATRICES:
        for ranks in options.ranks:
            runs = Runs(options, matrix, ranks)
            here, measured, shared = [], [], []
            for name in options.partitions:
                line, cut = line_of(runs, ranks, name)
                here.append(line)
                like = next((of for of, taken in measured if cut and alike(cut, taken)), None)
                if like:
                    shared.append((line, like))
                elif cut:
                    measured.append((line, cut))
            failed |= not measure(runs, [line for line, _ in measured])
            for line, of in shared:
                share(line, of)
            auto, reason = runs.report("run", "auto")
            failed |= auto is None
            compare(here, auto)
            lines += here
            taken = next((line for line in here if line["chosen"]), None)
            print(f"{matrix} on {ranks}: "
                  + (f"auto takes {taken['partition']}, {percent(taken['loss'])}" if taken
                     else reason or "auto took what was not measured"), flush=True)
            write_whole(options.output / "partitions.csv", csv_text(COLUMNS, lines))
            write_whole(options.output / "partitions.md", markdown_text(lines, options.partitions))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
