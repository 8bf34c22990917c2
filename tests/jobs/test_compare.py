#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs/rowhalo-study compare: finds a planted slow-down of 10 % and passes two equal runs, with and without
noise, from the times of repeats, of batches in HDF5, and of the JSON alone; refuses what does not
match. The results are the program's own, with times put in."""
import copy
import json
import random
import re
import shutil
import tempfile
import unittest
from pathlib import Path

import results
from results import launch, script

launch.require("h5py", "numpy")
import h5py  # noqa: E402  pylint: disable=wrong-import-position
import numpy  # noqa: E402  pylint: disable=wrong-import-position

NOISE = 0.02    # of a time, one standard deviation
BATCHES = 20


def timed(report, seconds, noise=0.0):
    """The report with other times: of one product `seconds`, the batches spread by `noise`."""
    report = copy.deepcopy(report)
    report["timing"].update(median_seconds=seconds, min_seconds=seconds * (1 - noise),
                            p95_seconds=seconds * (1 + 1.645 * noise))
    return report


class Compare(launch.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.random = random.Random(20260101)
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.own = Path(holder.name) / "own"
        cls.measured = results.measure(cls.own, 1, "--matrix", "stencil7:8", "--format", "csr",
                                       "--halo", "mpi", ranks=2)

    def setUp(self):
        super().setUp()
        self.report = copy.deepcopy(self.measured)

    def compare(self, before, after, *options, status):
        compared = script("compare", before, after, *options)
        if status is not None:
            self.assertEqual(compared.returncode, status, compared.stdout + compared.stderr)
        return compared.stderr if status == 2 else compared.stdout

    def write_report(self, name, report):
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(report), encoding="utf-8")
        return path

    def noisy(self, seconds, count, noise=NOISE):
        return [self.random.gauss(seconds, noise * seconds) for _ in range(count)]

    def write_study(self, name, seconds, noise=NOISE, repeats=5):
        """A study of one point whose repeats spread by `noise`."""
        place = self.place / name / "points" / "p"
        for repeat, time in enumerate(self.noisy(seconds, repeats, noise), 1):
            self.write_report(place / f"result-{repeat}.json", timed(self.report, time, noise))
        self.write_report(place / "point.json", {"name": "p", "study": "s", "kind": "strong"})
        results.collect(self.place / name)
        return self.place / name

    def write_hdf5(self, name, seconds, noise=NOISE):
        """A JSON with its HDF5, whose batches spread by `noise`."""
        batches = self.noisy(seconds, BATCHES, noise)
        path = self.write_report(f"{name}.json", timed(self.report, float(numpy.median(batches))))
        target = path.with_suffix(".h5")
        shutil.copy(self.own / "result-1.h5", target)
        with h5py.File(target, "r+") as file:
            del file["ranks/batch_seconds"]
            file["ranks/batch_seconds"] = numpy.array([batches, [0.9 * one for one in batches]])
        return path

    def test_without_noise(self):
        """Of one run each 3 % are assumed between runs, so that 8 % are within the noise."""
        before = self.write_report("a.json", timed(self.report, 1e-3))
        for factor, status, verdict in ((1.0, 0, "not shown: within the noise"), (0.95, 0, "not shown; about 5 more runs of each would show it"),
                                        (1.06, 0, "not shown"), (1.10, 1, "slower"), (0.90, 0, "faster")):
            after = self.write_report("b.json", timed(self.report, factor * 1e-3))
            text = self.compare(before, after, status=status)
            self.assertRegex(text, rf"stencil7:8, 2 ranks, fp64, rows, csr mpi +1 +\S+ +"
                                   rf"{factor:.3f} .* {verdict}")

    def test_threshold(self):
        """0: at most so much slower; 1: slower by more; 4: the runs cannot tell."""
        before = self.write_study("a", 1e-3, 0.001)
        for factor, threshold, status, said in ((1.0, 1, 0, "yes"), (1.04, 5, 0, "yes"), (1.04, 2, 1, "no"), (1.04, 4, 4, "cannot tell"),
                                                (0.9, 0, 0, "yes")):
            after = self.write_study(f"b{factor}-{threshold}", factor * 1e-3, 0.001)
            text = self.compare(before, after, "--threshold", threshold, status=status)
            self.assertRegex(text, rf"at most {threshold} % slower: .*{said}")

    def test_repeats_find_a_tenth_and_pass_equals(self):
        before = self.write_study("a", 1e-3)
        for trial in range(6):
            equal, slower = f"equal{trial}", f"slower{trial}"
            self.assertIn("0 slower", self.compare(before, self.write_study(equal, 1e-3), status=0))
            self.assertIn("1 slower", self.compare(before, self.write_study(slower, 1.1e-3), status=1))

    def test_runs_that_take_turns_are_pairs(self):
        """The machine becomes slower by a fifth meanwhile: pairs show 4 %, the same runs one after the other do not."""
        folders = {}
        for name, hour in (("turns", 0), ("after", 12)):
            for side, factor in (("a", 1.0), ("b", 1.04)):
                place = self.place / f"{name}-{side}" / "points" / "p"
                for repeat in range(8):
                    report = timed(self.report, 1e-3 * factor * (1 + 0.03 * repeat) * self.random.gauss(1, 0.003))
                    minute = 2 * repeat + (side == "b") if name == "turns" else repeat + 30 * (side == "b")
                    report["provenance"]["time"] = f"2026-01-01T{hour:02}:{minute:02}:00Z"
                    self.write_report(place / f"result-{repeat + 1}.json", report)
                self.write_report(place / "point.json", {"name": "p", "study": "s", "kind": "strong"})
                results.collect(self.place / f"{name}-{side}")
                folders[name, side] = self.place / f"{name}-{side}"
        self.assertIn("1 slower", self.compare(folders["turns", "a"], folders["turns", "b"], status=1))
        self.assertIn("1 not shown", self.compare(folders["after", "a"], folders["after", "b"], status=0))

    @launch.needs("HDF5")
    def test_batches_in_hdf5_find_a_fifth_and_pass_equals(self):
        before = self.write_hdf5("a", 1e-3)
        for trial in range(4):
            text = self.compare(before, self.write_hdf5(f"equal{trial}", 1e-3), status=0)
            low, high = map(float, re.search(r" (\d\.\d+)-(\d\.\d+) ", text).groups())
            self.assertTrue(0.85 < low < 1 < high < 1.18, text)
            self.compare(before, self.write_hdf5(f"slower{trial}", 1.2e-3), status=1)

    def test_json_alone_tells_noise(self):
        before = self.write_report("a.json", timed(self.report, 1e-3, NOISE))
        slower = timed(self.report, 1.2e-3, NOISE)
        self.compare(before, self.write_report("b.json", slower), status=1)
        wild = self.write_report("c.json", timed(self.report, 1.1e-3, 0.3))
        text = self.compare(before, wild, status=0)
        self.assertIn("not shown", text)
        self.assertRegex(text, r" 16\.\d%  +\?  ")   # batches; runs are not known

    def test_combinations_and_formats_one_by_one(self):
        for command, key, arguments in (
                ("run", "cases", ["--halo", "all", "--format", "csr"]),
                ("kernels", "formats", ["--format", "csr,sell,ell"])):
            report = results.measure(self.place / command, 1, "--matrix", "stencil5:9", *arguments,
                                     command=command, ranks=2 if command == "run" else 1)
            if report["timing"]:
                report = timed(report, report["timing"]["median_seconds"])
            before = self.write_report("a.json", report)
            count = len(report[key])
            self.assertGreaterEqual(count, 3)
            self.assertIn(f"{count} compared; 0 faster; 0 slower", self.compare(before, before, status=0))
            for name in ("seconds", "median_seconds"):
                if name in report[key][-1]:
                    report[key][-1][name] *= 2
            text = self.compare(before, self.write_report("b.json", report), status=1)
            self.assertIn(f"{count} compared; 0 faster; 1 slower", text)

    def test_a_wrong_y_counts(self):
        before = self.write_report("a.json", self.report)
        self.report["validation"]["passed"] = False
        text = self.compare(before, self.write_report("b.json", self.report), status=1)
        self.assertRegex(text, r"y is wrong in .*b\.json: stencil7:8, 2 ranks")

    def test_what_does_not_match(self):
        before = self.write_report("a.json", self.report)
        for section, key, value in (("matrix", "source", "stencil7:9"), ("kernel", "precision", "fp32")):
            other = copy.deepcopy(self.report)
            other[section][key] = value
            message = self.compare(before, self.write_report("b.json", other), status=2)
            self.assertRegex(message, r"^rowhalo-study compare: nothing to compare: [^\n]+\n$")
        both = self.place / "both"
        shutil.copytree(self.own, both)
        self.write_report(both / "other.json", other)
        self.assertRegex(self.compare(before, both, status=0), "only in .*both: .* fp32, .* csr mpi")

    def test_what_has_changed_is_named(self):
        before = self.write_report("a.json", timed(self.report, 1e-3))
        for section, key, value, said in (("partition", "ranks", 4, "ranks 2 -> 4"), ("kernel", "format", "sell", "format csr -> sell"),
                                          ("halo", "transport", "nccl", "transport mpi -> nccl")):
            other = timed(self.report, 0.5e-3)
            other[section][key] = value
            text = self.compare(before, self.write_report("b.json", other), status=0)
            self.assertRegex(text, rf"0\.500 .* faster \({said}\)")
        other = copy.deepcopy(self.report)
        other["provenance"]["devices"] = ["Another", "Another"]
        self.assertRegex(self.compare(before, self.write_report("b.json", other), status=None), r"devices have changed: .* -> 2 × Another\n")
        asked = {**other, "argv": [*other["argv"], "--partition", "nnz"]}
        asked["partition"]["name"] = "nnz"
        self.assertIn("(partition auto -> nnz)", self.compare(before, self.write_report("b.json", asked), status=None))

    def test_what_a_run_chose_by_itself_is_no_difference(self):
        before = self.write_report("a.json", self.report)
        for section, key, value in (("halo", "schedule", "split"), ("partition", "name", "nnz")):
            other = copy.deepcopy(self.report)
            other[section][key] = value
            text = self.compare(before, self.write_report("b.json", other), status=0)
            self.assertIn("1 compared", text)
            self.assertNotIn("->", text)

    def test_usage(self):
        own = self.own / "result-1.json"
        self.assertIn("no such file", self.compare(own, self.place / "none.json", status=2))
        self.assertIn("at least 0", self.compare(own, own, "--threshold", "-1", status=2))
        self.compare(own, own, "--threshold", "x", status=2)
        self.report["status"] = "interrupted"
        stopped = self.write_report("stopped.json", self.report)
        self.assertIn("no finished product", self.compare(own, stopped, status=2))


if __name__ == "__main__":
    unittest.main()
