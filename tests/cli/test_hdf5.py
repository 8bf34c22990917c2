#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Matrices and vectors in .h5 between rowhalo and h5py with scipy, both ways, and files that are wrong."""
import unittest

import launch

launch.require("numpy", "scipy", "h5py")
import h5py  # noqa: E402  pylint: disable=wrong-import-position
import numpy as np  # noqa: E402  pylint: disable=wrong-import-position
import scipy.io  # noqa: E402  pylint: disable=wrong-import-position
import scipy.sparse  # noqa: E402  pylint: disable=wrong-import-position


def stored(group, matrix, index=np.int32, value=np.float64, **options):
    """scipy's arrays as they are, in a group of a file that is open."""
    group.attrs["shape"] = matrix.shape
    group.create_dataset("indptr", data=matrix.indptr.astype(index), **options)
    group.create_dataset("indices", data=matrix.indices.astype(index), **options)
    group.create_dataset("data", data=matrix.data.astype(value), **options)


def loaded(path, group="/"):
    """A matrix in the layout that rowhalo documents."""
    with h5py.File(path, "r") as file:
        part = file[group]
        return scipy.sparse.csr_matrix((part["data"][:], part["indices"][:], part["indptr"][:]),
                                       shape=(part.attrs["rows"], part.attrs["columns"]))


class Hdf5(launch.Case):
    def product(self, matrix, *options, ranks=3):
        """y of a run, read by h5py."""
        target = self.place / "y.h5"
        target.unlink(missing_ok=True)
        result = launch.run("run", "--matrix", matrix, "--save-y", target, "--validate", "reference",
                            *launch.SHORT, *options, ranks=ranks)
        self.assertEqual(result.status, 0, result)
        with h5py.File(target, "r") as file:
            return file["vector"][:]

    def test_files_of_scipy(self):
        matrix = scipy.sparse.random(83, 61, density=0.1, random_state=1, format="csr")
        matrix.data = np.round(matrix.data, 2).astype(np.float32).astype(np.float64)
        expected = matrix @ (np.arange(61) + 1.0)
        path = self.place / "a.h5"
        layouts = {"plain": {}, "gzip": {"compression": "gzip", "chunks": (17,)},
                   "shuffled": {"compression": "gzip", "shuffle": True}, "chunks": {"chunks": (5,)}}
        for ranks, (name, options) in enumerate(layouts.items(), 1):
            for index in (np.int32, np.int64):
                for value in (np.float32, np.float64):
                    with h5py.File(path, "w") as file:
                        stored(file, matrix, index, value, **options)
                    with self.subTest((name, index, value)):
                        y = self.product(path, "--x", "index", ranks=ranks)
                        np.testing.assert_allclose(y, expected, rtol=1e-13)
        with h5py.File(path, "w") as file:
            stored(file.create_group("layers/first"), matrix)
            file.create_dataset("x", data=np.arange(61) + 1)
        y = self.product(f"{path}:/layers/first", "--x", f"{path}:/x")
        np.testing.assert_allclose(y, expected, rtol=1e-13)

    def test_scipy_reads_ours(self):
        matrix = scipy.sparse.random(40, 31, density=0.2, random_state=3, format="csr")
        source, target = self.place / "a.mtx", self.place / "b.h5"
        scipy.io.mmwrite(source, matrix, precision=17)
        for ranks in (1, 4, 7):
            result = launch.run("convert", source, target, "--force", ranks=ranks)
            self.assertEqual(result.status, 0, result)
            back = loaded(target)
            self.assertEqual(back.shape, matrix.shape)
            self.assertEqual(back.indices.dtype, np.int32)
            np.testing.assert_array_equal(back.toarray(), matrix.toarray())
        result = launch.run("convert", "stencil7:5", f"{target}:/grid", ranks=3)
        self.assertEqual(result.status, 0, result)
        self.assertEqual(loaded(target, "grid").nnz, 725)
        self.assertEqual(self.product(f"{target}:/grid", "--x", "ones")[62], 0)

    def test_vectors_both_ways(self):
        x = np.random.default_rng(1).uniform(-1, 1, 512)
        path = self.place / "x.h5"
        with h5py.File(path, "w") as file:
            file["vector"] = x
        y = self.product("stencil7:8", "--x", path)
        again = self.product("stencil7:8", "--x", path, "--precision", "fp32")
        self.assertEqual(y.dtype, np.float64)
        self.assertEqual(again.dtype, np.float32)
        np.testing.assert_allclose(again, y, atol=1e-5)

    def test_wrong_files(self):
        path = self.place / "a.h5"
        with h5py.File(path, "w") as file:
            stored(file.create_group("A"), scipy.sparse.identity(5, format="csr"))
            stored(file.create_group("coo"), scipy.sparse.identity(5, format="csc"))
            file["coo"].attrs["format"] = "coo"
            stored(file.create_group("complex"), scipy.sparse.identity(5, format="csr"),
                   value=np.complex128)
        cut = self.write("cut.h5", path.read_bytes()[:-7])
        text = self.write("text.h5", "text\n")
        for name, words in ((path, ["/A"]), (f"{path}:/B", ["no group '/B'", "/A"]),
                            (f"{path}:/coo", ["tocsr"]), (f"{path}:/complex", ["complex"]),
                            (cut, ["truncated"]), (text, ["not an HDF5 file"])):
            result = launch.run("run", "--matrix", name, *launch.SHORT)
            self.assertEqual(result.status, 2, result)
            for word in words:
                self.assertIn(word, result.message())
            self.assertNotIn("HDF5-DIAG", result.stderr)
            self.assertEqual(result.message().count("rowhalo: "), 1, result)


if __name__ == "__main__":
    if not launch.built_with("HDF5"):
        launch.skip_all("built without HDF5")
    unittest.main()
