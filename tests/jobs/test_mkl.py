#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs/rowhalo-study mkl as far as it goes without MKL: what it says then, its matrices, its table."""
import array
import importlib
import json
import math
import unittest

from results import JOBS, launch, script

BUILT = ("--rowhalo", launch.BINARY)


class Mkl(launch.Case):
    def test_says_what_is_missing(self):
        made = script("mkl", *BUILT, "--mkl", self.place, "--output", self.place / "out")
        self.assertEqual(made.returncode, 77, made.stderr)
        self.assertIn("no MKL: libiomp5.so and libmkl_rt.so.[0-9]; pip install mkl", made.stderr)
        self.assertFalse((self.place / "out").exists())

    def test_wrong_usage(self):
        for words, said in ((("--mkl", self.place / "none"), "is not a folder"),
                            (("--rowhalo", self.place / "none"), "there is no such executable"),
                            (("--threads", 0), "--threads: 0: give a number from 1 on"),
                            (("--pairs", -1), "--pairs: -1: give a number from 1 on")):
            made = script("mkl", *BUILT, *words)
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

    def test_writes_one_matrix_after_the_other(self):
        path = self.place / "m.petsc"
        for rows in (3, 4):
            importlib.import_module("mkl").write_matrix(launch.BINARY, f"dense:rows={rows},columns=2", path)
            self.assertEqual(importlib.import_module("petsc_matrix").read_petsc(path)[0], rows)

    def test_a_wrong_y_is_found(self):
        module = importlib.import_module("mkl")
        mkl = object.__new__(module.Mkl)
        mkl.kept = [module.Memory(kind, array.array(kind, numbers))
                    for kind, numbers in (("i", [0, 1, 3]), ("i", [0, 0, 1]), ("d", [2, 3, 4]))]
        mkl.x = [module.Memory("d", array.array("d", [1, 2]))]
        for y, right in (([2, 11], True), ([2, 12], False), ([2, math.nan], False), ([math.inf, 11], False)):
            mkl.y = module.Memory("d", array.array("d", y))
            self.assertEqual(mkl.is_right(), right, y)

    def test_says_why_a_command_failed(self):
        failure = importlib.import_module("rowhalo_study.cli.programs").failure
        for words, said in ((("echo ------ >&2; echo mpirun: no slots >&2; echo more >&2; exit 1",), "mpirun: no slots"),
                            (("exit 3",), "exit status 3")):
            self.assertEqual(failure(["bash", "-c", *words]), said)
        self.assertEqual(failure(["/no/such"]), "/no/such: No such file or directory")
        self.assertEqual(failure(["sleep", "9"], 0.1), "took longer than 0.1 s")

    def test_table(self):
        module = importlib.import_module("mkl")
        report = json.loads((JOBS / "results/samples/run.json").read_text(encoding="utf-8"))
        row = {**module.rows_of(report)[0], "mkl": "MKL 1.0", "pairs": 3, "lowest": 1.5, "highest": 2.5}
        rows = [{**row, "point": "1 x 2", "median_seconds": 1e-3, "mkl_seconds": 2e-3, "ratio": 2.0,
                 "format": "sell", "petsc_ratio": None},
                {**row, "point": "2 x 1", "median_seconds": 5e-4, "mkl_seconds": 2e-3, "ratio": 4.0,
                 "format": "bsr", "petsc_ratio": 1.25}]
        text = module.markdown_text(rows)
        self.assertIn("| 2 | 1 sell (**2.00**, 1.50 to 2.50) | 0.5 bsr (**4.00**, 1.50 to 2.50) | 1.25 |",
                      text)
        self.assertIn("- MKL 1.0\n- 3 runs of each", text)
        module.write_tables(self.place, rows)
        (self.place / "mkl.md").unlink()
        again = script("mkl", "--tables", "--output", self.place)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual((self.place / "mkl.md").read_text(encoding="utf-8"), text)
        table = self.place / "none" / "mkl.csv"
        wrong = script("mkl", "--tables", "--output", table.parent)
        self.assertEqual(wrong.returncode, 2)
        self.assertEqual(wrong.stderr, f"rowhalo-study mkl: --tables: {table}: No such file or directory; run "
                                       "without --tables first\n")


if __name__ == "__main__":
    unittest.main()
