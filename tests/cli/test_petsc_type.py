#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""librowhalo_petsc.so in a program of PETSc's (miniapp/examples/petsc.c) that is compiled without it: the same output as
with AIJ, what it was multiplied by, wrong options, memory of PETSc's, a killed rank, a program of petsc4py."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import launch

LIBRARY = Path(os.environ.get("ROWHALO_PETSC_TYPE",
                              launch.BINARY.parent / "bindings/petsc/librowhalo_petsc.so"))
PKG_CONFIG_PATH = ":".join([os.environ.get("PKG_CONFIG_PATH", ""), "/usr/lib/petscdir/petsc-real/lib/pkgconfig"])
AT_ONCE = ["-mat_rowhalo_after", "0", "-mat_rowhalo_nonzeros", "0"]
NAMED = ["-mat_rowhalo_format", "sell", "-mat_rowhalo_halo", "mpi"]


def pkg_config(*arguments):
    for name in ("PETSc", "petsc"):
        result = subprocess.run(["pkg-config", *arguments, name], capture_output=True, text=True, check=False,
                                env={**os.environ, "PKG_CONFIG_PATH": PKG_CONFIG_PATH})
        if result.returncode == 0:
            return result.stdout.split()
    return None


def compile_program(source, program, *more):
    flags = pkg_config("--cflags", "--libs")
    if flags is None or not shutil.which("mpicc"):
        launch.skip_all("no pkg-config of PETSc or no mpicc")
    flags = [*more, *flags]
    paths = ["-Wl,-rpath," + word[2:] for word in flags if word.startswith("-L")]
    subprocess.run(["mpicc", "-O1", source, "-o", program, *flags, *paths], check=True)
    return program


LINKED = """
#include <rowhalo_petsc.h>
int main(int argc, char **argv) {
  Mat A;
  MatType type;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscDLLibraryRegister_rowhalo_petsc());
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetType(A, MATROWHALO));
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\\n", type));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
"""


class PetscType(launch.Case):
    program = None

    def start(self, *arguments, ranks=2, program=None):
        command = [*launch.LAUNCHER, "-n", str(ranks), *(program or [str(self.program)]), *map(str, arguments)]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, env=launch.ENVIRONMENT, text=True)

    def output(self, *arguments, ranks=2, status=0, program=None):
        process = self.start(*arguments, ranks=ranks, program=program)
        text = process.communicate(timeout=launch.PATIENCE)[0]
        if status is not None:
            self.assertEqual(process.returncode, status, text)
        else:
            self.assertNotEqual(process.returncode, 0, text)
        return text

    def rowhalo(self, *arguments, **keywords):
        return self.output("-dll_append", LIBRARY, "-mat_type", "rowhalo", *arguments, **keywords)

    def test_the_same_output_as_with_aij(self):
        for ranks in (1, 2, 3):
            expected = self.output("-mat_type", "aij", ranks=ranks)
            self.assertRegex(expected, r"^\d+ iterations, norm ")
            self.assertEqual(self.rowhalo(*AT_ONCE, *NAMED, ranks=ranks), expected)
            self.assertEqual(self.rowhalo(ranks=ranks), expected)

    def test_view_tells_who_multiplied(self):
        text = self.rowhalo(*AT_ONCE, *NAMED, "-mat_rowhalo_view")
        found = re.search(r"rowhalo: matrix 3600 x 3600\n"
                          r"  A x: 0 products by AIJ, (\d+) by rowhalo; 2 operators made, 1 refilled in \S+ s\n"
                          r"    format sell, transport mpi, \d+\.\d MB beside the matrix of PETSc\n", text)
        self.assertTrue(found, text)
        self.assertGreaterEqual(int(found[1]), int(text.split()[0]))
        text = self.rowhalo("-mat_rowhalo_view")  # a small matrix, which trials would not pay for
        self.assertRegex(text, r"A x: \d+ products by AIJ, 0 by rowhalo; 0 operators made, 0 refilled in")
        text = self.rowhalo(*AT_ONCE, *NAMED, "-log_view")
        self.assertRegex(text, r"\nMatRowhaloSetUp +3 ")

    def test_trials_once_for_changing_values(self):
        text = self.rowhalo(*AT_ONCE, "-mat_rowhalo_view", "-mat_rowhalo_reproducible", ranks=1)
        self.assertRegex(text, r"; 2 operators made, 1 refilled in ")
        self.assertRegex(text, r"format (csr|csr-omp|sell|asell|ell|jds)\b")

    def test_a_tuning_file(self):
        path = self.place / "tuning.json"
        result = launch.run("run", "--matrix", "stencil5:60", "--device", "cpu", "--save-tuning", path, *launch.SHORT)
        self.assertEqual(result.status, 0, result)
        text = self.rowhalo(*AT_ONCE, "-mat_rowhalo_view", "-mat_rowhalo_tuning", path)
        self.assertIn("format sell, transport mpi,", text)

    def test_wrong_options_are_told(self):
        for options, message in (
                (["-mat_rowhalo_fromat", "sell"],
                 "rowhalo: option -mat_rowhalo_fromat is unknown; there are -mat_rowhalo_format, _halo, _tuning, "
                 "_reproducible, _after, _nonzeros and _view"),
                (["-mat_rowhalo_format", "sel"], "rowhalo: -mat_rowhalo_format sel: unknown format; did you mean sell?"),
                (["-mat_rowhalo_halo", "mpl"], "rowhalo: -mat_rowhalo_halo mpl: unknown transport; did you mean mpi?"),
                (["-mat_rowhalo_after", "-2"], "rowhalo: -mat_rowhalo_after and -mat_rowhalo_nonzeros are at least 0"),
                (["-mat_seqaij_type", "seqaijperm"], "rowhalo: -mat_seqaij_type makes AIJ a matrix of type seqaijperm"),
                ([*AT_ONCE, "-mat_rowhalo_tuning", "/nowhere"], "rowhalo: --tuning /nowhere: "),
                ([*AT_ONCE, *NAMED, "-mat_rowhalo_format", "sell:c=7"], "rowhalo: ")):
            with self.subTest(options=options):
                text = self.rowhalo(*options, ranks=1, status=None)
                self.assertEqual(text.count(message), 1, text.split("Configure options")[0])
                self.assertNotIn("terminate called", text)

    def test_options_are_in_the_help(self):
        text = self.rowhalo("-help", ranks=1)
        for name in ("format", "halo", "tuning", "reproducible", "after", "nonzeros", "view"):
            self.assertIn(f"-mat_rowhalo_{name}", text)

    def test_no_memory_of_petsc_is_left(self):
        text = self.rowhalo(*AT_ONCE, *NAMED, "-mat_rowhalo_view", "-malloc_debug", "-malloc_dump")
        self.assertNotIn("bytes", text)

    def test_a_killed_rank_ends_the_program(self):
        process = self.start("-dll_append", LIBRARY, "-mat_type", "rowhalo", *AT_ONCE, *NAMED, "-n", "200", "-steps", "1000000")
        deadline = time.monotonic() + launch.PATIENCE
        ranks = []
        while len(ranks) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
            ranks = [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if self.is_rank(pid)]
        time.sleep(2)
        os.kill(ranks[-1], 9)
        process.communicate(timeout=launch.PATIENCE)
        self.assertNotEqual(process.returncode, 0)

    def is_rank(self, pid):
        try:
            return os.path.samefile(f"/proc/{pid}/exe", self.program)
        except OSError:
            return False

    def test_a_program_that_is_linked_with_the_library(self):
        program = compile_program(self.write("linked.c", LINKED), self.place / "linked",
                                  "-I" + str(launch.SOURCE / "miniapp/bindings/petsc"), "-L" + str(LIBRARY.parent), "-lrowhalo_petsc")
        for ranks, name in ((1, "seqaijrowhalo\n"), (2, "mpiaijrowhalo\n")):
            self.assertEqual(self.output(ranks=ranks, program=[str(program)]), name)

    def test_a_program_of_petsc4py(self):
        if launch.lacking("petsc4py"):
            self.skipTest(launch.lacking("petsc4py"))
        program = self.write("program.py", "import sys, petsc4py\n"
                             "petsc4py.init(sys.argv)\n"
                             "from petsc4py import PETSc\n"
                             "a = PETSc.Mat().createAIJ(100)\n"
                             "a.setFromOptions()\n"
                             "a.setUp()\n"
                             "for row in range(*a.getOwnershipRange()):\n"
                             "    a[row, row], a[row, (row + 50) % 100] = 2, 1\n"
                             "a.assemble()\n"
                             "x, y = a.createVecs()\n"
                             "x.set(1)\n"
                             "a.mult(x, y)\n"
                             "PETSc.Sys.Print(a.getType(), y.sum())\n")
        text = self.rowhalo(*AT_ONCE, *NAMED, program=[sys.executable, str(program)])
        self.assertIn("mpiaijrowhalo 300.0", text)


if __name__ == "__main__":
    if not LIBRARY.exists():
        launch.skip_all("built without PETSc")
    with tempfile.TemporaryDirectory() as place:
        PetscType.program = compile_program(launch.SOURCE / "miniapp/examples/petsc.c", Path(place) / "example_petsc")
        unittest.main()
