#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pages of jobs/rowhalo-study report in headless Chromium: every picture is drawn, selectors keep what they name, the
download is the table, the keyboard reaches everything, no error or warning on the console, no request, nothing wider than the
window, print. Skipped without chromium. ROWHALO_SCREENSHOTS=DIR keeps pictures (1200 and 400 pixels wide) and prints to look at."""
import csv
import io
import os
import shutil
import sys
import unittest
from pathlib import Path

import browser
from report_pages import PageCase
from results import JOBS

RESULTS = JOBS / "results"
PAGES = (
    ("halo", [RESULTS / "h200x4/halo"]),
    ("formats", [RESULTS / "h200/formats.csv", "--earlier", RESULTS / "h100/formats.csv", "--reference",
                 JOBS / "results/h200/formats.csv"]),
    ("samples", [RESULTS / "samples"]))


class Browser(PageCase):
    def made(self, name, words):
        target = self.place / f"{name}.html"
        self.report(*words, "--output", target)
        return target

    def check(self, seen, width):
        self.assertEqual(seen["errors"], [])
        self.assertEqual(seen["loads"], [])
        self.assertEqual(seen["ready"], "yes")
        self.assertLessEqual(seen["overflow"], 0, f"wider than {width}")
        self.assertTrue(seen["pictures"])
        for picture in seen["pictures"]:
            self.assertTrue(picture["width"] > 100 and picture["alt"], picture)
        self.assertIn("download", seen["focus"])
        self.assertGreater(seen["focus"].count("picture"), 0)

    def check_choices(self, seen):
        """A choice keeps some lines, never all of them, and all come back after a reset."""
        for key, choices in seen["choices"].items():
            whole = choices.pop("")
            for value, shown in choices.items():
                self.assertTrue(0 < shown <= whole, (key, value))
            if key in ("matrix", "ranks"):
                self.assertLess(min(choices.values()), whole, key)
        self.assertEqual(seen["after"], seen["before"])

    def test_pages(self):
        for name, words in PAGES:
            page = self.made(name, words)
            for width in (1200, 400) if name == "samples" else (1200,):
                with self.subTest(name, width=width):
                    seen = browser.probed(page, width)
                    self.check(seen, width)
                    if width == 1200:
                        self.check_choices(seen)
                        table = list(csv.DictReader(io.StringIO(seen["csv"])))
                        self.assertGreater(len(table), 0)
                        self.assertTrue(seen["download"].endswith(".csv"))

    def test_pictures_and_print(self):
        page = self.made("solve", [RESULTS / "h200x2/solve"])
        picture = browser.picture(page, self.place / "solve.png", 1200, 900)
        self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        paper = browser.printed(page, self.place / "solve.pdf")
        self.assertEqual(paper.read_bytes()[:5], b"%PDF-")

    @unittest.skipUnless("ROWHALO_SCREENSHOTS" in os.environ, "ROWHALO_SCREENSHOTS=DIR keeps pictures")
    def test_keep_pictures(self):
        folder = Path(os.environ["ROWHALO_SCREENSHOTS"])
        folder.mkdir(parents=True, exist_ok=True)
        for name, words in (*PAGES, ("weak", [RESULTS / "h200x4/gpu-weak"]),
                            ("solve", [RESULTS / "h200x2/solve"])):
            page = self.made(name, words)
            shutil.copy(page, folder)
            for width in (1200, 400):
                browser.picture(page, folder / f"{name}-{width}.png", width, 3000)
            browser.printed(page, folder / f"{name}.pdf")


if __name__ == "__main__":
    if not browser.executable():
        print("skipped: no chromium: apt-get install chromium")
        sys.exit(77)
    unittest.main()
