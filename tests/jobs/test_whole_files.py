#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files of jobs/ appear complete or not at all, and nothing that lies in a folder is written through:
jobs/rowhalo_study/whole_files.py and jobs/shell/whole_files.sh, which keep the same rules.
"""
import os
import subprocess
import sys
import unittest
from unittest import mock

from throwaway import launch

JOBS = launch.SOURCE / "jobs"
sys.path.insert(0, str(JOBS))
from rowhalo_study import whole_files  # noqa: E402  pylint: disable=wrong-import-position

HOST = os.uname().nodename


def shell(script, *words):
    """Exit status of a few lines after the helpers have been read."""
    return subprocess.run(["bash", "-c", f'set -euo pipefail; source "$0"; {script}',
                           str(JOBS / "shell/whole_files.sh"), *map(str, words)],
                          input="new\n", universal_newlines=True, check=False).returncode


def write_by_shell(path):
    return shell('write_whole "$1"', path) == 0


def write_by_python(path):
    try:
        whole_files.write_whole(path, "new\n")
        return True
    except OSError:
        return False


WRITERS = {"python": write_by_python, "shell": write_by_shell}


def dead_process():
    with subprocess.Popen(["true"]) as process:
        pass
    return process.pid


class WholeFiles(launch.Case):
    def each(self):
        """Every writer with a folder of its own, in which nothing else may be left."""
        for name, write in WRITERS.items():
            with self.subTest(name):
                folder = self.place / name
                folder.mkdir()
                yield write, folder

    def names(self, folder):
        return sorted(path.name for path in folder.iterdir())

    def test_a_missing_folder_is_named_by_the_target(self):
        target = self.place / "nowhere/table.csv"
        with self.assertRaises(FileNotFoundError) as caught:
            whole_files.write_whole(target, "text")
        self.assertEqual(caught.exception.filename, str(target))

    def test_replaces_with_the_usual_rights(self):
        for write, folder in self.each():
            (folder / "a file").write_text("old\n", encoding="utf-8")
            before = os.umask(0o027)
            try:
                self.assertTrue(write(folder / "a file"))
            finally:
                os.umask(before)
            self.assertEqual((folder / "a file").read_text(encoding="utf-8"), "new\n")
            self.assertEqual((folder / "a file").stat().st_mode & 0o777, 0o640)
            self.assertEqual(self.names(folder), ["a file"])

    def test_a_link_is_followed(self):
        for write, folder in self.each():
            (folder / "real").mkdir()
            (folder / "real/file").write_text("old\n", encoding="utf-8")
            (folder / "link").symlink_to("real/file")
            (folder / "dangling").symlink_to("real/fresh")
            for name, target in (("link", "file"), ("dangling", "fresh")):
                self.assertTrue(write(folder / name))
                self.assertTrue((folder / name).is_symlink())
                self.assertEqual((folder / "real" / target).read_text(encoding="utf-8"), "new\n")
            self.assertEqual(self.names(folder / "real"), ["file", "fresh"])

    def test_a_planted_link_is_not(self):
        victim = self.write("victim", "precious\n")
        with mock.patch("os.urandom", return_value=bytes(4)):
            planted = self.place / f".file.{HOST}.{os.getpid()}.00000000.part"
            planted.symlink_to(victim)
            self.assertFalse(write_by_python(self.place / "file"))
        self.assertEqual(victim.read_text(encoding="utf-8"), "precious\n")
        self.assertTrue(planted.is_symlink())

    def test_only_what_the_dead_of_this_host_left_is_removed(self):
        for write, folder in self.each():
            stale = folder / f".file.{HOST}.{dead_process()}.12ab34cd.part"
            kept = [f".file.{HOST}.{os.getpid()}.12ab34cd.part",
                    f".file.elsewhere.{dead_process()}.12ab34cd.part",
                    f".other.{HOST}.{dead_process()}.12ab34cd.part", f".file.{HOST}.part"]
            for path in (stale, *(folder / name for name in kept)):
                path.touch()
            self.assertTrue(write(folder / "file"))
            self.assertEqual(self.names(folder), sorted([*kept, "file"]))

    def test_a_failure_leaves_what_was_there(self):
        old = self.write("file", "old\n")
        with self.assertRaises(ZeroDivisionError), whole_files.whole(old) as fresh:
            fresh.write_text("half", encoding="utf-8")
            raise ZeroDivisionError
        (self.place / "folder").mkdir()
        for write in WRITERS.values():
            self.assertFalse(write(self.place / "nowhere/file"))
        self.assertFalse(write_by_python(self.place / "folder"))
        self.assertEqual(old.read_text(encoding="utf-8"), "old\n")
        self.assertEqual(self.names(self.place), ["file", "folder"])

    def test_set_aside_twice_in_a_second(self):
        for count in (1, 2, 3, 4):
            self.write("result-1.json", f"run {count}")
            missing = self.place / "error"
            if count % 2:
                self.assertEqual(shell('set_aside "$@"', self.place, missing,
                                       self.place / "result-1.json"), 0)
            else:
                whole_files.set_aside([missing, self.place / "result-1.json"], self.place)
        kept = {path.read_text(encoding="utf-8") for path in self.place.glob("before-*/*")}
        self.assertEqual(kept, {"run 1", "run 2", "run 3", "run 4"})
        self.assertEqual(shell('set_aside "$@"', self.place, missing), 0)
        self.assertEqual(len(list(self.place.iterdir())), 4)


if __name__ == "__main__":
    unittest.main()
