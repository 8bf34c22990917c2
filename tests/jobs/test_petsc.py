#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs/rowhalo-study petsc with a program that writes the log which PETSc would write: what it runs, reads and says."""
import csv
import sys
import unittest

from results import launch, script

PROGRAM = '''import sys
kind = sys.argv[sys.argv.index("-mat_type") + 1]
log = sys.argv[sys.argv.index("-log_view") + 1].split(":")[1]
slower = 2 if kind.startswith("aij") else 1
assert (kind == "aijcusparse") <= ("cuda" in sys.argv)
assert (kind == "aij") <= ("cuda" not in sys.argv)
if "-log_view_gpu_time" in sys.argv:
    slower *= 10
if "fail" in sys.argv and kind == "rowhalo":
    print("[0]PETSC ERROR: rowhalo: no memory")
    sys.exit(3)
assert ("-dll_append" in sys.argv) == (kind == "rowhalo")
assert sys.argv[sys.argv.index("-dm_mat_type") + 1] == kind
print("Linear solve converged due to CONVERGED_RTOL iterations 7")
print("Linear solve converged due to CONVERGED_RTOL iterations 5")
with open(log, "w") as file:
    file.write("Stage Name,Event Name,Rank,Count,Time,Num Messages,FLOP\\n")
    for rank in (0, 1):
        for stage in ("Main", "Second"):
            file.write(f"{stage},KSPSolve,{rank},1,{slower * (rank + 1)},0,0\\n")
            file.write(f"{stage},MatMult,{rank},6,{slower * 0.25},0,0\\n")
'''


class Petsc(launch.Case):
    def measured(self, *arguments, words=()):
        library = self.write("librowhalo_petsc.so", "")
        program = self.write("program.py", PROGRAM)
        return script("petsc", "--library", library, "--launcher", "env RANKS={ranks}", "--output", self.place, *arguments,
                      "--", sys.executable, program, *words)

    def rows(self):
        with open(self.place / "petsc.csv", encoding="utf-8", newline="") as file:
            return {row["event"]: row for row in csv.DictReader(file)}

    def test_times_are_the_slowest_ranks_over_all_stages(self):
        made = self.measured("--pairs", 2)
        self.assertEqual(made.returncode, 0, made.stderr)
        rows = self.rows()
        self.assertEqual(list(rows), ["KSPSolve", "MatMult"])
        solve, product = rows["KSPSolve"], rows["MatMult"]
        self.assertEqual([round(float(solve[key]), 9) for key in ("aij_seconds", "rowhalo_seconds", "ratio", "low", "high")],
                         [8, 4, 2, 2, 2])
        self.assertEqual([float(product[key]) for key in ("aij_seconds", "rowhalo_seconds")], [1, 0.5])
        self.assertEqual((product["aij_count"], solve["rowhalo_count"]), ("12", "2"))
        self.assertIn("| KSPSolve | 8 | 4 | 2.00 | 2.00 to 2.00 | faster | 2 | 2 |", made.stdout)
        self.assertIn("Iterations: aij 12, rowhalo 12.", made.stdout)
        self.assertEqual((self.place / "petsc.md").read_text(encoding="utf-8"), made.stdout)

    def test_gpu_times_of_products_come_from_runs_of_their_own(self):
        made = self.measured("--pairs", 1, "--gpu")
        self.assertEqual(made.returncode, 0, made.stderr)
        rows = self.rows()
        self.assertEqual((float(rows["KSPSolve"]["aij_seconds"]), float(rows["MatMult"]["aij_seconds"])), (8, 10))

    def test_a_run_that_fails_is_named(self):
        made = self.measured("--pairs", 1, words=["fail"])
        self.assertEqual(made.returncode, 1)
        self.assertRegex(made.stderr, r"^rowhalo-study petsc: env RANKS=1 .*: exit status 3: \[0\]PETSC ERROR: rowhalo: no memory\n$")

    def test_wrong_usage(self):
        for words, said in ((("--library", self.place / "none", "--", "true"), "there is no librowhalo_petsc.so"),
                            (("--pairs", 0, "--", "true"), "--pairs: 0: give a number from 1 on"),
                            (("--library", __file__, "--launcher", "x {y}", "--", "true"), "--launcher x {y}")):
            made = script("petsc", *words)
            self.assertEqual(made.returncode, 2, made.stderr)
            self.assertIn(said, made.stderr)
        self.assertEqual(script("petsc").returncode, 2)


if __name__ == "__main__":
    unittest.main()
