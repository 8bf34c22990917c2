#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""CPU products beside those of Intel MKL, on the same cores, run after run in turn.

usage: mkl.py [options]                             (see --help)

For every matrix: MKL's mkl_sparse_d_mv (CSR, with hint and optimize) with T threads, `rowhalo run
--format auto` on 1 rank with T threads, and on T ranks with PETSc beside it; --pairs times in turn.
Each ratio is the median over pairs of MKL's time over ours of the same pair; PETSc's likewise. Writes
mkl.csv (a line per matrix and program) and mkl.md into --output. MKL is for measuring only: it is
taken from --mkl DIR (libmkl_rt.so.N and libiomp5.so at any depth) or from the packages of this Python
(pip install mkl). Python 3.8 or newer.
Exit status: 0 fine, 1 a run failed or MKL's y is wrong, 2 wrong usage, 77 MKL is not there.
"""
import argparse
import array
import ctypes
import json
import mmap
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from calling import typed
from comparing import add_program, csv_text, settle
from petsc_matrix import read_petsc
from whole_files import write_whole

NAME = typed("mkl.py")
MATRICES = ("stencil27:96,coef=random", "stencil7:128,coef=random", "elasticity:32",
            "banded:rows=200000,half=64,fill=0.2", "road:1500", "rmat:scale=18",
            "rmat:scale=18,scramble=1", "web:rows=500000", "arrow:rows=2000000,heavy=5,row=500000",
            "empty:rows=2000000,share=0.8,row=20", "random:rows=500000,row=16",
            "lp:rows=1177,columns=300000")
COLUMNS = ("matrix", "nonzeros", "program", "format", "transport", "partition", "median_seconds",
           "ratio", "lowest", "highest", "pairs", "version", "git", "hosts", "time", "mkl")
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
        self.nonzeros, self.x, self.y = 0, None, None
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
        self.nonzeros = len(values)
        self.kept = [Memory("i", offsets), Memory("i", numbers), Memory("d", values)]
        offsets, numbers, values = self.kept
        self.call("mkl_sparse_d_create_csr", ctypes.byref(self.handle), 0, rows, columns,
                  offsets.pointer(ctypes.c_int), offsets.pointer(ctypes.c_int, 1),
                  numbers.pointer(ctypes.c_int), values.pointer(ctypes.c_double))
        description = Description(GENERAL, 0, 0)
        self.call("mkl_sparse_set_mv_hint", self.handle, NON_TRANSPOSE, description, 1000)
        self.call("mkl_sparse_optimize", self.handle)
        self.x = Memory("d", array.array("d", (1 + column % 7 for column in range(columns))))
        self.y = Memory("d", array.array("d", bytes(8 * rows)))

    def products(self, count):
        """Seconds of one."""
        function = self.library.mkl_sparse_d_mv
        x, y = (vector.pointer(ctypes.c_double) for vector in (self.x, self.y))
        words = (NON_TRANSPOSE, ctypes.c_double(1), self.handle, Description(GENERAL, 0, 0), x,
                 ctypes.c_double(0), y)
        start = time.perf_counter()
        for _ in range(count):
            function(*words)
        return (time.perf_counter() - start) / count

    def is_right(self):
        """Of some rows, wide apart."""
        offsets, numbers, values, x, y = (memory.numbers() for memory in (*self.kept, self.x, self.y))
        for row in range(0, len(y), max(1, len(y) // 200)):
            terms = [values[k] * x[numbers[k]] for k in range(offsets[row], offsets[row + 1])]
            if abs(sum(terms) - y[row]) > 1e-10 * sum(map(abs, terms)):
                return False
        return True

    def measure(self, seconds):
        """Median of batches of 20 ms for so long."""
        self.products(3)
        count = max(1, round(0.02 / max(self.products(2), 1e-7)))
        batches, start = [], time.monotonic()
        while len(batches) < 5 or time.monotonic() - start < seconds:
            batches.append(self.products(count))
        return statistics.median(batches)


def parse(arguments):
    parser = argparse.ArgumentParser(prog=NAME,
                                     description=__doc__.split("\n", maxsplit=1)[0],
                                     epilog="exit status: 0 fine, 1 failed, 2 usage, 77 no MKL")
    add_program(parser)
    parser.add_argument("--mkl", type=Path, metavar="DIR", help="where the libraries of MKL are")
    parser.add_argument("--matrix", action="append", metavar="SPEC",
                        help="instead of the 12; may be given again")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), metavar="T",
                        help="default: all cores that this process may use")
    parser.add_argument("--pairs", type=int, default=9, help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each run (default: %(default)s)")
    parser.add_argument("--launcher", default="mpirun -n {ranks}",
                        help="default: %(default)s; {ranks} is replaced")
    options = parser.parse_args(arguments)
    settle(parser, options)
    if options.mkl and not options.mkl.is_dir():
        parser.error(f"--mkl {options.mkl}: is not a folder")
    return options


class Ours:
    """`rowhalo run` on so many ranks."""

    def __init__(self, options, ranks, folder):
        self.options, self.ranks, self.target = options, ranks, folder / f"{ranks}.json"
        self.threads = options.threads // ranks
        self.name = f"rowhalo, {ranks} x {self.threads}"
        self.launcher = shlex.split(options.launcher.format(ranks=ranks)) if ranks > 1 else []

    def run(self, path):
        options = self.options
        command = [*self.launcher, options.rowhalo, "run", "--matrix", str(path), "--device", "cpu",
                   "--threads", str(self.threads), "--min-seconds", str(options.seconds), "--quiet",
                   "--validate", "petsc" if self.ranks > 1 else "none", "--json", str(self.target)]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip().splitlines()[0] if done.stderr else
                               f"exit status {done.returncode}")
        return json.loads(self.target.read_text(encoding="utf-8"))


def lines_of(matrix, mkl, programs, path, options):
    """Of one matrix: MKL's line, then ours and PETSc's with their ratios."""
    times, reports = {"MKL": []}, {}
    for _ in range(options.pairs):
        times["MKL"].append(mkl.measure(options.seconds))
        for program in programs:
            report = reports[program.name] = program.run(path)
            times.setdefault(program.name, []).append(report["timing"]["median_seconds"])
            petsc = (report["validation"] or {}).get("petsc_seconds")
            if petsc:
                times.setdefault(f"PETSc, {program.ranks} ranks", []).append(petsc)
    for name, seconds in times.items():
        ratios = sorted(other / own for other, own in zip(times["MKL"], seconds))
        report = reports.get(name)
        line = dict.fromkeys(COLUMNS)
        line.update(matrix=matrix, nonzeros=mkl.nonzeros, program=name, pairs=len(seconds),
                    median_seconds=statistics.median(seconds), mkl=mkl.version)
        if name != "MKL":
            line.update(ratio=statistics.median(ratios), lowest=ratios[0], highest=ratios[-1])
        if report:
            source = report["provenance"]
            line.update(format=report["kernel"]["format"], transport=report["halo"]["transport"],
                        partition=report["partition"]["name"], version=source["version"],
                        git=source["git"], hosts=" ".join(dict.fromkeys(source["hosts"])),
                        time=source["time"])
        yield line


def markdown_text(lines):
    text = ["# Beside MKL", "", "Milliseconds per product; in brackets how many times as fast as MKL, "
            "and the spread of that. All figures: [mkl.csv](mkl.csv).", ""]
    names = list(dict.fromkeys(line["program"] for line in lines))
    text += [f"| matrix | {' | '.join(names)} |", "| --- " * (len(names) + 1) + "|"]
    for matrix in dict.fromkeys(line["matrix"] for line in lines):
        cells = dict.fromkeys(names, "-")
        for line in lines:
            if line["matrix"] == matrix:
                ratio = line["ratio"] and (f" {line['format'] or ''} (**{line['ratio']:.2f}**, "
                                           f"{line['lowest']:.2f} to {line['highest']:.2f})")
                cells[line["program"]] = f"{1e3 * line['median_seconds']:.4g}{ratio or ''}"
        text.append(f"| {matrix} | {' | '.join(cells.values())} |")
    return "\n".join(text) + "\n"


def main(arguments):
    options = parse(arguments)
    prefix = Path(sys.prefix)
    folders = [options.mkl] if options.mkl else [prefix / "lib", prefix / "local/lib"]
    try:
        mkl = Mkl([folder for folder in folders if folder.is_dir()], options.threads)
    except (FileNotFoundError, OSError) as error:
        print(f"{NAME}: no MKL: {error}; pip install mkl, or name its folder with --mkl",
              file=sys.stderr)
        return 77
    options.output.mkdir(parents=True, exist_ok=True)
    lines, failed = [], False
    with tempfile.TemporaryDirectory(prefix="rowhalo-mkl-") as name:
        folder = Path(name)
        programs = [Ours(options, ranks, folder) for ranks in dict.fromkeys((1, options.threads))]
        for matrix in options.matrix or MATRICES:
            path = folder / "matrix.petsc"
            subprocess.run([options.rowhalo, "convert", matrix, str(path), "--quiet"], check=True,
                           stdout=subprocess.DEVNULL)
            mkl.take(*read_petsc(path))
            try:
                here = list(lines_of(matrix, mkl, programs, path, options))
            except RuntimeError as error:
                print(f"{matrix}: {error}", flush=True)
                failed = True
                continue
            lines += here
            right = mkl.is_right()
            failed |= not right
            said = [f"{line['program']} {1e3 * line['median_seconds']:.4g} ms"
                    + (f" ({line['ratio']:.2f})" if line["ratio"] else "") for line in here]
            print(f"{matrix}: {', '.join(said)}" + ("" if right else "; MKL's y is WRONG"), flush=True)
            write_whole(options.output / "mkl.csv", csv_text(COLUMNS, lines))
            write_whole(options.output / "mkl.md", markdown_text(lines))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
