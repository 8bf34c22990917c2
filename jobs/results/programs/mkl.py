#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""CPU products beside those of Intel MKL, on the same cores, run after run in turn.

usage: rowhalo-study mkl [options]                             (see --help)

For every matrix: MKL's mkl_sparse_d_mv (CSR, with hint and optimize) with T threads, `rowhalo run
--format auto` on 1 rank with T threads, and on T ranks with PETSc beside it; --pairs times in turn.
Each ratio is the median over pairs of MKL's time over ours of the same pair; PETSc's likewise. Writes
mkl.csv (a line per matrix and number of ranks: the run of the median time, the ratios, MKL's time)
and mkl.md into --output; --tables writes mkl.md again. MKL is for measuring only: it is taken from
--mkl DIR (libmkl_rt.so.N and libiomp5.so at any depth) or from the packages of this Python (pip
install mkl). Python 3.9 or newer.
Exit status: 0 fine, 1 a run failed or MKL's y is wrong, 2 wrong usage, 77 MKL is not there.
"""
import array
import ctypes
import mmap
import os
import shlex
import statistics
import sys
import tempfile
import time
from pathlib import Path

from petsc_matrix import read_petsc

from rowhalo_study.calling import exit_with, typed
from rowhalo_study.cli.programs import add_program, count, failure, make_folder, report_of, settle, tables_again
from rowhalo_study.names import Parser, lines_text, say
from rowhalo_study.results.rows import columns_of, csv_text, rows_of
from rowhalo_study.results.table import machines_of
from rowhalo_study.whole_files import write_whole

NAME = typed("mkl")
MATRICES = ("stencil27:96,coef=random", "stencil7:128,coef=random", "elasticity:32",
            "banded:rows=200000,half=64,fill=0.2", "road:1500", "rmat:scale=18",
            "rmat:scale=18,scramble=1", "web:rows=500000", "arrow:rows=2000000,heavy=5,row=500000",
            "empty:rows=2000000,share=0.8,row=20", "random:rows=500000,row=16",
            "lp:rows=1177,columns=300000")
OWN_NUMBERS = ("pairs", "mkl_seconds", "ratio", "lowest", "highest", "petsc_ratio")
OWN = ("mkl", *OWN_NUMBERS)  # columns of its own
NON_TRANSPOSE, GENERAL = 10, 20  # of mkl_spblas.h


class Description(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("mode", ctypes.c_int), ("diag", ctypes.c_int)]


class Memory:
    """Numbers in huge pages, which our vectors and matrices have, too."""

    def __init__(self, kind, numbers):
        source = memoryview(numbers).cast("B")
        self.bytes = mmap.mmap(-1, max(len(source), 1))
        if hasattr(mmap, "MADV_HUGEPAGE"):
            self.bytes.madvise(mmap.MADV_HUGEPAGE)
        self.bytes[:len(source)] = source
        self.kind, self.size = kind, len(source) // array.array(kind).itemsize

    def pointer(self, kind, skipped=0):
        return (kind * 1).from_buffer(self.bytes, skipped * ctypes.sizeof(kind))

    def numbers(self):
        return memoryview(self.bytes)[:self.size * array.array(self.kind).itemsize].cast(self.kind)


class Mkl:
    """The library, and the CSR matrix that it multiplies."""

    def __init__(self, folders, threads):
        names = {name: next((path for folder in folders for path in sorted(folder.rglob(name))), None)
                 for name in ("libiomp5.so", "libmkl_rt.so.[0-9]")}
        if None in names.values():
            missing = [name for name, path in names.items() if path is None]
            raise FileNotFoundError(" and ".join(missing))
        # MKL opens its other libraries by name.
        for path in names.values():
            library = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        self.library, self.handle, self.kept = library, ctypes.c_void_p(), []
        self.x, self.y = [], None
        library.MKL_Set_Num_Threads(threads)
        text = ctypes.create_string_buffer(200)
        library.MKL_Get_Version_String(text, 200)
        self.version = " ".join(text.value.decode().split())

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status != 0:
            raise RuntimeError(f"{name} failed with status {status}")

    def take(self, rows, columns, offsets, numbers, values):
        if self.handle:
            self.call("mkl_sparse_destroy", self.handle)
        self.kept = [Memory("i", offsets), Memory("i", numbers), Memory("d", values)]
        offsets, numbers, values = self.kept
        self.call("mkl_sparse_d_create_csr", ctypes.byref(self.handle), 0, rows, columns,
                  offsets.pointer(ctypes.c_int), offsets.pointer(ctypes.c_int, 1),
                  numbers.pointer(ctypes.c_int), values.pointer(ctypes.c_double))
        description = Description(GENERAL, 0, 0)
        self.call("mkl_sparse_set_mv_hint", self.handle, NON_TRANSPOSE, description, 1000)
        self.call("mkl_sparse_optimize", self.handle)
        entries = array.array("d", (1 + column % 7 for column in range(columns)))
        self.x = [Memory("d", entries), Memory("d", entries)]
        self.y = Memory("d", array.array("d", bytes(8 * rows)))

    def products(self, count):
        """Seconds of one; on two x in turn, as ours and PETSc's are."""
        function = self.library.mkl_sparse_d_mv
        words = [(NON_TRANSPOSE, ctypes.c_double(1), self.handle, Description(GENERAL, 0, 0),
                  x.pointer(ctypes.c_double), ctypes.c_double(0), self.y.pointer(ctypes.c_double))
                 for x in self.x]
        start = time.perf_counter()
        for k in range(count):
            function(*words[k % 2])
        return (time.perf_counter() - start) / count

    def is_right(self):
        """Of some rows, wide apart."""
        offsets, numbers, values, x, y = (memory.numbers()
                                          for memory in (*self.kept, self.x[0], self.y))
        for row in range(0, len(y), max(1, len(y) // 200)):
            terms = [values[k] * x[numbers[k]] for k in range(offsets[row], offsets[row + 1])]
            right = abs(sum(terms) - y[row]) <= 1e-10 * sum(map(abs, terms))
            if not right:  # or NaN
                return False
        return True

    def measure(self, seconds):
        """Median of batches of 20 ms for so long."""
        self.products(3)
        count = 2 * max(1, round(0.01 / max(self.products(2), 1e-7)))
        batches, start = [], time.monotonic()
        while len(batches) < 5 or time.monotonic() - start < seconds:
            batches.append(self.products(count))
        return statistics.median(batches)


def parse(arguments):
    parser = Parser(prog=NAME,
                                     description=__doc__.split("\n", maxsplit=1)[0],
                                     epilog="exit status: 0 fine, 1 failed, 2 usage, 77 no MKL")
    add_program(parser)
    parser.add_argument("--mkl", type=Path, metavar="DIR", help="where the libraries of MKL are")
    parser.add_argument("--matrix", action="append", metavar="SPEC",
                        help="instead of the 12; may be given again")
    parser.add_argument("--threads", type=count, default=len(os.sched_getaffinity(0)), metavar="T",
                        help="default: all cores that this process may use")
    parser.add_argument("--pairs", type=count, default=9, help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each run (default: %(default)s)")
    parser.add_argument("--launcher", default="mpirun -n {ranks}",
                        help="default: %(default)s; {ranks} is replaced")
    parser.add_argument("--tables", action="store_true",
                        help="measure nothing: write mkl.md of --output again from mkl.csv")
    options = parser.parse_args(arguments)
    if not options.tables:
        settle(parser, options)
    if options.mkl and not options.mkl.is_dir():
        parser.error(f"--mkl {options.mkl}: is not a folder")
    return options


class Ours:
    """`rowhalo run` on so many ranks."""

    def __init__(self, options, ranks, folder):
        self.options, self.ranks, self.target = options, ranks, folder / f"{ranks}.json"
        self.threads = options.threads // ranks
        self.launcher = shlex.split(options.launcher.format(ranks=ranks)) if ranks > 1 else []

    def run(self, matrix):
        options = self.options
        command = [*self.launcher, options.rowhalo, "run", "--matrix", matrix, "--device", "cpu",
                   "--threads", str(self.threads), "--min-seconds", str(options.seconds), "--quiet",
                   "--validate", "petsc" if self.ranks > 1 else "none", "--json", str(self.target)]
        report, reason = report_of(command, self.target)
        if not report:
            raise RuntimeError(reason)
        return rows_of(report)[0]


def rows_beside(matrix, mkl, programs, options):
    """Of one matrix: a row per program, that of its median run."""
    mkl_times, runs = [], [[] for _ in programs]
    for _ in range(options.pairs):
        mkl_times.append(mkl.measure(options.seconds))
        for program, own in zip(programs, runs):
            own.append(program.run(matrix))
    for program, own in zip(programs, runs):
        ratios = sorted(other / row["median_seconds"] for other, row in zip(mkl_times, own))
        theirs = [row["petsc_seconds"] / row["median_seconds"] for row in own if row["petsc_seconds"]]
        middle = sorted(own, key=lambda row: row["median_seconds"])[(len(own) - 1) // 2]
        yield {**middle, "study": "mkl", "point": f"{program.ranks} x {program.threads}",
               "threads": program.threads, "mkl": mkl.version, "pairs": len(own),
               "mkl_seconds": statistics.median(mkl_times), "ratio": statistics.median(ratios),
               "lowest": ratios[0], "highest": ratios[-1],
               "petsc_ratio": statistics.median(theirs) if theirs else None}


def markdown_text(rows):
    points = list(dict.fromkeys(row["point"] for row in rows))
    text = ["# Beside MKL", "", "Milliseconds per product on ranks x threads. In brackets: MKL's time on "
            "the same cores over ours, the median and the range. Last column: PETSc's time over ours, "
            "on the same ranks. All figures: [mkl.csv](mkl.csv).", "", *machines_of(rows),
            *(f"- {name}" for name in dict.fromkeys(row["mkl"] for row in rows)),
            f"- {rows[0]['pairs']} runs of each in turn", "",
            f"| matrix | MKL | {' | '.join(points)} | PETSc / ours |",
            "| --- " * (len(points) + 3) + "|"]
    for matrix in dict.fromkeys(row["matrix"] for row in rows):
        own = {row["point"]: row for row in rows if row["matrix"] == matrix}
        cells = [f"{1e3 * next(iter(own.values()))['mkl_seconds']:.4g}"]
        for row in (own[point] for point in points):
            cells.append(f"{1e3 * row['median_seconds']:.4g} {row['format']} (**{row['ratio']:.2f}**, "
                         f"{row['lowest']:.2f} to {row['highest']:.2f})")
        petsc = [f"{row['petsc_ratio']:.2f}" for row in own.values() if row["petsc_ratio"]]
        text.append(f"| {matrix} | {' | '.join([*cells, ', '.join(petsc) or '-'])} |")
    return lines_text(text)


def write_tables(folder, rows):
    write_whole(folder / "mkl.csv", csv_text(rows, (*OWN, *columns_of(rows))))
    write_whole(folder / "mkl.md", markdown_text(rows))


def write_matrix(rowhalo, matrix, path):
    """In place of the one before."""
    reason = failure([rowhalo, "convert", matrix, str(path), "--force", "--quiet"])
    if reason:
        raise RuntimeError(reason)


def main(arguments):
    options = parse(arguments)
    if options.tables:
        return tables_again(NAME, options.output / "mkl.csv", markdown_text, ("mkl",), OWN_NUMBERS)
    prefix = Path(sys.prefix)
    folders = [options.mkl] if options.mkl else [prefix / "lib", prefix / "local/lib"]
    try:
        mkl = Mkl([folder for folder in folders if folder.is_dir()], options.threads)
    except (FileNotFoundError, OSError) as error:
        say(f"{NAME}: no MKL: {error}; pip install mkl, or name its folder with --mkl",
              file=sys.stderr)
        return 77
    make_folder(NAME, options.output)
    rows, failed = [], False
    with tempfile.TemporaryDirectory(prefix="rowhalo-mkl-") as name:
        folder = Path(name)
        programs = [Ours(options, ranks, folder) for ranks in dict.fromkeys((1, options.threads))]
        for matrix in options.matrix or MATRICES:
            path = folder / "matrix.petsc"
            try:
                write_matrix(options.rowhalo, matrix, path)
                mkl.take(*read_petsc(path))
                here = list(rows_beside(matrix, mkl, programs, options))
            except RuntimeError as error:
                say(f"{NAME}: {matrix}: {error}", file=sys.stderr, flush=True)
                failed = True
                continue
            rows += here
            right = mkl.is_right()
            failed |= not right
            said = [f"{row['point']} {1e3 * row['median_seconds']:.4g} ms ({row['ratio']:.2f})"
                    for row in here]
            say(f"{matrix}: MKL {1e3 * here[0]['mkl_seconds']:.4g} ms, {', '.join(said)}"
                  + ("" if right else "; MKL's y is WRONG"), flush=True)
            write_tables(options.output, rows)
    return 1 if failed else 0


if __name__ == "__main__":
    exit_with(main, sys.argv[1:])
