#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs/rowhalo-study official: a rehearsal, bundles that were changed, ratios to a reference."""
import io
import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import time
import unittest
from unittest.mock import patch

import throwaway
from official_results import RATES, Made
from results import JOBS, launch, script

# pylint: disable=wrong-import-position
from rowhalo_study.official import bundle, ratios  # noqa: E402
from rowhalo_study.official.rating import Broken, evidence_of  # noqa: E402

SMALL = {"stencil27": 8, "road": 40, "rmat": 8}
# The program with small matrices in the place of those of the set tiny.
PATCHED = (f"import sys; sys.path.insert(0, {str(JOBS)!r}); from rowhalo_study.cli import official; from rowhalo_study.official import sets; "
           f"sets.SETS['tiny'] = sets.SETS['tiny']._replace(sizes={SMALL}, iterations=20); "
           "sys.exit(official.main(sys.argv[1:]))")


class Bundles(launch.Case):
    def repacked(self, change, again=False):
        """The bundle with changed files; `again`: the manifest follows."""
        files = bundle.read(self.path)
        change(files)
        if again:
            del files[bundle.MANIFEST]
            files[bundle.MANIFEST] = bundle.manifest_of(files).encode()
        path = self.place / "changed.tar.gz"
        path.write_bytes(bundle.archive_of(files, "changed"))
        return bundle.check(path)[1]

    def setUp(self):
        super().setUp()
        _, self.path = Made().write(self.place)

    def test_same_files_same_bytes(self):
        before = self.path.read_bytes()
        _, path = Made().write(self.place)
        self.assertEqual(path.read_bytes(), before)
        self.assertEqual(bundle.check(path)[1], [])

    def test_its_programs_start(self):
        """Of an unpacked bundle, with nothing of jobs/ beside them."""
        with tarfile.open(self.path) as archive:
            archive.extractall(self.place / "unpacked")
        scripts, = (self.place / "unpacked").glob("*/scripts")
        for words in (["rowhalo-study", "official", "--help"], ["rowhalo-study", "plan", "--help"],
                      ["rowhalo-study", "compare", "--help"], ["run.sh", "--help"], ["rowhalo-study", "official", "check", self.path]):
            with self.subTest(words):
                start = ["bash"] if words[0].endswith(".sh") else [sys.executable, "-B"]
                made = subprocess.run([*start, *words], check=False, cwd=scripts, stdout=subprocess.PIPE, text=True,
                                      stderr=subprocess.STDOUT, timeout=launch.PATIENCE)
                self.assertEqual(made.returncode, 0, made.stdout)

    def test_every_digit_counts(self):
        name = "points/road/result-2.json"
        text = bundle.read(self.path)[name].decode()
        places = [found.start() for found in re.finditer(r"\d", text)]
        for place in places[::max(1, len(places) // 12)]:
            digit = str((int(text[place]) + 1) % 10)
            spoilt = text[:place] + digit + text[place + 1:]
            try:
                wrong = self.repacked(lambda files: files.update({name: spoilt.encode()}))
            except Broken:  # such as 01
                continue
            self.assertIn(f"{name}: was changed after the bundle was made", wrong[0])

    def test_figures_are_computed_again(self):
        """What a forged manifest hides, the figures tell."""
        def forged(name, keys, factor):
            def change(files):
                report = json.loads(files[name].decode())
                where = report
                for key in keys[:-1]:
                    where = where[key]
                where[keys[-1]] *= factor
                files[name] = json.dumps(report).encode()
            return self.repacked(change, again=True)
        report = "points/road/result-3.json"
        for keys in (("timing", "median_seconds"), ("performance", "gbytes_per_second")):
            self.assertIn("rating.json says verdict = VALID; its reports give INVALID",
                          forged(report, keys, 1.01))
        self.assertIn("results.csv: is not the table of its reports",
                      forged(report, ("validation", "max_error_ratio"), 0.5))
        wrong = forged(bundle.RATING, ("rating", "gbytes_per_second"), 1.01)
        self.assertRegex(wrong[0], r"rating.json says rating.gbytes_per_second = 89.1\d+; its reports give 88.2")
        wrong = self.repacked(lambda files: files.update({
            bundle.TABLE: files[bundle.TABLE].replace(b"103", b"104")}), again=True)
        self.assertEqual(wrong, ["results.csv: is not the table of its reports"])

    def test_missing_and_additional_files(self):
        self.assertEqual(self.repacked(lambda files: files.update({"more": b""})),
                         ["more: is not in MANIFEST.sha256"])
        wrong = self.repacked(lambda files: files.pop("points/web/result-5.json"))
        self.assertIn("points/web/result-5.json: is in MANIFEST.sha256 and not in the bundle", wrong)
        self.assertIn("results.csv: is missing", self.repacked(lambda files: files.pop("results.csv")))

    def test_no_bundles(self):
        content = self.path.read_bytes()
        for bad in (b"", b"x", content[:-20], content[:100] + b"x" + content[101:]):
            path = self.place / "bad.tar.gz"
            path.write_bytes(bad)
            made = script("official", "check", path)
            self.assertEqual(made.returncode, 1, made.stderr)
            self.assertIn(f"rowhalo-study official: {path}: ", made.stderr)
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            member = tarfile.TarInfo("x/plan.json")
            member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(member)
        path.write_bytes(packed.getvalue())
        with self.assertRaisesRegex(Broken, "is no plain file"):
            bundle.check(path)

    def test_invalid_has_its_own_status(self):
        made = Made()
        made.reports["road", 2]["wall"]["measure_seconds"] = 1.0
        _, path = made.write(self.place)
        checked = script("official", "check", path, "--save-reference", self.place / "r.csv")
        self.assertEqual(checked.returncode, 2, checked.stderr)
        self.assertIn("the result is INVALID", checked.stderr)
        self.assertEqual(script("official", "check", path).returncode, 3)

    def test_reference(self):
        reference = self.place / "reference.csv"
        made = script("official", "check", self.path, "--save-reference", reference)
        self.assertEqual(made.returncode, 0, made.stderr)
        made = script("official", "check", self.path, "--reference", reference)
        self.assertRegex(made.stdout, r"rating +88.29 +88.29 +1.000 ")
        self.assertEqual(script("compare", reference, reference).returncode, 0)
        made = script("official", "check", self.path, "--reference", self.path)
        self.assertEqual((made.returncode, "is no reference" in made.stderr), (2, True), made.stderr)

    def test_ratios_by_hand(self):
        """Against a machine of 8 ranks that is twice as fast on web, and as fast on the others."""
        with patch.dict(RATES, web=100):
            other = Made(ranks=8)
        path = self.place / "other.csv"
        path.write_text(bundle.table_of(evidence_of(other.files())), encoding="utf-8")
        found = {ratio.name: ratio for ratio in ratios.ratios(Made().rows(), ratios.read_reference(path))}
        self.assertAlmostEqual(found["road"].ratio, 1, places=6)
        for value, wanted in ((found["road"].per_rank, 2), (found["web"].ratio, 0.5),
                              (found["rating"].ratio, 6 / 7), (found["rating"].per_rank, 12 / 7)):
            self.assertAlmostEqual(value, wanted, places=6)
        self.assertAlmostEqual(found["solve"].ratio, 1, places=6)
        # Five runs of 101 to 105 GB/s on both sides: the third ratio from either end.
        self.assertAlmostEqual(found["road"].low, 102 / 105, places=6)
        self.assertAlmostEqual(found["road"].high, 105 / 102, places=6)


class Rehearsal(launch.Case):
    def official(self, *words):
        return subprocess.run([sys.executable, "-B", "-c", PATCHED, *map(str, words)], check=False,
                              env=throwaway.environment(), stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=launch.PATIENCE)

    def cut_off(self, words):
        """Asked to end when its second point runs."""
        with subprocess.Popen([sys.executable, "-B", "-c", PATCHED, *words], text=True,
                              env=throwaway.environment(), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            deadline = time.monotonic() + launch.PATIENCE
            while not (self.place / "out/points/road/run.txt").exists():
                self.assertIsNone(process.poll(), process.stdout)
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)
            process.send_signal(signal.SIGTERM)
            said, _ = process.communicate(timeout=launch.PATIENCE)
        self.assertEqual(process.returncode, 1, said)
        return said

    def test_cut_off_and_resumed(self):
        output = self.place / "out"
        words = ["--set", "tiny", "--seconds", "0.1", "--output", str(output)]
        said = self.cut_off(words)
        self.assertRegex(said, r"stencil27 +done")
        self.assertRegex(said, r"not finished; to go on: \S*jobs/rowhalo-study official --set tiny --seconds 0.1")
        before = (output / "points/stencil27/done").stat().st_mtime_ns
        made = self.official(*words)
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        self.assertIn("verdict: REHEARSAL", made.stdout)
        self.assertIn("an official result would be INVALID: too short: 0.1 s per run", made.stdout)
        self.assertEqual((output / "points/stencil27/done").stat().st_mtime_ns, before)
        self.check_result(output)
        self.refuses_another(words)

    def check_result(self, output):
        path = output / "rehearsal-tiny-standard.tar.gz"
        made = self.official("check", path, "--save-reference", self.place / "r.csv")
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        self.assertIn("unchanged: ", made.stdout)
        rating = json.loads((output / "rating.json").read_text("utf-8"))
        rates = [matrix["gbytes_per_second"]["median"] for matrix in rating["matrices"]]
        reports = [json.loads((output / f"points/{name}/result-1.json").read_text("utf-8"))
                   for name in SMALL]
        self.assertEqual(rates, [report["performance"]["gbytes_per_second"] for report in reports])
        self.assertAlmostEqual(rating["rating"]["gbytes_per_second"], 3 / sum(1 / rate for rate in rates))
        self.assertEqual([matrix["name"] for matrix in rating["matrices"]], list(SMALL))
        for report in reports:
            self.assertIn("off", report["argv"])
        made = script("official", "check", path)
        self.assertEqual(made.returncode, 1, made.stdout)
        self.assertIn("set changed", made.stdout)

    def refuses_another(self, words):
        made = self.official(*words, "--division", "tuned")
        self.assertEqual(made.returncode, 2, made.stderr)
        self.assertIn("was begun with division = standard, not tuned", made.stderr)

    def test_wrong_usage(self):
        for words, said in ((("--set", "rack"), "--nodes N is missing"),
                            (("--set", "node", "--nodes", "2"), "the set node takes 1"),
                            (("--set", "rack", "--nodes", "2", "--site", "local"), "has no scheduler"),
                            (("--set", "tiny", "--", "--format", "csr"), "takes no options of rowhalo"),
                            (("--set", "tiny", "--output", self.place.parent), "holds something else"),
                            (("--set", "tiny", "--reference", self.place / "no"), "is no reference")):
            with patch.dict(os.environ, ROWHALO=str(launch.BINARY)):
                made = script("official", *words)
            self.assertEqual(made.returncode, 2, made.stderr)
            self.assertIn(said, made.stderr)

    def test_dry_run_writes_nothing(self):
        output = self.place / "out"
        made = self.official("--set", "tiny", "--dry-run", "--output", output)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("run --matrix rmat:scale=8 --device", made.stdout)
        self.assertFalse(output.exists())


if __name__ == "__main__":
    unittest.main()
