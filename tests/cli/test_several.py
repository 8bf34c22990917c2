#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--vectors: each column of y has the hash of a run with that column of x alone, in whatever layout, format, transport,
partition and number of ranks; the report says how several vectors were multiplied. --all: every transport and layout."""
import json
import random
import sys
import unittest

import launch

ALL = "--all" in sys.argv
EXACT = ["--validate", "reference", *launch.SHORT]
TRANSPORTS = ["mpi", "mpi-persistent", "mpi-neighbor", "mpi-shared"]


class Several(launch.Case):
    @classmethod
    def setUpClass(cls):
        cls.single = {}

    def hashes(self, matrix, vectors, *more):
        """y_hash of a run for each vector alone."""
        result = []
        for k in range(vectors):
            key = (matrix, k, *more)
            if key not in self.single:
                report = self.run_json("--matrix", matrix, "--x", f"random:seed={5 + k}", "--format", "csr", *more, *EXACT,
                                       ranks=1)
                self.single[key] = report["validation"]["y_hash"]
            result.append(self.single[key])
        return result

    def check(self, ranks, vectors, layout, arguments, matrix="random:rows=90,row=4,seed=3", product=()):
        report = self.run_json("--matrix", matrix, "--x", "random:seed=5", "--vectors", vectors, "--layout", layout,
                               *arguments, *product, *EXACT, ranks=ranks)
        self.assertTrue(report["validation"]["passed"])
        self.assertEqual((report["vectors"], report["layout"]), (vectors, layout))
        self.assertEqual(report["validation"]["y_hashes"], self.hashes(matrix, vectors, *product))
        self.assertEqual(report["validation"]["y_hash"], report["validation"]["y_hashes"][0])
        timing = report["timing"]
        self.assertAlmostEqual(timing["seconds_per_vector"] * vectors, timing["median_seconds"])
        return report

    def test_columns_have_the_bits_of_single_runs(self):
        draw = random.Random(75)
        for ranks in (1, 2, 3, 4, 7):
            for layout in ("row", "column"):
                for transport in TRANSPORTS if ALL else [draw.choice(TRANSPORTS[:3 if ranks == 1 else 4])]:
                    if ranks == 1 and transport == "mpi-shared":
                        continue
                    vectors = draw.choice((2, 3, 7, 8))
                    arguments = ["--halo", transport, "--format", draw.choice(("csr", "sell", "asell", "ell")),
                                 "--partition", draw.choice(("rows", "nnz"))]
                    with self.subTest(ranks=ranks, layout=layout, vectors=vectors, arguments=arguments):
                        self.check(ranks, vectors, layout, arguments)

    def test_factors_precisions_and_partial_sums(self):
        self.check(2, 3, "column", ["--schedule", "blocking"], product=["--alpha", "-0.5", "--beta", "0.75", "--y", "index"])
        self.check(2, 3, "row", [], product=["--precision", "fp32"])
        report = self.run_json("--matrix", "rmat:7", "--vectors", 3, "--partial-sums", "on", *EXACT, ranks=3)
        self.assertTrue(report["validation"]["passed"])

    def test_the_most_vectors_and_node_aware(self):
        self.check(3, 32, "column", ["--halo", "node-aware", "--ranks-per-node", "2"])

    def test_choices_by_trial(self):
        for layout in ("row", "column"):
            report = self.run_json("--matrix", "stencil7:8", "--vectors", 4, "--layout", layout, *launch.AUTO, *EXACT)
            self.assertTrue(report["validation"]["passed"])
            self.assertTrue(report["kernel"]["candidates"])

    def test_messages_grow_and_not_their_number(self):
        arguments = ["--matrix", "stencil7:8", "--format", "csr", *EXACT]
        one = self.run_json(*arguments)["halo"]
        several = self.run_json(*arguments, "--vectors", 8)["halo"]
        self.assertEqual(several["messages"], one["messages"])
        self.assertEqual(several["bytes_total"], 8 * one["bytes_total"])

    def test_columns_of_files(self):
        file = self.place / "y.mtx"
        arguments = ["--matrix", "stencil7:4", *EXACT]
        first = self.run_json(*arguments, "--vectors", 3, "--save-y", file)
        again = self.run_json(*arguments, "--vectors", 3, "--x", file)
        self.assertTrue(again["validation"]["passed"])
        single = self.run_json(*arguments, "--x", f"{file}:column=3")
        self.assertEqual(again["validation"]["y_hashes"][2], single["validation"]["y_hash"])
        self.assertEqual(len(set(first["validation"]["y_hashes"])), 3)
        result = launch.run("run", *arguments, "--vectors", 4, "--x", file)
        self.assertEqual(result.status, 2, result)
        self.assertIn("no column 4", result.message())
        result = launch.run("run", *arguments, "--vectors", 2, "--x", f"{file}:column=1")
        self.assertEqual(result.status, 2, result)
        self.assertIn("leave out :column=", result.message())

    def test_formats_side_by_side(self):
        matrix = "elasticity:4"
        for layout in ("row", "column"):
            result = launch.run("kernels", "--matrix", matrix, "--x", "random:seed=5", "--vectors", 3, "--layout", layout,
                                "--format", "csr,asell,jds,bsr", "--iterations", 1, "--batches", 2, "--json", "-", ranks=0)
            self.assertEqual(result.status, 0, result)
            self.assertIn("one vector after the other", result.stderr)
            formats = {one["name"]: one for one in json.loads(result.stdout)["formats"]}
            for name, at_once in (("csr", 3), ("asell", 3), ("jds", 1), ("bsr", 3)):
                with self.subTest(layout=layout, format=name):
                    one = formats[name]
                    self.assertTrue(one["passed"])
                    self.assertEqual(one["vectors_at_once"], at_once)
                    self.assertAlmostEqual(one["seconds_per_vector"] * 3, one["seconds"])
                    if name != "bsr":
                        self.assertEqual(one["y_hashes"], self.hashes(matrix, 3))

    def test_refusals(self):
        for more, words in ((["--vectors", 33], "from 1 to 32"), (["--vectors", 2, "--pair"], "--vectors"),
                            (["--layout", "diagonal"], "row or column")):
            result = launch.run("run", "--matrix", "stencil7:4", *more)
            self.assertEqual(result.status, 2, result)
            self.assertIn(words, result.message())

    def test_figures_of_merit(self):
        result = launch.run("run", "--matrix", "stencil7:4", "--vectors", 2, *EXACT)
        self.assertEqual(result.status, 0, result)
        self.assertRegex(result.stdout, r"(?m)^FOM: spmv_seconds_per_vector \S+ s$")

    @launch.needs("PETSc")
    def test_petsc_multiplies_all_vectors(self):
        for ranks in (1, 3):
            report = self.run_json("--matrix", "random:rows=60,columns=40,row=5", "--vectors", 3, "--validate", "petsc",
                                   *launch.SHORT, ranks=ranks)
            self.assertEqual(report["validation"]["against"], "petsc")
            self.assertTrue(report["validation"]["passed"])
            self.assertGreater(report["validation"]["petsc_seconds"], 0)


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--all"])
