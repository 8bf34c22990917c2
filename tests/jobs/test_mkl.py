#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs/mkl.py as far as it goes without MKL: what it says then, its matrices, its table."""
import importlib
import unittest

from results import launch, script

BUILT = ("--rowhalo", launch.BINARY)


class Mkl(launch.Case):
    def test_says_what_is_missing(self):
        made = script("mkl.py", *BUILT, "--mkl", self.place, "--output", self.place / "out")
        self.assertEqual(made.returncode, 77, made.stderr)
        self.assertIn("no MKL: libiomp5.so and libmkl_rt.so.[0-9]; pip install mkl", made.stderr)
        self.assertFalse((self.place / "out").exists())

    def test_wrong_usage(self):
        for words, said in ((("--mkl", self.place / "none"), "is not a folder"),
                            (("--rowhalo", self.place / "none"), "there is no such executable")):
            made = script("mkl.py", *BUILT, *words)
            self.assertEqual(made.returncode, 2, made.stderr)
            self.assertIn(said, made.stderr)

    def test_reads_matrices(self):
        path = self.place / "m.petsc"
        result = launch.run("convert", "dense:rows=3,columns=2", path, ranks=0)
        self.assertEqual(result.status, 0, result)
        rows, columns, offsets, numbers, values = importlib.import_module("petsc_matrix").read_petsc(path)
        self.assertEqual((rows, columns, list(offsets)), (3, 2, [0, 2, 4, 6]))
        self.assertEqual(list(numbers), [0, 1] * 3)
        self.assertEqual(list(values), [i - 0.1 * j + 1 for i in range(3) for j in range(2)])

    def test_table(self):
        module = importlib.import_module("mkl")
        lines = [{**dict.fromkeys(module.COLUMNS), "matrix": "m", "program": name, **more}
                 for name, more in (("MKL", {"median_seconds": 2e-3}),
                                    ("rowhalo, 1 x 2", {"median_seconds": 1e-3, "format": "sell",
                                                        "ratio": 2.0, "lowest": 1.5, "highest": 2.5}))]
        self.assertIn("| m | 2 | 1 sell (**2.00**, 1.50 to 2.50) |", module.markdown_text(lines))


if __name__ == "__main__":
    unittest.main()
