#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A request to stop (SIGTERM, SIGUSR1) to one rank ends all of them soon, wherever it comes: in a batch of
a thousand million products, too. What there is is written. ROWHALO_HELD is the program with faults
planted at the beginning of phases (held_phases.cpp)."""
import json
import os
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import launch  # noqa: E402  pylint: disable=wrong-import-position

launch.BINARY = Path(os.environ.get("ROWHALO_HELD", launch.SOURCE / "build/tests/faults/rowhalo_held"))
MATRIX = ["--matrix", "stencil7:24", "--device", "cpu"]
AT_ONCE = "kill -{} $PPID; sleep 0.3"  # the watchdog takes it within the time
LATER = "(sleep 1; kill -{} $PPID) >/dev/null 2>&1 &"
BILLION = 1000000000


class Stops(launch.Case):
    def stopped(self, *arguments, phase, ranks=2, do=AT_ONCE, name="TERM"):
        """The JSON of a job whose last rank was asked to stop in this phase."""
        target = self.place / "r.json"
        target.unlink(missing_ok=True)
        with mock.patch.dict(launch.ENVIRONMENT, ROWHALO_TEST_HOLD=f"{ranks - 1}:{phase}",
                             ROWHALO_TEST_DO=do.format(name)):
            result = launch.run(*arguments, "--json", target, ranks=ranks)
        self.assertEqual(result.status, 1, result)
        self.assertIn("RESULT: FAIL interrupted by a signal", result.stdout)
        report = json.loads(target.read_text(encoding="utf-8"))
        self.assertEqual(report["status"], "interrupted")
        return report

    def test_before_products(self):
        for phase in ("read", "generate", "partition", "halo plan", "prepare vectors"):
            for name in ("TERM", "USR1") if phase == "generate" else ("TERM",):
                with self.subTest(phase, name=name):
                    report = self.stopped("run", *MATRIX, phase=phase, name=name)
                    self.assertIsNone(report["timing"])
                    self.assertIsNone(report["kernel"])
                    self.assertNotIn("measure", report["verdict"])

    def test_choosing(self):
        """Of formats and transports the first is taken, and nothing is timed any more."""
        for phase in ("convert", "choose transport"):
            with self.subTest(phase):
                report = self.stopped("run", *MATRIX, *launch.AUTO, "--warmup", BILLION, phase=phase)
                self.assertIsNone(report["timing"])
                self.assertIsNone(report["validation"])

    def test_a_batch_of_a_billion_products(self):
        options = [*MATRIX, "--format", "csr", "--iterations", BILLION, "--warmup", 0]
        for ranks, name in ((1, "TERM"), (2, "TERM"), (3, "USR1")):
            with self.subTest(ranks=ranks):
                report = self.stopped("run", *options, phase="measure", ranks=ranks, do=LATER, name=name)
                self.assertEqual(report["timing"]["batches"], 0)
                self.assertGreater(report["timing"]["iterations"], 0)
                self.assertLess(report["timing"]["iterations"], BILLION)
                self.assertGreater(report["timing"]["median_seconds"], 0)
                self.assertGreater(report["performance"]["gflops"], 0)
                self.assertIsNone(report["validation"])
                self.assertIn(f"the times are those of the first {report['timing']['iterations']} products",
                              report["verdict"])

    def test_a_billion_products_to_warm_up(self):
        report = self.stopped("run", *MATRIX, "--format", "csr", "--warmup", BILLION, phase="measure", do=LATER)
        self.assertIsNone(report["timing"])
        self.assertEqual(report["kernel"]["format"], "csr")

    def test_kernels(self):
        report = self.stopped("kernels", *MATRIX, "--format", "csr,sell", "--iterations", BILLION, ranks=1,
                              phase="measure formats", do=LATER)
        self.assertEqual([(one["name"], one["seconds"]) for one in report["formats"]], [("csr", None)])
        self.assertEqual(report["formats"][0]["outcome"], "interrupted")
        self.assertIn("interrupted", report["formats"][0]["reason"])

    def test_solve(self):
        for phase, do in (("generate", AT_ONCE), ("partition", AT_ONCE), ("solve", LATER)):
            with self.subTest(phase):
                self.stopped("solve", *MATRIX, "--format", "csr", "--no-petsc", "--iterations", 10000000,
                             phase=phase, do=do)

    def test_info_and_convert(self):
        for phase in ("read", "statistics of the matrix", "partition", "partition quality"):
            with self.subTest(phase):
                report = self.stopped("info", *MATRIX[:2], "--ranks", 64, phase=phase)
                self.assertEqual(report["info"]["partitions"], [])
        self.stopped("convert", MATRIX[1], self.place / "m.mtx", phase="generate")
        self.assertEqual([path.name for path in self.place.iterdir()], ["r.json"])

    def test_network(self):
        for phase in ("measure: reading", "generate", "measure: products", "measure: links"):
            with self.subTest(phase):
                report = self.stopped("network", "--device", "cpu", phase=phase)
                self.assertEqual(report["network"]["links"], [])


if __name__ == "__main__":
    unittest.main()
