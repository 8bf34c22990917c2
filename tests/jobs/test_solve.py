#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Studies of `rowhalo solve`: lines of the table per solver and per solver of PETSc, the same from JSON,
HDF5 and CSV; a study; a comparison. Fields that a report may lack are put in."""
import copy
import json
import tempfile
import unittest
from pathlib import Path

import results
from results import launch, script
from studies import results as lines_of_study
from studies import study, study_text

launch.require("h5py")
# pylint: disable=wrong-import-position
from plotting.hdf5 import read_hdf5_report  # noqa: E402
from studying.rows import ALL_COLUMNS, COLUMNS, csv_text, read_csv, rows_of, solver_name  # noqa: E402

SOLVERS = ["cg", "cg-one-reduction", "cg-pipelined", "bicgstab"]
BESIDE = ["cg", "petsc cg", "cg-one-reduction", "cg-pipelined", "petsc pipecg", "bicgstab", "petsc bcgs"]
ASKED = ["--method", "all", "--preconditioner", "jacobi", "--iterations", "6", "--format", "csr",
         "--halo", "mpi", "--device", "cpu"]
FLOOR = {"floor_seconds": 2e-6, "floor_share": 0.5, "bytes": 4000, "execution": "one by one",
         "reduction_by": "mpi"}


def timed(report, seconds=4e-6, exposed=0.5e-6, **fields):
    """The report with known times: product, vectors and reductions take 2, 1 and 1 us."""
    report = copy.deepcopy(report)
    for solver in report["solvers"]:
        solver.update(iteration_seconds=seconds, **fields)
        solver["phases"] = {"product": 2e-6, "vectors": 1e-6, "reductions": 1e-6}
        if exposed is not None:
            solver["phases"]["exposed_halo"] = exposed
    return report


class Solvers(launch.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.own = Path(holder.name)
        cls.report = results.measure(cls.own, 1, "--matrix", "stencil7:8", *ASKED, ranks=2,
                                     command="solve")
        cls.names = [name for name in BESIDE if launch.built_with("PETSc") or "petsc" not in name]

    def save(self, name, report):
        return self.write(name, json.dumps(report))


class Lines(Solvers):
    def test_a_line_per_solver_and_one_per_solver_of_petsc(self):
        rows = rows_of(timed(self.report, **FLOOR))
        self.assertEqual([solver_name(row) for row in rows], self.names)
        for row in rows:
            self.assertEqual(tuple(row), ALL_COLUMNS)
            self.assertEqual([row[name] for name in ("matrix", "ranks", "preconditioner", "iterations")],
                             ["stencil7:8", 2, "jacobi", 6])
            self.assertEqual(row["command_line"], f"rowhalo solve --matrix stencil7:8 {' '.join(ASKED)}")
            if row["petsc_solver"]:
                self.assertEqual([row[name] for name in ("format", "transport", "product_seconds",
                                                         "floor_share", "passed")], [None] * 5)
                self.assertGreater(row["median_seconds"], 0)
                continue
            self.assertEqual({name: row[name] for name in FLOOR}, FLOOR)
            self.assertEqual([row[name] for name in (
                "format", "transport", "median_seconds", "exposed_seconds", "product_seconds",
                "vectors_seconds", "reductions_seconds", "passed", "end")],
                ["csr", "mpi", 4e-6, 0.5e-6, 2e-6, 1e-6, 1e-6, True, "iterations done"])

    def test_a_report_without_floor_and_execution(self):
        report = timed(self.report, exposed=None)
        for solver in report["solvers"]:
            for name in FLOOR:
                solver.pop(name, None)
        for row in rows_of(report):
            self.assertEqual([row[name] for name in (*FLOOR, "exposed_seconds")], [None] * 6)

    def test_what_did_not_iterate_has_a_reason(self):
        report = copy.deepcopy(self.report)
        for solver, reason in zip(report["solvers"], ("not symmetric", "")):
            solver.update(iteration_seconds=None, petsc=[], reason=reason, end="breakdown", passed=False)
        first, second = rows_of(report)[:2]
        self.assertEqual([first["reason"], second["reason"]], ["not symmetric", "breakdown"])
        self.assertEqual([first[name] for name in ("median_seconds", "gflops", "passed")],
                         [None, None, False])

    @launch.needs("HDF5")
    def test_hdf5_holds_the_same(self):
        self.assertEqual(csv_text(rows_of(read_hdf5_report(self.own / "result-1.h5"))),
                         csv_text(rows_of(self.report)))

    def test_a_table_and_its_markdown(self):
        target = self.place / "t.csv"
        made = script("table.py", self.save("r.json", timed(self.report, **FLOOR)), "--output", target)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual([solver_name(row) for row in read_csv(target)], self.names)
        self.assertEqual(csv_text(read_csv(target)), target.read_text(encoding="utf-8"))
        text = target.with_suffix(".md").read_text(encoding="utf-8")
        head, _, first = [line.strip("| ").split(" | ") for line in text.splitlines()
                          if line.startswith("| ")][:3]
        for name, value in (("method", "cg"), ("share of the floor", "50%"), ("iterations", "6"),
                            ("reductions, us", "1"), ("execution", "one by one"),
                            ("end", "iterations done")):
            self.assertEqual(first[head.index(name)], value)

    def test_tables_of_products_are_not_widened(self):
        report = results.measure(self.place, 2, "--matrix", "stencil7:4", "--format", "csr")
        self.assertEqual(csv_text(rows_of(report)).split("\n", maxsplit=1)[0], ",".join(COLUMNS))

    def test_compare(self):
        before = self.save("a.json", timed(self.report))
        self.assertEqual(script("compare.py", before, before).returncode, 0)
        slower = timed(self.report)
        slower["solvers"][1]["iteration_seconds"] *= 1.1
        compared = script("compare.py", before, self.save("b.json", slower))
        self.assertEqual(compared.returncode, 1, compared.stdout + compared.stderr)
        self.assertIn(f"{len(self.names)} compared; 1 beyond 5 %", compared.stdout)
        self.assertRegex(compared.stdout, r"stencil7:8, 2 ranks, fp64, rows, csr mpi, cg-one-reduction +"
                                          r"0\.004 +0\.0044 +1\.100 .* REGRESSION\n")
        slower["solvers"][1]["passed"] = False
        compared = script("compare.py", before, self.save("b.json", slower))
        self.assertRegex(compared.stdout, r"no solution in \S+b\.json: .*cg-one-reduction\n")


class Study(Solvers):
    def test_run_collects(self):
        path = self.write("s.ini", study_text(run="command = solve", arguments=" ".join(ASKED[:6]),
                                              sweep="formats = csr\nthreads = 1"))
        said = study("run", path, "--site", "local", "--output", self.place / "out",
                     "--no-plot")
        self.assertRegex(said, r"stencil7-12-n2: done, (cg|bicgstab|petsc)\S* ?\S* [\d.e+-]+ ms")
        rows = lines_of_study(self.place / "out")
        self.assertEqual(tuple(rows[0]), ALL_COLUMNS)
        self.assertEqual([(row["ranks"], solver_name(row)) for row in rows],
                         [(ranks, name) for ranks in "12" for name in self.names])
        for row in rows:
            self.assertEqual([row[name] for name in ("study", "kind", "status", "iterations")],
                             ["tiny", "strong", "ok", "6"])
            self.assertGreater(float(row["median_seconds"]), 0)
        import h5py  # pylint: disable=import-outside-toplevel
        with h5py.File(self.place / "out/results.h5", "r") as file:
            self.assertEqual(list(file["results/method"].asstr())[0], "cg")
            if launch.built_with("HDF5"):
                self.assertEqual(sorted(file["points"]), ["stencil7-12-n1", "stencil7-12-n2"])


if __name__ == "__main__":
    unittest.main()
