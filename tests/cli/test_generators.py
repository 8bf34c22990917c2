#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every generator, end to end: one fingerprint and, with csr and sell, one y_hash on one rank and on
several; y is right. Blocks of elasticity stay whole."""
import json
import unittest

import launch

RANKS = (2, 3, 7)  # besides 1, in turn
SPECS = ("stencil5:40,coef=random", "stencil7:12,coef=jump", "stencil27:9", "elasticity:7",
         "banded:rows=900,half=40,fill=0.3", "random:rows=700,columns=900,row=9", "rmat:scale=9",
         "web:rows=900,row=8", "road:40", "arrow:rows=2000,row=500", "empty:rows=2000", "dense:60",
         "lp:rows=30,columns=3000", "web:rows=900,values=integers")


class Generators(launch.Case):
    def test_one_matrix_and_one_result(self):
        for number, spec in enumerate(SPECS):
            fingerprints, hashes = set(), set()
            for ranks in (1, RANKS[number % len(RANKS)]):
                with self.subTest((spec, ranks)):
                    report = self.run_json("--matrix", spec, "--format", "all", "--device", "cpu",
                                           "--validate", "reference", "--halo", "mpi",
                                           *launch.SHORT, ranks=ranks)
                    self.assertTrue(report["validation"]["passed"])
                    fingerprints.add(report["matrix"]["fingerprint"])
                    hashes |= {case["y_hash"] for case in report["cases"]
                               if case["format"] in ("csr", "sell")}
                    if spec.startswith("elasticity"):
                        self.assertEqual(report["matrix"]["block"], 3)
                        for rows in ("min", "max"):
                            self.assertEqual(report["partition"]["rows"][rows] % 3, 0)
            self.assertEqual(len(fingerprints), 1, spec)
            self.assertEqual(len(hashes), 1, spec)

    def test_all_generators_are_tested(self):
        result = launch.run("list", "sources", "--json", ranks=0)
        self.assertEqual(result.status, 0, result)
        names = {entry["name"] for entry in json.loads(result.stdout)}
        generators = {name for name in names if "." not in name}
        self.assertEqual({spec.split(":")[0] for spec in SPECS}, generators)


if __name__ == "__main__":
    unittest.main()
