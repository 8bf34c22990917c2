#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`--save-tuning` and `--tuning`: what one run has chosen, the next takes without a trial."""
import json
import unittest

import launch

MATRIX = ("--matrix", "stencil7:12", "--device", "cpu")
launch.NAMED.clear()  # what is not named is what this is about


class Tuning(launch.Case):
    def run_json(self, command, *arguments, ranks=2):
        path = self.place / "report.json"
        result = launch.run(command, *arguments, "--json", path, ranks=ranks)
        self.assertEqual(result.status, 0, result)
        return json.loads(path.read_text(encoding="utf-8")), result

    def saved(self, *arguments, ranks=2):
        path = self.place / "tuning.json"
        report, _ = self.run_json("run", *MATRIX, *launch.SHORT, *arguments, "--save-tuning", path, ranks=ranks)
        return path, report, json.loads(path.read_text(encoding="utf-8"))

    def changed(self, path, text, other):
        """A copy of a tuning file with something else in it."""
        content = path.read_text(encoding="utf-8")
        self.assertIn(text, content)
        return self.write("changed.json", content.replace(text, other))

    def test_a_run_takes_what_another_has_chosen(self):
        path, before, tuning = self.saved()
        self.assertGreater(len(before["kernel"]["candidates"]), 1)
        self.assertIsNone(before["tuning"])
        after, result = self.run_json("run", *MATRIX, *launch.SHORT, "--tuning", path)
        choice = tuning["choice"]
        for report in (before, after):
            self.assertEqual(
                [report["kernel"][key] for key in ("format", "boundary_format")]
                + [report["halo"][key] for key in ("transport", "graph", "schedule")] + [report["partition"]["name"]],
                [choice[key] for key in ("format", "boundary_format", "transport", "graph", "schedule", "partition")])
        self.assertEqual((after["kernel"]["candidates"], after["halo"]["candidates"], after["partition"]["candidates"]),
                         ([], [], []))
        self.assertEqual(after["tuning"], {"file": str(path), "differences": []})
        self.assertIn("without trial runs", result.stdout)
        self.assertEqual(result.message(), "")

    def test_every_choice_is_kept(self):
        named = {"--format": "sell:c=8", "--boundary-format": "csr", "--halo": "mpi", "--schedule": "overlap",
                 "--partition": "nnz", "--partial-sums": "off"}
        path, before, _ = self.saved(*(word for pair in named.items() for word in pair))
        after, _ = self.run_json("run", *MATRIX, *launch.SHORT, "--tuning", path)
        for section, key in (("kernel", "format"), ("kernel", "boundary_format"), ("halo", "transport"),
                             ("halo", "schedule"), ("partition", "name")):
            self.assertEqual(after[section][key], before[section][key])
        self.assertEqual(after["kernel"]["format"], "sell:c=8")
        sums = ("--matrix", "arrow:rows=3000,heavy=3,row=900", "--device", "cpu", *launch.SHORT)
        target = self.place / "sums.json"
        self.run_json("run", *sums, "--partial-sums", "on", "--save-tuning", target)
        self.assertIs(json.loads(target.read_text(encoding="utf-8"))["choice"]["partial_sums"], True)
        after, _ = self.run_json("run", *sums, "--tuning", target)
        self.assertGreater(after["halo"]["partial_sums"], 0)

    def test_solvers_take_it_too(self):
        path, _, tuning = self.saved()
        report, _ = self.run_json("solve", *MATRIX, "--method", "cg", "--tuning", path)
        self.assertEqual(report["kernel"]["format"], tuning["choice"]["format"])
        self.assertEqual((report["kernel"]["candidates"], report["halo"]["candidates"]), ([], []))
        self.assertEqual(report["tuning"]["differences"], [])

    def test_what_differs_is_named_and_the_run_goes_on(self):
        path, _, _ = self.saved("--format", "csr", "--halo", "mpi")
        grid = ("--device", "cpu", *launch.SHORT, "--tuning", path)
        report, result = self.run_json("run", "--matrix", "stencil7:12", "--precision", "fp32", *grid, ranks=3)
        self.assertEqual(report["tuning"]["differences"], ["2 ranks (now 3)", "precision fp64 (now fp32)"])
        self.assertIn("was made for 2 ranks (now 3), precision fp64 (now fp32); another choice may be faster",
                      result.message())
        report, _ = self.run_json("run", "--matrix", "stencil7:12,coef=random", *grid)
        self.assertEqual(report["tuning"]["differences"], [])  # other values, the same pattern
        report, _ = self.run_json("run", "--matrix", "stencil27:12", *grid)
        self.assertEqual([text.split(" ")[1] for text in report["tuning"]["differences"]], ["nonzeros"])
        report, _ = self.run_json("run", "--matrix", "stencil7:nx=6,ny=12,nz=24", *grid)
        self.assertTrue(report["tuning"]["differences"])
        path = self.changed(path, '"processor": "', '"processor": "another ')
        report, _ = self.run_json("run", *MATRIX, *launch.SHORT, "--tuning", path)
        self.assertRegex(report["tuning"]["differences"][0], r"^processor another .* \(now ")

    def test_files_that_are_none_are_refused_with_the_remedy(self):
        path, _, tuning = self.saved("--format", "csr", "--halo", "mpi", "--partition", "rows")
        remedy = "make one: rowhalo run --save-tuning FILE"
        for name, content, what in (
                ("text.json", "asell", "is not JSON; " + remedy),
                ("empty.json", "", "is not JSON; " + remedy),
                ("report.json", "{}", "is no tuning file; " + remedy),
                ("list.json", "[1]", "is no tuning file; " + remedy),
                ("later.json", json.dumps({**tuning, "rowhalo_tuning": 2}), "is 2, but this program reads 1"),
                ("cut.json", json.dumps({**tuning, "choice": {"format": "csr"}}), "choice.boundary_format is missing"),
                ("type.json", json.dumps({**tuning, "made_for": 7}), "made_for is not an object"),
                ("ranks.json", json.dumps({**tuning, "made_for": {**tuning["made_for"], "ranks": 0.5}}),
                 "made_for.ranks is 0.5"),
                ("gpu.json", json.dumps({**tuning, "made_for": {**tuning["made_for"], "device": "gpu"}}),
                 "was made on device gpu, and this run uses device cpu")):
            result = launch.run("run", *MATRIX, "--tuning", self.write(name, content))
            self.assertEqual((result.status, result.stdout.count("FOM:")), (2, 0), result)
            self.assertIn(what, result.message())
            self.assertIn(f"--tuning {self.place / name}", result.message())
        for text, other, what in (('"format": "csr"', '"format": "crs"', "choice.format crs: unknown format"),
                                  ('"transport": "mpi"', '"transport": "mpy"', "choice.transport mpy: unknown transport"),
                                  ('"schedule": "', '"schedule": "x', "unknown schedule"),
                                  ('"partition": "rows"', '"partition": "cows"', "did you mean rows?")):
            result = launch.run("run", *MATRIX, "--tuning", self.changed(path, text, other))
            self.assertEqual(result.status, 2, result)
            self.assertIn(what, result.message())
        for option, value in (("--format", "csr"), ("--halo", "mpi"), ("--partition", "rows"), ("--schedule", "split")):
            result = launch.run("run", *MATRIX, "--tuning", path, option, value, ranks=0)
            self.assertEqual(result.status, 2, result)
            self.assertIn("--tuning", result.message())
            self.assertIn(option, result.message())

    def test_y_of_reproducible_runs_depends_on_no_trial(self):
        # Dense blocks and long rows: formats that sum in another order win here, and sums pay.
        for matrix in ("elasticity:6", "arrow:rows=3000,heavy=3,row=900"):
            words = ("--matrix", matrix, "--device", "cpu", *launch.SHORT, "--reproducible")
            hashes = set()
            for ranks, more in ((1, ()), (2, ()), (3, ("--partition", "nnz")), (2, ("--format", "all"))):
                report, _ = self.run_json("run", *words, *more, ranks=ranks)
                hashes |= {report["validation"]["y_hash"], *(case["y_hash"] for case in report["cases"]
                                                              if case["median_seconds"] is not None)}
                self.assertEqual(report["halo"]["partial_sums"], 0)
            self.assertEqual(len(hashes), 1, hashes)
        for option, value, what in (("--format", "bsr", "use auto, csr, csr-omp"), ("--boundary-format", "bsr", "use auto"),
                                    ("--schedule", "split", "use overlap or blocking"),
                                    ("--partial-sums", "on", "leave one of them out")):
            result = launch.run("run", *MATRIX, "--reproducible", option, value)
            self.assertEqual(result.status, 2, result)
            self.assertIn(what, result.message())

    def test_reproducible_holds_for_a_file_too(self):
        path, _, _ = self.saved("--format", "bsr:b=2", "--halo", "mpi")
        result = launch.run("run", *MATRIX, "--reproducible", "--tuning", path)
        self.assertEqual(result.status, 2, result)
        self.assertIn(f"--tuning {path}: --format bsr:b=2: does not sum up rows", result.message())
        path, _, _ = self.saved("--format", "csr", "--halo", "mpi")
        self.run_json("run", *MATRIX, *launch.SHORT, "--reproducible", "--tuning", path)

    def test_every_combination_with_its_partition(self):
        tuning = self.place / "best.json"
        report, result = self.run_json("run", *MATRIX, *launch.SHORT, "--format", "all", "--halo", "all", "--partition",
                                       "all", "--save-tuning", tuning, "--explain")
        cases = report["cases"]
        ran = [case for case in cases if case["median_seconds"] is not None]
        times = [case["median_seconds"] for case in ran]
        self.assertEqual((times, ran), (sorted(times), cases[:len(ran)]))
        self.assertLessEqual({"rows", "nnz", "box"}, {case["partition"] for case in ran})
        self.assertGreater(len({(case["format"], case["transport"]) for case in ran}), 20)
        chosen = [case for case in cases if case["outcome"] == "chosen"]
        self.assertEqual(chosen, ran[:1])
        self.assertEqual((report["partition"]["name"], report["kernel"]["format"], report["halo"]["transport"]),
                         (chosen[0]["partition"], chosen[0]["format"], chosen[0]["transport"]))
        for case in ran:
            self.assertLessEqual(case["median_low_seconds"], case["median_seconds"])
            self.assertLessEqual(case["median_seconds"], case["median_high_seconds"])
        self.assertRegex(" ".join(result.stdout.split()), f"winner {chosen[0]['format']} with {chosen[0]['transport']} on "
                         f"partition {chosen[0]['partition']}, .* (not )?significant")
        self.assertIn(f"{len(ran)} combinations", result.stdout.split("RESULT: PASS")[1])
        self.assertEqual(json.loads(tuning.read_text(encoding="utf-8"))["choice"]["partition"], chosen[0]["partition"])
        # A partitioner that refuses the matrix costs no other one.
        report, _ = self.run_json("run", "--matrix", "rmat:scale=8", "--device", "cpu", *launch.SHORT, "--format", "csr",
                                  "--halo", "mpi", "--partition", "all")
        refused = [case for case in report["cases"] if case["median_seconds"] is None]
        self.assertGreater(len(report["cases"]), 2)
        self.assertEqual([case["partition"] for case in refused], ["box"])
        self.assertIn("grid", refused[0]["reason"])
        # What is wrong with the matrix is said once.
        result = launch.run("run", "--matrix", self.place / "none.mtx", "--device", "cpu", "--partition", "all")
        self.assertEqual((result.status, result.message().count("none.mtx")), (2, 1), result)
        for option in ("--save-y", "--trace"):
            result = launch.run("run", *MATRIX, "--partition", "all", option, self.place / "out.h5")
            self.assertEqual(result.status, 2, result)
            self.assertIn(f"{option} takes one partition", result.message())
        self.assertEqual(launch.run("solve", *MATRIX, "--partition", "all").status, 2)

    def test_a_file_is_neither_lost_nor_overwritten(self):
        path, _, _ = self.saved()
        result = launch.run("run", *MATRIX, "--tuning", path, "--save-tuning", path)
        self.assertEqual(result.status, 2, result)
        self.assertIn("--save-tuning", result.message())
        result = launch.run("run", *MATRIX, "--save-tuning", self.place / "no/folder.json")
        self.assertEqual(result.status, 2, result)


if __name__ == "__main__":
    unittest.main()
