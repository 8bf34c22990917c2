#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the program says about itself, word for word: tests/cli/golden/*.txt.

Changing a name that users see means: test_golden.py --update, a line in CHANGELOG.md, and a look at
`git diff tests/cli/golden`. White space and case are not compared: they belong to the version of CLI11.
"""
import json
import re
import sys
import unittest
from pathlib import Path

import launch

GOLDEN = Path(__file__).with_name("golden")
AXES = ["formats", "transports", "partitioners", "sources", "methods", "preconditioners", "schedules"]
CASES = {
    "help": ["--help"],
    "run_help": ["run", "--help"],
    "kernels_help": ["kernels", "--help"],
    "solve_help": ["solve", "--help"],
    "info_help": ["info", "--help"],
    "network_help": ["network", "--help"],
    "convert_help": ["convert", "--help"],
    "list_help": ["list", "--help"],
    "version": ["--version"],
    **{f"list_{axis}": ["list", axis] for axis in AXES},
    **{f"list_{axis}_markdown": ["list", axis, "--markdown"] for axis in AXES},
    **{f"list_{axis}_json": ["list", axis, "--json"] for axis in AXES},
}


def masked(name, text):
    """Without what differs between machines and builds."""
    text = text.replace(str(launch.BINARY), "rowhalo")
    if name.endswith("_json"):  # what is usable
        entries = [{**entry, "usable": "...", "reason": "..."} for entry in json.loads(text)]
        text = json.dumps(entries, indent=2)
    text = re.sub(r"\n( +)not usable: .*(\n\1  .*)*", "", text)
    if name == "run_help" and not launch.built_with("PETSc"):
        text = text.replace("none (default: reference)", "none (default: petsc)")
    if name == "version":  # which dependencies are named, not their versions
        text = "\n".join(re.sub(r"(?<=\S)[: ].*", " ...", line) for line in text.split("\n"))
    return text


class Golden(launch.Case):
    maxDiff = None

    def test_texts(self):
        for name, arguments in CASES.items():
            with self.subTest(name):
                result = launch.run(*arguments, ranks=0)
                self.assertEqual(result.status, 0, result)
                self.assertEqual(result.stderr, "", result)
                text = masked(name, result.stdout)
                path = GOLDEN / f"{name}.txt"
                if UPDATE:
                    path.write_text(text, encoding="utf-8")
                expected = path.read_text(encoding="utf-8")
                self.assertEqual(text.lower().split(), expected.lower().split(), result)

    def test_list_json_is_an_array_of_entries(self):
        for axis in AXES:
            entries = json.loads(launch.run("list", axis, "--json", ranks=0).stdout)
            self.assertGreater(len(entries), 1)
            for entry in entries:
                self.assertEqual(set(entry), {"name", "summary", "usable", "reason"})

    def test_help_and_version_under_a_launcher_print_once(self):
        for arguments in (["--version"], ["--help"], ["list", "formats"]):
            alone = launch.run(*arguments, ranks=0)
            launched = launch.run(*arguments, ranks=2)
            self.assertEqual((launched.status, launched.stderr), (0, ""), launched)
            self.assertEqual(launched.stdout, alone.stdout)


UPDATE = "--update" in sys.argv

if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--update"])
