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
        # With stdin closed as well, the first file or socket that is opened gets its number.
        command = ["sh", "-c", 'exec "$@" <&- >&-', "sh", *command]
    with opened:
        process = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=opened,
                                 stderr=subprocess.PIPE, env=launch.ENVIRONMENT, text=True,
                                 timeout=120, check=False)
    return launch.Result(process.returncode, "", process.stderr, 0, command)


VECTOR = "%%MatrixMarket matrix array real general\n4 1\n1\n2\n3\n4\n"
DIAGONAL = ("%%MatrixMarket matrix coordinate real general\n4 4 4\n"
            "1 1 1\n2 2 1\n3 3 1\n4 4 1\n")


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
    if launch.built_with("HDF5"):
        outputs["--hdf5"] = "r.h5"
    vectors = [".mtx", ".petsc", *([".h5"] if launch.built_with("HDF5") else [])]

    def full_disk(self):
        """A folder on a disk of its own, filled by the file `filler`."""
        place = self.place / "disk"
        place.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "none", place],
                                 capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("no small disk can be mounted here")
        self.addCleanup(subprocess.run, ["umount", place], check=True)
        with open(place / "filler", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass
        return place

    def run_with(self, lost, path):
        """A run with all outputs, of which `lost` goes to `path`, where it must fail."""
        kept = {option: self.place / name for option, name in self.outputs.items() if option != lost}
        words = [word for option, name in {**kept, lost: path}.items() for word in (option, name)]
        result = launch.run("run", *MATRIX, *launch.SHORT, *words, ranks=3)
        self.assertEqual(result.status, 1, result)
        file = str(path).split(":/", maxsplit=1)[0]
        self.assertRegex(result.message(), rf"(?m)^rowhalo: {lost} was not written: {file}\b.*; ")
        self.assertNotIn("HDF5: ", result.stderr)  # its own end fails after a full disk
        self.assertIn(FOM, result.stdout)
        self.assertRegex(result.stdout, rf"(?m){RESULT.pattern}; not written: {lost}$")
        for name in kept.values():
            self.assertGreater(name.stat().st_size, 0)
            name.unlink()

    def test_a_limit_of_file_sizes(self):
        target = self.place / "y.mtx"
        command = launch.command_line(["run", *MATRIX, *launch.SHORT, "--save-y", target], 0)
        done = subprocess.run(["bash", "-c", 'ulimit -f 16; exec "$@"', "bash", *command], env=launch.ENVIRONMENT,
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("rowhalo: --save-y was not written: ", done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertIn(FOM, done.stdout)
        self.assertEqual(list(self.place.iterdir()), [])

    def test_full_device(self):
        for option in ("--json", "--csv", "--trace"):
            with self.subTest(option=option):
                self.run_with(option, "/dev/full")

    def test_full_disk(self):
        disk = self.full_disk()
        vectors = [("--save-y", f"y{suffix}") for suffix in self.vectors]
        for option, name in {*self.outputs.items(), *vectors}:
            with self.subTest(option=option, name=name):
                self.run_with(option, disk / name)
                self.assertEqual([path.name for path in disk.iterdir()], ["filler"])

    def test_disk_that_is_full_in_the_middle(self):
        disk = self.full_disk()
        filled = (disk / "filler").stat().st_size
        deep = [".h5:/" + 20 * "deep/" + "y"] if ".h5" in self.vectors else []  # much beside y
        for free in (4 << 10, 48 << 10):
            os.truncate(disk / "filler", filled - free)
            for suffix in [*self.vectors, *deep]:
                with self.subTest(free=free, suffix=suffix):
                    self.run_with("--save-y", disk / f"y{suffix}")
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
        for suffix in [*self.vectors, ".mtx.gz"]:
            name = f"a{suffix}"
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


class Aliases(launch.Case):
    """An output that is an input or another output is refused, and every file stays as it is."""

    def setUp(self):
        super().setUp()
        self.matrix = self.write("a.mtx", DIAGONAL)
        self.write("v.mtx", VECTOR)
        self.write("owners", "0\n0\n0\n0\n")
        (self.place / "link").symlink_to("a.mtx")
        os.link(self.matrix, self.place / "hard")
        (self.place / "sub").mkdir()
        (self.place / "sub/up").symlink_to(self.place)
        (self.place / "dangling").symlink_to("new")

    def in_place(self, words):
        """Words with an @ name files in the folder."""
        return [word.replace("@", f"{self.place}/") for word in words]

    def kept(self):
        return {path: path.read_bytes() for path in self.place.iterdir() if path.is_file()}

    def refused(self, *words, run=("run", "--matrix", "@a.mtx")):
        with self.subTest(words=words, run=run):
            before = self.kept()
            # Without a launcher: it is refused before anything happens, 20 times per second.
            result = launch.run(*self.in_place([*run, *words]), ranks=0)
            self.assertEqual(result.status, 2, result)
            self.assertIn("is the same file as", result.message())
            self.assertIn("; name another file", result.message())
            self.assertNotIn("RESULT", result.stdout)
            self.assertEqual(self.kept(), before)

    def test_outputs_that_are_inputs(self):
        self.refused("--save-y", "@a.mtx")
        for option in ("--json", "--csv", "--trace"):
            for name in ("a.mtx", "./a.mtx", "link", "hard", "sub/up/a.mtx"):
                self.refused(option, f"@{name}")
        self.refused("--x", "@v.mtx", "--save-y", "@v.mtx")
        self.refused("--y", "@v.mtx", "--beta", "1", "--json", "@v.mtx")
        self.refused("--partition", "file:@owners", "--json", "@owners")
        self.refused("--json", "@a.mtx", run=("kernels", "--matrix", "@a.mtx"))
        self.refused("--communication", "@a.mtx", run=("info", "--matrix", "@a.mtx"))
        self.refused(run=("convert", "@a.mtx", "@sub/up/a.mtx"))
        self.refused("--json", "@a.mtx", run=("convert", "@a.mtx", "@b.mtx"))

    def test_outputs_that_are_outputs(self):
        for first, second in (("f", "f"), ("f", "./f"), ("f", "sub/up/f"), ("new", "dangling")):
            self.refused("--json", f"@{first}", "--csv", f"@{second}")
        self.refused("--json", "@f", "--trace", "@f")
        self.refused("--save-y", "@y.mtx", "--csv", "@y.mtx")
        self.refused("--json", "@f", "--communication", "@f", run=("info", "--matrix", "@a.mtx"))
        self.refused("--json", "@b.mtx", run=("convert", "@a.mtx", "@b.mtx"))

    def test_info_files_of_petsc(self):
        self.assertEqual(launch.run("convert", "elasticity:3", self.place / "a.petsc", ranks=1).status, 0)
        self.refused("--json", "@a.petsc.info", run=("run", "--matrix", "@a.petsc"))
        self.refused("--json", "@b.petsc.info", run=("convert", "@a.mtx", "@b.petsc"))

    @launch.needs("HDF5")
    def test_places_in_hdf5_files(self):
        made = launch.run("convert", self.matrix, self.place / "m.h5", ranks=1)
        self.assertEqual(made.status, 0, made)
        matrix = ("run", "--matrix", "@m.h5")
        self.refused("--save-y", "@m.h5:/y", run=matrix)
        self.refused("--hdf5", "@m.h5", run=matrix)
        self.refused("--save-y", "@r.h5:/y", "--hdf5", "@r.h5", run=matrix)
        self.refused(run=("convert", "@m.h5", "@m.h5:/other"))

    def test_stdout_that_is_a_file(self):
        target = self.place / "log"
        with open(target, "w", encoding="ascii") as log:
            command = launch.command_line(["run", "--matrix", self.matrix, "--json", target], 0)
            process = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, text=True,
                                     stderr=subprocess.PIPE, env=launch.ENVIRONMENT, check=False)
        self.assertEqual(process.returncode, 2, process)
        self.assertIn(f"--json {target}: is the same file as stdout", process.stderr)

    def test_what_may_share(self):
        for words in (["--json", "/dev/null", "--csv", "/dev/null"],
                      ["--x", "@v.mtx", "--y", "@v.mtx", "--beta", "1"],
                      ["--json", "@f", "--csv", "@sub/f"]):
            with self.subTest(words=words):
                result = launch.run("run", "--matrix", self.matrix, *launch.SHORT,
                                    *self.in_place(words), ranks=1)
                self.assertEqual(result.status, 0, result)


class Places(launch.Case):
    def test_link_stays_and_its_target_is_replaced(self):
        (self.place / "far").mkdir()
        target = self.place / "far/r.json"
        target.write_text("old")
        target.chmod(0o640)
        link = self.place / "r.json"
        link.symlink_to("far/r.json")
        result = launch.run("run", *MATRIX, *launch.SHORT, "--json", link, ranks=2)
        self.assertEqual(result.status, 0, result)
        self.assertTrue(link.is_symlink())
        self.assertEqual(json.loads(target.read_text())["status"], "ok")
        self.assertEqual(target.stat().st_mode & 0o777, 0o640)
        self.assertEqual([path.name for path in target.parent.iterdir()], ["r.json"])

    @launch.needs("HDF5")
    def test_other_groups_are_kept(self):
        keep = self.place / "keep.h5"
        for target in ("", ":/a", ":/b/c"):
            result = launch.run("convert", "stencil5:4", f"{keep}{target}", ranks=2)
            self.assertEqual(result.status, 0, result)
        before = keep.read_bytes()
        result = launch.run("convert", "stencil5:4", f"{keep}:/b", ranks=2)
        self.assertEqual(result.status, 2, result)
        self.assertIn("keep.h5:/b: exists already; name another group", result.message())
        self.assertEqual(keep.read_bytes(), before)
        result = launch.run("run", "--matrix", "stencil5:3", *launch.SHORT, "--save-y",
                            f"{keep}:/y", ranks=2)
        self.assertEqual(result.status, 0, result)
        for place in (":/", ":/a", ":/b/c"):
            result = launch.run("info", "--matrix", f"{keep}{place}", ranks=1)
            self.assertEqual(result.status, 0, result)


if __name__ == "__main__":
    unittest.main()
