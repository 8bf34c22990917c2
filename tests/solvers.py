#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Solvers at full size: fills four tables about `rowhalo solve`. Exit status 0: every line holds.

  solvers.py --output solvers.md     about half an hour on two cores
  solvers.py --short                 small matrices and fewer runs, for ctest

Systems: every method converges, or ends by name on matrices from files, on 1, 2, 3, 4 and 7 ranks; x is
right by the true residual, and its error stated. Iterations stand beside those of PETSc's KSP on the same
ranks. Those of CG on generated matrices agree within 2 %. Elsewhere rounding errors decide, which differ
between processors, libraries, numbers of ranks and orders of the rows (--shuffle): over all of these the
medians lie as near as PETSc's own counts do to each other, or within a tenth for CG and a quarter for
bicgstab, which begins again where PETSc's does not and may take fewer. Iterations are listed per number of
ranks, then per order of the rows, which is tried on one rank.
Reproducible: with --reproducible one history and one x for all ranks, canonical formats and schedules.
Eigenvalues: the largest one of stencil7:8 in closed form.
PageRank: scipy's power iteration on the same file; skipped without scipy.

The program and the folder of matrices are those of tests/cli/launch.py (ROWHALO_BINARY,
ROWHALO_TEST_MATRICES); what is missing is skipped and said.
"""
import argparse
import dataclasses
import functools
import gzip
import itertools
import json
import math
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "cli"))
import launch  # noqa: E402  pylint: disable=wrong-import-position

RANKS = (1, 2, 3, 4, 7)
FORMATS = ("csr", "asell", "sell")
SYMMETRIC = ("cg", "cg-one-reduction", "cg-pipelined")
# A matrix that is positive definite may end otherwise because of rounding errors only in these ways.
NAMED_ENDS = ("converged", "stagnation", "not converged", "breakdown")
SHARE = 0.02  # of PETSc's iterations
PATIENCE = 3600


@dataclasses.dataclass
class System:
    matrix: str
    short: str = ""              # the matrix of the short version; empty: not in it
    arguments: tuple = ()
    shuffles: int = 6            # further samples of iterations: other orders of the rows, on one rank
    fixed_iterations: int = 0    # of the reproducible runs; 0: until convergence
    reproducible: bool = True


EARLY = ("--tolerance", "1e-5")
SYSTEMS = (
    System("stencil27:96", "stencil27:14"),
    System("stencil7:96", "stencil7:14"),
    System("elasticity:32", "elasticity:4"),
    System("494_bus", "494_bus"),
    System("1138_bus"),
    System("bcsstk18", arguments=EARLY, shuffles=0, reproducible=False),
    System("bcsstk25", arguments=EARLY, shuffles=0, reproducible=False),
    System("bcsstk18", fixed_iterations=300),
    System("bcsstk25", fixed_iterations=300),
)
GRAPHS = ("soc-Slashdot0902", "uk-2007-05_100000")


class Skipped(Exception):
    """The line cannot be filled here; the text says why."""


class Place:
    """A folder for the files of one run."""

    def __init__(self, folder):
        self.x, self.report = folder / "x.mtx", folder / "report.json"

    def solve(self, matrix, *arguments, ranks):
        """`rowhalo solve`; gives the solvers of its JSON."""
        self.report.unlink(missing_ok=True)
        result = launch.run("solve", "--matrix", matrix, "--device", "cpu", "--halo", "mpi", "--quiet",
                            "--json", self.report, *arguments, ranks=ranks if ranks > 1 else 0, timeout=PATIENCE)
        if result.status not in (0, 1, 3) or not self.report.exists():
            raise RuntimeError(str(result))
        return json.loads(self.report.read_text(encoding="utf-8"))["solvers"]


def spec_of(name):
    """A generator, or the path of a file."""
    if ":" in name:
        return name
    for suffix in (".mtx", ".mtx.gz"):
        if (launch.MATRICES / (name + suffix)).exists():
            return str(launch.MATRICES / (name + suffix))
    raise Skipped(f"{name} is not in {launch.MATRICES}")


class Samples:
    """What one method did on one matrix in several runs."""

    def __init__(self):
        self.runs = []  # (ranks, the solver's part of the JSON)

    def beside_petsc(self):
        for _, solver in self.runs:
            for petsc in solver["petsc"]:
                yield solver, petsc

    def problems(self, system):
        ends = NAMED_ENDS if ":" not in system.matrix else ("converged",)
        for ranks, solver in self.runs:
            if solver["end"] not in ends or (solver["end"] == "converged" and not solver["passed"]):
                yield f"{solver['end']} on {ranks} ranks {solver['reason']}".rstrip()
            if solver["error"] is None or not math.isfinite(solver["error"]):
                yield f"no error on {ranks} ranks"
        if any(solver["end"] != "converged" and petsc["end"].startswith("CONVERGED")
               for solver, petsc in self.beside_petsc()):
            yield "PETSc's converged"
        pairs = [(solver["iterations"], petsc["iterations"]) for solver, petsc in self.beside_petsc()]
        if not pairs:
            return
        theirs = [petsc for _, petsc in pairs]
        symmetric = self.runs[0][1]["method"] in SYMMETRIC
        if ":" in system.matrix and symmetric:  # there rounding errors do not decide
            for ours, petsc in pairs:
                if abs(ours - petsc) > max(1, SHARE * petsc):
                    yield f"{ours} iterations, PETSc {petsc}"
            return
        ours, petsc = statistics.median(ours for ours, _ in pairs), statistics.median(theirs)
        more = max(1, max(theirs) - min(theirs), (0.1 if symmetric else 0.25) * petsc)
        if ours > petsc + more or (symmetric and ours < petsc - more):
            yield f"median of {ours} iterations, PETSc's of {petsc} ({min(theirs)} to {max(theirs)})"

    def cells(self):
        solvers = [solver for _, solver in self.runs]
        residuals = max(solver["true_residual"] for solver in solvers)
        errors = [solver["error"] for solver in solvers]
        ends = sorted({solver["end"] for solver in solvers})
        theirs = " ".join(str(petsc["iterations"]) for _, petsc in self.beside_petsc())
        return [" ".join(str(solver["iterations"]) for solver in solvers), theirs or "-",
                f"{residuals:.1e}", f"{min(errors):.1e} to {max(errors):.1e}", ", ".join(ends)]


def system_lines(place, short):
    ranks_of_all = (1, 3) if short else RANKS
    for system in SYSTEMS:
        matrix = system.short if short else system.matrix
        if not matrix:
            continue
        title = " ".join((matrix, *system.arguments[1:]))
        shuffles = min(system.shuffles, 4) if short else system.shuffles
        runs = [(ranks, ()) for ranks in ranks_of_all]
        runs += [(1, ("--shuffle", seed)) for seed in range(1, shuffles + 1)]
        samples = {}
        try:
            for ranks, more in runs:
                solvers = place.solve(spec_of(matrix), "--method", "all", "--format", "csr",
                                      "--partition", "rows", *system.arguments, *more, ranks=ranks)
                of_cg = solvers[0]["petsc"]
                for solver in solvers:
                    if solver["method"] == "cg-one-reduction":  # PETSc has none under another name
                        solver["petsc"] = of_cg
                    samples.setdefault(solver["method"], Samples()).runs.append((ranks, solver))
        except Skipped as reason:
            yield [title, "-", "-", "-", "-", "-", "-"], reason
            continue
        for method, sample in samples.items():
            yield [title, method, *sample.cells()], sorted(set(sample.problems(system)))


def variants(short):
    """(ranks, format, schedule): every number of ranks with every schedule, formats in turn."""
    if short:
        return [(1, "csr", "overlap"), (7, "sell", "blocking")]  # test_reproducible has others
    pairs = itertools.product(RANKS, ("overlap", "blocking"))
    return [(ranks, chosen, schedule)
            for (ranks, schedule), chosen in zip(pairs, itertools.cycle(FORMATS))]


def reproducible_lines(place, short):
    for system in SYSTEMS:
        matrix = system.short if short else system.matrix
        if not matrix or not system.reproducible:
            continue
        until = ["--iterations", system.fixed_iterations] if system.fixed_iterations else []
        expected, problems, runs = None, [], variants(short)
        try:
            for ranks, chosen, schedule in runs:
                solvers = place.solve(spec_of(matrix), "--method", "all", "--reproducible", "--no-petsc",
                                      "--format", chosen, "--schedule", schedule, *until, ranks=ranks)
                found = {solver["method"]: (solver["x_hash"], solver["norms"]) for solver in solvers}
                expected = expected or found
                problems += [f"{method} on {ranks} ranks, {chosen}, {schedule}"
                             for method in expected if found.get(method) != expected[method]]
        except Skipped as reason:
            yield [matrix, "-", "-"], reason
            continue
        hashes = ", ".join(x_hash for x_hash, _ in expected.values())
        yield [matrix, f"{len(runs)} runs x {len(expected)} methods", hashes], problems


def eigenvalue_lines(place, short):
    exact = 6 + 6 * math.cos(math.pi / 9)
    for ranks in (3,) if short else RANKS:
        solver, = place.solve("stencil7:8", "--method", "power", "--tolerance", "1e-9", ranks=ranks)
        error = abs(solver["eigenvalue"] / exact - 1)
        right = solver["end"] == "converged" and error <= 1e-10
        yield ([f"stencil7:8 on {ranks} ranks", f"{solver['eigenvalue']:.15g}", f"{error:.1e}"],
               [] if right else [solver["end"]])


@functools.cache
def scipy_pagerank(path, damping=0.85, iterations=250):
    """Enough iterations for any start: 0.85^250 is 2e-18. a_ij is the edge from j to i."""
    try:
        # pylint: disable=import-outside-toplevel
        import numpy
        import scipy.io
        import scipy.sparse
    except ImportError as error:
        raise Skipped(f"{error}: apt-get install python3-scipy") from error
    opened = gzip.open(path) if path.endswith(".gz") else open(path, "rb")
    with opened as file:
        matrix = scipy.sparse.csc_matrix(scipy.io.mmread(file), dtype=numpy.float64)
    sums = numpy.asarray(matrix.sum(axis=0)).reshape(-1)
    dangling = sums == 0
    chances = (matrix @ scipy.sparse.diags(1 / numpy.where(dangling, 1, sums))).tocsr()
    size = matrix.shape[0]
    x = numpy.full(size, 1 / size)
    for _ in range(iterations):
        x = damping * (chances @ x) + (1 - damping + damping * x[dangling].sum()) / size
    return x


def numbers_of(path):
    """Of a vector in a Matrix Market array file."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("%")]
    return [float(line) for line in lines[1:]]


def pagerank_lines(place, short):
    for graph in GRAPHS:
        for ranks in (3,) if short else RANKS:
            title = f"{graph} on {ranks} ranks"
            try:
                expected = scipy_pagerank(spec_of(graph))
                solver, = place.solve(spec_of(graph), "--method", "pagerank", "--tolerance", "1e-15",
                                      "--save-x", place.x, ranks=ranks)
            except Skipped as reason:
                yield [title, "-", "-"], reason
                continue
            found = numbers_of(place.x)
            error = max(abs(a - b) for a, b in zip(found, expected)) / max(expected)
            right = solver["end"] == "converged" and len(found) == len(expected) and error <= 1e-12
            yield [title, solver["iterations"], f"{error:.1e}"], [] if right else [solver["end"]]


TABLES = (
    ("Systems", system_lines, ("matrix", "method", "iterations", "PETSc's", "largest residual", "error",
                               "end")),
    ("Reproducible", reproducible_lines, ("matrix", "runs", "x_hash of the methods")),
    ("Eigenvalues", eigenvalue_lines, ("matrix", "eigenvalue", "relative error")),
    ("PageRank", pagerank_lines, ("graph", "iterations", "largest difference over the largest entry")),
)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="small matrices and fewer runs")
    parser.add_argument("--output", type=Path, help="the tables as Markdown")
    parser.add_argument("--only", default="", help="tables whose name contains this")
    options = parser.parse_args()
    started, texts, counts = time.monotonic(), [], {"passed": 0, "skipped": 0, "failed": 0}

    def say(text):
        texts.append(text)
        print(text, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        for name, lines_of, head in TABLES:
            if options.only not in name:
                continue
            say(f"\n{name}\n\n| {' | '.join((*head, 'verdict'))} |\n|{' --- |' * (len(head) + 1)}")
            for cells, problems in lines_of(Place(Path(folder)), options.short):
                skipped = isinstance(problems, Skipped)
                counts["skipped" if skipped else "failed" if problems else "passed"] += 1
                verdict = f"skipped: {problems}" if skipped else "; ".join(problems) or "passed"
                say(f"| {' | '.join(map(str, cells))} | {verdict} |")
    say("\n" + ", ".join(f"{count} lines {name}" for name, count in counts.items()) +
        f", {time.monotonic() - started:.0f} s")
    if options.output:
        options.output.write_text("\n".join(texts).lstrip() + "\n", encoding="utf-8")
    return 0 if counts["passed"] and not counts["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
