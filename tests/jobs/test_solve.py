#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Studies of `rowhalo solve`: lines of the table per solver and per solver of PETSc, the same from JSON,
HDF5 and CSV; a study; a comparison; pictures. Fields that a report may lack are put in."""
import copy
import json
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

import results
from results import launch, script
from studies import results as lines_of_study
from studies import study, study_text

launch.require("matplotlib", "h5py", "numpy")
# pylint: disable=wrong-import-position
from rowhalo_study.results import data  # noqa: E402
from rowhalo_study.plots import product, scaling, solve  # noqa: E402
from rowhalo_study.results.hdf5 import read_hdf5_report  # noqa: E402
from rowhalo_study.results.rows import ALL_COLUMNS, COLUMNS, SOLVER_COLUMNS, csv_text, read_csv, rows_of, solver_name  # noqa: E402

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
        for name in FLOOR:
            solver.pop(name, None)
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

    def rows(self, report):
        """As rowhalo-study plot reads them: of ours, of PETSc."""
        rows = data.read([self.save("rows.json", report)]).solvers
        return [row for row in rows if not row["petsc_solver"]], [row for row in rows
                                                                  if row["petsc_solver"]]


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
        for row in rows_of(timed(self.report, exposed=None)):
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
        made = script("table", self.save("r.json", timed(self.report, **FLOOR)), "--output", target)
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
        self.assertEqual(script("compare", before, before).returncode, 0)
        slower = timed(self.report)
        slower["solvers"][1]["iteration_seconds"] *= 1.1
        compared = script("compare", before, self.save("b.json", slower))
        self.assertEqual(compared.returncode, 1, compared.stdout + compared.stderr)
        self.assertIn(f"{len(self.names)} compared; 0 faster; 1 slower", compared.stdout)
        self.assertRegex(compared.stdout, r"stencil7:8, 2 ranks, fp64, rows, csr mpi, cg-one-reduction +"
                                          r"0\.004 +0\.0044 +1\.100 .* slower\n")
        slower["solvers"][1]["passed"] = False
        compared = script("compare", before, self.save("b.json", slower))
        self.assertRegex(compared.stdout, r"no solution in \S+b\.json: .*cg-one-reduction\n")


class Study(Solvers):
    def test_run_collects_and_draws(self):
        path = self.write("s.ini", study_text(run="command = solve", arguments=" ".join(ASKED[:6]),
                                              sweep="formats = csr\nthreads = 1"))
        said = study("run", path, "--site", "local", "--output", self.place / "out")
        self.assertRegex(said, r"stencil7-12-n2: done, (cg|bicgstab|petsc)\S* ?\S* [\d.e+-]+ ms")
        rows = lines_of_study(self.place / "out")
        self.assertEqual(tuple(rows[0]), COLUMNS + SOLVER_COLUMNS)
        self.assertEqual([(row["ranks"], solver_name(row)) for row in rows],
                         [(ranks, name) for ranks in "12" for name in self.names])
        for row in rows:
            self.assertEqual([row[name] for name in ("study", "kind", "status", "iterations")],
                             ["tiny", "strong", "ok", "6"])
            self.assertGreater(float(row["median_seconds"]), 0)
        self.assertEqual({picture.stem for picture in (self.place / "out/plots").iterdir()},
                         {"solve-strong", "solve-breakdown", "history"})
        import h5py  # pylint: disable=import-outside-toplevel
        with h5py.File(self.place / "out/results.h5", "r") as file:
            self.assertEqual(list(file["results/method"].asstr())[0], "cg")
            if launch.built_with("HDF5"):
                self.assertEqual(sorted(file["points"]), ["stencil7-12-n1", "stencil7-12-n2"])


class Pictures(Solvers):
    def write_study(self, name, kind, exposed=0.5e-6, **fields):
        """Two repeats on 1, 2 and 4 ranks; ideal up to 2 ranks, then a quarter is lost."""
        for ranks, seconds in ((1, 4e-6), (2, 2e-6), (4, 1.25e-6)):
            place = self.place / name / "points" / f"n{ranks}"
            place.mkdir(parents=True)
            matrix = f"stencil7:nx=8,ny=8,nz={8 * ranks}" if kind == "weak" else "stencil7:8"
            for repeat in (1, 2):
                report = timed(self.report, seconds * (ranks if kind == "weak" else 1), exposed, **fields)
                report["partition"]["ranks"] = ranks
                report["matrix"].update(source=matrix)
                if kind == "weak":
                    report["matrix"]["nonzeros"] *= ranks
                (place / f"result-{repeat}.json").write_text(json.dumps(report), encoding="utf-8")
            (place / "point.json").write_text(json.dumps(
                {"name": f"n{ranks}", "study": name, "kind": kind, "ranks": ranks}), encoding="utf-8")
        results.collect(self.place / name)
        return self.place / name

    def words(self, *inputs):
        """{picture: its words}."""
        out = self.place / "pictures"
        plotted = script("plot", *inputs, "--output", out)
        self.assertEqual(plotted.returncode, 0, plotted.stdout + plotted.stderr)
        return {path.stem: " ".join(ElementTree.parse(path).getroot().itertext())
                for path in out.glob("*.svg")}

    def check(self, words, names, texts, absent=()):
        self.assertEqual(set(words), set(names))
        everything = " ".join(words.values())
        for text in texts:
            self.assertIn(text, everything)
        for text in absent:
            self.assertNotIn(text, everything)

    def test_a_strong_study(self):
        folder = self.write_study("my strong", "strong", **FLOOR)
        words = self.words(folder)
        beside = ["PETSc pipecg"] if launch.built_with("PETSc") else []
        self.check(words, ("solve-strong", "solve-breakdown", "history"),
                   ("my strong", "stencil7:8", "time per iteration (µs)", "time × ranks (µs)", "80 %",
                    "(50 %)", "exposed halo", "product without exposed halo", "reductions", "floor: bytes",
                    *SOLVERS, *beside, "stencil7:8, 4 ranks", "unpreconditioned norm over the first"),
                   ("time per product",))
        self.assertNotIn("PETSc", words["history"])
        again = self.place / "again"
        self.assertEqual(script("plot", folder / "results.csv", "--kind", "solve-breakdown", "--output",
                                again).returncode, 0)
        for path in again.iterdir():
            self.assertEqual(path.read_bytes(), (self.place / "pictures" / path.name).read_bytes())

    def test_a_weak_study_of_an_older_report(self):
        self.check(self.words(self.write_study("weak", "weak", exposed=None)),
                   ("solve-weak", "solve-breakdown", "history"),
                   ("time per iteration (µs)", "weak efficiency", "ideally level", "80 %", "per rank",
                    "product with its halo"), ("exposed", "floor", "time × ranks"))

    def test_reports_alone(self):
        other = timed(self.report)
        for solver in other["solvers"]:
            solver.update(preconditioner="none", end="converged")
        self.check(self.words(self.save("a.json", timed(self.report)), self.save("b.json", other)),
                   ("solve-breakdown", "history"),
                   ("cg jacobi", "cg without preconditioner", "tolerance"), ("efficiency",))

    def test_numbers(self):
        ours, theirs = self.rows(timed(self.report))
        self.assertEqual(solve.phases_of(ours[:1]), {
            "product without exposed halo": 1.5e-6, "exposed halo": 0.5e-6, "vectors": 1e-6,
            "reductions": 1e-6})
        line = scaling.Line("m:1 cg", {2: ours[:1]})
        self.assertAlmostEqual(product.columns_of(line, solve.phases_of).top(), 4e-6)
        self.assertEqual([label for _, label, _ in scaling.petsc_solvers([line], theirs)],
                         ["m:1 PETSc cg"] if theirs else [])
        lines = [scaling.Line(f"m:1, 2 per rank {name}", {}) for name in ("cg", "cg-pipelined")]
        self.assertEqual(solve.headed(lines), ([scaling.Line("cg", {}), scaling.Line("cg-pipelined", {})],
                                               "; m:1, 2 per rank"))

    def test_histories_that_cannot_be_drawn_on_a_log_axis(self):
        report = timed(self.report)
        report["solvers"][0]["norms"] = [1.0, None, 0.0, 0.5]
        report["solvers"][1]["norms"] = [2.0]
        self.assertNotIn("cg-one-reduction", self.words(self.save("a.json", report))["history"])


if __name__ == "__main__":
    unittest.main()
