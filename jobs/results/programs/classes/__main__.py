# SPDX-License-Identifier: BSD-3-Clause
"""Every class of matrices on one GPU: our formats beside cuSPARSE and cuBLAS.

usage: rowhalo-study classes [options]                      (see --help)

Runs `rowhalo kernels` once per matrix and writes into --output:
  classes-fp64.csv           the table of results: a line per matrix and format, with its provenance,
                             refusals with their reason; what is complete there is not run again
  classes-fp64.md            a line per class, a line per matrix: ratio, target, auto, value codes
  classes-fp64.svg (or .png, whichever is smaller)
                             the ratios with their targets, and the share of the read bandwidth
With --quick the stem is quick-fp64, with --matrices files-fp64. Markdown and picture show all
that the CSV holds, so that classes may be run in parts. They say what crashed or took too long; the
rest goes on. Python 3.9 or newer; pictures need matplotlib.
Exit status: 0 fine, 1 a matrix failed or a format gave a wrong y, 2 wrong usage.
"""
import gzip
import re
import signal
import sys
import time
from pathlib import Path

# pylint: disable=wrong-import-position
import picture  # noqa: E402
import tables  # noqa: E402
from rowhalo_study.calling import exit_with, typed  # noqa: E402
from rowhalo_study.cli.programs import add_program, executable, make_folder  # noqa: E402
from matrices import CLASSES, MATRICES, Matrix  # noqa: E402
from rowhalo_study.names import Parser, say, typed_line
from results import is_wrong, summary_of  # noqa: E402
from running import Program, Table, run, stored  # noqa: E402
from rowhalo_study.whole_files import write_whole  # noqa: E402

NAME = typed("classes")
PRECISIONS = ("fp64", "fp32", "mixed", "fp16", "bf16")


def parse(arguments):
    parser = Parser(prog=NAME, description=__doc__.split("\n", maxsplit=1)[0],
                                     epilog="exit status: 0 fine, 1 something failed, 2 usage")
    add_program(parser)
    parser.add_argument("--device", choices=("auto", "cpu", "gpu"), default="auto")
    parser.add_argument("--precision", choices=PRECISIONS, default="fp64")
    parser.add_argument("--classes", metavar="A,B", help="of " + ", ".join(CLASSES))
    parser.add_argument("--only", metavar="TEXT", action="append",
                        help="matrices whose name contains TEXT; may be given again")
    parser.add_argument("--matrices", metavar="DIR", type=Path,
                        help="the real .mtx and .mtx.gz of a folder instead of the classes")
    parser.add_argument("--huge", action="store_true", help="also more than 2^31 nonzeros")
    parser.add_argument("--quick", action="store_true", help="small matrices, few products: a test")
    parser.add_argument("--seconds", type=float, default=120, metavar="S",
                        help="time limit of a matrix (default: %(default)s; huge ones ten times)")
    parser.add_argument("--threads", metavar="N", help="of the host (default: all)")
    parser.add_argument("--again", action="store_true", help="run what is there already, too")
    parser.add_argument("--tables", action="store_true",
                        help="run nothing: markdown and picture of the CSV that is there")
    parser.add_argument("--list", action="store_true", help="print the matrices and end")
    options = parser.parse_args(arguments)
    options.classes = options.classes.split(",") if options.classes else list(CLASSES)
    unknown = [name for name in options.classes if name not in CLASSES]
    if unknown:
        parser.error(f"--classes {unknown[0]}: use {', '.join(CLASSES)}")
    if options.matrices and not options.matrices.is_dir():
        parser.error(f"--matrices {options.matrices}: is not a folder")
    if not options.list and not options.tables:
        options.rowhalo = executable(parser, options.rowhalo)
    return options


def is_real(path):
    """Whether a Matrix Market file holds what can be multiplied here; says where it is none."""
    try:
        with (gzip.open if path.name.endswith(".gz") else open)(path, "rb") as file:
            words = file.readline().lower().split()
    except (OSError, EOFError) as error:
        words = [str(error).encode()]
    if words[:1] != [b"%%matrixmarket"] or len(words) < 4:
        say(f"{NAME}: {path} is left out: not a Matrix Market file", file=sys.stderr)
        return False
    return words[3] in (b"real", b"integer", b"pattern")


def known_matrices(options):
    if options.matrices:
        files = [path for path in sorted(options.matrices.iterdir())
                 if re.search(r"\.mtx(\.gz)?$", path.name)]
        return [Matrix("files", path.name) for path in files if is_real(path)]
    if not options.quick:
        return MATRICES
    small = [matrix._replace(spec=matrix.quick, companion=matrix.quick_companion)
             for matrix in MATRICES]
    return list({(matrix.group, matrix.spec): matrix for matrix in small}.values())


def is_selected(matrix, options):
    named = not options.only or any(text in matrix.spec for text in options.only)
    return (named and matrix.group in options.classes
            and (matrix.group != "huge" or options.huge or options.quick))


def run_selected(matrices, options, table):
    """Device, and outcomes in the order of the matrices: of what is selected, or there already."""
    if options.tables:
        on_gpu = any(row["device"] == "gpu" for rows in table.points.values() for row in rows)
        device = options.device if options.device != "auto" else "gpu" if on_gpu else "cpu"
        found = [stored(matrix, device, options.precision, table) for matrix in matrices]
        return device, [outcome for outcome in found if outcome]
    program, outcomes = Program(options), []
    for matrix in matrices:
        if not is_selected(matrix, options):
            outcome = stored(matrix, program.device, options.precision, table)
            if outcome:
                outcomes.append(outcome)
            continue
        start = time.monotonic()
        outcome, ran = run(program, matrix, table)
        seconds = f"{time.monotonic() - start:.1f} s" if ran else "there already"
        tell(outcome, program.device, seconds)
        outcomes.append(outcome)
    return program.device, outcomes


def tell(outcome, device, seconds):
    """One line on the terminal."""
    line = summary_of(outcome, device)
    parts = [f"{entry.seconds * 1e3:.4g} ms {entry.name}" for entry in (line.ours, line.baseline)
             if entry]
    said = outcome.failure or ", ".join(parts) or "nothing to compare"
    ratio = f" {line.ratio:.2f}" if line.ratio else ""
    say(f"{outcome.matrix.spec}:{ratio} {said} ({seconds})", flush=True)


def sharable(options):
    """The command without what is a path of this machine."""
    words = ["rowhalo-study", "classes", "--precision", options.precision]
    words += ["--matrices", "DIR"] if options.matrices else []
    words += ["--quick"] if options.quick else []
    return typed_line(words)


def main(arguments):
    options = parse(arguments)
    for number in (signal.SIGTERM, signal.SIGUSR1):  # run.sh sends the second; both end what runs, too
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    matrices = known_matrices(options)
    if options.list:
        for matrix in matrices:
            say(f"{matrix.group:12} {matrix.target or '-':<5} {matrix.spec} {matrix.precision}")
        return 0
    if not options.tables and not any(is_selected(matrix, options) for matrix in matrices):
        say(f"{NAME}: no matrix is selected; --list prints all", file=sys.stderr)
        return 2
    kind = "files" if options.matrices else "quick" if options.quick else "classes"
    stem = options.output / f"{kind}-{options.precision}"
    make_folder(NAME, options.output)
    begun = time.monotonic()
    table = Table(Path(f"{stem}.csv"))
    if options.tables and not table.points:
        say(f"{NAME}: --tables: {table.path} holds no lines; run without --tables first",
              file=sys.stderr)
        return 2
    device, outcomes = run_selected(matrices, options, table)

    write_whole(table.path, tables.table_text(tables.all_lines(outcomes, device, table)))
    write_whole(f"{stem}.md", tables.markdown_text(outcomes, device, sharable(options)))
    try:
        picture.draw(outcomes, device, options.precision, options.output, stem.name)
    except ImportError as error:
        say(f"no picture: {error}; apt-get install python3-matplotlib", file=sys.stderr)
    failed = [outcome.matrix.spec for outcome in outcomes
              if outcome.failure or any(is_wrong(entry) for entry in outcome.formats)]
    say(f"{len(outcomes)} matrices in {time.monotonic() - begun:.0f} s: {stem}.*"
          + (f"; failed: {', '.join(failed)}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    exit_with(main, sys.argv[1:])
