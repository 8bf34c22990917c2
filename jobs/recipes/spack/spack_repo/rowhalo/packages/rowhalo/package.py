# SPDX-License-Identifier: BSD-3-Clause
"""Rowhalo for Spack 1.0 or newer. The source is the git checkout that this file lies in, as it is
committed on its branch main; another checkout: `spack develop --path FOLDER rowhalo@main`.

Every optional library of the build is a variant that is either used or switched off, never left to
what CMake finds. MPI is needed always, so there is no variant for it.
"""

import os
from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import (
    Executable,
    check_outputs,
    conflicts,
    depends_on,
    join_path,
    license,
    run_after,
    variant,
    version,
    which,
    working_dir,
)

CHECKOUT = Path(__file__).resolve().parents[7]


class Rowhalo(CMakePackage, CudaPackage):
    """Benchmark of distributed sparse matrix-vector products (SpMV) and of iterative solvers on
    MPI ranks and GPUs, which checks every result and compares with PETSc and cuSPARSE."""

    homepage = CHECKOUT.as_uri()
    git = CHECKOUT.as_uri()

    tags = ["proxy-app", "benchmark"]

    license("BSD-3-Clause", checked_by="rowhalo")

    version("main", branch="main")

    variant("petsc", default=True, description="Compare y and its time with PETSc's MatMult")
    variant("hdf5", default=True, description="Matrices, vectors and results in HDF5 files")
    variant("metis", default=True, description="Partitioner metis")
    variant("scotch", default=True, description="Partitioner ptscotch")
    variant("hwloc", default=True, description="Processors and caches in the report")
    variant("nccl", default=True, when="+cuda", description="Transport nccl")
    variant("python", default=False, description="What the Python package calls: NumPy, SciPy, mpi4py")
    variant("fortran", default=False, description="The Fortran module, compiled by Spack's compiler")
    variant(
        "petsc-plugin",
        default=False,
        when="+petsc",
        description="Where it is loaded, every PETSc program knows -mat_type rowhalo",
    )

    generator("ninja")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build", when="+petsc")
    depends_on("catch2@2.13:", type="test")
    depends_on("mpi@3.1:")
    depends_on("zlib-api")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:")
    depends_on("cli11@2.1:")
    depends_on("petsc@3.18:+mpi+double~complex", when="+petsc")
    depends_on("petsc+shared", when="+petsc-plugin")
    depends_on("hdf5+mpi", when="+hdf5")
    depends_on("metis@5", when="+metis")
    depends_on("scotch@7:+mpi", when="+scotch")
    depends_on("hwloc@2", when="+hwloc")
    depends_on("cuda@12:", when="+cuda")
    for package in ("python@3.8:", "py-numpy", "py-scipy", "py-mpi4py"):
        depends_on(package, type="run", when="+python")
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"nccl cuda_arch={arch}", when=f"+nccl cuda_arch={arch}")

    conflicts("%gcc@:11", msg="C++20 as it is used here needs GCC 12 or newer")
    conflicts("cuda_arch=none", when="+cuda", msg="Name the GPUs: cuda_arch=90 for H100 and H200")

    def cmake_args(self):
        arguments = [
            self.define_from_variant(f"ROWHALO_WITH_{name.upper()}", name)
            for name in ("petsc", "hdf5", "metis", "hwloc", "cuda")
        ]
        arguments.append(self.define_from_variant("ROWHALO_WITH_PTSCOTCH", "scotch"))
        arguments.append(self.define("BUILD_TESTING", self.run_tests))
        if self.spec.satisfies("+cuda"):
            arguments.append(self.define_from_variant("ROWHALO_WITH_NCCL", "nccl"))
            architectures = self.spec.variants["cuda_arch"].value
            arguments.append(self.define("CMAKE_CUDA_ARCHITECTURES", architectures))
        return arguments

    @property
    def library_folder(self):
        """lib or lib64, as CMake's GNUInstallDirs has it."""
        folder = self.prefix.lib64
        return folder if os.path.isdir(folder) else self.prefix.lib

    def setup_run_environment(self, env):
        """The Python package is in every installation; it is pure Python."""
        env.prepend_path("PYTHONPATH", self.prefix.share.rowhalo.python)
        if self.spec.satisfies("+petsc-plugin"):
            plugin = join_path(self.library_folder, "librowhalo_petsc.so")
            env.append_flags("PETSC_OPTIONS", f"-dll_append {plugin}")

    @run_after("install", when="+fortran")
    def compile_fortran_module(self):
        """include/rowhalo/rowhalo.mod and lib/librowhalo_fortran.a, for programs of this compiler."""
        with working_dir(self.prefix.include.rowhalo):
            Executable(self.spec["mpi"].mpifc)("-O2", "-c", "rowhalo.f90", "-o", "rowhalo.o")
            which("ar", required=True)(
                "rcs", join_path(self.library_folder, "librowhalo_fortran.a"), "rowhalo.o"
            )
            os.remove("rowhalo.o")

    def check(self):
        """After `spack install --test=root`: the unit tests, which need no launcher."""
        with working_dir(self.build_directory):
            ctest = which("ctest", required=True)
            ctest("--output-on-failure", "-L", "unit", "-LE", "mpi|gpu")

    def run_rowhalo(self, command, *options):
        """Runs the installed program on the CPU, which must say that the result is right."""
        rowhalo = Executable(self.prefix.bin.rowhalo)
        out = rowhalo(
            command, "--matrix", "stencil27:16", "--device", "cpu", *options, output=str.split
        )
        check_outputs([r"FOM: setup_seconds \S+ s\n", r"RESULT: PASS"], out)

    def test_run(self):
        """products of a small matrix, compared with the reference"""
        self.run_rowhalo("run", "--min-seconds", "0", "--validate", "reference")

    def test_solve(self):
        """conjugate gradients on a small matrix"""
        self.run_rowhalo("solve", "--method", "cg")
