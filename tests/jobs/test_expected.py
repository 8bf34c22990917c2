#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Expected beside measured times: columns of tables, a site with a machine file, dashed lines of
pictures, jobs/rowhalo-study expected."""
import json
import unittest
from types import SimpleNamespace

from results import JOBS, launch, script
from studies import study, study_text

launch.require("matplotlib", "h5py", "numpy")
from rowhalo_study.results import data  # noqa: E402  pylint: disable=wrong-import-position
from rowhalo_study.plots import scaling, style  # noqa: E402  pylint: disable=wrong-import-position
from rowhalo_study.results.rows import (COLUMNS, EXPECTED_COLUMNS, csv_text, read_csv,  # noqa: E402  pylint: disable=wrong-import-position
                           rows_of)

NOTE = "thin dashed: expected (machine file)"


def report_of(ranks=1, measured=1e-3, expected=None, matrix="m:1"):
    """Of `run` with `--halo` and `--format` given; `expected`: seconds, or None without --machine."""
    return {"command": "run", "status": "ok",
            "argv": f"rowhalo run --format f --halo h --machine /a/m.json --ranks {ranks}".split(),
            "matrix": {"source": matrix, "nonzeros": 100}, "cases": [],
            "partition": {"ranks": ranks}, "kernel": {"format": "f", "device": "cpu"},
            "halo": {"transport": "h"}, "timing": {"median_seconds": measured},
            "expected": expected and {
                "seconds": expected, "local_seconds": 0.75 * expected,
                "exposed_seconds": 0.25 * expected, "transport": "h", "machine": "/a/m.json"}}


class Expected(launch.Case):
    def save(self, name, **values):
        return self.write(f"{name}.json", json.dumps(report_of(**values)))

    def expected(self, *arguments, status=0):
        made = script("expected", *arguments)
        self.assertEqual(made.returncode, status, made.stdout + made.stderr)
        return made.stdout if status == 0 else made.stderr


class Tables(Expected):
    def test_columns(self):
        row, = rows_of(report_of(expected=2e-3))
        self.assertEqual([row[name] for name in EXPECTED_COLUMNS], [2e-3, 1.5e-3, 0.5e-3, "h"])
        self.assertEqual(row["command_line"], "rowhalo run --format f --halo h --ranks 1")
        table = self.write("with.csv", csv_text([row]))
        self.assertEqual(tuple(table.read_text("utf-8").split("\n")[0].split(",")),
                         COLUMNS + EXPECTED_COLUMNS)
        self.assertEqual(read_csv(table), [row])
        without, = rows_of(report_of())
        self.assertEqual([without[name] for name in EXPECTED_COLUMNS], [None] * 4)
        self.assertEqual(csv_text([without]).split("\n", maxsplit=1)[0], ",".join(COLUMNS))

    def test_of_all_only_the_combination_that_is_described(self):
        report = report_of(expected=2e-3)
        case = {"format": "f", "transport": "h", "graph": None, "median_seconds": 1e-3}
        report["cases"] = [{**case, "transport": "g", "median_seconds": 3e-3}, case]
        self.assertEqual([row["expected_seconds"] for row in rows_of(report)], [None, 2e-3])

    def test_order_and_errors(self):
        said = self.expected(self.save("a", expected=1.1e-3), self.save("b", ranks=2, expected=5e-4),
                             self.save("c", ranks=4), "--output", self.place / "t.csv")
        self.assertRegex(said, r"matrix +ranks +device +format +transport +measured, us +expected, us"
                               r" +error\nm:1 +2 +cpu +f +h +1000 +500 +-50\.0%\n"
                               r"m:1 +1 +cpu +f +- +1000 +1100 +\+10\.0%\n"
                               r"2 lines; \|error\|: median 30\.0%, largest 50\.0%\n")
        self.assertEqual([row["ranks"] for row in read_csv(self.place / "t.csv")], [2, 1])
        text = (self.place / "t.md").read_text(encoding="utf-8")
        self.assertIn("| 2 | h | 1000 | 500 | -50.0% |\n| 1 | - | 1000 | 1100 | +10.0% |\n\n"
                      "2 lines; |error|: median 30.0%, largest 50.0%\n", text)
        self.assertEqual(self.expected(self.place / "t.csv"), said[:said.rindex("2 lines in")])

    def test_refusals(self):
        path = self.save("a", expected=1e-3)
        for arguments, message in (
                ((self.save("c"),), "c.json: no line has an expected time; measure with"),
                ((JOBS / "results/h200x4/gpu-strong",), "no line has an expected time"),
                ((self.place / "nowhere",), "there is no such file"),
                ((path, "--output", self.place / "none/a.csv"), "No such file or directory"),
                ((path, "--output", "a.txt"), "give the name of a .csv file")):
            with self.subTest(message):
                self.assertRegex(self.expected(*arguments, status=2),
                                 rf"(^|\n)rowhalo-study expected: [^\n]*{message}[^\n]*\n$")


class Pictures(Expected):
    def drawn(self, kind, **expected):
        """What `kind` draws of 1, 2, 4 ranks, without writing it: the expected lines of every panel,
        the texts of the legend, the panels."""
        rows = [row for ranks in (1, 2, 4) for row in rows_of(
            report_of(ranks, 8e-3 / ranks, expected.get(f"n{ranks}"), f"m:{ranks}" if kind == "weak"
                      else "m:1"), {"kind": kind, "study": "s", "name": f"n{ranks}"})]
        for row in rows:
            row.update(combination=data.combination_of(row), nonzeros=100 * row["ranks"]
                       if kind == "weak" else 100)
        kept = []
        original, scaling.save = scaling.save, lambda figure, *_: kept.append(figure)
        try:
            getattr(scaling, kind)(SimpleNamespace(rows=rows), self.place)
        finally:
            scaling.save = original
        figure, = kept
        lines = [[line for line in axes.lines if line.get_linewidth() == style.EXPECTED["linewidth"]
                  and line.is_dashed() and len(line.get_xdata())
                  and line.get_color() == style.LINES[0][0]] for axes in figure.axes]
        return lines, [text.get_text() for text in figure.legends[0].get_texts()], figure.axes

    def test_dashed_lines_of_the_colour_of_what_was_measured(self):
        for kind, panels in (("strong", (0, 2)), ("weak", (0, 1))):
            lines, legend, axes = self.drawn(kind, n1=4e-3, n2=4e-3, n4=16e-3)
            self.assertEqual([len(some) for some in lines],
                             [int(index in panels) for index in range(len(axes))])
            time, efficiency = (lines[index][0] for index in panels)
            self.assertEqual(list(time.get_xdata()), [1, 2, 4])
            self.assertEqual(list(time.get_ydata()), [4, 4, 16])
            self.assertEqual(list(efficiency.get_ydata()),
                             [100, 50, 6.25] if kind == "strong" else [100, 100, 25])
            self.assertEqual(legend.count(NOTE), 1)
            self.assertGreater(axes[0].get_ylim()[1], 16)

    def test_nothing_changes_without_them(self):
        for kind in ("strong", "weak"):
            for some in ({}, {"n1": 4e-3}, {"n2": 4e-3, "n4": 4e-3}):
                lines, legend, _ = self.drawn(kind, **some)
                self.assertEqual([line for some in lines for line in some], [])
                self.assertNotIn(NOTE, legend)


class Study(Expected):
    def test_a_site_with_a_machine_file(self):
        made = launch.run("network", "--device", "cpu", "--json", self.place / "my machine.json",
                          ranks=2)
        self.assertEqual(made.status, 0, made)
        local = (JOBS / "sites/local.ini").read_text(encoding="utf-8")
        site = self.write("site.ini", local.replace("[site]\n", "[site]\nmachine = my machine.json\n"))
        output = self.place / "out"
        study("run", self.write("s.ini", study_text(sweep="formats = csr\nthreads = 1")), "--site",
              site, "--output", output)
        (self.place / "my machine.json").unlink()
        self.assertIn("2 done", study("status", output))
        rows = read_csv(output / "results.csv")
        self.assertEqual([row["ranks"] for row in rows], [1, 2])
        for row in rows:
            self.assertGreater(row["expected_seconds"], 0)
            self.assertNotIn("--machine", row["command_line"])
        self.assertEqual(rows[1]["expected_transport"], "mpi")
        self.assertIn(NOTE, (output / "plots/strong.svg").read_text(encoding="utf-8"))
        self.assertIn("2 lines; |error|: median", self.expected(output))
        if launch.built_with("HDF5"):
            self.assertEqual(self.expected(*sorted(output.glob("points/*/result-1.h5"))),
                             self.expected(*sorted(output.glob("points/*/result-1.json"))))


if __name__ == "__main__":
    unittest.main()
