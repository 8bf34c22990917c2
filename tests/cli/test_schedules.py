#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Schedules of other libraries, poison and jitter, exposed time, and the timeline of --trace."""
import json
import unittest

import launch

PHASES = ["pack", "interior", "exchange", "boundary"]
RUN = ["--matrix", "stencil27:8", "--format", "sell", "--halo", "mpi", *launch.SHORT]


class Schedules(launch.Case):
    @launch.needs("PETSc")
    def test_threads_that_petsc_does_not_use_are_named(self):
        for threads, note in ((1, ""), (3, "PETSc: 1 thread per rank, ours 3")):
            report = self.run_json("--matrix", "stencil7:6", "--device", "cpu", "--threads", threads,
                                   "--validate", "petsc", *launch.SHORT, ranks=2)
            self.assertEqual(report["validation"]["note"], note)

    def test_every_schedule_is_reported(self):
        hashes = {}
        for schedule in ("overlap", "blocking", "petsc-like", "hpcg-like"):
            with self.subTest(schedule):
                report = self.run_json(*RUN, "--schedule", schedule, "--validate", "reference")
                self.assertEqual(report["halo"]["schedule"], schedule)
                self.assertFalse(report["halo"]["graph"])
                self.assertTrue(report["validation"]["passed"])
                note = f"{schedule} sums up rows in two parts" if "-like" in schedule else ""
                said = [part for part in report["validation"]["note"].split("; ")
                        if part and not part.startswith("PETSc: 1 ")]
                self.assertEqual(bool(said), bool(note))
                self.assertTrue("; ".join(said).startswith(note))
                hashes[schedule] = report["validation"]["y_hash"]
        self.assertEqual(hashes["overlap"], hashes["blocking"])
        self.assertEqual(hashes["petsc-like"], hashes["hpcg-like"])
        self.assertNotEqual(hashes["overlap"], hashes["petsc-like"])

    def test_split_adds_to_y_and_takes_no_canonical_format(self):
        words = [word for word in RUN if word not in ("--format", "sell")] + ["--schedule", "split"]
        for more in ([], ["--alpha", "-0.5", "--beta", "2", "--y", "index"], ["--precision", "fp32"],
                     ["--partition", "nnz", "--shuffle", "3"]):
            with self.subTest(more):
                report = self.run_json(*words, "--format", "dia:max_padding=1e9", "--device", "cpu",
                                       "--validate", "all", *more, ranks=3)
                self.assertEqual(report["halo"]["schedule"], "split")
                self.assertIn("split sums up rows in two parts", report["validation"]["note"])
        refused = launch.run("run", *words, "--format", "sell", "--device", "cpu", ranks=2)
        self.assertEqual(refused.status, 2, refused)
        self.assertIn("--format sell: has the bits of csr, which --schedule split would change",
                      refused.message())
        self.assertIn("dia", refused.message())

    def test_auto_tries_blocking_on_cpus(self):
        options = [word for word in RUN if word not in ("--format", "sell", "--halo", "mpi")]
        options[options.index("stencil27:8")] = "random:rows=60000,row=16"
        for ranks, more in ((1, []), (2, ["--alpha", "-0.5", "--beta", "2", "--y", "index"]), (3, [])):
            with self.subTest((ranks, more)):
                report = self.run_json(*options, *launch.AUTO, "--device", "cpu", "--validate", "reference", *more,
                                       ranks=ranks)
                halo, kernel = report["halo"], report["kernel"]
                tried = [one for one in halo["candidates"] if ", " in one["name"]]
                formats = [one["reason"].split(",")[0] for one in tried]
                self.assertEqual(len(formats), len(set(formats)))
                self.assertLessEqual(len(formats), 0 if ranks == 1 else 3)  # chosen, second, plain
                self.assertEqual("csr-omp" in formats, ranks > 1)
                for one in tried:
                    self.assertEqual(one["name"], halo["transport"] + ", blocking")
                    if one["outcome"] == "budget_spent":  # on a busy machine
                        continue
                    self.assertGreater(one["seconds"], 0)
                    self.assertRegex(one["reason"], r"^[a-z-]+, \d+\.\d\d of the time of [a-z]+")
                    self.assertEqual("taken" in one["reason"], one["outcome"] == "chosen")
                taken = [one["reason"].split(",")[0] for one in tried if one["outcome"] == "chosen"]
                if taken:
                    self.assertEqual(kernel["format"], taken[-1])
                    self.assertEqual(halo["schedule_reason"], "it was faster in a trial")
                self.assertEqual(halo["schedule"], "blocking" if taken else "overlap")
                chosen = [one["name"] for one in kernel["candidates"] if one["outcome"] == "chosen"]
                self.assertEqual(chosen, [kernel["format"]])
        report = self.run_json(*options, *launch.AUTO, "--device", "cpu", "--schedule", "blocking", ranks=2)
        self.assertEqual(report["halo"]["schedule"], "blocking")
        self.assertFalse([one for one in report["halo"]["candidates"] if ", " in one["name"]])

    def test_baselines_add_to_y(self):
        for schedule in ("petsc-like", "hpcg-like"):
            for more in (["--alpha", "-0.5", "--beta", "2", "--y", "index"],
                         ["--precision", "fp32", *launch.AUTO], ["--format", "auto", "--halo", "all"], ["--partition", "nnz", "--shuffle", "3"]):
                with self.subTest((schedule, more)):
                    options = [word for word in RUN if word not in ("--format", "sell", "--halo", "mpi")]
                    self.run_json(*options, "--schedule", schedule, "--validate", "all", *more, ranks=3)

    def test_poison_and_jitter(self):
        plain = self.run_json(*RUN)
        report = self.run_json(*RUN, "--poison", "--jitter", "50")
        self.assertEqual((report["halo"]["poison"], plain["halo"]["poison"]), (True, False))
        self.assertAlmostEqual(report["halo"]["jitter_seconds"], 50e-6)
        self.assertEqual(plain["halo"]["jitter_seconds"], 0)
        self.assertEqual(report["validation"]["y_hash"], plain["validation"]["y_hash"])

    def test_late_ranks_show_as_exposed_time(self):
        """Two delays per product, 50 ms on average together, which the product alone has not."""
        report = self.run_json("--matrix", "stencil27:8", "--format", "sell", "--halo", "mpi", "--jitter",
                               "50000", "--iterations", "20", "--batches", "1", "--warmup", "0",
                               "--min-seconds", "0", ranks=2)
        timing = report["timing"]
        self.assertGreater(timing["median_seconds"], 25e-3)
        self.assertGreater(timing["exposed_seconds"], 0.8 * timing["median_seconds"])
        self.assertLess(timing["exposed_seconds"], timing["median_seconds"])

    def test_nothing_exchanged_exposes_nothing(self):
        diagonal = self.write("diagonal.mtx", "%%MatrixMarket matrix coordinate real general\n"
                              "40 40 40\n" + "".join(f"{i} {i} 2\n" for i in range(1, 41)))
        for matrix, ranks in (("stencil27:32", 1), (diagonal, 3)):
            with self.subTest(matrix):
                report = self.run_json("--matrix", matrix, "--format", "csr", "--halo", "mpi",
                                       "--min-seconds", "0.1", ranks=ranks)
                self.assertEqual(report["timing"]["exposed_seconds"], 0)


class Timeline(launch.Case):
    def trace(self, *options, ranks=3):
        target = self.place / "trace.json"
        result = launch.run("run", *RUN, "--trace", target, *options, ranks=ranks)
        self.assertEqual(result.status, 0, result)
        return json.loads(target.read_text(encoding="utf-8"))["traceEvents"]

    def test_timeline(self):
        events = self.trace()
        names = {(event["pid"], event["args"]["name"]) for event in events
                 if event["name"] == "process_name"}
        self.assertEqual(sorted(pid for pid, _ in names), [0, 1, 2])
        self.assertTrue(all(name.startswith(f"rank {pid} on ") for pid, name in names))
        for rank in range(3):
            slices = [event for event in events if event["ph"] == "X" and event["pid"] == rank]
            host = [event for event in slices if event["tid"] == 0]
            flights = [event for event in slices if event["tid"] == 2]
            products = 1 + max(event["args"]["product"] for event in host)
            self.assertEqual(products, 6)
            self.assertEqual([event["name"] for event in host], PHASES * products)
            self.assertEqual([event["name"] for event in flights], ["exchange"] * products)
            for before, after in zip(host, host[1:]):
                self.assertGreaterEqual(before["dur"], 0)
                self.assertLessEqual(before["ts"] + before["dur"], after["ts"] + 1e-3)
            for product, flight in enumerate(flights):
                pack, _, exchange, _ = host[len(PHASES) * product:len(PHASES) * (product + 1)]
                self.assertAlmostEqual(flight["ts"], pack["ts"] + pack["dur"], delta=1e-3)
                self.assertAlmostEqual(flight["ts"] + flight["dur"], exchange["ts"] + exchange["dur"],
                                       delta=1e-3)
        begins = [event["ts"] for event in events if event["ph"] == "X"]
        self.assertEqual(min(begins), 0)
        self.assertLess(max(begins), 60e6)

    def test_phases_of_the_blocking_schedule(self):
        events = self.trace("--schedule", "blocking", ranks=1)
        host = [event["name"] for event in events if event["ph"] == "X" and event["tid"] == 0]
        self.assertEqual(host, ["pack", "exchange", "interior"] * 6)

    def refused(self, *options):
        result = launch.run("run", "--matrix", "stencil7:4", *launch.SHORT, *options, ranks=2)
        self.assertEqual(result.status, 2, result)
        return result.message()

    def test_wrong_requests(self):
        target = str(self.place / "trace.json")
        self.assertIn("--trace", self.refused("--trace", target, "--halo", "all"))
        self.assertIn("no/dir", self.refused("--trace", "no/dir/t.json"))
        self.assertIn("--trace", self.refused("--trace", "-", "--json", "-"))
        self.assertIn("--jitter", self.refused("--jitter", "-1"))
        self.assertEqual(list(self.place.iterdir()), [])

    def test_stdout_as_target(self):
        result = launch.run("run", *RUN, "--trace", "-", ranks=launch.ranks_for_stdout())
        self.assertEqual(result.status, 0, result)
        self.assertIn("traceEvents", json.loads(result.stdout))
        self.assertIn("\nRESULT: PASS", result.stderr)


if __name__ == "__main__":
    unittest.main()
