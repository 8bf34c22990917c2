#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Studies of `rowhalo run --pair`: columns of the table, the same from JSON and CSV, and of other runs none."""
import json
import unittest

from results import launch, script
from studies import ARGUMENTS, results, study, study_text

# results.py knows the way to jobs/.
# pylint: disable=wrong-import-position
from rowhalo_study.results.rows import COLUMNS, PAIR_COLUMNS, read_csv  # noqa: E402


class Pair(launch.Case):
    def test_a_study_has_both_products(self):
        text = study_text("pair", "list", "source =\n    random:rows=300,columns=200,row=4\n    stencil7:6",
                          arguments=f"--pair {ARGUMENTS}")
        folder = self.place / "out"
        study("run", self.write("pair.ini", text), "--site", "local", "--output", folder)
        lines = results(folder)
        self.assertEqual(len(lines), 4)
        for line in lines:
            self.assertEqual((line["passed"], line["format"], line["transposed_format"]), ("True", "csr", "csr"))
            self.assertGreater(float(line["pair_seconds"]), 0)
            self.assertGreater(float(line["transposed_seconds"]), 0)
            self.assertGreater(float(line["pair_time_ratio"]), 0)
            symmetric = line["matrix"] == "stencil7:6"
            self.assertEqual(line["y_hash"] == line["transposed_y_hash"], symmetric)
            self.assertEqual(float(line["pair_memory_ratio"]) == 1, symmetric)

    def test_only_tables_with_a_pair_have_its_columns(self):
        for more, expected in (([], COLUMNS), (["--pair"], COLUMNS + PAIR_COLUMNS)):
            report = self.run_json("--matrix", "random:rows=30,columns=20,row=3", *more, *launch.SHORT)
            table = self.place / "table.csv"
            script("table", self.write("report.json", json.dumps(report)), "--output", table)
            names = table.read_text(encoding="utf-8").split("\n", maxsplit=1)[0].split(",")
            self.assertEqual(tuple(names), expected)
            line = read_csv(table)[0]
            pair = report["pair"] or {"median_seconds": None, "transposed": {"validation": {"y_hash": None}}}
            self.assertEqual(line["transposed_y_hash"], pair["transposed"]["validation"]["y_hash"])
            if more:
                self.assertAlmostEqual(line["pair_seconds"] / pair["median_seconds"], 1, 6)
                self.assertIn("pair over sum", table.with_suffix(".md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
