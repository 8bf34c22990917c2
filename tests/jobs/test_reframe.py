#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs/recipes/reframe with ReFrame itself (pip install reframe-hpc; skipped without it): the checks pass on
this machine with their figures recorded, and fail if a reference is out of reach or if y is wrong. ROWHALO_REFRAME
names the command, if it is not `reframe`.
"""
import json
import os
import shutil
import subprocess
import unittest

from results import JOBS, launch

REFRAME = shutil.which(os.environ.get("ROWHALO_REFRAME", "reframe"))
RECIPE = JOBS / "recipes/reframe"
SLOWEST = '"spmv_gbytes": (1, 0, None, "GB/s")'


class ReFrame(launch.Case):
    def run_checks(self, *options, settings=RECIPE / "local.py", rowhalo=launch.BINARY):
        """The exit status, and the cases of the report by the name of the check."""
        report = self.place / "report.json"
        report.unlink(missing_ok=True)
        done = subprocess.run(
            [REFRAME, "-C", settings, "-c", RECIPE / "rowhalo.py", "-r", "--prefix", self.place / "prefix",
             "--report-file", report, "-S", f"rowhalo={rowhalo}", "-S", "matrix=stencil27:24", *options],
            env={**launch.ENVIRONMENT, "RFM_ENABLE_RESULTS_STORAGE": "n"}, cwd=self.place, check=False,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=launch.PATIENCE)
        self.assertTrue(report.exists(), done.stdout + done.stderr)
        runs = json.loads(report.read_text(encoding="utf-8"))["runs"]
        return done, {case["name"]: case for case in runs[0]["testcases"]}

    def test_pass_with_references(self):
        done, cases = self.run_checks()
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual({name: case["result"] for name, case in cases.items()},
                         {"RowhaloRun": "pass", "RowhaloSolve": "pass"})
        for name, figure, count in (("RowhaloRun", "spmv_gbytes", 5), ("RowhaloSolve", "solve_gflops", 4)):
            values = cases[name]["perfvalues"]
            self.assertEqual(len(values), count)
            (measured,) = [value for key, value in values.items() if key.endswith(f":{figure}")]
            self.assertGreater(measured[0], measured[1], "beside its reference")

    def test_a_reference_out_of_reach_fails(self):
        text = (RECIPE / "local.py").read_text(encoding="utf-8")
        self.assertEqual(text.count(SLOWEST), 1)
        settings = self.write("strict.py", text.replace(SLOWEST, '"spmv_gbytes": (1e9, -0.05, None, "GB/s")'))
        done, cases = self.run_checks("-n", "RowhaloRun", settings=settings)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(cases["RowhaloRun"]["fail_phase"], "performance", done.stdout)

    def test_a_wrong_result_fails(self):
        wrong = self.write("rowhalo", f'#!/bin/sh\n"{launch.BINARY}" "$@" | sed "s/^RESULT: PASS/RESULT: FAIL/"\n')
        wrong.chmod(0o755)
        done, cases = self.run_checks("-n", "RowhaloRun", rowhalo=wrong)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(cases["RowhaloRun"]["fail_phase"], "sanity", done.stdout)


if __name__ == "__main__":
    if REFRAME is None:
        launch.skip_all("no reframe in PATH: pip install reframe-hpc, or set ROWHALO_REFRAME")
    unittest.main()
