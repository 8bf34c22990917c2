#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Everything under jobs/ runs on Python 3.9 and newer, says vermin (pip install vermin), which knows
in which version each function and each form of syntax appeared. Skipped (77) without it.
"""
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from results import JOBS, launch

VERMIN = shutil.which("vermin", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
if not VERMIN:
    launch.skip_all("there is no vermin; pip install vermin")
# vermin takes files[f"..."], which are bytes, for text, and then gives up the whole file.
MISTAKEN = ("--exclude", "str.decode", "--exclude", "str.decode(errors)")


def said(version, *paths):
    """Exit status and output."""
    run = subprocess.run([VERMIN, "--no-tips", "--violations", *MISTAKEN, f"-t={version}-",
                          *map(str, paths)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         universal_newlines=True, check=False, timeout=launch.PATIENCE)
    return run.returncode, run.stdout


class Versions(launch.Case):
    def check(self, version, *paths):
        status, text = said(version, *paths)
        self.assertEqual(status, 0, text)
        self.assertIn("Minimum required versions: ", text)
        self.assertNotIn("File with incompatible versions", text)

    def tool(self):
        """vermin reads only files that end in .py."""
        return Path(shutil.copy(JOBS / "rowhalo-study", self.place / "rowhalo_study_tool.py"))

    def test_jobs(self):
        self.check("3.9", JOBS, self.tool())

    def test_the_tool_can_say_which_version_it_needs(self):
        self.check("3.4", self.tool())

    def test_what_is_newer_is_found(self):
        for text, version in (("from itertools import pairwise\n", "3.10"),
                              ("match 1:\n  case 1:\n    pass\n", "3.10")):
            status, output = said("3.9", self.write("newer.py", text))
            self.assertEqual(status, 1, output)
            self.assertRegex(output, rf"\b{version}\b", output)


if __name__ == "__main__":
    unittest.main()
