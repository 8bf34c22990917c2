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
SCALING = ["strong", "efficiency", "breakdown", "exposed", "roofline", *OVER_RANKS]
EXPECTED_SECTIONS = (
    (["h200x4/gpu-strong"], SCALING),
    (["h200x4/gpu-weak"], ["weak", *SCALING[1:]]),
    (["h200x4/halo"], [*SCALING[:4], "transports", "roofline", *OVER_RANKS]),
    (["h200x2/solve"], ["solve-strong", "solve-breakdown"]),
    (["h100/formats.csv"], ["formats", "roofline"]),
    (["h200/expected.csv"], ["breakdown", "roofline", "expected"]),
    (["samples/info.json"], ["communication"]),
    (["samples/kernels.json"], ["formats", "roofline", "telemetry"]),
    (["samples/run.json"], ["breakdown", "transports", "roofline"]),
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
                self.check_traces(page)

    def check_traces(self, page):
        """Every point has a text and says what it belongs to."""
        self.assertTrue(page.traces())
        for trace in page.traces():
            if trace["type"] == "heatmap" or not trace["meta"] or trace["meta"].get("guide"):
                continue
            count = len(trace["x"])
            self.assertGreater(count, 0)
            self.assertEqual([len(trace[name]) for name in ("y", "hovertext")], [count] * 2, trace["name"])
            lengths = {len(values) for values in trace["meta"].values() if isinstance(values, list)}
            self.assertLessEqual(lengths, {count}, trace["name"])

    def test_measured_here(self):
        """Strong, weak and solver studies with what only reports and HDF5 hold."""
        strong, solve = self.place / "strong", self.place / "solve"
        results.make_study(strong, "strong", {1: "stencil7:10", 2: "stencil7:10"}, "--format", "csr",
                           "--halo", "mpi", format="csr", halo="mpi")
        for ranks in (1, 2):
            results.measure(solve, ranks, "--matrix", "stencil7:8", "--method", "cg", "--iterations", "10",
                             ranks=ranks, command="solve")
        page = self.page(strong)
        self.assertEqual(page.sections(), ["strong", "efficiency", "breakdown", *OVER_RANKS])
        self.assertEqual(page.verdict(), "PASS")
        self.assertIn("All 2 results are right, compared with reference.", page.text)
        if launch.built_with("HDF5"):
            heat, sent = page.traces("communication")
            self.assertEqual([value is None for line in heat["z"] for value in line],
                             [True, False, False, True])
            self.assertEqual([sent["x"], sent["y"]], [[1, 2], [0, 1.6]])
            ranks = [trace["x"] for trace in page.traces("imbalance") if trace["type"] == "bar"]
            self.assertEqual(ranks, [[0, 1]] * 5)
        page = self.page(solve)
        self.assertEqual(page.sections(), ["solve-strong", "solve-breakdown", "history"])
        histories = {trace["name"]: trace for trace in page.traces("history")}
        report = json.loads((solve / "result-2.json").read_text(encoding="utf-8"))
        for solver in report["solvers"]:
            self.assertEqual(histories[solver["method"]]["y"],
                             [norm / solver["norms"][0] for norm in solver["norms"]])

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
        for words in ("power cap 25%", "1700 1980", "0.125 J least energy per product"):
            self.assertIn(words, page.text)
        clock, limit = page.traces("telemetry")
        self.assertEqual([clock["y"], clock["error_y"]["array"], limit["y"]], [[1700.0], [280.0], [1980.0]])


class Figures(PageCase):
    def test_times_speed_up_efficiency(self):
        page = self.page(self.write("t.csv", csv_text([row(1, 8.0), row(2, 4.0), row(4, 2.5)])))
        time, speed = ([one for one in page.traces("strong") if one["name"] == "m:1"][part]
                       for part in (0, 1))
        share, = [one for one in page.traces("efficiency") if one["name"] == "m:1"]
        self.assertEqual([time["x"], time["y"], speed["y"], share["y"]],
                         [[1, 2, 4], [8, 4, 2.5], [1, 2, 3.2], [100, 100, 80]])
        self.assertIn("<b>m:1</b><br>4 ranks<br>80.0 %<br>2.5 s<br>f, h", share["hovertext"])
        self.assertIn("3.20× speed-up from 1 to 4 ranks, efficiency 80 %: m:1", page.text)
        self.assertEqual(share["meta"]["transport"], [None, "h", "h"])

    def test_the_table_is_inside(self):
        for name in ("h200x4/gpu-strong/results.csv", "h200x2/solve/results.csv"):
            page = self.page(RESULTS / name)
            saved = self.write("again.csv", page.model["csv"])
            self.assertEqual(read_csv(saved), read_csv(RESULTS / name))

    def test_a_choice_of_transport_has_lines_of_its_own(self):
        rows = [row(ranks, seconds, format=name, point=f"{ranks}{name}", command_line=(
            f"rowhalo run --format {name} --halo h")) for ranks, seconds in ((1, 4.0), (2, 2.0), (4, 1.0))
                for name in map("f{}".format, range(9))]
        page = self.page(self.write("t.csv", csv_text(rows)))
        self.assertEqual(page.choices(), {"format": [f"f{one}" for one in range(9)], "ranks": ["1", "2", "4"]})
        shown = {trace["name"]: trace["meta"]["only"] for trace in page.traces("efficiency")
                 if trace["meta"]}
        self.assertEqual(shown, {"m:1, fastest": "all", **{f"m:1 f{one} h": "chosen" for one in range(9)}})

    def test_the_same_bytes_again(self):
        for name in ("h200x4/halo", "samples"):
            first = self.page(RESULTS / name, name="one.html").source
            self.assertEqual(first, self.page(RESULTS / name, name="two.html").source)


class Whole(PageCase):
    def assert_loads_nothing(self, page):
        for tag, attributes in page.elements:
            for name in ("src", "srcset", "data", "action", "background"):
                self.assertNotIn(name, attributes, tag)
            self.assertTrue(attributes.get("href", "#").startswith("#"), attributes)
            self.assertNotIn(tag, ("link", "iframe", "object", "embed", "base", "img"))
        style = re.search(r"<style>(.*?)</style>", page.source, re.DOTALL)[1]
        self.assertNotRegex(style, r"url\(|@import")
        self.assertNotIn("http", page.scripts[2])
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
        # Plotly takes tags in names and texts.
        rows = [{**one, "passed": True, "reason": None} for one in rows]
        page = self.page(self.write("b.csv", csv_text(rows)))
        for trace in page.traces():
            for words in [trace["name"], *(trace["hovertext"] or [])]:
                self.assertNotRegex(words, r"<(?!/?b>|br>)")

    def test_the_code_of_plotly_cannot_end_its_script(self):
        code = self.write("odd.js", "window.Plotly='</script><!--<script>';")
        target = self.place / "odd.html"
        self.report(RESULTS / "h100/formats.csv", "--plotly", code, "--output", target, plotly=False)
        self.assertIn("window.Plotly='<\\/script>\\x3C!--<script>';", target.read_text(encoding="utf-8"))

    def test_without_plotly(self):
        for name, content, message in (
                ("__init__.py", "raise ImportError('none here')", r"need the Python package plotly \(none here\)"),
                ("offline.py", "def get_plotlyjs():\n    raise FileNotFoundError('gone')", "no plotly.js")):
            package = self.place / f"for-{name}" / "plotly"
            package.mkdir(parents=True)
            for file in ("__init__.py", "offline.py"):
                (package / file).write_text(content if file == name else "", encoding="utf-8")
            said = self.report(SAMPLES / "run.json", plotly=False, path=package.parent, status=2)
            self.assertRegex(said, rf"^rowhalo-study report: [^\n]*{message}[^\n]*pip install plotly[^\n]*--plotly FILE\.js\n$")
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
            self.assertEqual("2.00× speed over PETSc's MatMult" in " ".join(text.split()), shown, device)

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
                      "1.00× the rate of the reference: rating",
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
        self.assertIn("1.200 time over the earlier time (geometric mean of 2 results)", page.text)
        self.assertIn("rowhalo-study report after.csv --earlier before.csv", page.text)
        page = self.page(after, "--earlier", after)
        self.assertEqual(page.verdict(), "PASS")
        self.assertIn("and none of 2 is shown to be slower than before", page.text)

    def test_reference_of_another_machine(self):
        page = self.page(REFERENCE, "--reference", REFERENCE)
        bars = [trace for trace in page.traces("reference")]
        self.assertEqual(bars[0]["y"], bars[1]["y"])
        self.assertIn("1 × NVIDIA H200", page.text)
        page = self.page(RESULTS / "h100/formats.csv", "--reference", REFERENCE)
        self.assertNotIn("reference", page.sections())
        self.assertIn("reference, 1 × NVIDIA H200, read, 4453 GB/s",
                      [trace["name"] for trace in page.traces("roofline")])
        self.assertIn("has no matrix in common", page.text)


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
                ((table, "--reference", self.write("r.csv", "a,b\n1,2\n")), "is no reference"),
                ((table, "--plotly", self.place / "none.js"), "cannot be read")):
            with self.subTest(message):
                self.assertRegex(self.report(*words, status=2, plotly="--plotly" not in words),
                                 rf"^rowhalo-study report: [^\n]*{message}[^\n]*\n$")
        self.assertIn("usage: rowhalo-study report", self.report(status=2))
        said = self.report(table, "--output", self.place / "none/page.html", status=1)
        self.assertRegex(said, r"^rowhalo-study report: [^\n]*page\.html: No such file or directory\n$")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    unittest.main()
