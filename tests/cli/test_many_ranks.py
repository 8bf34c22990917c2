#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""64 ranks on however few cores: every transport, emulated nodes, partitions, in one process each."""
import unittest

import launch

RANKS = 64


class ManyRanks(launch.Case):
    def test_every_transport(self):
        report = self.run_json("--matrix", "stencil27:24", "--device", "cpu", "--halo", "all",
                               "--format", "csr", "--ranks-per-node", 8, "--validate", "reference",
                               *launch.SHORT, ranks=RANKS, timeout=500)
        self.assertEqual(report["partition"]["ranks"], RANKS)
        self.assertTrue(report["validation"]["passed"])
        cases = report["cases"]
        self.assertGreaterEqual({case["transport"] for case in cases},
                                {"mpi", "mpi-persistent", "mpi-neighbor", "mpi-shared", "node-aware"})
        self.assertEqual([case for case in cases if not case["passed"]], [])
        self.assertEqual(len({case["y_hash"] for case in cases}), 1)

    def test_every_pair_of_ranks_exchanges(self):
        """The communication matrix of 64 ranks, and as two ranks plan it for 64."""
        texts = []
        for ranks, more in ((RANKS, []), (2, ["--ranks", RANKS])):
            target = self.place / f"flows{ranks}.txt"
            result = launch.run("info", "--matrix", "random:rows=6400,columns=6400,row=100",
                                "--partition", "rows", "--communication", target, *more,
                                ranks=ranks, timeout=300)
            self.assertEqual(result.status, 0, result)
            texts.append(target.read_text(encoding="utf-8"))
        self.assertEqual(len(texts[0].split("\n")), 1 + RANKS * (RANKS - 1) + 1)
        self.assertEqual(*texts)


if __name__ == "__main__":
    unittest.main()
