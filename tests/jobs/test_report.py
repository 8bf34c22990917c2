#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs/rowhalo-study report: every section appears with its data and only then, figures are those of the
data, the page loads nothing and stays whole whatever names hold, verdicts, comparisons, refusals.
What a browser makes of it: test_report_browser.py."""
import json
import os
import re
import unittest
from unittest.mock import patch

import results
from official_results import Made
from report_pages import PageCase
from results import JOBS, launch, script
from rowhalo_study.results.rows import csv_text, read_csv, rows_of

RESULTS, SAMPLES = JOBS / "results", JOBS / "results/samples"
REFERENCE = JOBS / "reference/h200-node-standard.csv"
NASTY = "<img src=x onerror=alert(1)>\"'&amp;</script><!--<script>$x$%{y}"
OVER_RANKS = ["communication", "imbalance"]
SCALING = ["strong", "breakdown", "exposed", "roofline"]
EXPECTED_SECTIONS = (
    (["h200x4/gpu-strong"], SCALING),
    (["h200x4/gpu-weak"], ["weak", *SCALING[1:]]),
    (["h200x4/halo"], ["best", "strong", "breakdown", "exposed", "transports", "roofline"]),
    (["h200x2/solve"], ["best", "solve-strong", "solve-breakdown"]),
    (["h100/formats.csv"], ["best", "formats", "roofline"]),
    (["h200/expected.csv"], ["breakdown", "roofline", "expected"]),
    (["samples/info.json"], ["communication"]),
    (["samples/kernels.json"], ["best", "formats", "roofline", "telemetry"]),
    (["samples/run.json"], ["best", "breakdown", "transports", "roofline"]),
    (["samples/solve.json"], ["solve-breakdown", "history"]))


def row(ranks=1, seconds=1.0, **values):
    """A line of a table that was checked; one format and transport."""
    report = {"command": "run", "status": "ok", "argv": ["rowhalo", "run", "--format", "f", "--halo", "h"],
              "matrix": {"source": "m:1", "nonzeros": 100}, "partition": {"ranks": ranks},
              "kernel": {"format": "f", "device": "cpu"}, "halo": {"transport": "h"}, "cases": [],
              "timing": {"median_seconds": seconds, "min_seconds": seconds, "p95_seconds": seconds},
              "validation": {"passed": True, "against": "petsc", "max_error_ratio": 0.5}}
    made, = rows_of(report, {"name": f"n{ranks}", "kind": "strong", "study": "s"})
    return {**made, **values}


class Sections(PageCase):
    def test_each_with_its_data_and_only_then(self):
        for names, sections in EXPECTED_SECTIONS:
            with self.subTest(names):
                page = self.page(*(RESULTS / name for name in names))
                self.assertEqual(page.sections(), sections)
                for tag, attributes in page.elements:
                    if tag == "a":
                        self.assertIn(("section", attributes["href"][1:]),
                                      [(tag, one.get("id")) for tag, one in page.elements])
                for name in sections:
                    self.assertEqual(bool(page.pictures(name)), name not in ("best", "telemetry", "expected"), name)

    def test_measured_here(self):
        """Strong, weak and solver studies with what only reports and HDF5 hold."""
        strong, solve = self.place / "strong", self.place / "solve"
        results.make_study(strong, "strong", {1: "stencil7:10", 2: "stencil7:10"}, "--format", "csr",
                           "--halo", "mpi", format="csr", halo="mpi")
        for ranks in (1, 2):
            results.measure(solve, ranks, "--matrix", "stencil7:8", "--method", "cg", "--iterations", "10",
                             ranks=ranks, command="solve")
        page = self.page(strong)
        self.assertEqual(page.sections(), ["strong", "breakdown", *(OVER_RANKS if launch.built_with("HDF5") else OVER_RANKS[:1])])
        self.assertEqual(page.verdict(), "PASS")
        self.assertIn("All 2 results are right, compared with reference.", page.text)
        page = self.page(solve)
        self.assertEqual(page.sections(), ["solve-strong", "solve-breakdown", "history"])
        self.assertIn(">cg<", page.pictures("history")[0])

    def test_telemetry(self):
        report = json.loads((SAMPLES / "run.json").read_text(encoding="utf-8"))
        gpu = {"host": "n1", "pci_id": "0000:00:06.0", "samples": 9, "highest_sm_clock_mhz": 1980.0,
               "sm_clock_mhz": {"min": 1500.0, "mean": 1700.0, "max": 1980.0}, "memory_clock_mhz": 3201.0,
               "power_watts": {"min": None, "mean": None, "max": None}, "power_limit_watts": None,
               "temperature_celsius": 61.0,
               "throttling": [{"reason": "power cap", "share": 0.25, "sm_clock_mhz": 1600.0}]}
        report["telemetry"] = {"seconds": 9.0, "gpus": [gpu], "gpu_joules": 7.0, "cpu_joules": None,
                               "energy_per_product_joules": 0.125, "gflops_per_watt": 3.5, "warnings": []}
        page = self.page(self.write("t.json", json.dumps(report)))
        self.assertIn("telemetry", page.sections())
        for words in ("power cap 25%", "1500 1700 1980", "0.125 J least energy per product"):
            self.assertIn(words, page.text)


class Figures(PageCase):
    def test_cards_have_their_interval(self):
        rows = [row(ranks, seconds * spread, repeat=repeat) for ranks, seconds in ((1, 8.0), (2, 4.0), (4, 2.5))
                for repeat, spread in enumerate((1.0, 1.01, 0.99, 1.02, 0.98), 1)]
        page = self.page(self.write("t.csv", csv_text(rows)))
        self.assertRegex(page.text, r"3\.20× speed-up \(3\.1\d to 3\.3\d\) from 1 to 4 ranks, efficiency 80 %: m:1")

    def test_the_best_is_named_and_how_sure_it_is(self):
        for ahead, said in ((0.2, "25.0% ahead of b (shown)"), (0.001, "0.1% ahead of b (not shown: within the noise)")):
            rows = [row(1, seconds * spread, repeat=repeat, format=name, point=name, command_line=f"rowhalo run --format {name} --halo h")
                    for name, seconds in (("a", 1 - ahead), ("b", 1.0), ("c", 2.0), ("auto", 0.5))
                    for repeat, spread in enumerate((1.0, 1.01, 0.99, 1.02, 0.98), 1)]
            page = self.page(self.write("t.csv", csv_text(rows)))
            self.assertEqual(page.sections()[0], "best")
            self.assertIn(f"best: a, {said}: m:1 on 1 rank", page.text)

    def test_a_late_twentieth_is_a_warning(self):
        page = self.page(self.write("t.csv", csv_text([row(1, 1.0, p95_seconds=2.0)])))
        self.assertIn("The slowest twentieth of the batches took up to 2.0 times the median: m:1 on 1 rank. Likely causes:", page.text)

    def test_the_table_is_inside(self):
        for name in ("h200x4/gpu-strong/results.csv", "h200x2/solve/results.csv"):
            page = self.page(RESULTS / name)
            saved = self.write("again.csv", page.model["csv"])
            self.assertEqual(read_csv(saved), read_csv(RESULTS / name))

    def test_selectors_choose_lines_of_tables(self):
        rows = [row(ranks, seconds, format=name, point=f"{ranks}{name}", partition="nnz", command_line=(
            f"rowhalo run --format {name} --halo h")) for ranks, seconds in ((1, 4.0), (2, 2.0), (4, 1.0))
                for name in map("f{}".format, range(9))]
        page = self.page(self.write("t.csv", csv_text(rows)))
        self.assertEqual(page.choices(), {"format": [f"f{one}" for one in range(9)], "ranks": ["1", "2", "4"]})
        self.assertEqual(page.metas("data"), [{"matrix": "m:1", "format": one["format"], "partition": "nnz", "ranks": one["ranks"],
                                               "transport": "h" if one["ranks"] > 1 else None} for one in rows])

    def test_the_same_bytes_again(self):
        for name in ("h200x4/halo", "samples"):
            first = self.page(RESULTS / name, name="one.html").source
            self.assertEqual(first, self.page(RESULTS / name, name="two.html").source)


class Whole(PageCase):
    def assert_loads_nothing(self, page):
        for tag, attributes in page.elements:
            for name in ("srcset", "data", "action", "background"):
                self.assertNotIn(name, attributes, tag)
            self.assertTrue(attributes.get("src", "data:image/svg+xml;base64,").startswith("data:image/svg+xml;base64,"))
            self.assertTrue(attributes.get("href", "#").startswith("#"), attributes)
            self.assertNotIn(tag, ("link", "iframe", "object", "embed", "base"))
        style = re.search(r"<style>(.*?)</style>", page.source, re.DOTALL)[1]
        self.assertNotRegex(style, r"url\(|@import")
        self.assertNotIn("http", page.scripts[1])
        policy = next(one["content"] for _, one in page.elements if "http-equiv" in one)
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("http", policy)

    def test_loads_nothing(self):
        for name in ("h200x4/halo", "samples"):
            self.assert_loads_nothing(self.page(RESULTS / name))

    def test_names_stay_names(self):
        rows = [row(ranks, 1.0 / ranks, matrix=NASTY, study=NASTY, format=NASTY, transport=NASTY, hosts=NASTY,
                    devices=NASTY, verdict=NASTY, git=NASTY, command_line=f"rowhalo run --matrix '{ranks}'",
                    reason=NASTY, point=NASTY, passed=False) for ranks in (1, 2)]
        plain = self.page(self.write("a.csv", csv_text([row(1, 1.0), row(2, 0.5)])))
        page = self.page(self.write(f"{NASTY.replace('/', '')}.csv", csv_text(rows)),
                         name="<b>&.html")
        self.assert_loads_nothing(page)
        self.assertEqual(len(page.scripts), len(plain.scripts))
        self.assertEqual(page.scripts[1:], plain.scripts[1:])
        self.assertIn(NASTY, page.text)
        saved = self.write("again.csv", page.model["csv"])
        self.assertEqual({one["matrix"] for one in read_csv(saved)}, {NASTY})
        self.assertEqual(page.verdict(), "FAIL")
        # In pictures, too.
        rows = [{**one, "passed": True, "reason": None} for one in rows]
        page = self.page(self.write("b.csv", csv_text(rows)))
        for picture in page.pictures():
            self.assertNotRegex(picture, "(?i)<img|<script")

    def test_without_its_packages(self):
        for package in ("jinja2", "matplotlib"):
            place = self.place / f"for-{package}"
            place.mkdir()
            (place / f"{package}.py").write_text("raise ImportError('none here')\n", encoding="utf-8")
            said = self.report(SAMPLES / "run.json", path=place, status=2)
            self.assertRegex(said, rf"^rowhalo-study report: [^\n]*{package} \(none here\)[^\n]*pip install {package}[^\n]*\n$")
            self.assertFalse((self.place / "report.html").exists())


class Verdicts(PageCase):
    def verdict(self, rows, *words):
        page = self.page(self.write("v.csv", csv_text(rows)), *words)
        return page.verdict(), page.text

    def test_words(self):
        unchecked = row(2, 0.5, passed=None, against=None)
        for rows, word, words in (
                ([row(1), row(2)], "PASS", "All 2 results are right, compared with petsc."),
                ([row(1), {**row(2), "passed": False}], "FAIL", "y is wrong in 1 of 2 results: m:1, 2 ranks, f, h"),
                ([row(1), {**row(2), "status": "interrupted"}], "INCOMPLETE", "1 result interrupted"),
                ([row(1), unchecked], "PARTLY CHECKED", "1 result not checked"),
                ([row(1, against="none")], "NOT CHECKED", "0 of 1 result right"),
                ([unchecked], "NOT CHECKED", "0 of 1 result right")):
            with self.subTest(word):
                found, text = self.verdict(rows)
                self.assertEqual(found, word)
                self.assertIn(words, text)

    def test_petsc_on_the_cpu_measures_no_gpu(self):
        for device, shown in (("cpu", True), ("gpu", False)):
            _, text = self.verdict([row(1, 0.5, petsc_seconds=1.0, device=device)])
            self.assertEqual("2.00× speed over PETSc's MatMult" in text, shown, device)

    def test_a_point_that_is_missing(self):
        study = self.place / "study"
        study.mkdir()
        (study / "plan.json").write_text(json.dumps({"study": "s", "title": "A title", "points": [
            {"name": name, "device": "cpu", "ranks_per_node": 1} for name in ("n1", "n2")]}), encoding="utf-8")
        (study / "site.ini").write_text("[site]\nscheduler = none\n[job]\naccount = secret\n", encoding="utf-8")
        (study / "results.csv").write_text(csv_text([row(1)]), encoding="utf-8")
        page = self.page(study)
        self.assertEqual(page.verdict(), "INCOMPLETE")
        for words in ("1 point of the study not measured: n2", "A title",
                      "rowhalo-study run study.ini --site site.ini --output study",
                      "mpirun -n 1 rowhalo run --format f --halo h"):
            self.assertIn(words, page.text)
        self.assertNotIn("secret", page.source)
        self.report(study)
        self.assertTrue((study / "report.html").is_file())

    def test_a_point_that_the_machine_cannot_run(self):
        study = self.place / "study"
        study.mkdir()
        points = [{"name": f"n{ranks}", "device": "cpu", "ranks_per_node": ranks} for ranks in (1, 2, 8)]
        (study / "plan.json").write_text(json.dumps({"study": "s", "points": points}), encoding="utf-8")
        (study / "site.ini").write_text("[site]\nscheduler = none\n[node]\ncores = 4\ngpus = 0\n"
                                        "[launch]\ncommand = mpirun -n {ranks}\n", encoding="utf-8")
        for measured, word, words in (((1, 2), "PASS", "All 2 results are right"),
                                      ((1,), "INCOMPLETE", "1 point of the study not measured: n2")):
            (study / "results.csv").write_text(csv_text([row(ranks) for ranks in measured]), encoding="utf-8")
            with patch.dict(os.environ):
                os.environ.pop("OMPI_MCA_rmaps_base_oversubscribe", None)  # with it n8 could run
                os.environ.pop("PRTE_MCA_rmaps_default_mapping_policy", None)
                page = self.page(study)
            self.assertEqual(page.verdict(), word)
            self.assertIn(words, page.text)
            self.assertIn("1 point of the study skipped on this machine: n8 (8 ranks per node, 4 cores).", page.text)

    def test_notes(self):
        rows = [row(2, seconds, repeat=repeat, nonzero_imbalance=1.5, git="abc-dirty", exposed_seconds=0.2)
                for repeat, seconds in ((1, 1.0), (2, 1.0), (3, 1.2))]
        _, text = self.verdict(rows + [row(4, 1.0, reason="too large", median_seconds=None)])
        for words in ("differ by more than 10%", "1.50 times the mean nonzeros", "More than 10% of a product",
                      "git says dirty", "1 combination could not run"):
            self.assertIn(words, text)

    def test_official(self):
        folder = self.place / "official"
        made = Made()
        made.write(folder)
        page = self.page(folder, "--reference", self.write("theirs.csv", csv_text(
            [{**one, "gbytes_per_second": one["gbytes_per_second"]} for rows in made.rows().values()
             for one in rows])))
        self.assertEqual(page.verdict(), "VALID")
        self.assertIn("reference", page.sections())
        for words in ("Official result, set node, division standard: ",
                      "1.00× the rate of the reference (0.97 to 1.03): rating",
                      "rowhalo-study official --set node --division standard --site site.ini"):
            self.assertIn(words, page.text)
        made.more["points/road/provenance/job.txt"] = "   OverSubscribe=YES"
        made.write(folder)
        page = self.page(folder)
        self.assertEqual(page.verdict(), "INVALID")
        self.assertIn("shared node: Slurm's record of the job says OverSubscribe=YES: road", page.text)


class Comparisons(PageCase):
    def test_ratios_are_those_of_compare(self):
        def table(name, factor):
            rows = [row(ranks, factor * spread / ranks, repeat=repeat) for ranks in (1, 2)
                    for repeat, spread in enumerate((1.0, 1.01, 0.99, 1.02, 0.98, 1.0), 1)]
            return self.write(name, csv_text(rows))
        before, after = table("before.csv", 1.0), table("after.csv", 1.2)
        said = script("compare", before, after)
        self.assertEqual(said.returncode, 1)
        page = self.page(after, "--earlier", before)
        self.assertEqual((page.verdict(), page.sections()[0]), ("SLOWER", "earlier"))
        found = re.findall(r"(1\.\d{3}) +(\d\.\d{3})-(\d\.\d{3}) .* slower\n", said.stdout)
        self.assertEqual(len(found), 2)
        for ratio, low, high in found:
            self.assertIn(f"{ratio} {low} to {high} slower", page.text)
        self.assertIn("2 slower than in the earlier result, of 2 results; 0 faster, 0 not shown", page.text)
        self.assertIn("rowhalo-study report after.csv --earlier before.csv", page.text)
        page = self.page(after, "--earlier", after)
        self.assertEqual(page.verdict(), "PASS")
        self.assertIn("and none of 2 is shown to be slower than before", page.text)

    def test_reference_of_another_machine(self):
        page = self.page(REFERENCE, "--reference", REFERENCE)
        self.assertIn("this result over 1 × NVIDIA H200", page.pictures("reference")[0])
        # A result beside itself: run by run the same.
        self.assertRegex(page.text, r"stencil27:nx=320\S+ 1 rank [\d.]+ [\d.]+ GB/s 1\.000 unknown 1\.000 ")


class Refusals(PageCase):
    def test_refusals(self):
        table = self.write("t.csv", csv_text([row(1)]))
        other = self.write("o.csv", csv_text([row(8, matrix="other")]))
        rated = self.write("p.csv", csv_text([row(1, matrix="other", gbytes_per_second=1.0)]))
        for words, message in (
                ((self.place / "nowhere",), "there is no such file or folder"),
                ((SAMPLES / "network.json",), "a report of `network`, without a matrix"),
                ((table, "--earlier", other), "has no line in common"),
                ((table, "--earlier", self.place / "none.csv"), "No such file or directory"),
                ((table, "--reference", rated), "has no matrix in common"),
                ((table, "--reference", self.write("r.csv", "a,b\n1,2\n")), "is no reference")):
            with self.subTest(message):
                self.assertRegex(self.report(*words, status=2),
                                 rf"^rowhalo-study report: [^\n]*{message}[^\n]*\n$")
        self.assertIn("usage: rowhalo-study report", self.report(status=2))
        said = self.report(table, "--output", self.place / "none/page.html", status=1)
        self.assertRegex(said, r"^rowhalo-study report: [^\n]*page\.html: No such file or directory\n$")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    unittest.main()
