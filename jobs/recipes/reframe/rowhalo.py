# SPDX-License-Identifier: BSD-3-Clause
"""ReFrame checks of rowhalo (ReFrame 4): a product and a CG solve of a generated matrix, each with its validation
as sanity and its FOM lines as performance.

  reframe -C SETTINGS.py -c jobs/recipes/reframe/rowhalo.py -r -S rowhalo=build/miniapp/rowhalo \\
      -S matrix=stencil27:200 -S num_tasks=4 -S num_tasks_per_node=4

References belong to the machine, so they stand in the settings, in `extras` of a partition (local.py shows how):
'rowhalo_references': {CHECK: {NAME: (value, lower, upper, unit)}}. Without them the figures are only recorded.
"""

import os

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import run_before, sanity_function, variable

# Name: its line of the output, and its unit.
PRODUCT = {
    "spmv_median_seconds": (r"^FOM: spmv_median_seconds (\S+) s$", "s"),
    "spmv_gflops": (r"^FOM: spmv_gflops (\S+) GF/s$", "GF/s"),
    "spmv_gbytes": (r"^FOM: spmv_gbytes (\S+) GB/s$", "GB/s"),
    "halo_exposed_seconds": (r"^FOM: halo_exposed_seconds (\S+) s$", "s"),
    "setup_seconds": (r"^FOM: setup_seconds (\S+) s$", "s"),
}
SOLVE = {
    "solve_iteration_seconds": (r"^FOM: solve_iteration_seconds (\S+) s$", "s"),
    "solve_seconds": (r"^FOM: solve_seconds (\S+) s$", "s"),
    "solve_gflops": (r"^FOM: solve_gflops (\S+) GF/s$", "GF/s"),
    "setup_seconds": (r"^FOM: setup_seconds (\S+) s$", "s"),
}
PASS = r"^RESULT: PASS"


class RowhaloBase(rfm.RunOnlyRegressionTest):
    """What both checks share; a check sets `command` and `foms`."""

    rowhalo = variable(str, value="rowhalo")  # in PATH, or a path as seen from where reframe is started
    matrix = variable(str, value="stencil27:48")
    options = variable(str, value="")  # more options of rowhalo, separated by blanks
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    num_tasks = 2

    @run_before("run")
    def set_command_line(self):
        # ReFrame runs in a folder of its own.
        self.executable = os.path.abspath(self.rowhalo) if "/" in self.rowhalo else self.rowhalo
        self.executable_opts = [self.command, "--matrix", self.matrix, *self.options.split()]

    @sanity_function
    def is_right(self):
        return sn.all([sn.assert_found(PASS, self.stdout), sn.assert_eq(self.job.exitcode, 0)])

    @run_before("performance")
    def set_performance(self):
        self.perf_variables = {
            name: sn.make_performance_function(sn.extractsingle(line, self.stdout, 1, float), unit)
            for name, (line, unit) in self.foms.items()
        }
        references = self.current_partition.extras.get("rowhalo_references", {})
        self.reference = {self.current_partition.fullname: references.get(type(self).__name__, {})}


@rfm.simple_test
class RowhaloRun(RowhaloBase):
    """y = A x, compared with PETSc if the build has it, else with the reference."""

    command = "run"
    foms = PRODUCT


@rfm.simple_test
class RowhaloSolve(RowhaloBase):
    """Conjugate gradients with Jacobi's preconditioner."""

    command = "solve --method cg --preconditioner jacobi"
    foms = SOLVE
