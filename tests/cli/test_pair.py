#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run --pair: A x and A^T x in turn have the bits of the matrix and of its transpose from files, on any number of
ranks; with --all by every transport and partition on each of them."""
import os
import sys
import unittest

import launch
import test_transpose

EXACT = ["--validate", "reference", *launch.SHORT]
CHOICES = [
    (1, []),
    (2, ["--halo", "mpi-shared", "--partition", "nnz"]),
    (3, ["--halo", "mpi-persistent", "--format", "asell"]),
    (4, ["--halo", "mpi-neighbor", "--format", "csr", "--schedule", "blocking"]),
    (7, ["--halo", "node-aware", "--ranks-per-node", "3"]),
]
ON_GPU = os.environ.get("ROWHALO_TEST_DEVICE") == "gpu"  # tests/gpu.sh; there may be fewer GPUs than ranks
if ON_GPU:
    CHOICES = [(1, []), *((ranks, [*launch.AUTO, "--reproducible"]) for ranks in (1, 2, 4)),
               (3, ["--halo", "mpi", "--format", "csr-vector", "--partition", "nnz"])]


if "--all" in sys.argv:
    CHOICES = [(ranks, ["--halo", halo, "--partition", partition, "--format", "csr", "--ranks-per-node", "2"])
               for ranks in (1, 2, 3, 4, 7) for partition in ("rows", "nnz")
               for halo in ("mpi", "mpi-persistent", "mpi-neighbor", "mpi-shared", "node-aware")
               if ranks > 2 or halo != "node-aware"]


class Pair(launch.Case):
    files = test_transpose.Transpose.files

    def test_bits_are_those_of_both_from_files(self):
        for name in test_transpose.BATTERY:
            hashes = [self.run_json("--matrix", file, *EXACT, ranks=1)["validation"]["y_hash"]
                      for file in self.files(name)]
            for ranks, more in CHOICES:
                with self.subTest(name=name, ranks=ranks):
                    report = self.run_json("--matrix", self.place / "a.mtx", "--pair", *more, *EXACT, ranks=ranks)
                    pair = report["pair"]
                    sides = pair["product"], pair["transposed"]
                    self.assertEqual([side["validation"]["y_hash"] for side in sides], hashes)
                    self.assertTrue(all(side["validation"]["passed"] for side in sides))
                    self.assertEqual(report["validation"]["y_hash"], hashes[0])
                    self.assertFalse(pair["one_operator"])
                    self.assertFalse(report["transposed"])
                    self.assertGreater(report["setup"]["transpose_seconds"], 0)

    def test_both_operators_take_twice_the_memory_of_one(self):
        report = self.run_json("--matrix", "random:rows=20000,columns=15000,row=9", "--pair", *EXACT, ranks=3)
        pair = report["pair"]
        sides = pair["product"], pair["transposed"]
        entries = report["matrix"]["nonzeros"]
        for side in sides:
            self.assertGreater(side["host_bytes"], 12 * entries)
            self.assertEqual(side["device_bytes"] > 12 * entries, ON_GPU)
            self.assertGreater(side["median_seconds"], 0)
        held = [side["host_bytes"] + side["device_bytes"] for side in sides]
        self.assertAlmostEqual(pair["memory_ratio"], sum(held) / held[0])
        self.assertLess(pair["memory_ratio"], 2.1)
        self.assertGreater(pair["median_seconds"], 0)
        self.assertGreater(pair["time_ratio"], 0)

    def test_a_symmetric_matrix_needs_one_operator(self):
        for more in ([], ["--beta", "0.5", "--y", "ones"]):
            report = self.run_json("--matrix", "stencil7:6", "--pair", *more, *EXACT)
            pair = report["pair"]
            self.assertTrue(pair["one_operator"])
            self.assertIsNone(report["setup"]["transpose_seconds"])
            self.assertEqual((pair["memory_ratio"], pair["transposed"]["host_bytes"]), (1, 0))
            for side in (pair["product"], pair["transposed"]):
                self.assertTrue(side["validation"]["passed"])
                self.assertEqual(side["validation"]["y_hash"], report["validation"]["y_hash"])

    def test_factors_partial_sums_and_auto(self):
        file, _ = self.files("a dense row and column")
        factors = ["--alpha", "-0.5", "--beta", "2", "--y", "index"]
        for more in (factors, ["--partial-sums", "on"], [*launch.AUTO, "--partition", "auto"]):
            with self.subTest(more=more):
                report = self.run_json("--matrix", file, "--pair", *more, *EXACT, ranks=3)
                for side in ("product", "transposed"):
                    self.assertTrue(report["pair"][side]["validation"]["passed"])

    @launch.needs("PETSc")
    def test_petsc_checks_both(self):
        file, _ = self.files("rectangular")
        for ranks in (1, 3):
            report = self.run_json("--matrix", file, "--pair", "--validate", "all", *launch.SHORT, ranks=ranks)
            for side in ("product", "transposed"):
                validation = report["pair"][side]["validation"]
                self.assertTrue(validation["passed"])
                self.assertEqual(validation["against"], "all")
                self.assertGreater(validation["petsc_seconds"], 0)

    def test_table_and_figures_of_merit(self):
        file, _ = self.files("wide")
        result = launch.run("run", "--matrix", file, "--pair", *EXACT)
        self.assert_fits(result)
        for line in ("  time per pair ", "  A^T ", "FOM: spmv_pair_median_seconds ",
                     "FOM: spmv_transposed_median_seconds ", "RESULT: PASS y agrees with reference, A^T x, too"):
            self.assertIn(f"\n{line}", result.stdout)
        one = launch.run("run", "--matrix", "stencil7:4", "--pair", *EXACT)
        self.assertIn("one: the matrix equals its transpose", one.stdout)

    def test_what_names_no_single_choice_is_refused(self):
        for more in (["--transpose"], ["--save-y", self.place / "y.mtx"], ["--trace", self.place / "t.json"],
                     ["--tuning", "t.json"], ["--save-tuning", "t.json"],
                     ["--format", "all"], ["--halo", "all"], ["--partition", "all"]):
            with self.subTest(more=more):
                result = launch.run("run", "--matrix", "stencil7:4", "--pair", *more)
                self.assertEqual(result.status, 2, result)
                self.assertIn("--pair", result.message())
                self.assertIn(more[0], result.message())


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--all"])
