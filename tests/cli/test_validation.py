#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The verdict on y where rounding bounds end: rows too long for any bound count as unchecked, by
formats that have not the bits of csr, and the RESULT line says so; results that underflow are right
for any alpha."""
import unittest
import unittest.mock

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

    def test_what_overflows_on_the_way(self):
        """y of the canonical bits is right; of another order it cannot be told."""
        for precision, large in (("fp64", 1e308), ("fp32", 3e38)):
            matrix = self.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n1 4 4\n"
                                f"1 1 {large}\n1 2 {large}\n1 3 {-large}\n1 4 {-large}\n")
            for name, checked in (("csr", 1), ("dense", 0)):
                with self.subTest(f"{precision} {name}"):
                    report = self.run_json("--matrix", matrix, "--x", "ones", "--precision", precision, "--format",
                                           name, "--validate", "reference", *launch.SHORT, ranks=0)
                    self.assertTrue(report["validation"]["passed"])
                    if (precision, name) != ("fp32", "dense"):  # whose order may lead to the right 0
                        self.assertEqual(report["validation"]["rows_checked"], checked)
        one = self.write("one.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n")
        vector = self.write("v.mtx", "%%MatrixMarket matrix array real general\n1 1\n1e200\n")
        report = self.run_json("--matrix", one, "--x", vector, "--y", vector, "--alpha", 1e200, "--beta", -1e200,
                               "--format", "csr", "--validate", "all", *launch.SHORT, ranks=0)
        self.assertTrue(report["validation"]["passed"])

    def test_bits_for_any_instructions(self):
        """Of those that this CPU has: y of the canonical formats is the same, and right."""
        hashes, used = set(), []
        for simd in ("none", "avx2", "avx512"):
            with unittest.mock.patch.dict(launch.ENVIRONMENT, ROWHALO_SIMD=simd):
                if launch.run("info", "--matrix", "dense:4", ranks=0).status == 2 and simd != "none":
                    continue  # not of this CPU
                report = self.run_json("--matrix", "random:rows=300,row=9", "--device", "cpu", "--format", "all",
                                       "--validate", "reference", *launch.SHORT, ranks=2)
            self.assertTrue(report["validation"]["passed"])
            self.assertIn(f"ROWHALO_SIMD={simd}", report["provenance"]["devices"][0])
            hashes |= {case["y_hash"] for case in report["cases"]
                       if case["format"] in ("csr", "sell", "asell", "jds", "ell")}
            used.append(simd)
        self.assertEqual(len(hashes), 1, used)

    def test_a_study_of_nothing_fails(self):
        result = launch.run("kernels", "--matrix", "stencil5:4", "--format", "sell:c=3", *launch.SHORT, ranks=0)
        self.assertEqual(result.status, 2, result)
        self.assertIn("RESULT: FAIL no format can be used: ", result.stdout)

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
