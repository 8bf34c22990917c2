#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--transpose: the same matrix as a file that holds the transpose, on any number of ranks; with --all by every
transport and partition on each of them."""
import random
import sys
import unittest

import launch

# name: rows, columns, whether (i, j) has an entry
BATTERY = {
    "rectangular": (40, 13, lambda i, j: (7 * i + 3 * j) % 5 == 0),
    "wide": (5, 90, lambda i, j: (i + j) % 3 != 0),
    "empty rows and columns": (30, 24, lambda i, j: i % 4 != 1 and j % 5 != 2 and (i * j) % 3 == 1),
    "a dense row and column": (25, 31, lambda i, j: i == 11 or j == 13),
    "no entries": (6, 9, lambda i, j: False),
}
ALL = "--all" in sys.argv
EXACT = ["--validate", "reference", *launch.SHORT]


def write(path, rows, columns, entries):
    lines = [f"{i + 1} {j + 1} {value!r}\n" for i, j, value in entries]
    path.write_text(f"%%MatrixMarket matrix coordinate real general\n{rows} {columns} {len(lines)}\n"
                    + "".join(lines), encoding="ascii")


class Transpose(launch.Case):
    def files(self, name):
        """The matrix and its transpose, in files."""
        rows, columns, has = BATTERY[name]
        draw = random.Random(name)
        entries = [(i, j, draw.uniform(-1, 1)) for i in range(rows) for j in range(columns) if has(i, j)]
        file, other = self.place / "a.mtx", self.place / "at.mtx"
        write(file, rows, columns, entries)
        write(other, columns, rows, sorted((j, i, value) for i, j, value in entries))
        return file, other

    def test_bits_are_those_of_the_transpose_from_a_file(self):
        choices = [(1, []), (2, ["--halo", "mpi-shared"]), (3, ["--partition", "nnz", "--format", "asell"]),
                   (4, ["--halo", "mpi-neighbor", "--format", "csr"])]
        for name in BATTERY:
            file, other = self.files(name)
            expected = self.run_json("--matrix", other, *EXACT, ranks=1)
            for ranks, more in choices:
                with self.subTest(name=name, ranks=ranks):
                    report = self.run_json("--matrix", file, "--transpose", *more, *EXACT, ranks=ranks)
                    self.assertTrue(report["transposed"])
                    self.assertTrue(report["validation"]["passed"])
                    for key in ("rows", "columns", "nonzeros", "fingerprint"):
                        self.assertEqual(report["matrix"][key], expected["matrix"][key], key)
                    self.assertEqual(report["validation"]["y_hash"], expected["validation"]["y_hash"])

    def test_bits_do_not_depend_on_transport_and_partition(self):
        for name in BATTERY if ALL else ["a dense row and column"]:
            file, other = self.files(name)
            expected = self.run_json("--matrix", other, *EXACT, ranks=1)["validation"]["y_hash"]
            for ranks in (1, 2, 3, 4, 7) if ALL else (3,):
                with self.subTest(name=name, ranks=ranks):
                    report = self.run_json("--matrix", file, "--transpose", "--halo", "all", "--partition", "all",
                                           "--format", "csr", *EXACT, ranks=ranks)
                    ran = [case for case in report["cases"] if case["median_seconds"] is not None]
                    self.assertGreaterEqual(len({(case["partition"], case["transport"]) for case in ran}), 8)
                    self.assertEqual({case["y_hash"] for case in ran}, {expected})

    def test_a_symmetric_matrix_does_not_move(self):
        plain = self.run_json("--matrix", "stencil7:6", *EXACT)
        report = self.run_json("--matrix", "stencil7:6", "--transpose", *EXACT)
        self.assertFalse(plain["transposed"])
        self.assertTrue(report["transposed"])
        self.assertIsNone(report["setup"]["transpose_seconds"])
        self.assertEqual(report["validation"]["y_hash"], plain["validation"]["y_hash"])
        moved = self.run_json("--matrix", "random:rows=50,row=3", "--transpose", *EXACT)
        self.assertGreater(moved["setup"]["transpose_seconds"], 0)

    @launch.needs("PETSc")
    def test_petsc_multiplies_by_the_transpose_of_its_matrix(self):
        file, _ = self.files("rectangular")
        for ranks in (1, 3):
            report = self.run_json("--matrix", file, "--transpose", "--alpha", "-0.5", "--beta", "2", "--y", "index",
                                   "--validate", "all", *launch.SHORT, ranks=ranks)
            self.assertTrue(report["validation"]["passed"])
            self.assertGreater(report["validation"]["petsc_seconds"], 0)

    def test_kernels_and_info_take_the_transpose(self):
        file, _ = self.files("wide")
        kernels = self.run_json("--matrix", file, "--transpose", "--format", "csr,sell", "--validate", "reference",
                                command="kernels", ranks=1)
        self.assertEqual((kernels["matrix"]["rows"], kernels["matrix"]["columns"]), (90, 5))
        self.assertTrue(all(one["passed"] for one in kernels["formats"]))
        for more in ([], ["--dry"]):
            info = self.run_json("--matrix", file, "--transpose", *more, command="info", ranks=1)
            self.assertEqual((info["matrix"]["rows"], info["matrix"]["columns"]), (90, 5))
        dry = launch.run("run", "--matrix", file, "--transpose", "--dry")
        self.assertIn("transpose of ", dry.stdout)
        self.assertIn("90 x 5", dry.stdout)


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--all"])
