#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What becomes of outputs that cannot be written, and of all others then."""
import json
import os
import re
import shutil
import subprocess
import time
import unittest

import launch

MATRIX = ["--matrix", "stencil7:24", "--validate", "reference"]
FOM = "FOM: spmv_median_seconds "
RESULT = re.compile(r"^RESULT: PASS y agrees with reference", re.MULTILINE)


def broken_pipe():
    """The writing end of a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    return os.fdopen(writer, "w")


def run_into(stdout, *arguments):
    """Without a launcher, whose own stdout would come between. `stdout`: "full", "closed", "pipe"."""
    opened = {"full": lambda: open("/dev/full", "w", encoding="ascii"),
              "closed": lambda: open("/dev/null", "w", encoding="ascii"),
              "pipe": broken_pipe}[stdout]()
    command = launch.command_line(arguments, 0)
    if stdout == "closed":
        command = ["sh", "-c", 'exec "$@" >&-', "sh", *command]
    with opened:
        process = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=opened,
                                 stderr=subprocess.PIPE, env=launch.ENVIRONMENT, text=True,
                                 timeout=120, check=False)
    return launch.Result(process.returncode, "", process.stderr, 0, command)


class StandardOutput(launch.Case):
    def test_information(self):
        for stdout in ("full", "closed", "pipe"):
            for arguments in (["list", "formats"], ["--help"], ["run", "--help"], ["--version"]):
                with self.subTest(stdout=stdout, arguments=arguments):
                    result = run_into(stdout, *arguments)
                    self.assertEqual(result.status, 1, result)
                    self.assertIn("rowhalo: stdout: writing failed: ", result.stderr)

    def test_results_go_to_stderr(self):
        target = self.place / "r.json"
        for stdout in ("full", "closed", "pipe"):
            for more in ([], ["--quiet"]):
                with self.subTest(stdout=stdout, more=more):
                    result = run_into(stdout, "run", *MATRIX, *launch.SHORT, "--json", target, *more)
                    self.assertEqual(result.status, 1, result)
                    self.assertIn("rowhalo: stdout was not written: ", result.stderr)
                    self.assertIn(FOM, result.stderr)
                    self.assertRegex(result.stderr, RESULT)
                    self.assertEqual(json.loads(target.read_text())["status"], "ok")
                    target.unlink()

    def test_closed_stdout_is_not_taken_by_a_file(self):
        target = self.place / "y.mtx"
        result = run_into("closed", "run", *MATRIX, *launch.SHORT, "--save-y", target)
        self.assertEqual(result.status, 1, result)
        lines = target.read_text().splitlines()
        self.assertEqual(len(lines), 2 + 24**3)
        self.assertNotIn("FOM", target.read_text())

    def test_json_on_stdout(self):
        result = run_into("full", "run", *MATRIX, *launch.SHORT, "--json", "-")
        self.assertEqual(result.status, 1, result)
        self.assertIn("rowhalo: --json was not written: stdout: ", result.stderr)
        self.assertEqual(result.stderr.count(FOM), 1)

    def test_other_commands(self):
        out = self.place / "out.mtx"
        for arguments in (["info", "--matrix", "stencil7:8"],
                          ["convert", "stencil7:8", out],
                          ["kernels", "--matrix", "stencil7:8", "--format", "csr", *launch.SHORT]):
            with self.subTest(arguments=arguments):
                result = run_into("full", *arguments)
                self.assertEqual(result.status, 1, result)
                self.assertRegex(result.stderr, r"(?m)^RESULT: PASS ")
        self.assertTrue(out.exists())


class Files(launch.Case):
    """Each output in turn cannot be written; all others must be."""

    outputs = {"--json": "r.json", "--csv": "r.csv", "--trace": "r.trace", "--save-y": "y.mtx"}

    def full_disk(self, size="512k", free=0):
        """A folder on a disk of its own, which has `free` bytes left."""
        place = self.place / "disk"
        place.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", place],
                                 capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("no small disk can be mounted here")
        self.addCleanup(subprocess.run, ["umount", place], check=True)
        filler = place / "filler"
        with open(filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass
        os.truncate(filler, filler.stat().st_size - free)
        return place

    def run_with(self, lost, path):
        """A run with all outputs, of which `lost` goes to `path`, where it must fail."""
        kept = {option: self.place / name for option, name in self.outputs.items() if option != lost}
        words = [word for option, name in {**kept, lost: path}.items() for word in (option, name)]
        result = launch.run("run", *MATRIX, *launch.SHORT, *words, ranks=3)
        self.assertEqual(result.status, 1, result)
        self.assertRegex(result.message(), rf"(?m)^rowhalo: {lost} was not written: {path}\b.*; ")
        self.assertIn(FOM, result.stdout)
        self.assertRegex(result.stdout, rf"(?m){RESULT.pattern}; not written: {lost}$")
        for name in kept.values():
            self.assertGreater(name.stat().st_size, 0)
            name.unlink()

    def test_full_device(self):
        for option in ("--json", "--csv", "--trace"):
            with self.subTest(option=option):
                self.run_with(option, "/dev/full")

    def test_full_disk(self):
        disk = self.full_disk()
        names = [*self.outputs.items(), ("--save-y", "y.petsc")]
        for option, name in names:
            with self.subTest(option=option, name=name):
                self.run_with(option, disk / name)
                self.assertEqual([path.name for path in disk.iterdir()], ["filler"])

    def test_disk_that_is_full_in_the_middle(self):
        disk = self.full_disk(free=48 << 10)
        for name in ("y.mtx", "y.petsc"):
            with self.subTest(name=name):
                self.run_with("--save-y", disk / name)
                self.assertEqual([path.name for path in disk.iterdir()], ["filler"])

    def test_removed_folder(self):
        folder = self.place / "gone"
        folder.mkdir()
        words = [word for option, name in self.outputs.items() for word in (option, folder / name)]
        process = launch.start(["run", *MATRIX, "--min-seconds", "2", *words], ranks=2)
        deadline = time.monotonic() + 60
        while os.fstat(process.files[0].fileno()).st_size == 0 and time.monotonic() < deadline:
            time.sleep(0.02)  # the header: outputs have been checked
        shutil.rmtree(folder)
        result = launch.finish(process)
        self.assertEqual(result.status, 1, result)
        for option, name in self.outputs.items():
            self.assertIn(f"rowhalo: {option} was not written: {folder / name}: ", result.stderr)
        self.assertIn(FOM, result.stdout)
        self.assertRegex(result.stdout, RESULT)
        self.assertFalse(folder.exists())

    def test_convert(self):
        report = self.place / "r.json"
        disk = self.full_disk()
        for name in ("a.mtx", "a.mtx.gz", "a.petsc"):
            with self.subTest(name=name):
                result = launch.run("convert", "elasticity:6", disk / name, "--json", report, ranks=2)
                self.assertEqual(result.status, 1, result)
                self.assertIn(f"rowhalo: OUT was not written: {disk / name}: ", result.stderr)
                self.assertIn("RESULT: FAIL ", result.stdout)
                self.assertEqual(json.loads(report.read_text())["status"], "failed")
                self.assertEqual([path.name for path in disk.iterdir()], ["filler"])
                report.unlink()

    def test_other_commands(self):
        flows = self.place / "flows.txt"
        result = launch.run("info", "--matrix", "stencil7:8", "--json", "/dev/full",
                            "--communication", flows, ranks=2)
        self.assertEqual(result.status, 1, result)
        self.assertIn("rowhalo: --json was not written: /dev/full: ", result.stderr)
        self.assertTrue(flows.exists())
        table = self.place / "r.csv"
        result = launch.run("kernels", "--matrix", "stencil7:8", "--format", "csr", *launch.SHORT,
                            "--json", "/dev/full", "--csv", table, ranks=1)
        self.assertEqual(result.status, 1, result)
        self.assertTrue(table.exists())


if __name__ == "__main__":
    unittest.main()
