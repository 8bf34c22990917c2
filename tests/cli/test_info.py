#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`rowhalo info`: table, JSON, HDF5 and text say the same; matrices of any size with --dry; plans for
more ranks than run."""
import json
import unittest

import launch

launch.require("jsonschema", "h5py", "numpy")
import hdf5_report  # noqa: E402  pylint: disable=wrong-import-position
import jsonschema  # noqa: E402  pylint: disable=wrong-import-position
import numpy  # noqa: E402  pylint: disable=wrong-import-position

GENERAL = "%%MatrixMarket matrix coordinate real general\n"


class Info(launch.Case):
    @classmethod
    def setUpClass(cls):
        schema = json.loads((launch.SOURCE / "io/report/report.schema.json").read_text(encoding="utf-8"))
        cls.validator = jsonschema.Draft202012Validator(schema)

    def info(self, *arguments, ranks=1):
        """The report, which must follow the schema, and what was printed."""
        target = self.place / "info.json"
        result = launch.run("info", *arguments, "--json", target, ranks=ranks)
        self.assertEqual(result.status, 0, result)
        self.assertRegex(result.stdout, r"\nRESULT: PASS [^\n]*\n$" if "--quiet" not in arguments
                         else r"^RESULT: PASS [^\n]*\n$")
        report = json.loads(target.read_text(encoding="utf-8"))
        self.validator.validate(report)
        self.assertEqual(report["command"], "info")
        return report, result

    def refused(self, *arguments, ranks=1):
        result = launch.run("info", *arguments, ranks=ranks)
        self.assertEqual(result.status, 2, result)
        return result.message()

    def test_a_known_grid(self):
        report, result = self.info("--matrix", "stencil7:10", ranks=4)
        statistics = report["info"]["statistics"]
        self.assertEqual(report["matrix"]["nonzeros"], 6400)
        self.assertEqual(report["info"]["grid"], [10, 10, 10])
        self.assertEqual(statistics["bandwidth"], 100)
        self.assertEqual(statistics["diagonal_entries"], 1000)
        self.assertEqual((statistics["symmetric_pattern"], statistics["symmetry"]),
                         (True, "symmetric"))
        self.assertEqual(statistics["distinct_values"], 2)
        lengths = {bucket["shortest"]: bucket["rows"] for bucket in statistics["row_lengths"]}
        self.assertEqual(lengths, {0: 0, 1: 0, 2: 0, 4: 1000})
        rows = report["info"]["partitions"][0]
        # 250 rows per rank: two and a half planes, which need the plane below and the one above.
        self.assertEqual((rows["name"], rows["halo_entries"]), ("rows", 600))
        self.assertEqual(rows["halo_bytes"], 4800)
        # An inner rank has 7 entries per row, but for 40 at the edge of a plane and 20 of half a one.
        self.assertEqual(rows["imbalance"], (7 * 250 - 100) / 1600)
        for title in ("Row lengths", "Pattern and values", "Partitions", "Memory per rank"):
            self.assertIn(f"\n{title}", result.stdout)
        for partition in report["info"]["partitions"]:
            self.assertRegex(result.stdout, rf"\n  {partition['name']} ")

    def test_agrees_with_run(self):
        for matrix, partition in (("random:rows=300,columns=300,row=5", "nnz"),
                                  ("random:rows=200,columns=90,row=4", "rows")):
            with self.subTest((matrix, partition)):
                words = ["--matrix", matrix, "--partition", partition]
                ran = self.run_json(*words, "--validate", "none", *launch.SHORT, ranks=3)
                report, _ = self.info(*words, "--ranks", 3)
                judged, = report["info"]["partitions"]
                self.assertEqual(judged["halo_bytes"], ran["halo"]["bytes_total"])
                self.assertEqual(judged["halo_bytes_max_rank"], ran["halo"]["bytes_max_rank"])
                self.assertEqual(judged["neighbors_max"], ran["halo"]["neighbors"]["max"])
                for name in ("ranks", "rows", "nonzeros", "edge_cut"):
                    self.assertEqual(report["partition"][name], ran["partition"][name])
                self.assertAlmostEqual(report["partition"]["imbalance"],
                                       ran["partition"]["imbalance"], places=12)

    def test_any_ranks_plan_for_any_number(self):
        words = ["--matrix", "stencil5:20", "--ranks", 12, "--ranks-per-node", 4, "--partition"]
        reports = [self.info(*words, "rows", ranks=ranks)[0] for ranks in (1, 4)]
        self.assertEqual(reports[0]["communication"], reports[1]["communication"])
        judged, = reports[0]["info"]["partitions"]
        self.assertEqual(reports[0]["info"]["nodes"], 3)
        self.assertEqual(reports[0]["communication"]["node_of_rank"], [0] * 4 + [1] * 4 + [2] * 4)
        self.assertEqual(judged["messages_between_nodes"] + judged["messages_inside_nodes"],
                         len(reports[0]["communication"]["flows"]))
        self.assertGreater(judged["messages_between_nodes"], 0)
        small, _ = self.info("--matrix", "stencil5:2", "--ranks", 9)
        self.assertTrue(small["info"]["partitions"][0]["usable"])
        self.assertEqual(small["partition"]["rows"]["min"], 0)

    def test_communication_text_adds_up(self):
        target = self.place / "flows.txt"
        report, _ = self.info("--matrix", "random:rows=400,columns=400,row=6", "--partition", "nnz",
                              "--precision", "fp32", "--communication", target, ranks=3)
        self.assertEqual(target.read_text(encoding="utf-8").split("\n")[0], "from to entries bytes")
        flows = numpy.loadtxt(target, skiprows=1, dtype=int)
        judged, = report["info"]["partitions"]
        self.assertEqual(flows[:, 2].sum(), judged["halo_entries"])
        self.assertEqual(flows[:, 3].sum(), judged["halo_bytes"])
        self.assertEqual(judged["halo_bytes"], 4 * judged["halo_entries"])
        self.assertEqual([list(row) for row in flows],
                         [[flow[name] for name in ("from", "to", "entries", "bytes")]
                          for flow in report["communication"]["flows"]])
        result = launch.run("info", "--matrix", "stencil5:4", "--communication", "-", ranks=2)
        self.assertRegex(result.stdout, r"^from to entries bytes\n0 1 4 32\n1 0 4 32\n$")
        self.assertIn("RESULT: PASS", result.stderr)
        self.assertIn("only one report can go to stdout", self.refused("--matrix", "stencil5:4", "--communication", "-",
                                                  "--json", "-"))

    @launch.needs("HDF5")
    def test_hdf5_holds_what_json_holds(self):
        target = self.place / "info.h5"
        report, _ = self.info("--matrix", "random:rows=60,columns=40,row=3", "--hdf5", target,
                              ranks=2)
        hdf5_report.check(self, target, report)
        self.assertEqual(sorted(path.name for path in self.place.iterdir()),
                         ["info.h5", "info.json"])
        self.assertIn("there is no directory", self.refused(
            "--matrix", "stencil5:4", "--hdf5", self.place / "no" / "a.h5"))

    def test_dry_needs_no_memory(self):
        report, result = self.info("--dry", "--matrix", "stencil27:20000", "--ranks", 4096,
                                   "--device-memory", 80)
        side = 20000
        self.assertEqual(report["matrix"]["rows"], side ** 3)
        self.assertEqual(report["matrix"]["nonzeros"], (3 * side - 2) ** 3)
        self.assertIsNone(report["matrix"]["fingerprint"])
        self.assertIsNone(report["info"]["statistics"])
        need = report["info"]["need"]
        self.assertEqual(need["rows"], side ** 3 // 4096)
        self.assertFalse(need["fits"])
        self.assertGreater(need["device_bytes"], 12 * (3 * side - 2) ** 3 / 4096)
        self.assertIn("does not fit 80 GB", result.stdout)
        report, result = self.info("--dry", "--matrix", "stencil27:20000", "--ranks", 512)
        self.assertIn("use more ranks", report["info"]["need"]["note"])
        report, _ = self.info("--dry", "--matrix", "stencil7:100", "--device-memory", 80)
        self.assertTrue(report["info"]["need"]["fits"])
        expected, result = self.info("--dry", "--matrix", "random:rows=1000,columns=1000,row=4")
        self.assertFalse(expected["info"]["exact_nonzeros"])
        self.assertIn("about 4 000 nonzeros", result.stdout)

    def test_dry_runs_only_check(self):
        for command, ranks in (("run", 2), ("kernels", 1)):
            target = self.place / f"{command}.json"
            result = launch.run(command, "--dry", "--matrix", "stencil27:20000", "--json", target,
                                "--csv", self.place / "r.csv", ranks=ranks)
            self.assertEqual(result.status, 0, result)
            self.assertIn("RESULT: PASS the options and the size of the matrix are accepted; nothing was read",
                          result.stdout)
            self.assertNotIn("FOM: ", result.stdout)
            report = json.loads(target.read_text(encoding="utf-8"))
            self.validator.validate(report)
            self.assertEqual((report["command"], report["status"]), (command, "ok"))
            self.assertEqual(report["matrix"]["nonzeros"], (3 * 20000 - 2) ** 3)
            self.assertEqual({report[name] for name in ("kernel", "timing", "performance", "validation")}, {None})
            refused = [(["--matrix", "no.mtx"], "no.mtx: cannot be opened"),
                       (["--matrix", "stencil5:4", "--format", "best"], "--format best: unknown format")]
            if command == "run":
                refused += [(["--matrix", "stencil5:4", "--device", "cpu", "--halo", "nccl"], "--halo nccl: "),
                            (["--matrix", "dense:rows=4,columns=5", "--reorder", "rcm"], "--reorder rcm: ")]
            for words, expected in refused:
                result = launch.run(command, "--dry", *words, ranks=ranks)
                self.assertEqual(result.status, 2, result)
                self.assertIn(expected, result.message())

    def test_dry_says_what_is_then_found(self):
        path = self.write("a.mtx", GENERAL + "4 3 2\n1 1 1.5\n4 3 2\n")
        for matrix in ("stencil5:nx=7,ny=3", "dense:rows=4,columns=9", path):
            with self.subTest(matrix):
                dry, _ = self.info("--dry", "--matrix", matrix, ranks=2)
                full, _ = self.info("--matrix", matrix, ranks=2)
                for name in ("rows", "columns", "nonzeros", "block", "field"):
                    self.assertEqual(dry["matrix"][name], full["matrix"][name])
                self.assertEqual(dry["info"]["grid"], full["info"]["grid"])

    def test_odd_shapes(self):
        empty = self.write("empty.mtx", GENERAL + "0 0 0\n")
        none = self.write("none.mtx", GENERAL + "5 5 0\n")
        for matrix, ranks in ((empty, 3), (none, 2), ("random:rows=4,columns=90,row=9", 7),
                              ("random:rows=90,columns=4,row=2", 4), ("stencil5:1", 2)):
            with self.subTest((matrix, ranks)):
                report, _ = self.info("--matrix", matrix, ranks=ranks)
                partitions = {item["name"]: item for item in report["info"]["partitions"]}
                self.assertTrue(partitions["rows"]["usable"])
                self.assertTrue(partitions["nnz"]["usable"])
                for item in partitions.values():
                    self.assertEqual(item["usable"], item["halo_bytes"] is not None)
                    self.assertTrue(item["usable"] or item["reason"])

    def test_memory_of_a_run(self):
        """Predictions hold within a factor, so that they do not drift away from the program."""
        report, _ = self.info("--matrix", "stencil27:64", "--partition", "rows", "--quiet", ranks=2)
        need = report["info"]["need"]
        ran = self.run_json("--matrix", "stencil27:64", "--format", "sell", "--validate", "none",
                            "--device", "cpu", *launch.SHORT, ranks=2)
        predicted = max(need["host_peak_bytes"], need["host_bytes"])
        measured = ran["memory"]["peak_bytes_max_rank"]
        self.assertLess(0.6, predicted / measured)
        self.assertLess(predicted / measured, 1.7)
        self.assertGreater(report["memory"]["peak_bytes_max_rank"], 0)

    def test_refusals(self):
        for words, reason in (
                (["--matrix", "stencil5:4", "--partition", "nonsense"], "unknown partitioner"),
                (["--matrix", "nonsense:4", "--dry"], "unknown source"),
                (["--matrix", "stencil5:4", "--ranks", "0"], "--ranks"),
                (["--matrix", "random:rows=5,columns=3,row=2", "--shuffle", "1"], "square"),
                (["--matrix", "stencil5:4", "--block", "3"], "does not divide"),
                (["--matrix", "random:rows=9,columns=9,row=2", "--partition", "box"], "no grid")):
            with self.subTest(words):
                self.assertIn(reason, self.refused(*words, ranks=2))


if __name__ == "__main__":
    unittest.main()
