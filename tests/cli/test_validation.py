#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The verdict on y where rounding bounds end: rows too long for any bound count as unchecked, by
formats that have not the bits of csr, and the RESULT line says so; results that underflow are right
for any alpha."""
import unittest

import launch


class Validation(launch.Case):
    def test_rows_too_long_for_a_bound(self):
        # The bound of fp32 sums proves nothing from 4194301 entries on.
        long_row = ["--matrix", "dense:rows=1,columns=4194301", "--precision", "fp32",
                    "--validate", "reference", *launch.SHORT]
        for name, checked in (("csr", 1), ("dense", 0)):
            with self.subTest(name):
                report = self.run_json(*long_row, "--format", name, ranks=0)
                self.assertTrue(report["validation"]["passed"])
                self.assertEqual(report["validation"]["rows_checked"], checked)
                self.assertEqual(report["validation"]["rows_unchecked"], 1 - checked)
        self.assertIn("y agrees with reference, 1 row unchecked: no rounding bound",
                      report["verdict"])
        result = launch.run("kernels", *long_row, "--format", "csr,dense", ranks=0)
        self.assertEqual(result.status, 0, result)
        self.assertIn("RESULT: PASS 2 formats measured, y right in each, 1 row unchecked",
                      result.stdout)
        self.assertRegex(result.stdout, r"\n +dense .* unchecked rows: 1\n")

    def test_alpha_on_what_underflows(self):
        # 40 products of 6.5 times the smallest number of fp32: y loses 8 % of itself.
        entries = "".join(f"1 {j} {2.0 ** -76}\n" for j in range(1, 41))
        matrix = self.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n1 40 40\n" +
                            entries)
        x = self.write("x.mtx", "%%MatrixMarket matrix array real general\n40 1\n" +
                       f"{1.625 * 2.0 ** -71}\n" * 40)
        report = self.run_json("--matrix", matrix, "--x", x, "--precision", "fp32", "--alpha", 1e10,
                               "--validate", "all", *launch.SHORT, ranks=2)
        self.assertTrue(report["validation"]["passed"])
        self.assertEqual(report["validation"]["rows_unchecked"], 0)


if __name__ == "__main__":
    unittest.main()
