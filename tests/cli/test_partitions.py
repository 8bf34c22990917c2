#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Partitioners, --hierarchical, --reorder and --shuffle: none changes a bit of y, and the report says
what was chosen and why. Each matrix meets a third of the distributions; with --all all of them, and so
does every real matrix, as far as each suits."""
import json
import sys
import unittest

import launch

MATRICES = ("stencil27:9", "elasticity:5", "random:rows=700,columns=700,row=6,seed=2")
# Ranks, and the words that say who owns what.
DISTRIBUTIONS = (
    (1, ""), (1, "--reorder rcm"), (1, "--shuffle 4 --reorder rcm"), (1, "--partition auto"),
    (3, "--partition nnz --reorder rcm"), (3, "--shuffle 5"), (3, "--partition metis"),
    (3, "--partition ptscotch --reorder rcm"), (3, "--partition auto --shuffle 6"),
    (4, "--partition box"), (4, "--partition metis --reorder rcm --shuffle 7"),
    (4, "--partition nnz --hierarchical --ranks-per-node 2"),
    (4, "--partition metis --hierarchical --ranks-per-node 2 --shuffle 8"),
    (4, "--partition ptscotch --hierarchical --ranks-per-node 2 --reorder rcm"),
    (4, "--partition auto --hierarchical --ranks-per-node 2 --reorder rcm"),
    (4, "--partition box --hierarchical --ranks-per-node 2"),
)
SAME_BITS = {"csr", "sell"}


def usable_partitioners():
    listed = json.loads(launch.run("list", "partitioners", "--json", ranks=0).stdout)
    return {entry["name"] for entry in listed if entry["usable"]} | {"auto"}


def suits(matrix, words, name):
    """Whether a distribution can be had: only grids make boxes, only square matrices are renumbered or
    cut as graphs."""
    if isinstance(matrix, str):
        return name != "box" or not matrix.startswith("random")
    rows, columns = launch.sizes(matrix)
    if rows == columns:
        return name != "box"
    return name in ("rows", "nnz", "auto") and not {"--shuffle", "--reorder"} & set(words)


class Partitions(launch.Case):
    def test_bits_of_y(self):
        usable = usable_partitioners()
        for number, matrix in enumerate([*MATRICES, *(launch.shared_matrices() if ALL else [])]):
            hashes = {}
            for ranks, text in DISTRIBUTIONS if ALL else [DISTRIBUTIONS[0], *DISTRIBUTIONS[number or 3::3]]:
                words = text.split()
                name = words[words.index("--partition") + 1] if "--partition" in words else "auto"
                if name not in usable or not suits(matrix, words, name):
                    continue
                with self.subTest((matrix, ranks, text)):
                    report = self.run_json("--matrix", matrix, *words, "--device", "cpu", "--format",
                                           "all", "--halo", "mpi", "--validate", "reference",
                                           *launch.SHORT, ranks=ranks)
                    self.assertTrue(report["validation"]["passed"])
                    for case in report["cases"]:
                        if case["format"] in SAME_BITS:
                            hashes.setdefault(case["y_hash"], []).append((ranks, text))
                    partition = report["partition"]
                    self.assertEqual(partition["hierarchical"], "--hierarchical" in words)
                    self.assertEqual(partition["reorder"], "rcm" if "rcm" in words else "none")
                    self.assertEqual(partition["nodes"], 2 if "--ranks-per-node" in words else 1)
                    self.assertEqual(bool(partition["candidates"]), name == "auto" and ranks > 1)
            self.assertEqual(len(hashes), 1, f"{matrix}: {hashes}")
            print(f"{matrix}: {len(list(hashes.values())[0])} products, y_hash {list(hashes)[0]}",
                  flush=True)

    def test_auto_says_what_it_predicts(self):
        result = launch.run("run", "--matrix", "stencil5:40", "--shuffle", 3, "--partition", "auto",
                            *launch.AUTO, "--json", self.place / "r.json", *launch.SHORT)
        self.assertEqual(result.status, 0, result)
        self.assertIn("predicted", result.stdout)
        partition = json.loads((self.place / "r.json").read_text(encoding="utf-8"))["partition"]
        candidates = {item["name"]: item for item in partition["candidates"]}
        self.assertLessEqual(usable_partitioners() - {"auto", "file"}, set(candidates))
        chosen = candidates[partition["name"]]
        self.assertIn("shortest", chosen["reason"])
        self.assertLessEqual(chosen["predicted_seconds"],
                             1.05 * min(item["predicted_seconds"] for item in candidates.values()
                                        if item["usable"]))
        self.assertIn("no grid", candidates["box"]["reason"])
        self.assertIsNone(candidates["box"]["halo_bytes"])

    def test_auto_cuts_no_graph_for_long(self):
        report = self.run_json("--matrix", "random:rows=250000,row=4", *launch.AUTO, *launch.SHORT, ranks=2)
        candidates = {item["name"]: item for item in report["partition"]["candidates"]}
        self.assertIn(report["partition"]["name"], ("rows", "nnz"))
        for name in usable_partitioners() & {"metis", "ptscotch"}:
            self.assertRegex(candidates[name]["reason"],
                             f"not tried: it would take about [2-9] s; try --partition {name}")

    def test_traffic_between_nodes(self):
        words = ["--matrix", "stencil7:12", "--partition", "rows", "--format", "csr", "--halo", "mpi",
                 *launch.SHORT]
        halo = self.run_json(*words, "--ranks-per-node", 2, ranks=4)["halo"]
        # Slabs in a row: only ranks 1 and 2 talk across, a plane of 144 values each way.
        self.assertEqual(halo["messages_between_nodes"], 2)
        self.assertEqual(halo["bytes_between_nodes"], 2 * 144 * 8)
        halo = self.run_json(*words, ranks=4)["halo"]
        self.assertEqual(halo["messages_between_nodes"], 0)

    def test_what_is_refused(self):
        for words, expected in (
                (["--matrix", "dense:rows=4,columns=3", "--reorder", "rcm"], "--reorder rcm"),
                (["--matrix", "stencil5:4", "--hierarchical", "--ranks-per-node", "3"],
                 "nodes have 3 and 1 ranks"),
                (["--matrix", "stencil5:4", "--hierarchical", "--partition", "file:owners.txt"],
                 "--hierarchical has nothing to choose"),
                (["--matrix", "stencil5:4", "--reorder", "amd"], "use none or rcm")):
            with self.subTest(words):
                result = launch.run("run", *words, ranks=4)
                self.assertEqual(result.status, 2, result)
                self.assertIn(expected, result.message())


ALL = "--all" in sys.argv

if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--all"])
