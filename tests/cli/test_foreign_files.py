#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Matrices and vectors in files of other programs (foreign_files.py): what they hold, at 1 and 3 ranks, beside
scipy's own product. tests/io/read_files reads all of them in one start."""
import json
import os
import subprocess
import unittest
from pathlib import Path

import launch

launch.require("numpy", "scipy", "h5py")
import foreign_files  # noqa: E402  pylint: disable=wrong-import-position
import numpy as np  # noqa: E402  pylint: disable=wrong-import-position

READ_FILES = Path(os.environ.get("ROWHALO_READ_FILES", launch.BINARY.parents[1] / "tests/io/read_files"))


class ForeignFiles(launch.Case):
    def setUp(self):
        super().setUp()
        self.folder = foreign_files.make_all(self.place)

    def read(self, ranks, kind, names):
        """{name: what the program says of it}, and stderr."""
        done = subprocess.run([*launch.LAUNCHER, "-n", str(ranks), str(READ_FILES), *kind, *names], cwd=self.place,
                              env=launch.ENVIRONMENT, capture_output=True, text=True, timeout=launch.PATIENCE,
                              check=False)
        self.assertEqual(done.returncode, 0, done)
        results = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        self.assertEqual([result["file"] for result in results], names)
        return {result["file"]: result for result in results}, done.stderr

    def test_matrices(self):
        names = list(self.folder.matrices)
        self.assertGreater(len(names), 50)
        for ranks in 1, 3:
            results, notes = self.read(ranks, ["matrices"], names)
            for name, matrix in self.folder.matrices.items():
                with self.subTest((name, ranks)):
                    result = results[name]
                    self.assertIn("y", result, result)
                    self.assertEqual([result["rows"], result["columns"]], list(matrix.shape))
                    self.assertEqual(result["outline"], list(matrix.shape))
                    expected = matrix @ (np.arange(matrix.shape[1]) + 1.0)
                    terms = abs(matrix) @ (np.arange(matrix.shape[1]) + 1.0)
                    self.assertTrue(np.all(abs(result["y"] - expected) <= 1e-14 * terms), (result["y"], expected))
            self.assertEqual(notes.count("note: "), 1, notes)
            self.assertIn("mixed.hdf5:/unmarked: nothing says whether it is CSR or CSC", notes)

    def test_vectors(self):
        for size in 8, 9:
            vectors = {name: vector for name, vector in self.folder.vectors.items() if len(vector) == size}
            for ranks in 1, 3:
                results, _ = self.read(ranks, ["vectors", str(size)], list(vectors))
                for name, vector in vectors.items():
                    with self.subTest((name, ranks)):
                        self.assertEqual(results[name].get("y"), list(vector), results[name])

    def test_refusals(self):
        for kind, refused in (["matrices"], foreign_files.refused(self.folder)), \
                             (["vectors", "8"], foreign_files.refused_vectors(self.folder)):
            for ranks in 1, 3:
                results, notes = self.read(ranks, kind, list(refused))
                self.assertNotIn("HDF5-DIAG", notes)
                for name, words in refused.items():
                    with self.subTest((name, ranks)):
                        result = results[name]
                        self.assertEqual(result.get("status"), 2, result)
                        self.assertIn(name.split(":")[0], result["message"])
                        self.assertNotIn("\n", result["message"])
                        for word in words:
                            self.assertIn(word, result["message"])

    def test_numbers_that_fp64_does_not_hold(self):
        """One warning, with their number and the first, whichever rank reads it."""
        integers = [2**53 + 1, 2**53, 2**60, 2**63 - 1, -2**53 - 1, 3]
        head = "%%MatrixMarket matrix coordinate integer general\n1 6 6\n"
        self.write("large.mtx", head + "".join(f"1 {k + 1} {value}\n" for k, value in enumerate(integers)))
        matrix = foreign_files.scipy.sparse.csr_matrix(np.array([integers]))
        foreign_files.scipy.sparse.save_npz(self.place / "large.npz", matrix)
        with foreign_files.h5py.File(self.place / "large.h5", "w") as file:
            file.attrs["shape"], file.attrs["format"] = (1, 6), "csr"
            foreign_files.put(file, matrix, value=np.int64)
            file["vector"] = np.array(integers)
        for ranks in 1, 3:
            for kind, names in (["matrices"], ["large.mtx", "large.npz", "large.h5"]), (["vectors", "6"], ["large.h5"]):
                results, notes = self.read(ranks, kind, names)
                self.assertEqual(notes.count("warning: "), len(names), notes)
                for name in names:
                    self.assertIn(f"{name}: 3 whole numbers beyond 2^53 were rounded to fp64", notes)
                    self.assertIn("y", results[name])
                self.assertEqual(notes.count("9007199254740993"), len(names), notes)
            if kind == ["matrices"]:
                self.assertIn("large.mtx:3: 9007199254740993", notes)
                self.assertIn("data[0]: 9007199254740993", notes)


if __name__ == "__main__":
    if not launch.built_with("HDF5"):
        launch.skip_all("built without HDF5")
    unittest.main()
