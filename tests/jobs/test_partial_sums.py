#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs/rowhalo-study partial-sums: counts that follow by hand."""
import csv
import unittest

from results import launch, script

SIZE = 8
# Diagonal, row 1 and column 1. On 2 ranks with equal nonzeros: rows 1 to 3, rows 4 to 8.
CROSS = "%%MatrixMarket matrix coordinate pattern general\n" + f"{SIZE} {SIZE} {3 * SIZE - 2}\n" + "".join(
    f"{i} {j}\n" for i in range(1, SIZE + 1) for j in range(1, SIZE + 1) if 1 in (i, j) or i == j)


class PartialSums(launch.Case):
    def count(self, *arguments):
        return script("partial-sums", "--rowhalo", launch.BINARY, "--output", self.place, *arguments)

    def test_a_long_row_is_one_sum(self):
        made = self.count("--matrix", self.write("cross.mtx", CROSS), "--ranks", "2,4", "--node", "2")
        if made.returncode == 77:
            self.skipTest(made.stderr)
        self.assertEqual(made.returncode, 0, made.stderr)
        with open(self.place / "partial_sums.csv", encoding="utf-8", newline="") as file:
            two, four = csv.DictReader(file)
        # x 4 to 8 for row 1, x 1 for rows 4 to 8; or the sum of row 1 over columns 4 to 8, and x 1.
        self.assertEqual((two["entries"], two["cover"], two["entries_between"]), ("6", "2", ""))
        self.assertAlmostEqual(float(two["saved"]), 1 - 2 / 6)
        # By degrees, too; the sum of row 1 takes its 5 nonzeros there to the other rank.
        self.assertEqual(two["by_degrees"], "2")
        self.assertAlmostEqual(float(two["imbalance"]), 15 / 11)
        self.assertEqual(two["by_degrees_cut_anew"], "2")
        self.assertLess(float(two["imbalance_cut_anew"]), float(two["imbalance"]))
        self.assertLess(int(four["cover_between"]), int(four["entries_between"]))
        self.assertLessEqual(int(four["once_per_node"]), int(four["entries_between"]))
        text = (self.place / "partial_sums.md").read_text(encoding="utf-8")
        self.assertIn("| cross.mtx | 2 | 6 | 2 | 66.7 % |", text)

    def test_wrong_usage(self):
        made = self.count("--ranks", "two")
        self.assertEqual(made.returncode, 2)
        self.assertIn("--ranks two: give numbers", made.stderr)


if __name__ == "__main__":
    unittest.main()
