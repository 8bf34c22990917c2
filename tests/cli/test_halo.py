#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Transports end to end: none changes a bit of y, on any number of nodes; node-aware sends less between
nodes than the plan says, the others send what it says. Partial sums: right by every transport, schedule and
format, and fewer entries are sent."""
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
        for matrix, nodes in (("rmat:9", NODES), ("stencil27:7", NODES[1::2]),
                              ("random:rows=300,columns=200,row=4,seed=2", NODES[::2])):
            hashes = set()
            for ranks, ranks_per_node in nodes:
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
                            "--ranks-per-node", 2, *launch.SHORT, ranks=4)
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


class PartialSums(launch.Case):
    """--partial-sums."""

    def report(self, matrix, ranks, *words):
        return self.run_json("--matrix", matrix, "--device", "cpu", "--validate", "reference", "--partial-sums",
                             "on", *words, *launch.SHORT, ranks=ranks)

    def test_every_transport_and_schedule(self):
        for schedule, formats in (("overlap", "csr"), ("blocking", "sell"), ("split", "csr-omp")):
            for matrix in ("rmat:9", "random:rows=300,columns=200,row=4,seed=2"):
                with self.subTest((schedule, matrix)):
                    report = self.report(matrix, 3, "--halo", "all", "--schedule", schedule, "--format", formats,
                                         "--ranks-per-node", 2, "--poison", "--jitter", 20)
                    self.assertGreater(report["halo"]["partial_sums"], 0)
                    self.assertEqual(report["halo"]["neighbors"]["max"], 2)
                    self.assertGreater(report["halo"]["messages"], 6)  # of entries, and of sums
                    self.assertGreaterEqual(len(report["cases"]), 5)
                    for case in report["cases"]:
                        self.assertTrue(case["passed"], case)

    def test_formats_and_precisions(self):
        report = self.report("rmat:9", 4, "--format", "all", "--halo", "mpi")
        refused = sum(case["median_seconds"] is None for case in report["cases"])
        self.assertGreater(refused, 0)
        self.assertEqual(report["verdict"], f"y agrees with reference, {len(report['cases']) - refused} combinations, "
                                            f"{refused} refused")
        for words in (["--precision", "fp32", *launch.AUTO], ["--alpha", 2, "--beta", 0.5, "--y", "random:seed=4"],
                      ["--reorder", "rcm"], ["--shuffle", 3], ["--partition", "file:owners.txt"]):
            with self.subTest(words):
                if "file:owners.txt" in words:
                    owners = self.place / "owners.txt"
                    owners.write_text("\n".join(str(row * 7 % 4) for row in range(512)), encoding="ascii")
                    words = ["--partition", f"file:{owners}"]
                report = self.report("rmat:9", 4, *words)
                self.assertTrue(report["validation"]["passed"], report["validation"])
                self.assertGreater(report["halo"]["partial_sums"], 0)

    def test_less_is_sent_and_work_is_even(self):
        without = self.run_json("--matrix", "rmat:12", "--device", "cpu", "--partition", "nnz", *launch.SHORT, ranks=4)
        report = self.report("rmat:12", 4, "--partition", "nnz")
        self.assertLess(report["halo"]["bytes_total"], 0.75 * without["halo"]["bytes_total"])
        self.assertLess(report["halo"]["bytes_max_rank"], 0.75 * without["halo"]["bytes_max_rank"])
        self.assertLess(report["partition"]["imbalance"], 1.1)
        self.assertIn("partial sums add up rows in parts", report["validation"]["note"])

    def test_left_out_on_cpus(self):
        """By default; sums would save much of this matrix."""
        report = self.run_json("--matrix", "arrow:rows=4000,heavy=3,row=2000", "--device", "cpu", *launch.AUTO,
                               *launch.SHORT, ranks=4)
        self.assertEqual(report["halo"]["partial_sums"], 0)

    def test_where_no_sum_saves_anything(self):
        """A stencil: everything is as without the option; auto might take dia, whose bits are others."""
        without = self.run_json("--matrix", "stencil7:8", "--device", "cpu", "--format", "sell", *launch.SHORT, ranks=4)
        report = self.report("stencil7:8", 4, "--format", "sell")
        self.assertEqual(report["halo"]["partial_sums"], 0)
        self.assertEqual(report["halo"]["bytes_total"], without["halo"]["bytes_total"])
        self.assertEqual(report["validation"]["y_hash"], without["validation"]["y_hash"])

    def test_another_librarys_schedule_is_refused(self):
        result = launch.run("run", "--matrix", "rmat:6", "--device", "cpu", "--schedule", "petsc-like",
                            "--partial-sums", "on")
        self.assertEqual(result.status, 2, result)
        self.assertIn("--partial-sums on: --schedule petsc-like stands for another library", result.message())


if __name__ == "__main__":
    unittest.main()
