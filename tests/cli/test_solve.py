#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""rowhalo solve: methods, preconditioners, named ends, reproducible sums, outputs."""
import math
import os
import signal
import time
import unittest

import launch

CPU = ["--device", "cpu"]
BESIDE_PETSC = [*CPU, "--format", "csr", "--halo", "mpi"]
QUICK = [*BESIDE_PETSC, "--no-petsc"]
SYMMETRIC = launch.methods("symmetric")
SYSTEMS = launch.methods("symmetric", "general")
HEAD = "%%MatrixMarket matrix coordinate real general\n"


def coordinate(size, entries, columns=None):
    lines = "".join(f"{i + 1} {j + 1} {value!r}\n" for i, j, value in entries)
    return f"{HEAD}{size} {columns or size} {len(entries)}\n{lines}"


def entries_of(path):
    """Of a vector in a Matrix Market array file."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("%")]
    return [float(line) for line in lines[1:]]


class Solve(launch.Case):
    def solve(self, *arguments, ranks=2, status=0):
        return self.run_json(*arguments, ranks=ranks, status=status, command="solve")["solvers"]

    def message(self, *arguments, ranks=2, status=1):
        result = launch.run("solve", *arguments, ranks=ranks)
        self.assertEqual(result.status, status, result)
        return result.message() + result.stdout


class TimeSteps(Solve):
    def steps(self, *arguments, ranks=2):
        report = self.run_json("--tolerance", "1e-10", *arguments, ranks=ranks, command="solve")
        return report["time_steps"]

    def test_new_values_multiply_in_every_step(self):
        csr = ["--format", "csr"]
        for ranks, arguments in ((1, csr), (3, csr), (2, [*csr, "--method", "bicgstab", "--schedule", "blocking"]),
                                 (3, ["--format", "sell"]), (2, ["--format", "auto"])):
            with self.subTest((ranks, arguments)):
                steps = self.steps("--matrix", "stencil27:9,coef=random", "--refill", "9", *CPU, "--halo", "mpi",
                                   "--no-petsc", *arguments, ranks=ranks)
                self.assertEqual((steps["steps"], steps["passed"], steps["reason"]), (9, True, ""))
                self.assertLess(steps["true_residual"], 1e-8)
                self.assertGreater(steps["iterations"], 9)
                for step in ("refill", "solve", "preconditioner"):
                    self.assertGreater(steps[f"{step}_seconds"], 0)
                self.assertEqual(steps["sums_seconds"], 0)
                self.assertIsNone(steps["petsc_seconds"])

    def test_memory_does_not_grow_in_a_hundred_steps(self):
        steps = self.steps("--matrix", "stencil7:16", "--refill", "100", *QUICK)
        self.assertEqual(steps["steps"], 100)
        self.assertLess(steps["grown_host_bytes"], 1 << 20)

    def test_values_of_moved_rows_are_a_step_of_their_own(self):
        size = 90
        entries = [(i, i, 200.0) for i in range(size)]
        entries += [entry for i in range(1, size) for entry in ((0, i, -1.0), (i, 0, -1.0))]
        path = self.write("arrow.mtx", coordinate(size, sorted(entries)))
        moved = self.steps("--matrix", path, "--refill", "4", *QUICK, "--partition", "nnz", ranks=3)
        self.assertTrue(moved["moves"] and moved["passed"], moved)
        self.assertGreater(moved["moved_seconds"], 0)

    @launch.needs("PETSc")
    def test_petsc_takes_new_values_beside_ours(self):
        steps = self.steps("--matrix", "stencil7:8", "--refill", "2", *BESIDE_PETSC)
        self.assertGreater(steps["petsc_seconds"], 0)

    def test_one_method_for_systems(self):
        for method in ("all", "power", "pagerank"):
            message = self.message("--matrix", "stencil7:4", "--refill", "2", "--method", method, *QUICK, status=2)
            self.assertIn(f"--refill: takes one method for A x = b, and --method is {method}", message)
        message = self.message("--matrix", "stencil7:4", "--refill", "2", *CPU, "--format", "jds", status=2)
        self.assertIn("its values cannot be replaced; use csr", message)


class Systems(Solve):
    def test_every_method_finds_the_manufactured_solution(self):
        for matrix in ("stencil7:8", "stencil27:7,coef=random", "elasticity:4"):
            for preconditioner in ("none", "jacobi", "block-jacobi"):
                with self.subTest((matrix, preconditioner)):
                    solvers = self.solve("--matrix", matrix, "--method", "all", "--tolerance", "1e-11",
                                         "--preconditioner", preconditioner, *QUICK, ranks=3)
                    self.assertEqual([solver["method"] for solver in solvers], SYSTEMS)
                    for solver in solvers:
                        self.assertEqual(solver["end"], "converged", solver["method"])
                        self.assertLess(solver["true_residual"], 1e-9)
                        self.assertLess(solver["error"], 1e-6)
                        self.assertEqual(len(solver["norms"]), solver["iterations"] + 1)
                        self.assertLessEqual(solver["last_norm"], 1e-11 * solver["first_norm"])
                    counts = [solver["iterations"] for solver in solvers if solver["method"].startswith("cg")]
                    self.assertLessEqual(max(counts) - min(counts), 2)

    @launch.needs("PETSc")
    def test_iterations_are_those_of_petsc(self):
        for norm in ("unpreconditioned", "preconditioned", "natural"):
            with self.subTest(norm):
                methods = "all" if norm == "unpreconditioned" else "cg"
                for solver in self.solve("--matrix", "stencil27:10,coef=random", "--method", methods,
                                         "--norm", norm, *BESIDE_PETSC):
                    self.assertTrue(solver["petsc"] or solver["method"] == "cg-one-reduction", solver)
                    for petsc in solver["petsc"]:
                        self.assertLess(petsc["true_residual"], 1e-6)
                        if solver["method"] != "bicgstab":  # whose count rounding errors decide
                            self.assertLessEqual(abs(petsc["iterations"] - solver["iterations"]),
                                                 max(1, 0.02 * petsc["iterations"]), petsc)

    def test_a_matrix_without_symmetry(self):
        size = 60
        entries = [(i, i, 4.0 + i % 3) for i in range(size)]
        entries += [(i, i + 1, -2.0) for i in range(size - 1)] + [(i, i - 1, -0.5) for i in range(1, size)]
        path = self.write("a.mtx", coordinate(size, sorted(entries)))
        for preconditioner in ("none", "jacobi"):
            solver, = self.solve("--matrix", path, "--method", "bicgstab", "--preconditioner",
                                 preconditioner, *QUICK, ranks=3)
            self.assertEqual(solver["end"], "converged")
            self.assertLess(solver["error"], 1e-7)
        self.assertIn("not symmetric", self.message("--matrix", path, *QUICK))
        refused = self.solve("--matrix", path, "--method", "all", *QUICK)
        self.assertEqual([solver["end"] for solver in refused],
                         ["refused" if method in SYMMETRIC else "converged" for method in SYSTEMS])

    def test_exactly_so_many_iterations(self):
        for method in SYSTEMS:
            solver, = self.solve("--matrix", "stencil7:6", "--method", method, "--iterations", 17, *QUICK)
            self.assertEqual((solver["iterations"], solver["end"]), (17, "iterations done"))

    def test_a_scaled_system_has_the_same_iterations(self):
        """A power of two scales every number of the run without rounding."""
        size, scale = 40, 2.0**-40
        entries = [(i, i, 4.0 + i % 3) for i in range(size)]
        entries += [(i, j, -1.0 - (i + j) % 5 / 4) for i in range(size) for j in (i - 1, i + 1) if 0 <= j < size]
        path = self.write("a.mtx", coordinate(size, sorted(entries)))
        scaled = self.write("scaled.mtx", coordinate(size, [(i, j, scale * a) for i, j, a in sorted(entries)]))
        base = ["--method", "all", "--reproducible", *QUICK]
        for mine, other in zip(self.solve("--matrix", path, *base), self.solve("--matrix", scaled, *base)):
            self.assertEqual([scale * norm for norm in mine["norms"]], other["norms"], mine["method"])
            self.assertEqual(mine["x_hash"], other["x_hash"])

    def test_the_forms_of_cg_watch_the_same_norms(self):
        first = {}
        for norm in ("unpreconditioned", "preconditioned", "natural"):
            solvers = self.solve("--matrix", "stencil27:7,coef=random", "--method", "all", "--norm", norm,
                                 "--reproducible", *QUICK)
            solvers = [solver for solver in solvers if solver["method"].startswith("cg")]
            self.assertEqual(len({solver["first_norm"] for solver in solvers}), 1, norm)
            for solver in solvers:
                self.assertLess(abs(solver["norms"][5] / solvers[0]["norms"][5] - 1), 1e-9)
            first[norm] = solvers[0]["first_norm"]
        self.assertEqual(len(set(first.values())), 3)

    def test_right_hand_sides(self):
        ones, = self.solve("--matrix", "stencil7:6", "--rhs", "ones", *QUICK)
        self.assertIsNone(ones["error"])
        self.assertLess(ones["true_residual"], 1e-7)
        self.write("b.mtx", "%%MatrixMarket matrix array real general\n216 1\n" + "1\n" * 216)
        file, = self.solve("--matrix", "stencil7:6", "--rhs", self.place / "b.mtx", *QUICK)
        self.assertEqual(file["norms"], ones["norms"])


class Reproducible(Solve):
    def test_one_history_and_one_x_for_all(self):
        """Two ways of computing each; test_reproducible has the others."""
        ways = ((2, ["--format", "sell"]), (3, ["--format", "asell", "--partition", "box"]),
                (4, ["--format", "csr", "--schedule", "blocking"]),
                (7, ["--format", "sell", "--partition", "nnz", "--halo", "mpi-persistent"]),
                (2, ["--format", "csr-omp", "--threads", "3"]))
        for number, method in enumerate(SYSTEMS):
            base = ["--matrix", "stencil27:6,coef=random", "--method", method, "--reproducible",
                    "--tolerance", "1e-10", "--no-petsc", *CPU]
            expected, = self.solve(*base, "--format", "csr", ranks=1)
            self.assertEqual(expected["end"], "converged")
            for ranks, more in (ways[number], ways[number + 1]):
                with self.subTest((method, ranks, more)):
                    solver, = self.solve(*base, *more, ranks=ranks)
                    self.assertEqual(solver["norms"], expected["norms"])
                    self.assertEqual(solver["x_hash"], expected["x_hash"])


class Eigenvalues(Solve):
    def test_largest_eigenvalue_in_closed_form(self):
        solver, = self.solve("--matrix", "stencil7:8", "--method", "power", "--tolerance", "1e-9",
                             *QUICK, ranks=3)
        self.assertEqual(solver["end"], "converged")
        expected = 6 + 6 * math.cos(math.pi / 9)
        self.assertLess(abs(solver["eigenvalue"] / expected - 1), 1e-10)

    def test_pagerank_is_that_of_a_plain_loop(self):
        """Column 4 is dangling, column 5 only has an entry that is 0."""
        size, damping = 9, 0.85
        edges = [(1, 0), (2, 0), (3, 1), (0, 2), (7, 2), (4, 3), (1, 6), (6, 7), (8, 7), (3, 8), (2, 8)]
        weights = {edge: 1.0 + k % 3 for k, edge in enumerate(edges)}
        entries = sorted((i, j, value) for (i, j), value in weights.items()) + [(0, 5, 0.0)]
        path = self.write("graph.mtx", coordinate(size, entries))
        sums = [sum(value for (_, j), value in weights.items() if j == column) for column in range(size)]
        x = [1 / size] * size
        for _ in range(200):
            dangling = sum(x[j] for j in range(size) if sums[j] == 0)
            new = [(1 - damping + damping * dangling) / size] * size
            for (i, j), value in weights.items():
                new[i] += damping * value / sums[j] * x[j]
            x = new
        target = self.place / "x.mtx"
        for ranks in (1, 4):
            solver, = self.solve("--matrix", path, "--method", "pagerank", "--tolerance", "1e-13",
                                 "--save-x", target, *QUICK, ranks=ranks)
            self.assertEqual(solver["end"], "converged")
            found = entries_of(target)
            self.assertEqual(len(found), size)
            for mine, theirs in zip(found, x):
                self.assertLess(abs(mine - theirs), 1e-12)
        overflowing = self.write("large.mtx", coordinate(2, [(0, 0, 1e308), (1, 0, 1e308), (0, 1, 1.0)]))
        solver, = self.solve("--matrix", overflowing, "--method", "pagerank", *QUICK)
        self.assertEqual((solver["end"], solver["passed"]), ("converged", True))
        negative = self.write("negative.mtx", coordinate(2, [(0, 1, -1.0)]))
        self.assertIn("row 0, column 1", self.message("--matrix", negative, "--method", "pagerank", *QUICK,
                                                      status=2))


class Ends(Solve):
    def end_of(self, entries, size, *more, status=1):
        path = self.write("a.mtx", coordinate(size, entries))
        solver, = self.solve("--matrix", path, *QUICK, *more, status=status)
        return solver["end"]

    def test_indefinite_matrix(self):
        entries = [(i, i, 1.0 if i % 2 else -1.0) for i in range(8)]
        for method in SYMMETRIC:
            with self.subTest(method):
                self.assertEqual(self.end_of(entries, 8, "--method", method, "--preconditioner", "none"),
                                 "indefinite matrix")

    def test_not_a_number(self):
        entries = [(i, i, 2.0) for i in range(8)]
        path = self.write("a.mtx", coordinate(8, entries).replace("3 3 2.0", "3 3 nan"))
        solver, = self.solve("--matrix", path, "--preconditioner", "none", "--method", "bicgstab", *QUICK,
                             status=1)
        self.assertEqual(solver["end"], "not a number")
        self.assertIn(None, solver["norms"])

    def test_zero_diagonal(self):
        path = self.write("a.mtx", coordinate(3, [(0, 0, 1.0), (1, 2, 1.0), (2, 1, 1.0), (2, 2, 1.0)]))
        said = self.message("--matrix", path, *QUICK)
        self.assertIn("zero diagonal in row 1 ", said)
        self.assertIn("--preconditioner none", said)

    def test_not_converged(self):
        solver, = self.solve("--matrix", "stencil7:8", "--max-iterations", 3, *QUICK, status=1)
        self.assertEqual((solver["end"], solver["iterations"]), ("not converged", 3))

    def test_breakdown_of_bicgstab(self):
        """A rotation by a right angle: r0.v is 0."""
        entries = [(0, 1, 1.0), (1, 0, -1.0)]
        path = self.write("a.mtx", coordinate(2, entries))
        solver, = self.solve("--matrix", path, "--method", "bicgstab", "--preconditioner", "none",
                             *QUICK, status=1, ranks=1)
        self.assertEqual(solver["end"], "breakdown")

    def test_a_residual_that_drifts_is_no_success(self):
        """The recurrence falls to 1e-14, rounding errors of A x stay at u |A||x| >> 1e-14 |b|."""
        size = 600
        entries = [(i, j, 2.0 if i == j else -1.0) for i in range(size) for j in (i - 1, i, i + 1)
                   if 0 <= j < size]
        path = self.write("a.mtx", coordinate(size, entries))
        base = ["--matrix", path, "--method", "cg-one-reduction", "--preconditioner", "none", "--rhs", "ones",
                "--tolerance", "1e-14", "--reproducible", *QUICK]
        solver, = self.solve(*base, status=3)
        self.assertEqual((solver["end"], solver["passed"]), ("converged", False))
        self.assertGreater(solver["true_residual"], 1e-12)
        self.assertIn("|b - A x|", solver["reason"])

    def test_refused_methods_do_not_count(self):
        path = self.write("a.mtx", coordinate(2, [(0, 0, 2.0), (0, 1, 1.0), (1, 1, 2.0)]))
        said = self.message("--matrix", path, "--method", "all", *QUICK, status=0)
        ended, refused = len(SYSTEMS) - len(SYMMETRIC), len(SYMMETRIC)
        self.assertRegex(said, f"{ended} methods? came to (its|their) end, {refused} refused")
        self.assertIn("stops at            1e-08 of the first unpreconditioned norm", said)

    def test_bicgstab_begins_again(self):
        """After one iteration (alpha = omega = 1/2) r is orthogonal to r0, with b = (1, 1, 1)."""
        entries = [(0, 0, 1.0), (0, 1, 1.0), (0, 2, -2.0), (1, 1, 2.0), (1, 2, 1.0), (2, 0, 1.0), (2, 2, 2.0)]
        path = self.write("a.mtx", coordinate(3, entries))
        solver, = self.solve("--matrix", path, "--method", "bicgstab", "--preconditioner", "none", "--rhs",
                             "ones", *QUICK)
        self.assertEqual(solver["end"], "converged")
        self.assertAlmostEqual(solver["norms"][1], math.sqrt(0.375), delta=1e-14)

    def test_what_is_refused(self):
        wide = self.write("wide.mtx", coordinate(2, [(0, 0, 1.0)], columns=3))
        self.assertIn("square", self.message("--matrix", wide, *QUICK, status=2))
        for option, value in (("--method", "gmres"), ("--preconditioner", "ilu"), ("--norm", "max"),
                              ("--format", "all"), ("--halo", "all")):
            said = self.message("--matrix", "stencil7:4", *CPU, option, value, status=2)
            self.assertIn(f"{option} {value}: ", said)
        self.assertIn("--norm", self.message("--matrix", "stencil7:4", "--method", "bicgstab", "--norm",
                                             "natural", *QUICK, status=2))


class Outputs(Solve):
    def test_history_and_x(self):
        history, target = self.place / "history.csv", self.place / "x.mtx"
        solvers = self.solve("--matrix", "stencil7:5", "--method", "all", "--history", history,
                             "--save-x", target, "--x", "index", "--tolerance", "1e-12", *QUICK, ranks=3)
        lines = history.read_text().splitlines()
        self.assertEqual(lines[0], "method,iteration,norm,relative")
        self.assertEqual([line.split(",") for line in lines[1:]],
                         [[solver["method"], str(k), f"{norm:.17g}", f"{norm / solver['first_norm']:.17g}"]
                          for solver in solvers for k, norm in enumerate(solver["norms"])])
        x = entries_of(target)
        self.assertEqual(len(x), 125)
        for i, value in enumerate(x):
            self.assertAlmostEqual(value, i + 1, delta=1e-6)

    def test_fom_lines(self):
        result = launch.run("solve", "--matrix", "stencil7:5", *QUICK, ranks=2)
        for name in ("solve_iteration_seconds", "solve_seconds", "solve_gflops"):
            self.assertIn(f"\nFOM: {name} ", result.stdout)
        self.assertIn("\nRESULT: PASS cg: converged after ", result.stdout)

    def test_a_signal_keeps_the_history(self):
        history = self.place / "history.csv"
        process = launch.start(["solve", "--matrix", "stencil7:24", "--iterations", 10**7, "--history",
                                history, *QUICK], ranks=2)
        ranks = launch.wait_until_measuring(process, 2)
        time.sleep(1)
        os.kill(ranks[1], signal.SIGTERM)
        result = launch.finish(process)
        self.assertEqual(result.status, 1, result)
        self.assertIn("interrupted", result.stdout)
        self.assertGreater(len(history.read_text().splitlines()), 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
