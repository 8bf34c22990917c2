#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs/rowhalo-study table: reports and tables to a CSV and a markdown; and jobs/results, which holds one table per
machine and study: written again it has the same bytes, every line tells its provenance, every link of
its README leads somewhere."""
import json
import re
import shutil
import subprocess
import sys
import unittest

import results
from results import JOBS, launch, script
from rowhalo_study.plots.style import device_name  # pylint: disable=wrong-import-order
from rowhalo_study.results.rows import read_csv  # pylint: disable=wrong-import-order

RESULTS = JOBS / "results"
SAMPLES = RESULTS / "samples"
OWN_TEXTS = ("class", "role")  # of the tables of classes


class Table(launch.Case):
    def table(self, *arguments, status=0):
        made = script("table", *arguments)
        self.assertEqual(made.returncode, status, made.stdout + made.stderr)
        return made.stdout if status == 0 else made.stderr

    def lines_of(self, path):
        """Cells of the lines of the table in a markdown, without its head."""
        lines = [line for line in path.read_text(encoding="utf-8").splitlines()
                 if line.startswith("| ")]
        return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]

    def test_reports_of_both_commands(self):
        results.measure(self.place / "reports", 1, "--matrix", "stencil5:9", "--halo", "all",
                        "--format", "csr", ranks=2)
        results.measure(self.place / "reports", 2, "--matrix", "stencil5:9", "--format",
                        "csr,sell,dense:max_padding=1", command="kernels")
        target = self.place / "all.csv"
        self.table(self.place / "reports", "--output", target, "--study", "mine")
        rows = read_csv(target)
        self.assertEqual({row["study"] for row in rows}, {"mine"})
        self.assertEqual({row["point"] for row in rows}, {"result-1", "result-2"})
        self.assertEqual({row["command_line"] for row in rows}, {
            f"rowhalo {words} --min-seconds 0 --batches 5 --iterations 2 --warmup 0 --validate reference"
            for words in ("run --matrix stencil5:9 --halo all --format csr",
                          "kernels --matrix stencil5:9")})
        head, _, *lines = self.lines_of(target.with_suffix(".md"))
        self.assertEqual(len(lines), len(rows))
        for name in ("ranks", "format", "transport", "time, us", "exposed, us", "y_hash"):
            self.assertIn(name, head)
        self.assertNotIn("matrix", head)
        self.assertIn("matrix stencil5:9", target.with_suffix(".md").read_text(encoding="utf-8"))
        for row, cells in zip(rows, lines):
            time = (row["median_seconds"] or 0) * 1e6
            self.assertEqual(cells[head.index("time, us")],
                             f"{time:.0f}" if time >= 1000 else f"{time:.4g}" if time else "-")

    def test_partial_sums_have_a_column_where_there_are_some(self):
        report = json.loads((SAMPLES / "run.json").read_text(encoding="utf-8"))
        for sums in (0, 12):
            report["halo"]["partial_sums"] = sums
            source = self.write(f"{sums}.json", json.dumps(report))
            target = self.place / f"{sums}.csv"
            self.table(source, "--output", target)
            head, _, line, *_ = self.lines_of(target.with_suffix(".md"))
            self.assertEqual("sums sent" in head, sums > 0)
            self.assertEqual("partial_sums" in target.read_text(encoding="utf-8").split("\n", maxsplit=1)[0], sums > 0)
            self.assertEqual(read_csv(target)[0]["partial_sums"], sums or None)
        self.assertEqual(line[head.index("sums sent")], "12")

    def test_refusals_and_wrong_results_say_so(self):
        report = json.loads((SAMPLES / "kernels.json").read_text(encoding="utf-8"))
        report["formats"][0].update(passed=False, reason="y differs")
        report["formats"][1].update(seconds=None, graph_seconds=None, reason="pads 9 | 10 times")
        target = self.place / "t.csv"
        self.table(self.write("r.json", json.dumps(report)), "--output", target)
        notes = [cells[-1] for cells in self.lines_of(target.with_suffix(".md"))[2:]]
        self.assertEqual(notes[:2], ["WRONG: y differs", "pads 9 / 10 times"])
        refused = read_csv(target)[1]
        self.assertEqual([refused[name] for name in ("median_seconds", "gflops", "passed", "y_hash")], [None] * 4)

    def test_what_was_not_checked_says_so(self):
        report = json.loads((SAMPLES / "run.json").read_text(encoding="utf-8"))
        report["validation"].update(against="none", passed=True, max_error_ratio=0)
        report["cases"] = []
        target = self.place / "a.csv"
        self.table(self.write("r.json", json.dumps(report)), "--output", target)
        row, = read_csv(target)
        self.assertEqual((row["passed"], row["max_error_ratio"], row["against"]), (None, None, "none"))
        head, _, line = self.lines_of(target.with_suffix(".md"))
        self.assertEqual(line[head.index("notes")], "y not checked")
        self.assertNotIn("error", head)
        report = json.loads((SAMPLES / "kernels.json").read_text(encoding="utf-8"))
        report["argv"] += ["--validate", "none"]
        self.table(self.write("k.json", json.dumps(report)), "--output", target)
        self.assertEqual({(row["passed"], row["against"]) for row in read_csv(target)}, {(None, "none")})

    def test_a_gpu_in_any_pci_domain_is_its_model(self):
        for device, name in (("NVIDIA H200 0000:00:06.0, cores 0-15", "NVIDIA H200"),
                             ("NVIDIA GH200 120GB 0009:01:00.0, cores 0-71", "NVIDIA GH200 120GB"),
                             ("NVIDIA B200 00000001:4E:00.0", "NVIDIA B200"), ("NVIDIA H200, cores 0-1", "NVIDIA H200"),
                             ("cpu, 2 threads on cores 0-1", "cpu, 2 threads on cores 0-1"), ("", "")):
            self.assertEqual(device_name(device), name)
        report = json.loads((SAMPLES / "run.json").read_text(encoding="utf-8"))
        report["provenance"]["devices"] = [f"NVIDIA GH200 120GB 000{one}:01:00.0, cores {one}" for one in (0, 1, 9)]
        said = self.table(self.write("r.json", json.dumps(report)))
        self.assertIn("\n- 3 x NVIDIA GH200 120GB, rowhalo", said)

    def test_sums_have_the_same_digits_in_every_python(self):
        """sum() of Python 3.12 rounds otherwise than those before it; a bundle is checked with either."""
        report = json.loads((SAMPLES / "run.json").read_text(encoding="utf-8"))
        report["setup"] = {"read_seconds": 2.61758178, "partition_seconds": 1.547789833,
                           "plan_seconds": 0.001106705, "convert_seconds": 0.194077349,
                           "upload_seconds": 0.846586718}
        target = self.place / "s.csv"
        self.table(self.write("r.json", json.dumps(report)), "--output", target)
        self.assertIn(",5.20714239,", target.read_text(encoding="utf-8"))

    def test_a_table_of_tables(self):
        first, both = self.place / "a.csv", self.place / "b.csv"
        self.table(SAMPLES / "run.json", "--output", first)
        self.table(first, SAMPLES / "kernels.json", "--output", both)
        text = first.read_text(encoding="utf-8")
        self.assertTrue(both.read_text(encoding="utf-8").startswith(text))
        self.assertIn("auto: p2p, graph",
                      (RESULTS / "h200x4/halo/results.md").read_text(encoding="utf-8"))

    def test_without_output_the_table_is_printed(self):
        target = self.place / "run.csv"
        self.table(SAMPLES / "run.json", "--output", target)
        written = target.with_suffix(".md").read_text(encoding="utf-8").splitlines()
        printed = self.table(SAMPLES / "run.json").splitlines()
        self.assertIn("(run.csv)", written[2])
        self.assertEqual(printed, written[:2] + written[4:])

    def test_refusals(self):
        report = json.loads((SAMPLES / "run.json").read_text(encoding="utf-8"))
        changed = self.write("changed.json", json.dumps({**report, "partition": 7}))
        for arguments, message in (
                ((changed, "--output", "a.csv"), f"{changed}: is not as `rowhalo` writes reports"),
                (("nowhere", "--output", "a.csv"), "there is no such file"),
                ((SAMPLES / "info.json", "--output", "a.csv"), "holds no product"),
                ((SAMPLES / "run.json", "--output", "a.txt"), "give the name of a .csv file"),
                ((self.write("x.csv", "x,y\n1,2\n"), "--output", "a.csv"), "has no column")):
            with self.subTest(message):
                self.assertIn(message, self.table(*arguments, status=2))
        self.table(SAMPLES / "run.json", "--output", self.place / "none/a.csv", status=1)


class Committed(launch.Case):
    def test_every_line_tells_its_provenance(self):
        tables = sorted(RESULTS.rglob("*.csv"))
        self.assertGreater(len(tables), 10)
        for path in tables:
            rows = read_csv(path, OWN_TEXTS)
            self.assertGreater(len(rows), 2)
            for row in (row for row in rows if row["status"] in ("skipped", "failed")):
                self.assertTrue(row["reason"], f"{path}: {row['point']}")
            for row in (row for row in rows if row["status"] not in ("skipped", "failed")):
                lacking = [name for name in ("study", "point", "matrix", "nonzeros", "format", "device",
                                             "version", "git", "time", "mpi", "cuda", "devices",
                                             "command_line", "verdict") if not row[name]]
                self.assertEqual(lacking, [], f"{path}: {row['point']}")
                self.assertTrue(row["median_seconds"] or row["reason"], f"{path}: {row['point']}")
                self.assertNotIn("/", row["command_line"])

    def test_tables_written_again_have_the_same_bytes(self):
        tables = [path for path in sorted(RESULTS.rglob("*.csv"))
                  if not path.name.startswith(("classes-", "files-", "mkl", "partitions"))]
        self.assertGreater(len(tables), 5)
        for path in tables:
            expected = path.stem == "expected"  # its CSV has an error of more digits than its times
            again = self.place / path.name
            made = script("expected" if expected else "table", path, "--output", again)
            self.assertEqual(made.returncode, 0, made.stderr)
            for suffix in (".md",) if expected else (".csv", ".md"):
                self.assertEqual(again.with_suffix(suffix).read_text(encoding="utf-8"),
                                 path.with_suffix(suffix).read_text(encoding="utf-8"), path)

    def test_tables_of_programs_written_again_have_the_same_bytes(self):
        for name in ("mkl", "partitions"):
            tables = sorted(RESULTS.rglob(f"{name}.csv"))
            self.assertTrue(tables, name)
            for path in tables:
                shutil.copy(path, self.place)
                made = script(name, "--tables", "--output", self.place)
                self.assertEqual(made.returncode, 0, made.stderr)
                self.assertEqual((self.place / f"{name}.md").read_text(encoding="utf-8"),
                                 path.with_suffix(".md").read_text(encoding="utf-8"))

    def test_classes_written_again_have_the_same_bytes(self):
        """All but those of files, which need the files. A matrix without times gives status 1."""
        for path in sorted(RESULTS.rglob("classes-*.csv")):
            shutil.copy(path, self.place)
            failed = any(row["status"] == "failed" for row in read_csv(path, OWN_TEXTS))
            made = subprocess.run([sys.executable, "-B", JOBS / "rowhalo-study", "classes", "--tables", "--precision",
                                   path.stem.split("-")[1], "--output", self.place], check=False,
                                  capture_output=True, text=True, timeout=launch.PATIENCE)
            self.assertEqual(made.returncode, int(failed), made.stdout + made.stderr)
            for suffix in (".csv", ".md"):
                self.assertEqual((self.place / path.stem).with_suffix(suffix).read_text("utf-8"),
                                 path.with_suffix(suffix).read_text(encoding="utf-8"), path)

    def test_one_picture_of_a_kind_one_report_of_a_command(self):
        pictures = [path.with_suffix("") for path in RESULTS.rglob("*")
                    if path.suffix in (".svg", ".png")]
        self.assertEqual(len(pictures), len(set(pictures)))
        self.assertEqual(sorted(RESULTS.rglob("*.json")), sorted(SAMPLES.iterdir()))
        for path in SAMPLES.iterdir():
            report = json.loads(path.read_text(encoding="utf-8"))
            self.assertEqual((report["command"], report["status"]), (path.stem, "ok"))

    def test_links(self):
        for text in (RESULTS / "README.md", launch.SOURCE / "README.md"):
            for link in re.findall(r"\]\(([^)#:]+)", text.read_text(encoding="utf-8")):
                self.assertTrue((text.parent / link).exists(), f"{text}: {link}")


if __name__ == "__main__":
    unittest.main()
