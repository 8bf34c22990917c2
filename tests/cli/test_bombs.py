#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Hostile input: small files that ask for much memory or time, and things that are no files. Each run is
under a limit of memory (ulimit -v); it ends soon, with exit status 2 and one message."""
import gzip
import importlib
import os
import resource
import struct
import unittest
import zlib

import launch

REAL = "%%MatrixMarket matrix coordinate real general\n"
HUGE = 10**15
LIMIT_BYTES = 3 << 30  # address space of a rank; MPI's libraries alone take some hundred MB


class Bombs(launch.Case):
    @classmethod
    def setUpClass(cls):
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))

    def refused(self, words, *arguments, ranks=2):
        result = launch.run(*arguments, ranks=ranks)
        self.assertEqual(result.status, 2, result)
        message = result.message()
        for word in words:
            self.assertIn(str(word), message, result)
        self.assertEqual(message.count("rowhalo: "), 1, result)
        self.assertLessEqual(len(message.split("\n")), 3, result)

    def refused_everywhere(self, words, path):
        """By each command that reads the entries of a matrix."""
        for command in (["run", *launch.SHORT], ["info"]):
            self.refused(words, *command, "--matrix", path)
        self.refused(words, "convert", path, self.place / "out.mtx", ranks=1)

    def test_sizes_in_mtx(self):
        for case, (size, words) in {
                "rows": (f"{HUGE} 1 1", [":2: ", HUGE, "GB", "more hosts"]),
                "columns": (f"1 {HUGE} 1", [":2: ", HUGE, "GB", "more hosts"]),
                "entries": (f"9 9 {HUGE}", [":2: ", HUGE, "has room for", "copy the file again"])}.items():
            for suffix in (".mtx", ".mtx.gz"):
                with self.subTest(case + suffix):
                    path = self.write("a" + suffix, f"{REAL}{size}\n1 1 1\n")
                    self.refused_everywhere([path, *words], path)

    def test_symmetric_entries_in_gz(self):
        """2^62 symmetric entries are more nonzeros than 64 bits can count."""
        path = self.write("a.mtx.gz", f"{REAL.replace('general', 'symmetric')}9 9 {2**62}\n1 1 1\n")
        self.refused([path, 2**62], "info", "--dry", "--matrix", path)

    def test_limit_of_a_process(self):
        """20 GB on one rank, which the limit of 3 GB does not allow, nor a host with less memory."""
        path = self.write("a.mtx", f"{REAL}400000000 400000000 1\n1 1 1\n")
        self.refused([path, "400000000 rows", "GB"], "info", "--matrix", path, ranks=1)
        self.refused(["stencil7:800", "GB"], "info", "--matrix", "stencil7:800", ranks=1)

    def sparse(self, name, start, size):
        """A file that says it is large and takes nothing on the disk."""
        path = self.write(name, start)
        with open(path, "r+b") as file:
            file.truncate(size)
        return path

    def test_petsc(self):
        rows = 1 << 40
        header = struct.pack(">4q", 1211216, rows, rows, 0)
        path = self.write("short.petsc", header)
        self.refused([path, rows, "bytes are missing"], "info", "--matrix", path)
        path = self.sparse("long.petsc", header, 32 + 8 * rows)
        self.refused_everywhere([path, rows, "GB", "more hosts"], path)
        dense = struct.pack(">4i", 1211216, 100000, 100000, -1)
        path = self.sparse("dense.petsc", dense, 16 + 8 * 10**10)
        self.refused_everywhere([path, "10000000000 nonzeros", "GB"], path)

    def test_comments_take_no_memory(self):
        """256 MB of comments in some 100 KB, before the size line and between the entries."""
        comments = ("%" + 1022 * "-" + "\n") * (1 << 18)
        text = f"{REAL}{comments}2 2 2\n1 1 1\n{comments}2 2 1\n"
        path = self.place / "a.mtx.gz"
        path.write_bytes(gzip.compress(text.encode(), 1))
        report = self.run_json("--matrix", path, *launch.SHORT, ranks=1)
        self.assertEqual(report["matrix"]["nonzeros"], 2)
        self.assertLess(report["memory"]["read_peak_bytes_max_rank"], 400e6)

    def test_empty_lines_are_not_slow(self):
        path = self.write("a.mtx", f"{REAL}{10_000_000 * chr(10)}2 2 1\n1 1 1\n")
        report = self.run_json("--matrix", path, *launch.SHORT, ranks=2)
        self.assertEqual(report["matrix"]["nonzeros"], 1)

    def test_endless_line(self):
        path = self.write("a.mtx", f"{REAL}%{(80 << 20) * '-'}\n2 2 1\n1 1 1\n")
        self.refused([f"{path}:2: ", "longer than 64 MiB"], "info", "--matrix", path)

    def test_no_regular_files(self):
        """A FIFO that nobody writes would hang whoever opens it."""
        for suffix in (".mtx", ".mtx.gz", ".petsc", ".h5"):
            if suffix == ".h5" and not launch.built_with("HDF5"):
                continue
            pipe = self.place / f"pipe{suffix}"
            os.mkfifo(pipe)
            device = self.place / f"device{suffix}"
            device.symlink_to("/dev/zero")
            for path, kind in ((pipe, "a pipe"), (device, "a device")):
                with self.subTest(path.name):
                    words = [path, f"is {kind}, but input must be a regular file"]
                    self.refused(words, "info", "--matrix", path)
                    for option in ("--x", "--y"):
                        self.refused(words, "run", "--matrix", "stencil7:4", option, path, *launch.SHORT)
        pipe = self.place / "owners"
        os.mkfifo(pipe)
        self.refused([pipe, "is a pipe"], "run", "--matrix", "stencil7:4", "--partition", f"file:{pipe}",
                     *launch.SHORT)
        self.refused(["/dev/stdin", "a regular file; copy it into one"], "info", "--matrix", "/dev/stdin")
        self.refused(["/dev/stdin"], "info", "--matrix", "stencil7:4", "--partition", "file:/dev/stdin")
        path = self.write("a.petsc", struct.pack(">4i", 1211216, 0, 0, 0))
        os.mkfifo(f"{path}.info")
        self.refused([f"{path}.info: is a pipe"], "info", "--matrix", path)

    def test_endless_owners(self):
        path = self.sparse("owners", b"0\n", 1 << 40)
        self.refused([f"{path}:2: ", "null byte"], "run", "--matrix", "stencil7:4", "--partition",
                     f"file:{path}", *launch.SHORT)

    @launch.needs("HDF5")
    def test_hdf5(self):
        reason = launch.lacking("h5py", "numpy")
        if reason:
            self.skipTest(reason)
        h5py, np = importlib.import_module("h5py"), importlib.import_module("numpy")
        path = self.place / "a.h5"

        def make(indptr, **arrays):
            """A matrix of one row; arrays are sizes of datasets that nobody writes, or make them."""
            with h5py.File(path, "w") as file:
                file.attrs["shape"] = (1, 5)
                file["indptr"] = np.array(indptr, dtype=np.int64)
                for name, array in arrays.items():
                    if isinstance(array, int):
                        file.create_dataset(name, (array,), dtype="i4", chunks=(1 << 20,), fillvalue=1)
                    else:
                        array(file, name)

        make([0, 10**15], indices=10**15, data=10**15)
        self.refused_everywhere([f"{path}:/indices", 10**15, "0 bytes were ever written"], path)

        def compressed(file, name):
            """4 GB of zeros in 4 MB: one chunk, inflated 500 times."""
            chunk = zlib.compress(bytes(8 << 20), 9)
            array = file.create_dataset(name, (500 << 20,), dtype="i8", chunks=(1 << 20,), compression=9)
            for k in range(500):
                array.id.write_direct_chunk((k << 20,), chunk)

        make([0, 500 << 20], indices=compressed, data=compressed)
        self.assertLess(path.stat().st_size, 20 << 20)
        self.refused([path, 500 << 20, "GB"], "info", "--matrix", path, ranks=1)


if __name__ == "__main__":
    unittest.main()
