#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""rowhalo convert: mtx -> h5 -> petsc -> mtx.gz -> mtx gives the same matrix at 1 and 3 ranks, and
wrong targets are refused. Without --all: generators and a few of the real matrices."""
import gzip
import json
import sys
import unittest

import launch

GENERATORS = ("elasticity:3", "random:rows=300,columns=200,row=7", "dense:rows=5,columns=9")
FEW = ("jgl009.mtx", "494_bus.mtx", "bibd_49_3.mtx.gz")
EMPTY = "%%MatrixMarket matrix coordinate real general\n0 0 0\n"
DIAGONAL = "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 5\n2 1 -7\n3 3 1\n"


def usable_suffixes():
    listing = launch.run("list", "sources", "--json", ranks=0)
    return {entry["name"] for entry in json.loads(listing.stdout) if entry["usable"]}


class Convert(launch.Case):
    def convert(self, source, target, *options, ranks=2):
        """Converts, gives the JSON."""
        report = self.place / "report.json"
        result = launch.run("convert", source, target, "--json", report, *options, ranks=ranks)
        self.assertEqual(result.status, 0, result)
        self.assertEqual(result.stdout.rstrip().split("\n")[-1], f"RESULT: PASS {target} written")
        document = json.loads(report.read_text(encoding="utf-8"))
        self.assertEqual(document["command"], "convert")
        self.assertEqual(document["output"]["path"], str(target))
        self.assertEqual(document["output"]["bytes"], target.stat().st_size)
        return document

    def round_trip(self, source, ranks):
        chain = [source, *(self.place / name for name in
                           ("a.h5", "b.petsc", "c.mtx.gz", "d.mtx", "e.petsc")
                           if name.endswith(tuple(SUFFIXES)))]
        reports = [self.convert(a, b, "--force", ranks=ranks) for a, b in zip(chain, chain[1:])]
        matrices = [report["matrix"] for report in reports]
        for matrix in matrices:
            for key in ("fingerprint", "rows", "columns", "nonzeros"):
                self.assertEqual(matrix[key], matrices[0][key], matrix["source"])
        # The last file was not read: it holds the bytes of one that was.
        self.assertEqual((self.place / "e.petsc").read_bytes(), (self.place / "b.petsc").read_bytes())
        with gzip.open(self.place / "c.mtx.gz") as text:  # of several members
            self.assertEqual(text.read(), (self.place / "d.mtx").read_bytes())
        return matrices[0]["fingerprint"]

    def same_at_1_and_3_ranks(self, source):
        fingerprints = {self.round_trip(source, ranks) for ranks in (0, 3)}  # 0: one, without a launcher
        self.assertEqual(len(fingerprints), 1)
        print(f"{source}: {fingerprints.pop()}", flush=True)

    def test_shared_matrices(self):
        for path in MATRICES:
            with self.subTest(path.name):
                self.same_at_1_and_3_ranks(path)

    def test_generators(self):
        for source in GENERATORS:
            with self.subTest(source):
                self.same_at_1_and_3_ranks(source)

    def test_small_and_empty(self):
        """Fewer rows than ranks, and none."""
        self.same_at_1_and_3_ranks(self.write("empty.mtx", EMPTY))
        self.same_at_1_and_3_ranks(self.write("small.mtx", DIAGONAL))

    def test_what_is_written(self):
        target = self.place / "out.mtx"
        report = self.convert(self.write("in.mtx", DIAGONAL), target)
        self.assertEqual(target.read_text(encoding="ascii"),
                         "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n"
                         "1 1 5\n2 1 -7\n3 3 1\n")
        self.assertEqual(report["output"]["read_bytes"], len(DIAGONAL))
        self.assertEqual(sorted(path.name for path in self.place.iterdir()),
                         ["in.mtx", "out.mtx", "report.json"])
        self.convert("stencil7:3", target, "--force", "--quiet", "--no-progress")  # overwrites
        self.assertTrue(target.read_text(encoding="ascii").split("\n")[1].startswith("27 27 "))

    def test_blocks(self):
        target = self.place / "blocks.petsc"
        self.convert("stencil7:4", target, "--block", "2")
        info, back = self.place / "blocks.petsc.info", self.place / "a.mtx"
        self.assertEqual(info.read_text(encoding="ascii"), "-matload_block_size 2\n")
        self.assertEqual(self.convert(target, back)["matrix"]["block"], 2)
        self.convert("stencil7:4", target, "--force")  # of the old block size nothing is left
        self.assertEqual(self.convert(target, back, "--force")["matrix"]["block"], 1)

    def refused(self, arguments, *words):
        result = launch.run("convert", *arguments)
        self.assertEqual(result.status, 2, result)
        self.assertNotIn("RESULT", result.stdout, result)
        self.assertEqual(result.message().count("rowhalo: "), 1, result)
        for word in words:
            self.assertIn(word, result.message(), result)

    def test_refusals(self):
        source = self.write("in.mtx", DIAGONAL)
        link = self.place / "link.mtx"
        link.symlink_to(source)
        self.refused([source], "OUT")
        self.refused([source, self.place / "out.csv"], "out.csv", "FILE.mtx", "FILE.petsc")
        self.refused([source, self.place / "no/out.mtx"], "no/out.mtx", "directory")
        self.refused([source, self.place], str(self.place))
        there = self.write("there.petsc", "kept")
        self.refused([source, there], "there.petsc: exists already", "--force")
        self.assertEqual(there.read_text(), "kept")
        self.refused([source, source], "in.mtx", "same file")
        self.refused([source, link], "link.mtx", "same file")
        self.refused([self.place / "missing.mtx", self.place / "out.mtx"], "missing.mtx")
        self.refused(["stencil13:4", self.place / "out.mtx"], "stencil13")
        self.refused(["stencil7:3", self.place / "out.mtx", "--block", "4"], "--block 4")
        self.refused([self.write("bad.petsc", b"\0\x12{P\0\0"), self.place / "out.mtx"], "bad.petsc")
        self.assertEqual(source.read_text(encoding="ascii"), DIAGONAL)
        self.assertFalse((self.place / "out.mtx").exists())
        taken = self.place / "taken.mtx"
        taken.mkdir()
        self.refused([source, taken], "taken.mtx", "directory")

    def test_unwritable_directory(self):
        if launch.os.geteuid() != 0:
            self.place.chmod(0o555)
            self.addCleanup(self.place.chmod, 0o755)
            self.refused(["stencil7:3", self.place / "out.mtx"], "out.mtx", "not writable")
            return
        for name in ("out.mtx", "out.petsc"):  # root learns it from the file system
            result = launch.run("convert", "stencil7:3", f"/proc/{name}")
            self.assertEqual(result.status, 1, result)
            self.assertIn(f"/proc/{name}: cannot be written", result.message())


ALL = "--all" in sys.argv
SUFFIXES = usable_suffixes()
MATRICES = launch.shared_matrices()
if not ALL:
    MATRICES = [path for path in MATRICES if path.name in FEW]

if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--all"])
