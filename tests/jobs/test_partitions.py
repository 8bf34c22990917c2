#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs/rowhalo-study partitions: predicted and measured times of partitioners, what auto takes, and refusals."""
import csv
import importlib
import json
import os
import unittest

from results import JOBS, launch, script

os.environ.update(launch.ENVIRONMENT)

BRIEF = ("--options=--format csr --batches 2 --iterations 2 --min-seconds 0", "--rounds", "1",
         "--partitions", "rows,nnz,box", "--rowhalo", launch.BINARY)


class Partitions(launch.Case):
    def compare(self, *arguments, status=0):
        made = script("partitions", "--output", self.place, *BRIEF, *arguments)
        self.assertEqual(made.returncode, status, made.stdout + made.stderr)
        return made

    def lines(self):
        with open(self.place / "partitions.csv", encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_figures(self):
        uneven = "rmat:scale=11"  # low numbers have the long rows
        self.compare("--launcher", " ".join([*launch.LAUNCHER, "-n {ranks}"]), "--ranks", "2",
                     "--device", "cpu", "--matrix", uneven, "--matrix", "stencil5:30")
        lines = {(line["matrix"], line["partition"]): line for line in self.lines()}
        self.assertEqual(len(lines), 6)
        for (matrix, partition), line in lines.items():
            if (matrix, partition) == (uneven, "box"):
                self.assertIn("has no grid", line["reason"])
                continue
            base = lines[matrix, "rows"]
            predicted, measured = (float(line[name]) / float(base[name])
                                   for name in ("predicted_seconds", "median_seconds"))
            expected = predicted / measured
            # Nine digits each; of the error, which is close to -1 where a busy host delays one run.
            self.assertAlmostEqual(float(line["error"]), expected - 1, delta=1e-8 * max(1, expected))
            for name in ("ratio", "ratio_low", "ratio_high"):  # of one round
                self.assertAlmostEqual(float(line[name]) / measured, 1, delta=1e-8)
            alike = matrix != uneven  # the equal rows of a mesh are cut in the middle by any name
            self.assertEqual(line["reason"].startswith("cut as rows"), alike and partition != "rows")
            measured = "rows" if alike else partition
            self.assertIn(f"--device cpu --partition {measured}", line["command_line"])
            self.assertTrue(line["status"] == "ok" and line["git"] and line["devices"])
        taken = [line for line in lines.values() if line["chosen"]]
        self.assertEqual({line["matrix"]: line["partition"] for line in taken}[uneven], "nnz")
        for line in taken:
            best = min(float(other["median_seconds"]) for other in lines.values()
                       if other["matrix"] == line["matrix"] and other["median_seconds"])
            ratio = float(line["median_seconds"]) / best
            self.assertAlmostEqual((float(line["loss"]) + 1) / ratio, 1, delta=1e-8)
        path = self.place / "partitions.md"
        text = path.read_text(encoding="utf-8")
        path.unlink()
        self.compare("--tables")
        self.assertEqual(path.read_text(encoding="utf-8"), text)
        self.assertIn("Median error of the model", text)
        self.assertIn(f"| {uneven} | 2 | 1.000 (1.000) |", text)

    def test_intervals(self):
        """Of a median, by the binomial distribution: all of 5 hold it 15 times in 16; of 9, all but
        one on either side 0.961 times, all but two 0.82."""
        module = importlib.import_module("partitions")

        def reports(*seconds):
            return [{"timing": {"median_seconds": value}} for value in seconds]

        ones = reports(*[1.0] * 12)
        for ratios, expected in (([3], (3, 3, 3)), ([4, 2], (3, 2, 4)),
                                 ([5, 1, 4, 2, 3], (3, 1, 5)),
                                 ([9, 1, 8, 2, 7, 3, 6, 4], (5, 1, 9)),
                                 ([9, 1, 8, 2, 7, 3, 6, 4, 5], (5, 2, 8)),
                                 (range(1, 13), (6.5, 3, 10))):
            self.assertEqual(module.ratio(reports(*ratios), ones), expected)
        # The two of a round are compared, whatever other rounds took.
        self.assertEqual(module.ratio(reports(2, 20, 200), reports(1, 10, 100)), (2, 2, 2))

    def test_rounds(self):
        """In turn, until every interval is narrow; one cut alone is measured once."""
        module = importlib.import_module("partitions")
        report = json.loads((JOBS / "results/samples/run.json").read_text(encoding="utf-8"))

        class Runs:
            launcher, words = [], []

            def __init__(self, noise):
                self.options = module.parse(["--rounds", "8", "--rowhalo", str(launch.BINARY)])
                self.noise, self.asked = noise, []

            def report(self, command, partition):
                self.asked.append((command, partition))
                if partition == "box" and len(self.asked) > 3:
                    return None, "no box"
                noise = self.noise if len(self.asked) % 2 else 0
                return {**report, "timing": {**report["timing"], "median_seconds": 1 + noise}}, ""

        def lines_of(names):
            return [{"partition": name, "point": name} for name in names]

        for names, noise, rounds in ((["rows"], 0.5, 1), (["rows", "nnz"], 0.001, 5),
                                     (["rows", "nnz"], 0.5, 8)):
            runs = Runs(noise)
            lines = lines_of(names)
            made = module.measure(runs, lines)
            self.assertEqual({name: len(reports) for name, reports in made.items()},
                             dict.fromkeys(names, rounds))
            self.assertEqual({line["runs"] for line in lines}, {rounds})
            for line in lines:  # all else is of the report
                self.assertEqual(line["point"], line["partition"])
                self.assertEqual(line["git"], report["provenance"]["git"])
            self.assertEqual([name for _, name in runs.asked[:4]],
                             (names if len(names) == 1 else [*names, *reversed(names)]))
        runs = Runs(0)
        lines = lines_of(("rows", "nnz", "box"))
        self.assertEqual(set(module.measure(runs, lines)), {"rows", "nnz"})
        self.assertEqual((lines[2]["status"], lines[2]["reason"]), ("failed", "no box"))
        self.assertEqual(module.measure(runs, []), {})

    def test_what_fails_is_said(self):
        self.compare("--launcher", "false {ranks}", "--ranks", "2", "--matrix", "stencil5:3",
                     status=1)
        self.assertEqual({line["reason"] for line in self.lines()}, {"exit status 1"})
        for launcher, reason in (("/no/such {ranks}", "/no/such: No such file or directory"),
                                 ("true {ranks}", "ended well, but wrote no report: is the executable rowhalo?")):
            self.compare("--launcher", launcher, "--ranks", "2", "--matrix", "stencil5:3", status=1)
            self.assertEqual({line["reason"] for line in self.lines()}, {reason})

    def test_wrong_usage(self):
        for arguments, said in ((("--ranks", "two"), "--ranks two"), (("--ranks", "2,0"), "--ranks 2,0"),
                                (("--launcher", "x {"), "--launcher x {: "),
                                (("--output", "/proc/x"), "--output /proc/x: No such file or directory"),
                                (("--rounds", "0"), "--rounds: 0: give a number from 1 on"),
                                (("--partitions", "nnz"), "rows has to be among them")):
            self.assertIn(said, self.compare(*arguments, status=2).stderr)


if __name__ == "__main__":
    unittest.main()
