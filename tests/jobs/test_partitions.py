#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs/partitions.py: predicted and measured times of partitioners, what auto takes, and refusals."""
import csv
import os
import unittest

from results import launch, script

os.environ.update(launch.ENVIRONMENT)

BRIEF = ("--options=--format csr --batches 2 --iterations 2 --min-seconds 0", "--rounds", "1",
         "--partitions", "rows,nnz,box", "--rowhalo", launch.BINARY)


class Partitions(launch.Case):
    def compare(self, *arguments, status=0):
        made = script("partitions.py", "--output", self.place, *BRIEF, *arguments)
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
            self.assertAlmostEqual(float(line["error"]), predicted / measured - 1)
            alike = matrix != uneven  # the equal rows of a mesh are cut in the middle by any name
            self.assertEqual(line["reason"].startswith("cut as rows"), alike and partition != "rows")
            measured = "rows" if alike else partition
            self.assertIn(f"--device cpu --partition {measured}", line["command_line"])
        taken = [line for line in lines.values() if line["chosen"]]
        self.assertEqual({line["matrix"]: line["partition"] for line in taken}[uneven], "nnz")
        for line in taken:
            best = min(float(other["median_seconds"]) for other in lines.values()
                       if other["matrix"] == line["matrix"] and other["median_seconds"])
            self.assertAlmostEqual(float(line["loss"]), float(line["median_seconds"]) / best - 1)
        text = (self.place / "partitions.md").read_text(encoding="utf-8")
        self.assertIn("Median error of the model", text)
        self.assertIn(f"| {uneven} | 2 | 1.000 (1.000) |", text)

    def test_what_fails_is_said(self):
        self.compare("--launcher", "false {ranks}", "--ranks", "2", "--matrix", "stencil5:3",
                     status=1)
        self.assertEqual({line["reason"] for line in self.lines()}, {"exit status 1"})

    def test_wrong_usage(self):
        for arguments, said in ((("--ranks", "two"), "--ranks two"),
                                (("--partitions", "nnz"), "rows has to be among them")):
            self.assertIn(said, self.compare(*arguments, status=2).stderr)


if __name__ == "__main__":
    unittest.main()
