#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs/rowhalo-study matrices against a server of this machine that breaks off, lies about sizes, ignores Range,
serves another file, or nothing; archives that are damaged or want to write elsewhere; the lock file."""
import contextlib
import fcntl
import gzip
import hashlib
import io
import json
import random
import re
import signal
import subprocess
import sys
import tarfile
import unittest
from collections import namedtuple
from unittest import mock

import matrix_server
from results import JOBS, launch

# pylint: disable=wrong-import-position
from rowhalo_study.cli import matrices  # noqa: E402
from rowhalo_study.matrices import sets, transfer  # noqa: E402

PATH = "/Group/small.tar.gz"
NAME = "Group/small"
ROWS = 20000


def matrix_text(rows=ROWS, seed=1):
    """A diagonal; its numbers do not compress well, so that the archive has some hundred kB."""
    numbers = random.Random(seed)
    lines = [f"{row} {row} {numbers.random()!r}" for row in range(1, rows + 1)]
    return "\n".join(["%%MatrixMarket matrix coordinate real general", f"{rows} {rows} {rows}",
                      *lines, ""]).encode()


def member(name, content=b"", **fields):
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for key, value in fields.items():
        setattr(info, key, value)
    return info, content


def archive(*members):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for info, content in members:
            tar.addfile(info, io.BytesIO(content))
    return gzip.compress(packed.getvalue(), mtime=0)


TEXT = matrix_text()
SMALL = archive(member("small/small_b.mtx", b"%%MatrixMarket b"), member("small/small.mtx", TEXT),
                member("small/small_coord.mtx", b"%%MatrixMarket coord"))
OTHER = archive(member("small/small.mtx", matrix_text(seed=2)))
Called = namedtuple("Called", "status out err")


class Fetch(launch.Case):
    def setUp(self):
        super().setUp()
        self.server = self.enter(matrix_server.serving({PATH: SMALL}))
        self.pauses = []
        self.enter(mock.patch("time.sleep", self.pauses.append))
        self.folder = self.place / "matrices"
        self.target = self.folder / "small.mtx"

    def enter(self, context):
        value = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return value

    def call(self, *words, status=0, names=(NAME,)):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            ended = matrices.main([*names, "--mirror", self.server.url, "--output", str(self.folder),
                                   "--timeout", "5", *map(str, words)])
        called = Called(ended, out.getvalue(), err.getvalue())
        self.assertEqual(ended, status, called)
        return called

    def habits(self, *habits):
        self.server.habits[PATH] = list(habits)

    def ranges(self):
        return [asked for _, path, asked in self.server.requests if path == PATH]

    def check_fetched(self, text=TEXT):
        self.assertEqual(self.target.read_bytes(), text)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         [".fetching", "matrices.lock.json", "small.mtx"])

    def entry(self):
        content = json.loads((self.folder / "matrices.lock.json").read_text(encoding="utf-8"))
        self.assertEqual(content["schema_version"], 1)
        return content["matrices"][NAME]

    def part(self):
        return self.folder / ".small.tar.gz.part"


class Transfers(Fetch):
    def test_fetch_and_again(self):
        self.assertIn("small.mtx: fetched, ", self.call().out)
        self.check_fetched()
        entry = self.entry()
        self.assertEqual(entry["archive_sha256"], hashlib.sha256(SMALL).hexdigest())
        self.assertEqual(entry["mtx_sha256"], hashlib.sha256(TEXT).hexdigest())
        self.assertEqual((entry["archive_bytes"], entry["mtx_bytes"]), (len(SMALL), len(TEXT)))
        self.assertIn("small.mtx: there, ", self.call("--check").out)
        self.assertEqual(self.ranges(), [None])

    def test_goes_on_where_it_broke_off(self):
        self.habits(matrix_server.breaks_after(1000), matrix_server.breaks_after(2500), None)
        said = self.call().err
        self.assertIn(f"the server closed after 1000 of {len(SMALL)} bytes; goes on in 1 s", said)
        self.assertEqual(self.ranges(), [None, "bytes=1000-", "bytes=3500-"])
        self.check_fetched()

    def test_many_breaks_with_progress_are_no_reason_to_give_up(self):
        self.habits(matrix_server.breaks_after(len(SMALL) // 20))
        self.call("--retries", 0)
        self.assertEqual(len(self.ranges()), 21)
        self.assertEqual(self.pauses, [1] * 20)
        self.check_fetched()

    def test_a_server_that_ignores_range(self):
        self.habits(matrix_server.ignores_range(5000), matrix_server.ignores_range())
        self.call()
        self.assertEqual(self.ranges(), [None, "bytes=5000-"])
        self.check_fetched()

    def test_gives_up_without_progress_and_goes_on_later(self):
        self.habits(matrix_server.ignores_range(5000))
        said = self.call("--retries", 3, status=1).err
        self.assertIn("gave up after 4 attempts without progress; call again to go on", said)
        self.assertEqual(len(self.ranges()), 5)
        self.assertEqual(self.pauses, [1, 2, 4, 8])
        self.assertEqual(self.part().stat().st_size, 5000)
        self.habits(None)
        self.call()
        self.check_fetched()

    def test_a_size_that_is_too_large(self):
        self.habits(matrix_server.says_size(1000))
        said = self.call("--retries", 1, status=1).err
        self.assertIn(f"the server closed after {len(SMALL)} of {len(SMALL) + 1000} bytes", said)
        self.assertFalse(self.target.exists())
        # Asked honestly, the server tells that all is there.
        self.habits(None)
        self.call()
        self.check_fetched()

    def test_a_size_that_is_too_small(self):
        self.habits(matrix_server.says_size(-1000))
        self.assertIn("the archive is damaged, twice: ", self.call(status=1).err)
        self.assertEqual([path.name for path in self.folder.iterdir()], [".fetching"])
        self.habits(matrix_server.says_size(-1000), None)
        self.call()
        self.check_fetched()

    def test_no_size_at_all(self):
        self.habits(matrix_server.no_size)
        self.call()
        self.check_fetched()

    def test_another_file_in_mid_transfer(self):
        for last in (None, matrix_server.without_tag):
            with self.subTest(last=last):
                self.server.files[PATH] = SMALL
                first = matrix_server.breaks_after(3000)
                self.habits(first if last is None else matrix_server.ignores_range(3000),
                            lambda handler, content: handler.server.files.update({PATH: OTHER}), last)
                self.call()
                self.check_fetched(matrix_text(seed=2))
                for path in (self.target, self.folder / "matrices.lock.json"):
                    path.unlink()

    def test_another_range_than_asked_for(self):
        self.habits(matrix_server.breaks_after(3000), matrix_server.other_range, None)
        self.assertIn("the server gave another part than asked for", self.call().err)
        self.assertEqual(self.ranges(), [None, "bytes=3000-", None])
        self.check_fetched()

    def test_silence_and_a_trickle_end(self):
        for habit, text in ((matrix_server.is_silent, "timed out"),
                            (matrix_server.trickles, r"only \d+ bytes in 0\.2 s")):
            self.habits(habit)
            with self.subTest(text):
                said = self.call("--timeout", "0.2", "--retries", 0, status=1).err
                self.assertRegex(said, text)

    def test_a_busy_server_and_a_redirection(self):
        self.server.files["/elsewhere"] = SMALL
        self.habits(matrix_server.is_busy, matrix_server.moved("/elsewhere"))
        self.assertIn("the server says 503", self.call().err)
        self.check_fetched()

    def test_what_is_not_there_does_not_keep_others_away(self):
        called = self.call(names=["Group/nothing", NAME, "Group/less"], status=1)
        self.assertIn(f"{self.server.url}/Group/nothing.tar.gz: there is no such file", called.err)
        self.assertIn("2 of 3 are missing or differ: Group/nothing, Group/less", called.err)
        self.check_fetched()
        self.assertEqual(self.pauses, [])

    def test_nobody_listens(self):
        with matrix_server.serving({}) as gone:
            url = gone.url
        said = self.call("--mirror", url, "--retries", 1, status=1).err
        self.assertIn("no connection: ", said)
        self.assertIn("gave up after 2 attempts", said)

    def test_a_part_of_another_mirror_is_not_gone_on_with(self):
        self.habits(matrix_server.ignores_range(5000))
        self.call("--retries", 0, status=1)
        with matrix_server.serving({PATH: OTHER}) as other:
            self.call("--mirror", other.url)
            self.assertEqual([asked for _, _, asked in other.requests], [None])
        self.check_fetched(matrix_text(seed=2))

    def test_killed_and_called_again(self):
        self.habits(lambda handler, content: (matrix_server.honest(handler, content, 4000),
                                              handler.wfile.flush(), matrix_server.is_silent(handler, b"")),
                    None)
        command = [sys.executable, "-B", str(JOBS / "rowhalo-study"), "matrices", NAME, "--mirror", self.server.url,
                   "--output", str(self.folder)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            while process.poll() is None and not (self.part().exists()
                                                  and self.part().stat().st_size == 4000):
                self.server.ended.wait(0.05)
            process.send_signal(signal.SIGKILL)
            self.assertEqual(process.wait(), -signal.SIGKILL, process.stderr.read())
        self.call()
        self.assertEqual(self.ranges(), [None, "bytes=4000-"])
        self.check_fetched()

    def test_a_full_disk(self):
        usage = namedtuple("usage", "total used free")
        for free, text in ((transfer.SPARE_BYTES + len(SMALL) - 1, "the download needs "),
                           (transfer.SPARE_BYTES + len(TEXT) - 1, "small.mtx unpacked needs ")):
            with mock.patch("shutil.disk_usage", lambda _, free=free: usage(0, 0, free)):
                self.assertIn(text, self.call(status=1).err)
        self.assertFalse(self.target.exists())
        self.call()
        self.assertEqual(self.ranges(), [None, None])  # the archive was there
        self.check_fetched()


class Archives(Fetch):
    def refused(self, content, text):
        self.server.files[PATH] = content
        self.assertIn(text, self.call(status=1).err)
        self.assertEqual([path.name for path in self.folder.iterdir()], [".fetching"])
        self.assertEqual(sorted(path.name for path in self.place.iterdir()), ["matrices"])

    def test_paths_that_leave_the_folder_write_nothing(self):
        evil = [member(name, b"%%MatrixMarket evil") for name in
                ("../evil.mtx", "small/../../evil.mtx", str(self.place / "evil.mtx"), "evil.mtx")]
        self.refused(archive(*evil), "it holds no small/small.mtx")
        self.server.files[PATH] = archive(*evil, member("small/small.mtx", TEXT))
        self.call()
        self.check_fetched()
        self.assertEqual(sorted(path.name for path in self.place.iterdir()), ["matrices"])

    def test_links_and_devices_are_refused(self):
        victim = self.place / "matrices" / "victim"
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE):
            with self.subTest(kind):
                self.refused(archive(member("small/small.mtx", type=kind, linkname=str(victim))),
                             "small/small.mtx in it is not a regular file")
        # A link before the matrix, under the name of its folder.
        self.server.files[PATH] = archive(
            member("small", type=tarfile.SYMTYPE, linkname=".."), member("small/small.mtx", TEXT))
        self.call()
        self.check_fetched()

    def test_damaged_archives(self):
        changed = bytearray(SMALL)
        changed[-6] ^= 1    # of gzip's checksum
        for content, text in ((bytes(changed), "CRC check failed"), (b"<html>", "Not a gzipped file"),
                              (SMALL[:-20], "ended before the end"), (b"", "empty file"),
                              (gzip.compress(b"text" * 1000), "damaged, twice"),
                              (archive(member("small/small.mtx", b"<html>")), "does not begin with")):
            with self.subTest(text):
                self.refused(content, text)
                self.assertFalse(self.part().exists())

    def test_the_first_of_two_is_damaged(self):
        self.habits(lambda handler, content: matrix_server.honest(handler, content[:-30]), None)
        self.assertIn("the archive is damaged: ", self.call().err)
        self.check_fetched()


class Locks(Fetch):
    def test_a_changed_file_is_an_error_that_keeps_both(self):
        self.call()
        self.target.rename(self.place / "first.mtx")
        self.server.files[PATH] = OTHER
        before = self.entry()
        said = self.call(status=1).err
        digest = hashlib.sha256(OTHER).hexdigest()
        kept = self.folder / f"small.tar.gz.differs-{digest[:8]}"
        self.assertIn(f"{kept}: differs from the first download: {len(OTHER)} bytes, sha256 {digest}",
                      said)
        self.assertEqual(kept.read_bytes(), OTHER)
        self.assertFalse(self.target.exists())
        self.assertEqual(self.entry(), before)

    def test_a_lock_file_of_others(self):
        self.call()
        lock = self.place / "ours.json"
        (self.folder / "matrices.lock.json").rename(lock)
        self.folder = self.place / "elsewhere"
        self.target = self.folder / "small.mtx"
        text = lock.read_bytes()
        self.call("--lock", lock)
        self.assertEqual(self.target.read_bytes(), TEXT)
        self.assertEqual(lock.read_bytes(), text)
        self.assertFalse((self.folder / "matrices.lock.json").exists())

    def test_a_changed_matrix(self):
        self.call()
        changed = bytearray(TEXT)
        changed[-2] ^= 1
        self.target.write_bytes(changed)
        self.call()
        self.assertIn("has another sha256 than", self.call("--check", status=1).err)
        self.target.write_bytes(TEXT + b"\n")
        self.assertIn(f"has {len(TEXT) + 1} bytes, and", self.call(status=1).err)
        self.assertEqual(self.target.read_bytes(), TEXT + b"\n")

    def test_a_matrix_of_somebody_else(self):
        self.folder.mkdir()
        self.target.write_bytes(b"mine")
        self.assertIn("is there, but not in", self.call(status=1).err)
        self.assertEqual(self.target.read_bytes(), b"mine")
        self.assertEqual(self.server.requests, [])

    def test_cut_off_before_the_lock_file_was_written(self):
        with mock.patch("rowhalo_study.matrices.record.write_whole", side_effect=KeyboardInterrupt):
            self.assertIn("interrupted; the same call goes on", self.call(status=1).err)
        self.assertTrue(self.target.exists())
        self.assertIn("fetched", self.call().out)
        self.assertEqual(self.ranges(), [None])
        self.check_fetched()
        self.entry()

    def test_not_a_lock_file(self):
        self.folder.mkdir()
        for text in ("{", "[]", '{"schema_version": 2, "matrices": {}}',
                     '{"schema_version": 1, "matrices": {"Group/small": {}}}'):
            lock = self.write("lock.json", text)
            self.assertIn("lock.json: is not a lock file", self.call("--lock", lock, status=2).err)

    def test_two_at_once(self):
        self.folder.mkdir()
        with open(self.folder / ".fetching", "w", encoding="utf-8") as claim:
            fcntl.flock(claim, fcntl.LOCK_EX)
            self.assertIn("another call fetches into this folder", self.call(status=2).err)

    def test_archives_are_kept_if_asked_for(self):
        self.call("--keep-archives")
        self.assertEqual((self.folder / "small.tar.gz").read_bytes(), SMALL)


class Words(Fetch):
    def test_dry_run_writes_nothing(self):
        said = self.call("--dry-run", names=[NAME, "Group/nothing"])
        self.assertIn(f"Group/small: to fetch; not in a set; {self.server.url}{PATH} "
                      f"({transfer.in_words(len(SMALL))})\n", said.out)
        self.assertIn("Group/nothing.tar.gz: there is no such file", said.err)
        self.assertFalse(self.folder.exists())
        self.assertEqual({method for method, _, _ in self.server.requests}, {"HEAD"})
        self.habits(matrix_server.ignores_range(5000))
        self.call("--retries", 0, status=1)
        self.assertIn("to fetch, 5 kB are there; ", self.call("--dry-run").out)
        self.habits(None)
        self.call()
        self.assertIn("Group/small: there; ", self.call("--dry-run").out)

    def test_list(self):
        said = self.call("--list", names=()).out
        for name, one in sets.SETS.items():
            self.assertIn(f"{name}: {one.title}\n", said)
        lines = self.call("--list", names=["large33"]).out.splitlines()
        self.assertEqual(len(lines), 33)
        self.assertRegex(lines[-1], r"^DIMACS10/kron_g500-logn21 +2097152 x 2097152 +182082942 nonzeros$")
        self.assertIn("there is no such set", self.call("--list", names=["big"], status=2).err)

    def test_sets(self):
        table = sets.known()
        for name, one in table.items():
            self.assertRegex(name, sets.NAME)
            self.assertGreater(min(one.rows, one.columns, one.nonzeros), 0)
            self.assertLessEqual(one.nonzeros, one.rows * one.columns)
            self.assertLessEqual(set(one.sets), set(sets.SETS))
        for name in sets.SETS:
            count = int(re.search(r"\d+$", name)[0])
            self.assertEqual(len(sets.members(name, table)), count)
            self.assertEqual(len(sets.chosen([name])), count)
        self.assertEqual([one.name for one in sets.chosen(["cant", "Williams/cant"])], ["Williams/cant"])

    def test_wrong_words(self):
        for names, text in ((["common"], "did you mean common20?"), (["../etc"], "is neither a set"),
                            (["A/../b"], "is neither a set"), (["a/b/c"], "is neither a set"),
                            (["HB/cant", "cant"], "both would be cant.mtx")):
            self.assertIn(text, self.call(names=names, status=2).err)
        for words in (["--mirror", "file:///tmp"], ["--timeout", "0"], ["--retries", "-1"], []):
            with self.assertRaises(SystemExit) as ended, contextlib.redirect_stderr(io.StringIO()):
                matrices.main([*([NAME] if words else []), *words])
            self.assertEqual(ended.exception.code, 2)
        self.assertEqual(self.server.requests, [])


if __name__ == "__main__":
    unittest.main()
