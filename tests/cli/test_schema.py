#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The JSON of several runs: valid by io/report/report.schema.json, every section of the contract there, and
the numbers consistent with each other and with the FOM lines."""
import json
import re
import unittest

import launch

launch.require("jsonschema")
import jsonschema  # noqa: E402  pylint: disable=wrong-import-position

SECTIONS = ["schema_version", "command", "argv", "status", "provenance", "matrix", "partition",
            "halo", "kernel", "setup", "memory", "wall", "timing", "performance", "validation"]
FOMS = {"spmv_median_seconds": "s", "spmv_gflops": "GF/s", "spmv_gbytes": "GB/s",
        "halo_exposed_seconds": "s", "setup_seconds": "s"}
MATRIX = "%%MatrixMarket matrix coordinate integer symmetric\n4 4 3\n1 1 2\n3 1 -1\n4 4 5\n"


class Schema(launch.Case):
    @classmethod
    def setUpClass(cls):
        text = (launch.SOURCE / "io/report/report.schema.json").read_text(encoding="utf-8")
        schema = json.loads(text)
        cls.validator = jsonschema.validators.validator_for(schema)
        cls.validator.check_schema(schema)
        cls.validator = cls.validator(schema)

    def check(self, report):
        self.validator.validate(report)
        self.assertEqual([name for name in SECTIONS if name not in report], [])

    def test_runs(self):
        path = self.write("small.mtx", MATRIX)
        for ranks, options in ((1, ["stencil7:6", *launch.AUTO]),
                               (4, ["stencil27:8", *launch.AUTO, "--partition", "nnz", "--validate", "all"]),
                               (3, ["stencil5:9", "--format", "sell", "--halo", "mpi-persistent"]),
                               (2, ["random:rows=50,columns=20,row=4", "--schedule", "blocking"]),
                               (3, ["random:rows=50,columns=20,row=4", "--pair"]),
                               (3, ["stencil7:6", "--schedule", "petsc-like", "--poison", "--jitter", "3"]),
                               (7, [str(path), *launch.AUTO, "--validate", "none", "--precision", "fp32"]),
                               (2, ["dense:10", "--alpha", "-0.5", "--beta", "2", "--y", "index"])):
            with self.subTest(options):
                report = self.run_json("--matrix", *options, *launch.SHORT, ranks=ranks)
                self.check(report)
                self.assertEqual(report["partition"]["ranks"], ranks)
                self.assertEqual(len(report["provenance"]["hosts"]), ranks)
                self.assertEqual(report["status"], "ok")

    def test_numbers_of_a_known_matrix(self):
        report = self.run_json("--matrix", "stencil27:10", "--format", "csr", "--halo", "mpi",
                               "--partition", "rows", *launch.SHORT, ranks=4)
        nonzeros = (3 * 10 - 2) ** 3
        self.check(report)
        self.assertEqual(report["matrix"]["rows"], 1000)
        self.assertEqual(report["matrix"]["nonzeros"], nonzeros)
        self.assertEqual(report["matrix"]["row_length"], {"min": 8, "mean": nonzeros / 1000, "max": 27,
                                                          "stddev": report["matrix"]["row_length"]["stddev"]})
        self.assertEqual(report["kernel"]["flops"], 2 * nonzeros)
        self.assertEqual(report["kernel"]["format"], "csr")
        self.assertEqual(report["halo"]["transport"], "mpi")
        self.assertEqual(report["validation"]["rows_checked"], 1000)
        self.assertEqual(report["halo"]["messages"], 6)  # slabs: 1 + 2 + 2 + 1 neighbours
        # Cuts in mid-plane (rows 250, 750) need a plane and a line from either side, the one between
        # planes (row 500) a plane.
        self.assertEqual(report["halo"]["bytes_total"], 8 * (4 * 110 + 2 * 100))
        seconds = report["timing"]["median_seconds"]
        self.assertAlmostEqual(report["performance"]["gflops"] * seconds, 2e-9 * nonzeros)
        self.assertAlmostEqual(report["performance"]["gbytes_per_second"] * seconds,
                               1e-9 * (12 * nonzeros + 4 * 1000 + 2 * 8 * 1000))

    def test_kernels_runs_few_products_of_slow_formats(self):
        # All columns of every row against five: many times slower.
        matrix = ["--matrix", "random:rows=1500,row=5", "--device", "cpu", "--format", "csr,dense"]
        target = self.place / "kernels.json"
        for options, batches in (([], {"csr": 20, "dense": 3}),
                                 (["--batches", 4, "--iterations", 1, "--min-seconds", 0],
                                  {"csr": 4, "dense": 4})):
            result = launch.run("kernels", *matrix, *options, "--json", target, ranks=0)
            self.assertEqual(result.status, 0, result)
            report = json.loads(target.read_text(encoding="utf-8"))
            self.check(report)
            self.assertEqual({one["name"]: one["batches"] for one in report["formats"]}, batches)

    def test_auto_reports_its_candidates(self):
        # The last candidate, dia, pads this matrix to four times its nonzeros: it is not the fastest.
        # Beside overlap another schedule may be taken in a trial that comes after the choice.
        report = self.run_json("--matrix", "banded:rows=40000,half=96,fill=0.22", *launch.AUTO,
                               "--schedule", "blocking", *launch.SHORT)
        for axis in ("kernel", "halo"):
            self.assertGreater(len(report[axis]["candidates"]), 1)
        for axis, key in (("kernel", "format"), ("halo", "transport")):
            timed = [item for item in report[axis]["candidates"] if item["seconds"] is not None]
            chosen, = (item for item in timed if item["outcome"] == "chosen")
            self.assertEqual((report[axis][key], chosen["reason"]), (chosen["name"], "fastest"))
            self.assertEqual({item["outcome"] for item in timed if item is not chosen} | {"slower"}, {"slower"})

    def test_auto_tries_no_exchange_of_nothing(self):
        for ranks, matrix in ((1, "stencil7:6"), (3, "banded:rows=60,half=0,fill=1")):
            with self.subTest(matrix):
                report = self.run_json("--matrix", matrix, *launch.AUTO, *launch.SHORT, ranks=ranks)
                halo = report["halo"]
                self.assertEqual(halo["bytes_total"], 0)
                tried = {item["name"] for item in halo["candidates"] if item["seconds"] is not None}
                self.assertEqual(tried, set())
                said = {(item["outcome"], item["reason"]) for item in halo["candidates"]}
                chosen = [item["name"] for item in halo["candidates"] if item["outcome"] == "chosen"]
                self.assertEqual(chosen, [halo["transport"]])
                self.assertLess({("chosen", "the only one"), ("skipped", "nothing is exchanged")}, said)

    def test_what_became_of_every_combination(self):
        report = self.run_json("--matrix", "random:rows=3000,row=4", "--device", "cpu", "--format", "all", "--halo", "all",
                               *launch.SHORT, ranks=2)
        self.check(report)
        cases = {outcome: [item for item in report["cases"] if item["outcome"] == outcome]
                 for outcome in ("chosen", "slower", "refused")}
        self.assertEqual(sum(map(len, cases.values())), len(report["cases"]))
        best, = cases["chosen"]
        self.assertEqual((best["format"], best["transport"], best["median_seconds"]),
                         (report["kernel"]["format"], report["halo"]["transport"],
                          report["timing"]["median_seconds"]))
        self.assertLessEqual(best["median_seconds"], min(item["median_seconds"] for item in cases["slower"]))
        for item in cases["refused"]:
            self.assertIsNone(item["median_seconds"])
            self.assertTrue(item["reason"] and not item["reason"].startswith("--format"), item)
        self.assertTrue(cases["refused"])

    def test_wall_clock(self):
        wall = self.run_json("--matrix", "stencil7:6", *launch.AUTO, *launch.SHORT)["wall"]
        seconds = wall.pop("seconds")
        self.assertAlmostEqual(sum(wall.values()), seconds)
        for part in ("start", "choose", "measure", "validate"):
            self.assertGreater(wall[f"{part}_seconds"], 0)

    def test_empty_matrices(self):
        for size in ("0 0 0", "5 0 0", "0 5 0", "3 3 0"):
            path = self.write("empty.mtx", MATRIX.split("\n")[0].replace("symmetric", "general")
                              + f"\n{size}\n")
            for ranks in (1, 4):
                with self.subTest((size, ranks)):
                    report = self.run_json("--matrix", path, *launch.AUTO, "--validate", "all",
                                           *launch.SHORT, ranks=ranks)
                    self.check(report)
                    self.assertTrue(report["validation"]["passed"])

    def test_solve(self):
        target = self.place / "solve.json"
        for options in (["--method", "all", *launch.AUTO], ["--method", "power", "--iterations", 5]):
            result = launch.run("solve", "--matrix", "stencil7:5", *options, "--json", target, ranks=2)
            self.assertEqual(result.status, 0, result)
            self.check(json.loads(target.read_text(encoding="utf-8")))

    def test_stdout_as_target(self):
        """--json -: JSON and nothing else on stdout, the rest on stderr."""
        result = launch.run("run", "--matrix", "stencil7:6", "--json", "-", *launch.SHORT,
                            ranks=launch.ranks_for_stdout())
        self.assertEqual(result.status, 0, result)
        self.check(json.loads(result.stdout))
        self.assertIn("\nRESULT: PASS", result.stderr)

    def test_lines_on_stdout(self):
        result = launch.run("run", "--matrix", "stencil7:6", *launch.AUTO, *launch.SHORT)
        lines = result.stdout.rstrip("\n").split("\n")
        self.assertEqual(result.message(), "")
        self.assertRegex(lines[-1], r"^RESULT: PASS ")
        foms = dict(re.match(r"FOM: (\w+) (?:[-+.e\d]+) (\S+)$", line).groups()
                    for line in lines if line.startswith("FOM: "))
        self.assertEqual(foms, FOMS)

    def test_quiet(self):
        result = launch.run("run", "--matrix", "stencil7:6", "--quiet", *launch.SHORT)
        for line in result.stdout.rstrip("\n").split("\n"):
            self.assertRegex(line, r"^(FOM|RESULT): ")

    def test_csv(self):
        target = self.place / "result.csv"
        result = launch.run("run", "--matrix", "stencil7:6", *launch.AUTO, "--csv", target, *launch.SHORT)
        self.assertEqual(result.status, 0, result)
        lines = target.read_text(encoding="utf-8").rstrip("\n").split("\n")
        self.assertEqual(len(lines), 2)
        self.assertIn("timing.median_seconds", lines[0].split(","))
        self.assertEqual(list(self.place.iterdir()), [target])  # no temporary file stays


if __name__ == "__main__":
    unittest.main()
