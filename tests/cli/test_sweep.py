#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Real matrices x ranks x partitions x formats: every run passes --validate all, and a matrix has one
y_hash. Without --all: eight matrices and a fifth of the combinations."""
import itertools
import sys
import unittest

import launch

RANKS = (1, 2, 3, 4, 7)
PARTITIONS = ("rows", "nnz")
ALL = "--all" in sys.argv
# Of the CPU; each run takes all of them. Some sum in an order of their own, some refuse to pad by
# more than 64 MB, as ell and asell do with large matrices.
CPU_FORMATS = {name: promises for (device, name), promises in launch.table_of_formats().items() if device == "cpu"}
SAME_BITS = {name for name, promises in CPU_FORMATS.items() if "canonical" in promises}
MAY_REFUSE = {"dia", "bsr", "dense"} | ({"ell", "asell"} if ALL else set())
FEW = ("jgl009.mtx", "cage4.mtx", "west0479.mtx", "ash958.mtx", "plskz362.mtx", "494_bus.mtx",
       "mbeacxc.mtx.gz", "bibd_49_3.mtx.gz")
AGAINST = "all" if launch.built_with("PETSc") else "reference"


class Sweep(launch.Case):
    def test_shared_matrices(self):
        combinations = list(itertools.product(RANKS, PARTITIONS))
        for number, path in enumerate(MATRICES):
            chosen = combinations if ALL else combinations[number % 5::5]
            hashes = {}
            for ranks, partition in chosen:
                with self.subTest((path.name, ranks, partition)):
                    report = self.run_json("--matrix", path, "--partition", partition, "--format",
                                           "all", "--device", "cpu", "--validate", "all", "--halo",
                                           "mpi", *launch.SHORT, ranks=ranks)
                    self.assertTrue(report["validation"]["passed"])
                    self.assertEqual(report["validation"]["against"], AGAINST)
                    self.assertEqual({case["format"] for case in report["cases"]}, set(CPU_FORMATS))
                    for case in report["cases"]:
                        if case["median_seconds"] is None:
                            self.assertIn(case["format"], MAY_REFUSE, case)
                        elif case["format"] in SAME_BITS:
                            hashes.setdefault(case["y_hash"], []).append(
                                (ranks, partition, case["format"]))
            self.assertEqual(len(hashes), 1, f"{path.name}: {hashes}")
            print(f"{path.name}: {len(chosen)} runs, y_hash {list(hashes)[0]}", flush=True)


MATRICES = launch.shared_matrices()
if not ALL:
    MATRICES = [path for path in MATRICES if path.name in FEW]

if __name__ == "__main__":
    if not MATRICES:
        launch.skip_all(f"no matrices in {launch.MATRICES}")
    unittest.main(argv=[word for word in sys.argv if word != "--all"])
