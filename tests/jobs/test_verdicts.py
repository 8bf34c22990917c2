#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What jobs/rowhalo-study official says of reports: reasons for INVALID, ratings by hand, sizes of the sets."""
import json
import os
import unittest

from official_results import Made
from results import launch

# pylint: disable=wrong-import-position
from rowhalo_study.official import sets  # noqa: E402
from rowhalo_study.official.rating import Broken, assess, lines_of, spread  # noqa: E402
from rowhalo_study.studies.ini import WrongInput  # noqa: E402
from rowhalo_study.studies.program import Program  # noqa: E402


class Verdicts(unittest.TestCase):
    def setUp(self):
        self.made = Made()
        self.report = self.made.reports["road", 2]

    def check(self, *texts, verdict="INVALID"):
        result = self.made.result()
        self.assertEqual(result["verdict"], verdict, result["reasons"])
        for text in texts:
            self.assertIn(text, "\n".join(result["reasons"]))
        return result

    def test_valid(self):
        result = self.check(verdict="VALID")
        self.assertEqual((result["reasons"], result["warnings"]), ([], []))

    def test_large_rates_stand_apart(self):
        result = self.check(verdict="VALID")
        rates = result["matrices"][0]["gbytes_per_second"]
        rates.update(dict.fromkeys(rates, 1234567.8))
        line = next(line for line in lines_of(result) if line.startswith(result["matrices"][0]["name"]))
        self.assertEqual(line.split()[1:6], 5 * ["1234568"])

    def test_wrong_y(self):
        self.report["validation"].update(passed=False, max_error_ratio=3)
        self.report["status"] = "failed"
        self.check("y is wrong: road, run 2")
        self.report["validation"].update(passed=True)
        self.report["status"] = "ok"
        self.check("y is wrong: 3 times the bound: road, run 2")
        self.report["validation"].update(max_error_ratio=1, rows_unchecked=1)
        self.check("y was not checked in all rows: road, run 2")
        self.report["validation"] = None
        self.check("figure missing or out of range: validation is null: road, run 2")

    def test_solver(self):
        solver = self.made.reports["solve", 3]["solvers"][0]
        solver["iterations"] = 50
        self.check("too short: 50 iterations, not 5000: solve, run 3")
        solver.update(passed=False, end="no convergence", reason="")
        self.check("the solver did not pass: no convergence: solve, run 3")

    def test_not_finished(self):
        self.made.more["points/web/error"] = "status = 1\nreason = interrupted by SIGTERM\n"
        del self.made.reports["web", 5]
        self.check("not finished: interrupted by SIGTERM: web, run 5")
        self.report.update(status="interrupted", verdict="stopped")
        self.check("not finished: status interrupted, stopped: road, run 2")

    def test_slow_clocks(self):
        for reason in ("thermal slowdown", "hardware slowdown", "hardware thermal slowdown", "power brake"):
            self.report["telemetry"]["gpus"][1]["throttling"] = [{"reason": reason, "share": 0.01}]
            self.check(f"{reason}: road, run 2 on n1 1: 1% of the time")
            self.report["telemetry"]["gpus"][1]["throttling"][0]["share"] = 0.009
            self.check(verdict="VALID")
        for reason, said in (("power cap", "power cap (normal operation)"), ("clocks set", "clocks set")):
            for run, shares in ((2, (0.5, 0.97)), (3, (0.009, 0.8))):
                for gpu, share in enumerate(shares):
                    self.made.reports["road", run]["telemetry"]["gpus"][gpu]["throttling"] = [
                        {"reason": reason, "share": share}]
            self.assertEqual(self.check(verdict="VALID")["warnings"],
                             [f"clocks held down by {said}: road (up to 97% of the time)"])

    def test_no_telemetry(self):
        self.report["telemetry"] = None
        self.assertEqual(self.check(verdict="VALID")["warnings"],
                         ["unknown whether clocks were held down: reports hold no telemetry of GPUs"])
        del self.report["telemetry"]
        self.check(verdict="VALID")

    def test_ranks_and_gpus(self):
        self.made.more["points/road/provenance/nvidia-smi.txt"] = "Attached GPUs     : 8"
        self.check("fewer ranks than GPUs: 4 per node with 8 GPUs")
        self.made = Made(ranks=4)
        self.made.plan["official"]["gpus_per_node"] = 2
        self.made.more = {name: "Attached GPUs : 2" if "smi" in name else text
                          for name, text in self.made.more.items()}
        self.check("ranks share GPUs: 4 per node with 2 GPUs")
        self.made = Made()
        self.made.reports["web", 1]["telemetry"]["gpus"].pop()
        self.check("ranks share GPUs: 4 ranks on 3 GPUs: web, run 1")
        self.made.reports["web", 1]["provenance"]["devices"][0] = "cpu, 1 thread on cores 0"
        self.check("1 of 4 ranks computed on processors: web, run 1")
        for point in self.made.plan["points"]:
            point["device"] = "cpu"
        self.check("measured on the processors of a node with 4 GPUs")
        self.made = Made()
        self.made.reports["web", 1]["provenance"]["hosts"] = ["n1", "n1", "n2", "n2"]
        self.check("nodes: 2 instead of 1: web, run 1")
        self.made.reports["web", 1]["partition"]["ranks"] = 3
        self.check("ranks: 3 instead of 4: web, run 1")

    def test_shared_node(self):
        self.made.more["points/web/provenance/job.txt"] = "OverSubscribe=OK"
        self.check("shared node: Slurm's record of the job says OverSubscribe=OK: web")
        self.made.more["points/web/provenance/job.txt"] = "    Resource_List.place = scatter\n"
        self.check("shared node: PBS's record of the job says place = scatter: web")
        self.made.more["points/web/provenance/job.txt"] = "    Resource_List.place = scatter:excl\n"
        self.check(verdict="VALID")
        del self.made.more["points/web/provenance/job.txt"]
        self.assertIn("unknown whether nodes were shared", self.check(verdict="VALID")["warnings"][0])
        self.made.plan["official"]["exclusive"] = False
        self.check("shared node: the site file says exclusive = no")

    def test_shared_node_without_a_scheduler(self):
        self.made = Made(scheduler="none")
        self.assertIn("unknown", self.check(verdict="VALID")["warnings"][0])
        entry = {"time": "now", "busy_cores": 0.4, "cores": 8, "gpu_processes": 0}
        for change, verdict, said in (({}, "VALID", ""), ({"cores": 200, "busy_cores": 1.5}, "VALID", ""),
                                      ({"busy_cores": 0.6}, "INVALID", "cores busy before the start: 0.6"),
                                      ({"gpu_processes": 1}, "INVALID", "on its GPUs before the start: 1")):
            self.made.more["before.json"] = json.dumps([{**entry, **change}])
            self.check(said, verdict=verdict)

    def test_too_short(self):
        self.report["wall"]["measure_seconds"] = 11.0
        self.check("too short: measured for 11 s, not 12: road, run 2")

    def test_set_changed(self):
        self.report["argv"][self.report["argv"].index("--min-seconds") + 1] = "6"
        self.check("set changed: the command line differs in 6 12: road, run 2")
        self.made = Made()
        self.made.reports["web", 1]["argv"].remove("off")
        self.check("set changed: the command line differs in off: web, run 1")
        self.made.reports["web", 1]["matrix"]["source"] = "web:rows=10"
        self.check("set changed: the matrix is web:rows=10, not web:rows=40000000")
        self.made = Made()
        self.made.reports["rmat", 4]["matrix"]["fingerprint"] = "0x2"
        self.check("runs of more than one matrix, by its fingerprint: rmat")
        for run in range(1, 6):
            self.made.reports["solve", run]["matrix"]["fingerprint"] = "0x2"
        self.check("runs of more than one matrix, by its fingerprint: rmat, solve")
        for key, value in (("seconds", 6), ("runs", 1), ("version", 0), ("iterations", 10)):
            self.made = Made()
            self.made.plan["official"][key] = value
            self.check("set changed: ")
        self.made = Made()
        self.made.plan["points"].pop()
        self.check("set changed: the points of plan.json are not stencil27, ")

    def test_more_than_one_executable(self):
        self.report["provenance"]["git"] = "def5678"
        self.check("runs of more than one executable: git abc1234 and def5678")
        self.made = Made()
        for report in self.made.reports.values():
            report["provenance"]["git"] = "abc1234-dirty"
        self.check("the executable is not that of a commit: git says abc1234-dirty")

    def test_contradicting_figures(self):
        self.report["performance"]["gbytes_per_second"] += 1
        self.check("report changed: gbytes_per_second is 103, its counts and median time give 102: road, run 2")
        self.report["timing"]["min_seconds"] = 1
        self.check("the median time is not between")

    def test_rehearsals_say_so(self):
        self.made = Made(seconds=5.0)
        self.assertIn("an official result would be INVALID: too short: 5 s per run, not 12",
                      self.check(verdict="REHEARSAL")["warnings"])
        self.made.reports["road", 1]["validation"]["passed"] = False
        self.check("y is wrong")

    def test_reports_that_are_none(self):
        files = self.made.files()
        for name, content in (("points/web/result-1.json", b"{"), ("plan.json", b'{"points": []}')):
            with self.assertRaises(Broken):
                assess({**files, name: content})
        for content, said in ((b"{}", "command is missing"), (b"[]", "all of it is [], not an object"),
                              (b'{"command": 7}', "command is 7, not text")):
            reasons = assess({**files, "points/web/result-1.json": content})["reasons"]
            self.assertIn(f"figure missing or out of range: {said}: web, run 1", reasons)


class Figures(unittest.TestCase):
    def test_rating_by_hand(self):
        # Medians of the third of five runs: 103 GB/s, web 51.5. 6 / (5 / 103 + 1 / 51.5) = 618 / 7.
        result = Made().result()
        self.assertAlmostEqual(result["rating"]["gbytes_per_second"], 618 / 7)
        self.assertAlmostEqual(result["rating"]["gbytes_per_second_per_rank"], 618 / 7 / 4)
        for key, value in (("min", 101), ("first_quartile", 102), ("median", 103), ("third_quartile", 104),
                           ("max", 105)):
            self.assertAlmostEqual(result["matrices"][0]["gbytes_per_second"][key], value)
        # 80 GF/s at 1 ms per iteration; sustained: 5000 iterations in 10 s, 2 ms each.
        self.assertAlmostEqual(result["solve"]["gflops"]["median"], 40)
        self.assertAlmostEqual(result["solve"]["gflops_per_rank"], 10)

    def test_rating_needs_all_matrices(self):
        made = Made()
        for run in range(1, 6):
            del made.reports["web", run]
        self.assertIsNone(made.result()["rating"])

    def test_spread(self):
        self.assertEqual(list(spread([5, 1, 4, 2, 3]).values()), [1, 2, 3, 4, 5])
        self.assertEqual(list(spread([3, 1]).values()), [1, None, 2, None, 3])

    def test_one_run_shows_its_batches(self):
        figures = Made(seconds=5.0).result()["matrices"][0]["gbytes_per_second"]
        self.assertAlmostEqual(figures["median"], 101)
        self.assertAlmostEqual(figures["min"], 101 / 1.1)
        self.assertAlmostEqual(figures["max"], 101 / 0.9)

    def test_sizes(self):
        self.assertEqual(sets.matrix_of("stencil7", 512, 1), "stencil7:nx=512,ny=512,nz=512,coef=random")
        self.assertEqual(sets.matrix_of("elasticity", 160, 12), "elasticity:nx=320,ny=320,nz=480")
        self.assertEqual(sets.matrix_of("road", 10000, 6), "road:nx=20000,ny=30000")
        self.assertEqual([sets.matrix_of("rmat", 25, nodes) for nodes in (1, 2, 7, 8)],
                         [f"rmat:scale={scale}" for scale in (25, 26, 27, 28)])
        self.assertEqual(sets.matrix_of("web", 40, 3), "web:rows=120")

    def test_memory(self):
        """On a node with the least GPUs: host and GPUs hold what is needed while it is read."""
        os.environ["ROWHALO"] = str(launch.BINARY)
        chosen, program = sets.SETS["node"], Program()
        for problem in ("stencil7", "elasticity"):
            outline = program.outline(sets.matrix_of(problem, chosen.sizes[problem], 1), 4, "fp64")
            self.assertLess(outline.device_bytes * 4, chosen.gpu_gigabytes * 1e9)
            self.assertLess(outline.host_bytes * 4, chosen.host_gigabytes * 1e9)
        for each in sets.SETS.values():
            self.assertLessEqual(each.host_gigabytes, 2 * each.gpu_gigabytes)

    def test_tuned_options(self):
        official = sets.official_of("node", "tuned", 1, options=["--format=csr", "--schedule", "split"])
        points = {point.name: point.arguments for point in sets.wanted_points(official)}
        self.assertEqual(points["road"][-3:], ["--format=csr", "--schedule", "split"])
        self.assertEqual(points["solve"][-1], "--format=csr")
        self.assertNotIn("--value-codes", points["road"])
        for division, options in (("standard", ["--format", "csr"]), ("tuned", ["--validate", "none"]),
                                  ("tuned", ["--format"])):
            with self.assertRaises(WrongInput):
                sets.official_of("node", division, 1, options=options)


if __name__ == "__main__":
    unittest.main()
