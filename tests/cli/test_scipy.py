#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--save-y against scipy's own product of the same file, with x made here by its definition."""
import gzip
import shutil
import unittest

import launch

launch.require("numpy", "scipy")
import numpy as np  # noqa: E402  pylint: disable=wrong-import-position
import scipy.io  # noqa: E402  pylint: disable=wrong-import-position
import scipy.sparse  # noqa: E402  pylint: disable=wrong-import-position


def mix64(z):
    with np.errstate(over="ignore"):
        z = z + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def vector(spec, size):
    """What --x and --y mean (partition/base/hash.hpp has uniform_value)."""
    i = np.arange(size, dtype=np.float64)
    if spec.startswith("random:seed="):
        seed = np.array([int(spec.split("=")[1])], dtype=np.uint64)
        mixed = mix64(mix64(mix64(seed)) ^ np.arange(size, dtype=np.uint64))
        return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1
    return {"ones": np.ones(size), "index": i + 1, "log": np.log(np.sqrt(i * i - i + 2))}[spec]


def read_matrix(path):
    if path.name.endswith(".gz"):
        with gzip.open(path) as file:
            return scipy.sparse.csr_matrix(scipy.io.mmread(file), dtype=np.float64)
    return scipy.sparse.csr_matrix(scipy.io.mmread(path), dtype=np.float64)


def read_vector(path):
    return np.asarray(scipy.io.mmread(path), dtype=np.float64).reshape(-1)


class Scipy(launch.Case):
    def agrees(self, name, matrix, *options, x="random:seed=1", y="", alpha=1.0, beta=0.0, ranks=3,
               precision="fp64"):
        saved = self.place / "y.mtx"
        saved.unlink(missing_ok=True)
        more = ["--y", y] if y else []
        result = launch.run("run", "--matrix", name, "--x", x, *more, "--alpha", alpha, "--beta", beta,
                            "--precision", precision, "--save-y", saved, "--validate", "none",
                            *launch.SHORT, *options, ranks=ranks)
        self.assertEqual(result.status, 0, result)
        rows, columns = matrix.shape
        stored = np.float64 if precision == "fp64" else np.float32
        # Rounded as the run rounds them, then multiplied in double.
        a = matrix.astype(stored).astype(np.float64)
        x_values = vector(x, columns).astype(stored).astype(np.float64)
        y_values = (vector(y, rows) if y else np.zeros(rows)).astype(stored).astype(np.float64)
        expected = alpha * (a @ x_values) + beta * y_values
        terms = abs(alpha) * (abs(a) @ abs(x_values)) + abs(beta) * abs(y_values)
        bound = 4 * (np.diff(a.indptr) + 3) * np.finfo(stored).eps * terms
        got = read_vector(saved)
        self.assertEqual(got.shape, expected.shape)
        worst = np.argmax(abs(got - expected) - bound) if rows else 0
        self.assertTrue(np.all(abs(got - expected) <= bound),
                        f"{result.command}: row {worst}: {got[worst:worst + 1]}, "
                        f"scipy {expected[worst:worst + 1]}")

    def test_vectors_and_factors(self):
        rng = np.random.default_rng(1)
        matrix = scipy.sparse.random(83, 61, density=0.1, random_state=rng, format="csr")
        path = self.place / "random.mtx"
        scipy.io.mmwrite(path, matrix)
        for x in ("ones", "index", "log", "random:seed=1", "random:seed=7"):
            with self.subTest(x):
                self.agrees(path, matrix, *launch.AUTO, x=x)
        for alpha, beta, y in ((1, 1, "index"), (-0.5, 2, "random:seed=9"), (0, 1, "log"),
                               (3, 0, "ones"), (0, 0, "ones")):
            for ranks in (0, 3):
                with self.subTest((alpha, beta, y, ranks)):
                    self.agrees(path, matrix, alpha=alpha, beta=beta, y=y, ranks=ranks)
        self.agrees(path, matrix, precision="fp32", alpha=-0.5, beta=2, y="log")
        self.agrees(path, matrix, ranks=7)

    def test_x_from_a_file(self):
        matrix = scipy.sparse.random(40, 30, density=0.2, random_state=3, format="csr")
        path, x_path = self.place / "a.mtx", self.place / "x.mtx"
        scipy.io.mmwrite(path, matrix)
        scipy.io.mmwrite(x_path, vector("log", 30).reshape(-1, 1))
        by_name, by_file = self.place / "1.mtx", self.place / "2.mtx"
        for x, saved in (("log", by_name), (x_path, by_file)):
            result = launch.run("run", "--matrix", path, "--x", x, "--save-y", saved, *launch.SHORT)
            self.assertEqual(result.status, 0, result)
        np.testing.assert_allclose(read_vector(by_file), read_vector(by_name), rtol=1e-12)

    def test_symmetries_fields_and_duplicates(self):
        head = "%%MatrixMarket matrix coordinate "
        texts = {
            "symmetric": "real symmetric\n% c\n\n4 4 4\n1 1 2\n3 1 -1.5e0\n4 2 7\n4 4 .5\n",
            "skew": "real skew-symmetric\n4 4 3\n2 1 2\n3 1 -1.5\n4 2 7\n",
            "pattern": "pattern general\n4 5 3\n2 1\n3 5\n1 2\n",
            "pattern symmetric": "pattern symmetric\n4 4 3\n2 1\n3 3\n4 2\n",
            "integer": "integer general\n2 3 2\n2 3 -7\n1 1 123456789\n",
            "duplicates": "real general\n3 3 5\n1 1 1\n2 2 4\n1 1 0.25\n3 1 8\n1 1 -3\n",
        }
        for case, text in texts.items():
            for line_end in ("\n", "\r\n"):
                path = self.write("m.mtx", (head + text).replace("\n", line_end))
                with self.subTest((case, line_end)):
                    # Blank lines and comments after the banner are not scipy's strong side.
                    plain = self.write("plain.mtx", (head + text).replace("% c\n\n", ""))
                    self.agrees(path, read_matrix(plain))
        array = self.write("array.mtx", "%%MatrixMarket matrix array real general\n3 2\n"
                                        "1\n2\n3\n4\n5\n6.5\n")
        self.agrees(array, read_matrix(array))

    def test_generators(self):
        n = 6
        line = scipy.sparse.diags([1, 1, 1], [-1, 0, 1], shape=(n, n))
        one = scipy.sparse.identity(n)
        pattern = scipy.sparse.csr_matrix(scipy.sparse.kron(scipy.sparse.kron(line, line), line))
        stencil27 = 27 * scipy.sparse.identity(n**3) - pattern
        self.agrees("stencil27:6", scipy.sparse.csr_matrix(stencil27))
        path = scipy.sparse.diags([-1, -1], [-1, 1], shape=(n, n))
        grid = scipy.sparse.kron(one, path) + scipy.sparse.kron(path, one)
        self.agrees("stencil5:6", scipy.sparse.csr_matrix(4 * scipy.sparse.identity(n * n) + grid))
        cube = (scipy.sparse.kron(one, grid)
                + scipy.sparse.kron(path, scipy.sparse.identity(n * n)))
        self.agrees("stencil7:6", scipy.sparse.csr_matrix(6 * scipy.sparse.identity(n**3) + cube))
        i, j = np.meshgrid(np.arange(9), np.arange(9), indexing="ij")
        self.agrees("dense:9", scipy.sparse.csr_matrix(i - 0.1 * j + 1), x="index")

    def test_shuffle_keeps_the_order_of_the_source(self):
        matrix = scipy.sparse.random(50, 50, density=0.1, random_state=5, format="csr")
        path = self.place / "square.mtx"
        scipy.io.mmwrite(path, matrix)
        self.agrees(path, matrix, "--shuffle", 3)
        self.agrees(path, matrix, "--shuffle", 4, "--partition", "nnz", "--format", "sell")

    def test_shared_matrices(self):
        files = launch.shared_matrices()
        if not files:
            self.skipTest(f"no matrices in {launch.MATRICES}")
        for number, path in enumerate(files[:24]):
            with self.subTest(path.name):
                self.agrees(path, read_matrix(path), ranks=(0, 3, 4)[number % 3], x="log",
                            alpha=1.0 if number % 2 else -0.5)

    def test_names_with_blanks(self):
        folder = self.place / "with blank"
        folder.mkdir()
        path = folder / "a b.mtx"
        matrix = scipy.sparse.identity(5, format="csr")
        scipy.io.mmwrite(path, matrix)
        shutil.copy(path, folder / "c.mtx")
        self.agrees(path, matrix)


if __name__ == "__main__":
    unittest.main()
