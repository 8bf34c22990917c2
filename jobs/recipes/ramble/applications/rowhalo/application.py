# SPDX-License-Identifier: BSD-3-Clause
"""Rowhalo for Ramble (0.5 or newer) and Benchpark. The workloads `run` and `solve` start `rowhalo run` and
`rowhalo solve`; n_ranks, n_nodes and processes_per_node say on what, `matrix` and `options` what. An experiment
succeeds if rowhalo has validated its result."""

from ramble.appkit import (
    ExecutableApplication,
    executable,
    figure_of_merit,
    success_criteria,
    tags,
    workload,
    workload_variable,
)


class Rowhalo(ExecutableApplication):
    """Benchmark of distributed sparse matrix-vector products and of iterative solvers"""

    name = "rowhalo"

    tags("benchmark-app", "mini-app", "proxy-app", "sparse-linear-algebra")

    executable("run", "rowhalo run --matrix {matrix} {options}", use_mpi=True)
    executable("solve", "rowhalo solve --matrix {matrix} {options}", use_mpi=True)

    workload("run", executables=["run"])
    workload("solve", executables=["solve"])

    workload_variable(
        "matrix",
        default="stencil27:96",
        description="A matrix file or a generator, as rowhalo takes it after --matrix",
        workloads=["run", "solve"],
    )
    workload_variable(
        "options",
        default="--no-progress",
        description="More options of rowhalo run or rowhalo solve",
        workloads=["run", "solve"],
    )

    figure_of_merit(
        "Time per product",
        fom_regex=r"^FOM: spmv_median_seconds (?P<spmv_median_seconds>\S+) s$",
        group_name="spmv_median_seconds",
        units="s",
    )
    figure_of_merit(
        "Rate of products",
        fom_regex=r"^FOM: spmv_gflops (?P<spmv_gflops>\S+) GF/s$",
        group_name="spmv_gflops",
        units="GF/s",
    )
    figure_of_merit(
        "Bytes of CSR per second",
        fom_regex=r"^FOM: spmv_gbytes (?P<spmv_gbytes>\S+) GB/s$",
        group_name="spmv_gbytes",
        units="GB/s",
    )
    figure_of_merit(
        "Exposed halo time",
        fom_regex=r"^FOM: halo_exposed_seconds (?P<halo_exposed_seconds>\S+) s$",
        group_name="halo_exposed_seconds",
        units="s",
    )
    figure_of_merit(
        "Set-up time",
        fom_regex=r"^FOM: setup_seconds (?P<setup_seconds>\S+) s$",
        group_name="setup_seconds",
        units="s",
    )
    figure_of_merit(
        "Time per iteration",
        fom_regex=r"^FOM: solve_iteration_seconds (?P<solve_iteration_seconds>\S+) s$",
        group_name="solve_iteration_seconds",
        units="s",
    )
    figure_of_merit(
        "Time of the solve",
        fom_regex=r"^FOM: solve_seconds (?P<solve_seconds>\S+) s$",
        group_name="solve_seconds",
        units="s",
    )
    figure_of_merit(
        "Rate of the solve",
        fom_regex=r"^FOM: solve_gflops (?P<solve_gflops>\S+) GF/s$",
        group_name="solve_gflops",
        units="GF/s",
    )

    success_criteria(
        "validated",
        mode="string",
        match=r"^RESULT: PASS.*",
        file="{experiment_run_dir}/{experiment_name}.out",
    )
