#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Names of files are data: whatever bytes they have, no line of the output is theirs, and CSV, JSON and HDF5 are
valid UTF-8 that reads back."""
import csv
import json
import os
import subprocess
import unittest

import launch

MATRIX = b"%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 2\n2 2 2\n3 3 2\n"
# Bytes of a name, and how people see it.
NAMES = {
    b"two\nRESULT: PASS y agrees with petsc": "two\\nRESULT: PASS y agrees with petsc",
    b"esc\x1b[2J\x1b[31mred\r\x07": "esc\\x1b[2J\\x1b[31mred\\r\\x07",
    b"a\xff\xfe": "a\\xff\\xfe",
    "\u202egpj \u0085".encode(): "\\u202egpj \\u0085",
    "行列 'q' \"d\" <b>&amp;<b> $(x), =1+1".encode(): "行列 'q' \"d\" <b>&amp;<b> $(x), =1+1",
}


class Names(launch.Case):
    def path(self, name, suffix=b".mtx"):
        return os.fsencode(self.place) + b"/" + name + suffix

    def run_bytes(self, *arguments, ranks=0):
        launcher = [*launch.LAUNCHER, "-n", str(ranks)] if ranks else []
        done = subprocess.run([*launcher, str(launch.BINARY), *arguments], env=launch.ENVIRONMENT, cwd=self.place,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=launch.PATIENCE, check=False)
        return done.returncode, done.stdout, done.stderr

    def assert_clean(self, stdout, stderr, verdicts):
        """Text for people: UTF-8, no control character but line ends, as many lines with a verdict."""
        for text in stdout.decode("utf-8"), stderr.decode("utf-8"):
            self.assertFalse([c for c in text if (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160
                              or c in "\u202e\u2028"], text)
        lines = (stdout + stderr).split(b"\n")
        self.assertEqual(sum(line.startswith(b"RESULT") for line in lines), verdicts, lines)

    def test_runs(self):
        for name, shown in NAMES.items():
            with self.subTest(shown):
                path = self.path(name)
                with open(path, "wb") as file:
                    file.write(MATRIX)
                outputs = ["--json", "r.json", "--csv", "r.csv"]
                outputs += ["--hdf5", "r.h5"] if launch.built_with("HDF5") else []
                status, stdout, stderr = self.run_bytes("run", "--matrix", path, "--validate", "reference", "--explain",
                                                        "--no-progress", *launch.SHORT, *outputs)
                self.assertEqual(status, 0, stderr)
                self.assert_clean(stdout, stderr, 1)
                self.assertIn(shown.replace(" ", ""), "".join(stdout.decode().split()))  # lines may be broken
                told = path.decode("utf-8", "backslashreplace")
                report = json.loads((self.place / "r.json").read_bytes().decode("utf-8"))
                self.assertEqual(report["matrix"]["source"], told)
                with open(self.place / "r.csv", encoding="utf-8", newline="") as file:
                    names, values = csv.reader(file)
                self.assertEqual(values[names.index("matrix.source")], told)
                if launch.built_with("HDF5") and not launch.lacking("h5py"):
                    import h5py  # pylint: disable=import-outside-toplevel
                    with h5py.File(self.place / "r.h5") as file:
                        self.assertEqual(file["matrix"].attrs["source"], told)

    def test_messages(self):
        """Input that is refused and outputs that cannot be written name the file, on one line."""
        for name, shown in list(NAMES.items())[:3]:
            path, missing = self.path(name), self.path(b"none/" + name)
            with open(path, "wb") as file:
                file.write(b"no matrix\n")
            for arguments in (["run", "--matrix", path], ["run", "--matrix", missing], ["info", "--matrix", path],
                              ["run", "--matrix", "stencil5:4", "--x", path],
                              ["run", "--matrix", "stencil5:4", "--x", name],
                              ["run", "--matrix", "stencil5:4", "--save-y", missing],
                              ["run", "--matrix", "stencil5:4", "--json", missing],
                              ["run", "--matrix", "stencil5:4", "--machine", path],
                              ["run", "--matrix", "stencil5:4", "--partition", b"file:" + path],
                              ["run", "--matrix", "stencil5:4", "--" + name.decode("utf-8", "ignore").replace("\n", " ")],
                              ["run", "--matrix", "stencil5:4", "--format", name], ["run", name],
                              ["convert", "stencil5:4", path], ["convert", path, "a.mtx"]):
                with self.subTest((shown, arguments[:2], arguments[-2])):
                    status, stdout, stderr = self.run_bytes(*arguments)
                    self.assertEqual(status, 2, stderr)
                    self.assert_clean(stdout, stderr, 0)
                    self.assertEqual(stderr.count(b"\n"), 1, stderr)

    def test_convert(self):
        for name, shown in NAMES.items():
            with self.subTest(shown):
                target = self.path(name)
                status, stdout, stderr = self.run_bytes("convert", "stencil5:4", target, "--no-progress", ranks=2)
                self.assertEqual(status, 0, stderr)
                self.assert_clean(stdout, stderr, 1)
                self.assertTrue(os.path.exists(target))
                self.assertIn(f"{shown}.mtx written".encode(), stdout.split(b"\n")[-2])

    def test_hints_are_words_of_a_shell(self):
        """What a message says to type means the file, pasted into bash."""
        for name, shown in NAMES.items():
            path = self.path(name)
            with open(path, "wb") as file:
                file.write(b"%%MatrixMarket matrix array real general\n16 2\n" + b"1\n" * 32)
            status, _, stderr = self.run_bytes("run", "--matrix", "stencil5:4", "--x", path)
            self.assertEqual(status, 2, stderr)
            with self.subTest(shown):
                hint = stderr.rstrip(b"\n").split(b"counted from 1: ")[1]
                typed = subprocess.run([b"bash", b"-c", b"printf %s " + hint], capture_output=True, check=True).stdout
                self.assertEqual(typed, path + b":column=1")


if __name__ == "__main__":
    unittest.main()
