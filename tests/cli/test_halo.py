#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Transports end to end: none changes a bit of y, on any number of nodes; node-aware sends less between
nodes than the plan says, the others send what it says."""
import json
import unittest

import launch

# Ranks, and ranks per node; 0: all on one.
NODES = ((2, 0), (3, 2), (4, 1), (4, 2), (7, 3), (8, 4))
ALONE = "all ranks share one node"


def listed():
    entries = json.loads(launch.run("list", "transports", "--json", ranks=0).stdout)
    return {entry["name"]: entry for entry in entries}


class Halo(launch.Case):
    def cases(self, matrix, ranks, ranks_per_node, *words):
        node_words = ["--ranks-per-node", ranks_per_node] if ranks_per_node else []
        return self.run_json("--matrix", matrix, "--device", "cpu", "--format", "csr", "--halo", "all",
                             "--validate", "reference", *node_words, *words, *launch.SHORT,
                             ranks=ranks)["cases"]

    def test_bits_of_y(self):
        for matrix in ("rmat:9", "stencil27:7", "random:rows=300,columns=200,row=4,seed=2"):
            hashes = set()
            for ranks, ranks_per_node in NODES:
                with self.subTest((matrix, ranks, ranks_per_node)):
                    cases = self.cases(matrix, ranks, ranks_per_node)
                    names = {case["transport"] for case in cases}
                    self.assertLessEqual({"mpi", "mpi-persistent", "mpi-neighbor"}, names)
                    self.assertEqual("node-aware" in names, ranks_per_node > 0)
                    self.assertEqual("mpi-shared" in names, ranks_per_node != 1)
                    for case in cases:
                        self.assertTrue(case["passed"], case)
                        hashes.add(case["y_hash"])
            self.assertEqual(len(hashes), 1, matrix)

    def test_traffic_between_nodes(self):
        halos = {}
        for name in ("mpi", "node-aware"):
            halos[name] = self.run_json("--matrix", "rmat:11", "--device", "cpu", "--format", "csr",
                                        "--halo", name, "--ranks-per-node", 4, *launch.SHORT,
                                        ranks=8)["halo"]
        plain, aware = halos["mpi"], halos["node-aware"]
        for halo in halos.values():
            self.assertEqual(halo["messages_between_nodes"], 32)  # everybody with everybody
        self.assertEqual(plain["sent_between_nodes"],
                         {"messages": 32, "bytes": plain["bytes_between_nodes"]})
        self.assertEqual(aware["sent_between_nodes"]["messages"], 2)
        self.assertLess(aware["sent_between_nodes"]["bytes"], 0.7 * plain["bytes_between_nodes"])
        self.assertGreater(aware["sent_between_nodes"]["bytes"], 0)

    def test_table(self):
        result = launch.run("run", "--matrix", "dense:16", "--halo", "node-aware", "--device", "cpu",
                            "--ranks-per-node", 2, *launch.SHORT)
        self.assertEqual(result.status, 0, result)
        # 8 entries each way; 4 of each node's 8 rows on each rank, needed by two ranks.
        self.assertIn("256 B in 8 messages; sent: 128 B in 2 messages", result.stdout)

    def test_what_is_refused(self):
        reasons = {name: entry["reason"] for name, entry in listed().items()}
        self.assertIn(ALONE, reasons["node-aware"])
        result = launch.run("run", "--matrix", "stencil5:4", "--device", "cpu", "--halo", "mpi-cuda")
        self.assertEqual(result.status, 2, result)
        self.assertIn("--halo mpi-cuda: it needs GPUs", result.message())
        result = launch.run("run", "--matrix", "stencil5:4", "--device", "cpu", "--halo", "node-aware")
        self.assertEqual(result.status, 2, result)
        self.assertIn(f"--halo node-aware: {ALONE}", result.message())


if __name__ == "__main__":
    unittest.main()
