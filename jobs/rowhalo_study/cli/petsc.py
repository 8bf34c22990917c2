# SPDX-License-Identifier: BSD-3-Clause
"""A program of PETSc's with its own matrices and with Rowhalo's: is it faster, and where?

usage: rowhalo-study petsc [options] -- PROGRAM ARGUMENTS              (see --help)

Runs the program with -mat_type aij and with -mat_type rowhalo, alternating, so that other load meets both. The program
takes its matrix type from the command line, as most do; nothing is compiled. From PETSc's own log (-log_view) come the
times of KSPSolve, PCSetUp and MatMult, by the slowest rank, and the counts of calls; iterations are those that
-ksp_converged_reason prints. --gpu takes CUDA vectors, and aijcusparse in the place of aij. There PETSc times products
right only if it waits for each: so each pair runs a second time with -log_view_gpu_time for MatMult, while KSPSolve stays
that of the plain runs. The ratio is the median of the pairs' ratios with its interval of 95 %; fewer than 7 pairs count by
their mean (Student). Rowhalo is faster, slower, or it is not shown. Prints a table; writes petsc.csv and petsc.md into --output.
Exit status: 0 fine, 1 a run failed, 2 wrong usage.
"""
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from rowhalo_study.calling import JOBS, typed
from rowhalo_study.cli.programs import count, make_folder
from rowhalo_study.names import Parser, csv_of, lines_text, say, typed_line
from rowhalo_study.results.statistics import Run, interval_of_median, ratio_of, verdict_of
from rowhalo_study.whole_files import write_whole

NAME = typed("petsc")
TYPES = ("aij", "rowhalo")
EVENTS = ("KSPSolve", "PCSetUp", "MatMult", "MatRowhaloSetUp")
COLUMNS = ("event", "aij_seconds", "rowhalo_seconds", "ratio", "low", "high", "verdict", "aij_count", "rowhalo_count")


def default_library():
    """Installed, or built beside jobs/."""
    for path in (JOBS.parents[2] / "lib/librowhalo_petsc.so", JOBS.parent / "build/miniapp/bindings/petsc/librowhalo_petsc.so"):
        if path.exists():
            return path
    return None


def parse(arguments):
    parser = Parser(prog=NAME, description=__doc__.split("\n", maxsplit=1)[0],
                    usage=f"{NAME} [options] -- PROGRAM ARGUMENTS", epilog="exit status: 0 fine, 1 a run failed, 2 usage")
    parser.add_argument("--library", type=Path, metavar="FILE", help="librowhalo_petsc.so (default: the one built or installed "
                        "beside jobs/)")
    parser.add_argument("--launcher", default="mpirun -n {ranks}", help="default: %(default)s")
    parser.add_argument("--ranks", type=count, default=1, help="default: %(default)s")
    parser.add_argument("--pairs", type=count, default=6, metavar="N", help="runs with each type (default: %(default)s)")
    parser.add_argument("--gpu", action="store_true", help="CUDA vectors, beside aijcusparse; products from second runs with "
                        "-log_view_gpu_time")
    parser.add_argument("--seconds", type=count, default=3600, metavar="S", help="limit of a run (default: %(default)s)")
    parser.add_argument("--output", type=Path, default=Path("."), help="folder of the results (default: the current one)")
    parser.add_argument("program", nargs="+", metavar="PROGRAM ARGUMENTS", help="after --")
    options = parser.parse_args(arguments)
    options.library = options.library or default_library()
    if options.library is None or not options.library.exists():
        parser.error(f"--library {options.library or ''}: there is no librowhalo_petsc.so; build Rowhalo with PETSC, or name one")
    try:
        options.launcher = shlex.split(options.launcher.format(ranks=options.ranks))
    except (ValueError, LookupError) as error:
        parser.error(f"--launcher {options.launcher}: {error}; give words like: mpirun -n {{ranks}}")
    return options


def events_of(text):
    """{event: (seconds of the slowest rank, most calls)} of a log in PETSc's CSV, over all stages."""
    lines = [line.split(",") for line in text.splitlines() if line.count(",") > 3]
    if not lines:
        raise ValueError("the log of PETSc is no CSV table")
    heads = [head.strip() for head in lines[0]]
    event, rank, calls, seconds = (heads.index(name) for name in ("Event Name", "Rank", "Count", "Time"))
    by_rank = {}
    for line in lines[1:]:
        name = line[event].strip()
        if name in EVENTS:
            total = by_rank.setdefault(name, {}).setdefault(line[rank].strip(), [0.0, 0])
            total[0] += float(line[seconds])
            total[1] += int(float(line[calls]))
    return {name: (max(each[0] for each in ranks.values()), max(each[1] for each in ranks.values()))
            for name, ranks in by_rank.items()}


def command_of(options, kind, log, gpu_time=False):
    name = "aijcusparse" if options.gpu and kind == "aij" else kind
    words = [*options.launcher, *options.program, "-mat_type", name, "-dm_mat_type", name]
    if options.gpu:
        words += ["-vec_type", "cuda", "-dm_vec_type", "cuda"]
    if kind == "rowhalo":
        words += ["-dll_append", str(options.library.resolve())]
    return [*words, "-ksp_converged_reason", "-log_view", f":{log}:ascii_csv", *(["-log_view_gpu_time"] if gpu_time else [])]


def run(options, kind, gpu_time=False):
    """(events, iterations) of a run; raises RuntimeError with the reason why there are none."""
    with tempfile.TemporaryDirectory() as place:
        log = Path(place) / "log.csv"
        command = command_of(options, kind, log, gpu_time)
        try:
            done = subprocess.run(command, timeout=options.seconds, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, errors="replace", text=True, check=False)
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"{typed_line(command)}: took longer than {options.seconds} s") from None
        except OSError as error:
            raise RuntimeError(f"{command[0]}: {error.strerror}") from None
        if done.returncode:
            lines = [line.strip() for line in done.stdout.splitlines() if line.strip(" -")]
            said = [line for line in lines if "rowhalo:" in line] or lines or ["no word"]
            raise RuntimeError(f"{typed_line(command)}: exit status {done.returncode}: {said[0]}")
        try:
            events = events_of(log.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise RuntimeError(f"{typed_line(command)}: no log of PETSc: {error}") from None
    iterations = [int(number) for number in re.findall(r"iterations (\d+)", done.stdout)]
    return events, sum(iterations)


def measure(options):
    """{type: [(events, iterations) of each pair]}."""
    runs = {kind: [] for kind in TYPES}
    for pair in range(options.pairs):
        for kind in TYPES if pair % 2 == 0 else TYPES[::-1]:
            events, iterations = run(options, kind)
            if options.gpu:
                events["MatMult"] = run(options, kind, True)[0].get("MatMult", (0.0, 0))
            runs[kind].append((events, iterations))
    return runs


def rows_of(runs):
    rows = []
    for event in EVENTS:
        pairs = [[each[0].get(event, (0.0, 0)) for each in runs[kind]] for kind in TYPES]
        if not any(calls for pair in pairs for _, calls in pair):
            continue
        seconds = [interval_of_median([each[0] for each in pair]).seconds for pair in pairs]
        row = {"event": event, "aij_seconds": seconds[0], "rowhalo_seconds": seconds[1], "aij_count": pairs[0][0][1],
               "rowhalo_count": pairs[1][0][1], "ratio": "", "low": "", "high": "", "verdict": ""}
        if all(one[0] > 0 and other[0] > 0 for one, other in zip(*pairs)):
            found = ratio_of(*([Run(one) for one, _ in pair] for pair in pairs), paired=True)
            row.update(ratio=1 / found.value, low=1 / found.high, high=1 / found.low, verdict=verdict_of(found).value)
        rows.append(row)
    return rows


def table(options, rows, runs):
    def number(value, digits):
        return "-" if value == "" else f"{value:.{digits}f}"
    iterations = {kind: sorted({each[1] for each in runs[kind]}) for kind in TYPES}
    lines = [f"`{typed_line(options.program)}`, {options.ranks} ranks, {options.pairs} pairs of runs.", "",
             "| | aij, s | rowhalo, s | aij / rowhalo | interval | rowhalo is | calls, aij | calls, rowhalo |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for row in rows:
        lines.append(f"| {row['event']} | {row['aij_seconds']:.4g} | {row['rowhalo_seconds']:.4g} | {number(row['ratio'], 2)} | "
                     f"{number(row['low'], 2)} to {number(row['high'], 2)} | {row['verdict'] or '-'} | "
                     f"{row['aij_count']} | {row['rowhalo_count']} |")
    said = {kind: ", ".join(map(str, iterations[kind])) or "none" for kind in TYPES}
    return [*lines, "", f"Iterations: aij {said['aij']}, rowhalo {said['rowhalo']}."]


def main(arguments):
    options = parse(arguments)
    make_folder(NAME, options.output)
    try:
        runs = measure(options)
    except RuntimeError as error:
        say(f"{NAME}: {error}", file=sys.stderr)
        return 1
    rows = rows_of(runs)
    lines = table(options, rows, runs)
    say(*lines)
    try:
        write_whole(options.output / "petsc.csv", csv_of(COLUMNS, rows))
        write_whole(options.output / "petsc.md", lines_text(lines))
    except OSError as error:
        say(f"{NAME}: --output {options.output}: {error.strerror}", file=sys.stderr)
        return 1
    return 0
