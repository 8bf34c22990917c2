#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""rowhalo solve: PASS means that x is right, a scaled system is the same system, a failure says why.

ROWHALO_TEST_DEVICE=gpu solves on a GPU, in a canonical format as on the CPU: the same bits.
"""
import os
import unittest

import launch
from test_solve import coordinate, entries_of

ON_GPU = os.environ.get("ROWHALO_TEST_DEVICE") == "gpu"
HERE = ["--device", "gpu", "--format", "sell"] if ON_GPU else ["--device", "cpu", "--format", "csr"]
HERE += ["--halo", "mpi", "--reproducible", "--no-petsc"]
ALL = [*HERE, "--method", "all"]
SYSTEMS = launch.methods("symmetric", "general")


def array(entries):
    return f"%%MatrixMarket matrix array real general\n{len(entries)} 1\n" + "".join(f"{b!r}\n" for b in entries)


def path_graph(size, shift=0.0):
    """The Laplacian of a path, plus a multiple of the identity: singular without it."""
    entries = [(i, i, (1.0 if i in (0, size - 1) else 2.0) + shift) for i in range(size)]
    return sorted(entries + [(i, j, -1.0) for i in range(size) for j in (i - 1, i + 1) if 0 <= j < size])


def power_of_two(exponent):
    """Times it, without overflow on the way: 2.0**-1060 is a subnormal number."""
    return lambda value: value * 2.0**(exponent // 2) * 2.0**(exponent - exponent // 2)


class Solutions(launch.Case):
    def matrix(self, name, entries, size, scale=lambda value: value):
        return self.write(name, coordinate(size, [(i, j, scale(a)) for i, j, a in entries]))

    def solve(self, *arguments, ranks=0, status=0):
        return self.run_json(*arguments, ranks=ranks, status=status, command="solve")["solvers"]


class Scaled(Solutions):
    SIZE = 12

    def setUp(self):
        super().setUp()
        self.b = [0.375 + (7 * k % 5) * 0.1875 for k in range(self.SIZE)]
        self.rhs = self.write("b.mtx", array(self.b))
        self.springs = self.matrix("a.mtx", path_graph(self.SIZE, 0.5), self.SIZE)

    def test_a_right_hand_side_times_a_power_of_two(self):
        """Same iterations, relative norms and x, bit by bit, as long as x is a normal number."""
        target = self.place / "x.mtx"
        for method in SYSTEMS:
            for norm in ("unpreconditioned", "preconditioned", "natural") if method == "cg" else ("",):
                more = ["--method", method, "--save-x", target, *(["--norm", norm] if norm else [])]
                expected, = self.solve("--matrix", self.springs, "--rhs", self.rhs, *HERE, *more)
                x = entries_of(target)
                for exponent in (-1000, -900, -500, 500, 900, 1000):
                    with self.subTest((method, norm, exponent)):
                        scale = power_of_two(exponent)
                        rhs = self.write("scaled.mtx", array([scale(b) for b in self.b]))
                        found, = self.solve("--matrix", self.springs, "--rhs", rhs, *HERE, *more)
                        self.assertEqual((found["end"], found["passed"]), ("converged", True))
                        self.assertEqual(found["true_residual"], expected["true_residual"])
                        self.assertEqual([power_of_two(-exponent)(value) for value in entries_of(target)], x)
                        unit = 2.0**(found["norm_exponent"] - exponent) if found["norm_exponent"] else None
                        norms = [value * unit if unit else power_of_two(-exponent)(value)
                                 for value in found["norms"]]
                        self.assertEqual(norms, expected["norms"])

    def test_a_matrix_times_a_power_of_two(self):
        expected = self.solve("--matrix", self.springs, *ALL)
        power, = self.solve("--matrix", self.springs, *HERE, "--method", "power", "--tolerance", "1e-6")
        for exponent in (-1000, -540, -33, 34, 531, 1000):
            with self.subTest(exponent):
                scale = power_of_two(exponent)
                path = self.matrix("scaled.mtx", path_graph(self.SIZE, 0.5), self.SIZE, scale)
                for found, right in zip(self.solve("--matrix", path, *ALL), expected):
                    self.assertEqual((found["end"], found["passed"]), ("converged", True), found["method"])
                    self.assertEqual((found["iterations"], found["x_hash"]),
                                     (right["iterations"], right["x_hash"]))
                found, = self.solve("--matrix", path, *HERE, "--method", "power", "--tolerance", "1e-6")
                self.assertEqual((found["eigenvalue"], found["x_hash"]),
                                 (scale(power["eigenvalue"]), power["x_hash"]))

    def test_norms_of_a_scaled_matrix(self):
        """A, r and sqrt(r.z) are scaled by 2^k, 2^k and 2^(k/2), z by none."""
        path = self.matrix("scaled.mtx", path_graph(self.SIZE, 0.5), self.SIZE, power_of_two(60))
        for norm, exponent in (("unpreconditioned", 60), ("natural", 30), ("preconditioned", 0)):
            more = [*HERE, "--method", "cg", "--norm", norm]
            expected, = self.solve("--matrix", self.springs, *more)
            found, = self.solve("--matrix", path, *more)
            self.assertEqual([value * 2.0**-exponent for value in found["norms"]], expected["norms"], norm)
            self.assertEqual(found["norm_exponent"], 0)

    def test_squares_beyond_fp64(self):
        for rhs in (1e-200, 1e200, 1e300):
            for norm in ("natural", "preconditioned", "unpreconditioned"):
                with self.subTest((rhs, norm)):
                    path = self.write("far.mtx", array([b * rhs for b in self.b]))
                    found, = self.solve("--matrix", self.springs, "--rhs", path, *HERE, "--method", "cg",
                                        "--norm", norm)
                    self.assertTrue(found["passed"])
                    self.assertLess(found["true_residual"], 1e-6)
        for size in (1e160, 1e-170, 1e300, 1e-300):
            with self.subTest(size):
                path = self.matrix("far.mtx", path_graph(self.SIZE, 0.5), self.SIZE, lambda a, s=size: a * s)
                for found in self.solve("--matrix", path, *ALL):
                    self.assertTrue(found["passed"], found["method"])
                    self.assertLess(found["error"], 1e-6)

    def test_x_beyond_fp64(self):
        tiny = self.write("tiny.mtx", array([1e-320] * self.SIZE))
        found, = self.solve("--matrix", self.springs, "--rhs", tiny, *HERE, "--method", "cg", status=3)
        self.assertFalse(found["passed"])
        self.assertIn("underflow", found["reason"])
        small = self.matrix("small.mtx", path_graph(self.SIZE, 0.5), self.SIZE, lambda a: a * 1e-200)
        huge = self.write("huge.mtx", array([1e200] * self.SIZE))
        found, = self.solve("--matrix", small, "--rhs", huge, *HERE, "--method", "cg", status=3)
        self.assertIn("overflow: the largest entry of x", found["reason"])

    def test_entries_too_far_apart(self):
        """No power of two brings both into the range of fp64."""
        path = self.matrix("apart.mtx", [(0, 0, 1e300), (1, 1, 1e-300), (2, 2, 1.0)], 3)
        rhs = self.write("three.mtx", array([1.0] * 3))
        for found in self.solve("--matrix", path, "--rhs", rhs, *ALL, "--preconditioner", "none",
                                "--max-iterations", "50", status=1):
            self.assertFalse(found["passed"])
            self.assertIn(found["end"], ("overflow", "not converged", "breakdown", "singular matrix"))

    def test_pagerank_of_weights_near_the_ends_of_fp64(self):
        links = [(1, 0), (2, 0), (0, 1), (2, 1), (0, 2)]
        expected, = self.solve("--matrix", self.matrix("w.mtx", [(i, j, 1.0) for i, j in links], 3), *HERE,
                               "--method", "pagerank")
        for weight in (1e308, 1e-320):
            path = self.matrix("w.mtx", [(i, j, weight) for i, j in links], 3)
            found, = self.solve("--matrix", path, *HERE, "--method", "pagerank")
            self.assertEqual(found["x_hash"], expected["x_hash"])


class Right(Solutions):
    def test_a_norm_that_says_little(self):
        """Two systems in one: the preconditioned norm does not see the one with large entries."""
        entries = [(i, i, 1.0 + i) for i in range(4)]
        entries += [(i + 4, j + 4, 1e12 * a) for i, j, a in path_graph(40, 0.001)]
        path = self.matrix("two.mtx", entries, 44)
        rhs = self.write("b.mtx", array([1.0] * 4 + [0.5 + k % 7 for k in range(40)]))
        base = ["--matrix", path, "--rhs", rhs, *HERE, "--method", "cg", "--tolerance", "1e-6"]
        found, = self.solve(*base, "--norm", "preconditioned", status=3)
        self.assertEqual((found["end"], found["passed"]), ("converged", False))
        self.assertIn("--norm unpreconditioned", found["reason"])
        found, = self.solve(*base)
        self.assertLess(found["true_residual"], 1e-6)

    def test_a_singular_matrix_does_not_give_the_known_solution_back(self):
        path = self.matrix("path.mtx", path_graph(10), 10)
        for found in self.solve("--matrix", path, "--x", "index", *ALL, status=3):
            self.assertEqual(found["end"], "converged")
            self.assertLess(found["true_residual"], 1e-6)
            self.assertIn("singular or nearly so", found["reason"])

    def test_power_from_an_eigenvector(self):
        """The first norm is rounding errors: the tolerance is a share of |lambda|."""
        size = 9
        path = self.matrix("ring.mtx", [(i, j % size, 0.1) for i in range(size) for j in range(i, i + 3)], size)
        found, = self.solve("--matrix", path, "--x", "ones", *HERE, "--method", "power")
        self.assertEqual((found["end"], found["passed"]), ("converged", True))
        self.assertAlmostEqual(found["eigenvalue"], 0.3)


class Ends(Solutions):
    def ends(self, entries, size, *more, ranks=0, status=1):
        return self.solve("--matrix", self.matrix("a.mtx", entries, size), *ALL, *more, ranks=ranks, status=status)

    def test_a_singular_matrix_and_a_right_hand_side_outside_its_range(self):
        for size in (10, 40):
            rhs = self.write("b.mtx", array([1.0] + (size - 2) * [0.0] + [0.5]))
            for preconditioner in ("jacobi", "none"):
                for found in self.ends(path_graph(size), size, "--rhs", rhs, "--preconditioner", preconditioner):
                    self.assertEqual(found["end"], "singular matrix", (size, preconditioner, found["method"]))
                    self.assertNotIn("bicgstab", found["reason"])
        for found in self.ends(path_graph(40), 40, "--rhs", rhs, ranks=3):
            self.assertEqual(found["end"], "singular matrix", found["method"])
        balanced = self.write("b.mtx", array([1.0] + 8 * [0.0] + [-1.0]))
        for found in self.ends(path_graph(10), 10, "--rhs", balanced, status=0):  # the advice helps
            self.assertEqual(found["end"], "converged")

    def test_a_row_without_entries(self):
        entries = [(i, i, 2.0) for i in range(8) if i != 3]
        for found in self.ends(entries, 8, "--preconditioner", "none", "--rhs", "ones"):
            self.assertEqual(found["end"], "singular matrix", found["method"])

    def test_negative_definite(self):
        entries = [(i, j, -a) for i, j, a in path_graph(30, 0.5)]
        for preconditioner in ("jacobi", "none", "block-jacobi"):
            for found in self.ends(entries, 30, "--preconditioner", preconditioner):
                symmetric = found["method"] != "bicgstab"  # which the reason recommends
                self.assertEqual(found["end"], "negative definite matrix" if symmetric else "converged")
                if symmetric:
                    self.assertIn("use --method bicgstab", found["reason"])

    def test_indefinite(self):
        entries = [(i, j, a - 1.5 * (i == j)) for i, j, a in path_graph(30)]
        for found in self.ends(entries, 30, "--preconditioner", "none"):
            symmetric = found["method"] != "bicgstab"
            self.assertEqual(found["end"], "indefinite matrix" if symmetric else "converged")
            if symmetric:
                self.assertIn("use --method bicgstab", found["reason"])

    def test_indefinite_preconditioner(self):
        entries = [(i, j, a if i != j else (-1.0 if i % 3 else 0.5) * a) for i, j, a in path_graph(30, 0.3)]
        for more in ((), ("--norm", "natural")):    # whose square is negative here
            for found in self.ends(entries, 30, *more):
                symmetric = found["method"] != "bicgstab"
                self.assertEqual(found["end"], "indefinite preconditioner" if symmetric else "converged")
                if symmetric:
                    self.assertIn("entries of both signs", found["reason"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
