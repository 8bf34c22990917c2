#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A measurement is never lost for want of memory: where PETSc finds none, on one rank of several, y is
checked by the reference, which needs none, and the output says so; an output that finds none is lost
alone. ROWHALO_HELD is the program with faults planted at the beginning of phases (held_phases.cpp)."""
import json
import os
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import launch  # noqa: E402  pylint: disable=wrong-import-position

launch.BINARY = Path(os.environ.get("ROWHALO_HELD", launch.SOURCE / "build/tests/faults/rowhalo_held"))
# The address space of the rank that runs this becomes what it has, in kB, and no more.
NO_MORE = "prlimit --pid $PPID --as=$(($(sed -n 's/^VmSize:[^0-9]*\\([0-9]*\\).*/\\1/p' /proc/$PPID/status) << 10))"
# Of 83 MB in PETSc, for any number of ranks more than what a rank has left of its own memory; and a smaller one.
LARGE = ["--matrix", "stencil27:64", "--format", "csr", "--threads", 1, "--quiet", *launch.SHORT]
SMALL = ["--matrix", "stencil27:24", *LARGE[2:]]
LONG = ["--matrix", "stencil5:1000", "--format", "csr", "--threads", 1, "--quiet", *launch.SHORT]


def planted(rank, phase, command=NO_MORE):
    return mock.patch.dict(launch.ENVIRONMENT, ROWHALO_TEST_HOLD=f"{rank}:{phase}", ROWHALO_TEST_DO=command)


def poor_petsc(rank, phase):
    """PETSc finds no memory for more than 1 MB in one piece, although there seemed to be enough."""
    return mock.patch.dict(launch.ENVIRONMENT, ROWHALO_TEST_HOLD=f"{rank}:{phase}",
                           ROWHALO_TEST_PETSC_BYTES="1000000")


class Memory(launch.Case):
    def ends_well(self, *arguments, ranks):
        """A run whose figures are all there; its result and its JSON."""
        target = self.place / "r.json"
        result = launch.run(*arguments, "--json", target, ranks=0 if ranks == 1 else ranks)
        self.assertEqual(result.status, 0, result)
        return result, json.loads(target.read_text(encoding="utf-8"))

    def run_checked_by_reference(self, ranks, said, matrix):
        result, report = self.ends_well("run", *matrix, "--validate", "petsc", ranks=ranks)
        self.assertEqual(result.stdout.count("FOM: "), 5, result)
        self.assertRegex(result.stdout, "RESULT: PASS y agrees with reference; PETSc not used: (" + said + ")")
        self.assertEqual(report["validation"]["against"], "reference")
        self.assertTrue(report["validation"]["passed"])
        self.assertEqual(report["validation"]["rows_checked"], report["matrix"]["rows"])
        self.assertRegex(report["validation"]["note"], f"PETSc not used: ({said})")

    @launch.needs("PETSc")
    def test_no_memory_for_petsc(self):
        for ranks in (1, 3):
            with self.subTest(ranks=ranks), planted(ranks - 1, "validate with PETSc: matrix"):
                self.run_checked_by_reference(ranks, "not enough memory for its copy of the matrix, "
                                              rf"which needs \S+ MB more on rank {ranks - 1}", LARGE)

    @launch.needs("PETSc")
    def test_no_memory_to_load_petsc(self):
        # rowhalo_held, which limits PETSc's memory, has most of it from the start.
        with planted(1, "validate with PETSc"):
            self.run_checked_by_reference(2, r"it cannot be loaded: rank 1: \S+: failed to map segment", SMALL)

    @launch.needs("PETSc")
    def test_petsc_itself_finds_none(self):
        for ranks in (1, 3):
            with self.subTest(ranks=ranks), poor_petsc(ranks - 1, "validate with PETSc: product"):
                self.run_checked_by_reference(ranks, f"PETSc: rank {ranks - 1}: .*memory", SMALL)

    @launch.needs("PETSc")
    def test_a_limit_from_the_start(self):
        """3 % more than what a run takes that is checked by the reference."""
        for ranks in (1, 3):
            peak = self.place / "peak"
            with self.subTest(ranks=ranks):
                with planted(ranks - 1, "end MPI", f"grep VmPeak /proc/$PPID/status >{peak}"):
                    self.ends_well("run", *LARGE, "--validate", "reference", ranks=ranks)
                limit = int(peak.read_text(encoding="utf-8").split()[1]) * 1024 * 103 // 100
                with planted(ranks - 1, "start MPI", f"prlimit --pid $PPID --as={limit}"):
                    self.run_checked_by_reference(ranks, "not enough memory", LARGE)

    def test_no_memory_for_the_reference(self):
        for ranks in (1, 3):
            with self.subTest(ranks=ranks), planted(ranks - 1, "validate"):
                result, report = self.ends_well("run", *LONG, "--validate", "reference", ranks=ranks)
                self.assertIn("RESULT: PASS y agrees with reference\n", result.stdout)
                self.assertEqual(report["validation"]["rows_checked"], 1000 ** 2)

    def test_no_memory_for_an_output(self):
        """y in the order of the source needs 72 MB: it is lost, all else is there."""
        with planted(1, "save y"):
            target = self.place / "r.json"
            result = launch.run("run", *LONG, "--validate", "reference", "--save-y", self.place / "y.mtx",
                                "--json", target, ranks=2)
        self.assertEqual(result.status, 1, result)
        self.assertIn("RESULT: PASS y agrees with reference; not written: --save-y\n", result.stdout)
        self.assertRegex(result.stderr, "rowhalo: --save-y was not written: not enough memory for .* on rank 1")
        self.assertFalse((self.place / "y.mtx").exists())
        self.assertEqual(json.loads(target.read_text(encoding="utf-8"))["status"], "ok")

    def test_reports_need_no_more(self):
        with planted(0, "report"):
            self.ends_well("run", *(word for word in LONG if word != "--quiet"), "--csv", self.place / "r.csv", "--validate", "reference",
                           ranks=2)
        self.assertTrue((self.place / "r.csv").exists())

    def test_kernels(self):
        with planted(0, "validate"):
            result, _ = self.ends_well("kernels", *LONG, ranks=1)
        self.assertIn("RESULT: PASS 1 formats measured, y right in each\n", result.stdout)

    @launch.needs("PETSc")
    def test_solve(self):
        for ranks in (1, 3):
            for matrix, plant, said in (
                    (LARGE, planted(ranks - 1, "solve with PETSc: matrix"), "not enough memory for its copy"),
                    (SMALL, poor_petsc(ranks - 1, "solve with PETSc: solvers"), f"PETSc: rank {ranks - 1}: .*memory")):
                with self.subTest(said, ranks=ranks), plant:
                    result, report = self.ends_well("solve", *matrix[:-len(launch.SHORT)], "--iterations", 2, ranks=ranks)
                    self.assertRegex(result.stderr, f"warning: PETSc's solvers were not run: {said}")
                    self.assertEqual(report["solvers"][0]["petsc"], [])

    def test_no_memory_for_the_check_of_x(self):
        arguments = [*LARGE[:-len(launch.SHORT)], "--iterations", 2, "--no-petsc"]
        for ranks in (1, 2):
            target = self.place / "r.json"
            with self.subTest(ranks=ranks), planted(ranks - 1, "check the solution"):
                result = launch.run("solve", *arguments, "--json", target, ranks=0 if ranks == 1 else ranks)
                self.assertEqual(result.status, 1, result)
                self.assertEqual(result.stdout.count("FOM: solve"), 3, result)
                self.assertIn("x was not checked: not enough memory for the reference product", result.stdout)
                solver, = json.loads(target.read_text(encoding="utf-8"))["solvers"]
                self.assertEqual((solver["end"], solver["passed"]), ("iterations done", False))


if __name__ == "__main__":
    unittest.main()
