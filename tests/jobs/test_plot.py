#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs/rowhalo-study plot: every kind of picture from the program's own results, the same bytes when drawn
again, units on the axes, legible in grey; what it computes; what it refuses."""
import itertools
import json
import re
import struct
import unittest
from xml.etree import ElementTree

import results
from results import JOBS, launch, script

launch.require("matplotlib", "h5py", "numpy")
from rowhalo_study.results import data  # noqa: E402  pylint: disable=wrong-import-position
from rowhalo_study.plots import product, scaling, style  # noqa: E402  pylint: disable=wrong-import-position
from rowhalo_study.results.rows import command_line_of, csv_text, read_csv, rows_of  # noqa: E402  pylint: disable=wrong-import-position


def row(**values):
    """A line of results.csv; what is not given was not measured."""
    line = {**rows_of(EMPTY)[0], **values}
    line["combination"] = data.combination_of(line)
    return line


AS_ASKED = "--format f --halo h"  # so that what was run counts as asked for
EMPTY = {"command": "run", "status": "ok", "argv": ["rowhalo", "run", *AS_ASKED.split()],
         "matrix": {"source": "m:1", "nonzeros": 100},
         "timing": {"median_seconds": 1.0}, "cases": []}


class Numbers(launch.Case):
    """What pictures show, for known times."""

    def test_strong_efficiency(self):
        rows = [row(ranks=ranks, median_seconds=seconds, precision="fp64")
                for ranks, seconds in ((1, 8.0), (2, 4.0), (4, 2.5))]
        line, = scaling.strong_lines(rows)
        self.assertEqual([line.efficiency(ranks) for ranks in (1, 2, 4)], [1.0, 1.0, 0.8])
        self.assertEqual(scaling.strong_lines(rows[:1]), [])

    def test_weak_efficiency_counts_uneven_sizes(self):
        rows = [row(matrix=f"m:{ranks}", kind="weak", study="w", ranks=ranks, nonzeros=nonzeros,
                    median_seconds=seconds)
                for ranks, nonzeros, seconds in ((1, 100, 1.0), (2, 220, 1.1), (4, 400, 2.0))]
        line, = scaling.weak_lines(rows)
        self.assertAlmostEqual(line.efficiency(2), 1.0)
        self.assertAlmostEqual(line.efficiency(4), 0.5)
        self.assertEqual(scaling.strong_lines(rows), [])
        unsaid = [{**one, "kind": ""} for one in rows]
        self.assertAlmostEqual(scaling.weak_lines(unsaid)[0].efficiency(4), 0.5)
        unsaid[2]["nonzeros"] = 200  # no longer a weak series
        self.assertEqual(scaling.weak_lines(unsaid), [])

    def test_few_combinations_have_lines_many_their_fastest(self):
        few = [row(ranks=ranks, transport=name, median_seconds=1.0 / ranks)
               for ranks in (1, 2) for name in ("mpi", "nccl")]
        self.assertEqual([line.label for line in scaling.strong_lines(few)], ["m:1 mpi", "m:1 nccl"])
        many = [row(ranks=ranks, format=f"f{index}", median_seconds=(1.0 + index) / ranks)
                for ranks in (1, 2) for index in range(20)]
        line, = scaling.strong_lines(many)
        self.assertEqual([rows[0]["format"] for rows in line.points.values()], ["f0", "f0"])

    def test_what_auto_took_in_its_repeats_is_one_line(self):
        rows = [row(ranks=ranks, repeat=repeat, transport=name, median_seconds=seconds)
                for ranks in (1, 2)
                for repeat, name, seconds in ((1, "mpi", 3.0), (2, "nccl", 1.0), (3, "mpi", 2.0))]
        for one in rows:
            one["command_line"] = "rowhalo run --matrix m:1"
            one["combination"] = data.combination_of(one)
        line, = scaling.strong_lines(rows)
        self.assertEqual(data.measured(line.points[2]), (2.0, 1.0, 3.0))
        with self.assertRaises(style.NothingToDraw):
            product.transports(data.Data(rows, [], [], {}, []), self.place)

    def test_requests_are_never_mixed(self):
        rows = [row(ranks=ranks, precision=name, median_seconds=1.0)
                for ranks in (1, 2) for name in ("fp64", "fp32")]
        self.assertEqual([line.label for line in scaling.strong_lines(rows)],
                         ["m:1 fp64", "m:1 fp32"])

    def test_no_matrix_is_left_out(self):
        rows = [row(matrix=f"m:{size}", ranks=ranks, median_seconds=1.0)
                for size in range(20) for ranks in (1, 2)]
        self.assertEqual({line.label for line in scaling.strong_lines(rows)},
                         {f"m:{size}" for size in range(20)})

    def test_a_schedule_that_runs_settle_on_is_no_difference(self):
        def lines_of(*settled, asked=""):
            return [row(ranks=ranks, schedule=name, median_seconds=1.0,
                        command_line=f"rowhalo run {AS_ASKED} {asked}") for ranks, name in settled]
        rows = [*lines_of((1, "overlap"), (2, "blocking"), (4, "split"), (4, "blocking"), (8, "split")),
                *lines_of((1, "petsc-like"), (2, "petsc-like"), asked="--schedule petsc-like"),
                *lines_of((2, "blocking"), (4, "blocking"), asked="--schedule=blocking")]
        self.assertEqual([(line.label, sorted(line.points)) for line in scaling.strong_lines(rows)],
                         [("m:1 overlap", [1, 2, 4, 8]), ("m:1 petsc-like", [1, 2]), ("m:1 blocking", [2, 4])])
        weak = [{**one, "kind": "weak", "study": "w", "nonzeros": 100 * one["ranks"]} for one in rows[:5]]
        self.assertEqual([sorted(line.points) for line in scaling.weak_lines(weak)], [[1, 2, 4, 8]])

    def test_csv_gives_back_every_row(self):
        """Every column, but for digits that no clock resolves; written again, the same bytes."""
        target = self.place / "results.csv"
        for name in ("run", "kernels"):
            report = json.loads((JOBS / f"results/samples/{name}.json").read_text(encoding="utf-8"))
            rows = rows_of(report)
            self.assertGreater(len(rows), 3)
            target.write_text(csv_text(rows), encoding="utf-8")
            for row, again in zip(rows, read_csv(target)):
                self.assertEqual(list(row), list(again))
                for column, value in row.items():
                    if isinstance(value, float):
                        self.assertAlmostEqual(again[column], value, delta=1e-8 * abs(value))
                    else:
                        self.assertEqual(again[column], value, column)
            self.assertEqual(csv_text(read_csv(target)), target.read_text(encoding="utf-8"))

    def test_a_line_tells_its_provenance(self):
        report = json.loads((JOBS / "results/samples/run.json").read_text(encoding="utf-8"))
        for line in rows_of(report):
            self.assertEqual(line["command_line"], "rowhalo run --matrix stencil27:200 --device gpu "
                             "--min-seconds 0.1 --batches 15 --validate reference --halo all")
            self.assertEqual(line["devices"].count("NVIDIA H200"), 4)
            for name in ("version", "git", "time", "mpi", "cuda", "nccl"):
                self.assertEqual(line[name], report["provenance"][name])
        report["argv"] = ["rowhalo", "kernels", "--matrix", "a b.mtx", "--format=ell,sell", "--quiet",
                          "--json=x", "--trace", "/home/me/t.json", "--color", "never", "--explain",
                          "--threads", "2"]
        report.update(command="kernels", formats=[])
        self.assertEqual(command_line_of(report), "rowhalo kernels --matrix 'a b.mtx' --threads 2")

    def test_grey_tells_lines_and_bars_apart(self):
        def grey(colour):
            red, green, blue = (int(colour[place:place + 2], 16) for place in (1, 3, 5))
            return 0.299 * red + 0.587 * green + 0.114 * blue
        markers = [marker for _, marker, _ in style.LINES]
        self.assertEqual(len(set(markers)), len(markers))
        self.assertEqual(len({style.line_style(index)[:2] for index in range(64)}), 64)
        for one, other in itertools.combinations(style.BARS, 2):
            self.assertTrue(one[1] != other[1] or abs(grey(one[0]) - grey(other[0])) > 40)


class Pictures(launch.Case):
    def plot(self, *arguments, status=0):
        plotted = script("plot", *arguments)
        self.assertEqual(plotted.returncode, status, plotted.stdout + plotted.stderr)
        return plotted

    def check_pictures(self, folder, names, texts=()):
        """Exactly these pictures, each as SVG and PNG; `texts` stand in the SVGs."""
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         sorted(f"{name}.{kind}" for name in names for kind in ("png", "svg")))
        words = ""
        for name in names:
            content = (folder / f"{name}.png").read_bytes()
            self.assertTrue(content.startswith(b"\x89PNG\r\n\x1a\n"))
            self.assertGreater(min(struct.unpack(">II", content[16:24])), 300)
            words += " ".join(ElementTree.parse(folder / f"{name}.svg").getroot().itertext())
        for text in texts:
            self.assertIn(text, words)

    @launch.needs("HDF5")
    def test_a_strong_study(self):
        study = self.place / "my strong"
        results.make_study(study, "strong", dict.fromkeys((1, 2, 4), "stencil7:8"), "--halo", "all",
                           "--format", "csr", "--partition", "rows", halo="all", format="csr")
        self.plot(study)
        self.check_pictures(
            study / "plots", ("strong", "breakdown", "exposed", "transports", "communication-n4",
                              "imbalance-n4"),
            ("time per product (", "speed-up against 1 rank", "efficiency (%)", "pack", "boundary",
             "exposed halo time per product (", "share of the product (%)", "mpi-persistent",
             "stencil7:8, rows, 4 ranks", "per product", "my strong", "ideal"))
        again = self.place / "again"
        self.plot(study / "results.csv", "--output", again)
        for path in (study / "plots").iterdir():
            self.assertEqual(path.read_bytes(), (again / path.name).read_bytes(), path.name)

    @launch.needs("HDF5")
    def test_a_weak_study(self):
        study = self.place / "weak"
        results.make_study(study, "weak", {ranks: f"stencil7:nx=8,ny=8,nz={8 * ranks}"
                                           for ranks in (1, 2)}, "--format", "csr")
        (study / "results.csv").unlink()  # then from the reports of the points
        self.plot(study, "--output", self.place / "out")
        self.check_pictures(self.place / "out",
                            ("weak", "breakdown", "communication-n2", "imbalance-n2"),
                            ("weak efficiency", "nonzeros per rank", "ideally level"))

    def test_tables_of_gpu_results(self):
        out = self.place / "out"
        self.plot(JOBS / "results/h200/formats.csv", "--where", "matrix=stencil27:*", "--where",
                  "matrix=elasticity:80", "--output", out)
        self.check_pictures(out, ("formats", "roofline"),
                            ("cusparse-sell", "baseline", "read, 4395 GB/s", "triad, 4113 GB/s",
                             "share of the read bandwidth (%)", "flops per byte", "elasticity:80"))
        self.assertNotIn("stencil7", (out / "formats.svg").read_text(encoding="utf-8"))
        out = self.place / "more"
        tables = sorted(JOBS.glob("results/h200x4/*/results.csv"))
        self.assertEqual(len(tables), 3)
        self.plot(*tables, "--output", out)
        self.check_pictures(out, ("strong", "weak", "breakdown", "exposed", "transports", "roofline"),
                            ("one GPU each", "nccl, graph"))

    def test_a_report_and_its_table_give_the_same_picture(self):
        for name in ("run", "kernels"):
            report, table = JOBS / f"results/samples/{name}.json", self.place / f"{name}.csv"
            made = script("table", report, "--output", table)
            self.assertEqual(made.returncode, 0, made.stderr)
            drawn = []
            for path, out in ((report, "of report"), (table, "of table")):
                self.plot(path, "--smallest", "--output", self.place / name / out)
                drawn.append({picture.name: re.findall("<text[^>]*>([^<]*)</text>", picture.read_text(
                    encoding="utf-8")) for picture in (self.place / name / out).glob("*.svg")})
            self.assertEqual(*drawn)
            self.assertGreater(len(drawn[0]), 0)

    def test_the_smallest_file_of_a_picture(self):
        table, out = JOBS / "results/h200x4/gpu-strong", self.place / "out"
        self.plot(table, "--kind", "strong,breakdown", "--output", out)
        sizes = {path.name: path.stat().st_size for path in out.iterdir()}
        said = self.plot(table, "--kind", "strong,breakdown", "--output", out, "--smallest").stdout
        kept = {min((f"{name}.png", f"{name}.svg"), key=sizes.get) for name in ("strong", "breakdown")}
        self.assertEqual({path.name for path in out.iterdir()}, kept)
        self.assertEqual({line.split("/")[-1] for line in said.splitlines()}, kept)

    @launch.needs("HDF5")
    def test_json_and_hdf5_of_info_give_the_same_picture(self):
        pictures = []
        for kind in ("json", "h5"):
            path, out = self.place / f"info.{kind}", self.place / kind
            result = launch.run("info", "--matrix", "stencil7:8", "--ranks", 12,
                                "--ranks-per-node", 4, "--json" if kind == "json" else "--hdf5",
                                path, ranks=1)
            self.assertEqual(result.status, 0, result)
            self.plot(path, "--kind", "communication", "--output", out)
            path.unlink()
            self.check_pictures(out, ["communication-info"],
                                ["sending rank", "3 nodes, parted by red lines"])
            pictures.append((out / "communication-info.svg").read_bytes())
        self.assertEqual(*pictures)

    @launch.needs("HDF5")
    def test_hdf5_alone_is_enough(self):
        results.measure(self.place, 1, "--matrix", "stencil5:9", "--format", "csr", ranks=3)
        (self.place / "result-1.json").unlink()
        self.plot(self.place / "result-1.h5", "--output", self.place / "out")
        self.check_pictures(self.place / "out", ("breakdown", "communication-result-1",
                                                 "imbalance-result-1"), ("entries received",))

    def test_refusals(self):
        other = self.write("other.json", '{"communication": null}')
        for path in (self.write("a.json", "nonsense"), other, self.write("b.json", "[1]"),
                     self.write("a.h5", "nonsense"), self.write("a.csv", "x,y\n1,2\n"),
                     self.place / "missing.json", self.place / "missing.h5", self.place):
            with self.subTest(path.name):
                plotted = self.plot(path, "--output", self.place / "out", status=2)
                self.assertRegex(plotted.stderr, r"^rowhalo-study plot: [^\n]+\n$")
                self.assertIn(path.name, plotted.stderr)
        self.assertFalse((self.place / "out").exists())
        gpu = JOBS / "results/samples/kernels.json"
        self.assertIn("use auto, strong", self.plot(gpu, "--kind", "pie", status=2).stderr)
        for condition in ("matrix", "matrices=a"):
            self.assertIn("use COLUMN=PATTERN", self.plot(gpu, "--where", condition,
                                                          status=2).stderr)
        self.assertEqual(self.plot(gpu, "--where", "matrix=none", "--output", self.place / "out",
                                   status=1).stderr,
                         "rowhalo-study plot: the data shows none of these pictures\n")
        plotted = self.plot(gpu, "--kind", "strong", "--output", self.place, status=1)
        self.assertIn("no picture strong: no matrix was run at several", plotted.stderr)


if __name__ == "__main__":
    unittest.main()
