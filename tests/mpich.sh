#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The tests with MPICH instead of Open MPI.
#   tests/mpich.sh [BUILD_DIR] [-- OPTIONS of ctest]     BUILD_DIR: default build-mpich
# Debian, Ubuntu: apt-get install mpich libmpich-dev libhdf5-mpich-dev, also beside Open MPI: compiler
# and launcher are called by the names that end in .mpich. Without PETSc and PT-Scotch, which both build
# for Open MPI only. Runs unit, MPI and cli tests; those of jobs/ know Open MPI's launcher.
# CMAKE_BUILD_PARALLEL_LEVEL: number of jobs. Exit status 0: all passed, 77: there is no MPICH.
set -euo pipefail
cd "$(dirname "$0")/.."

build="build-mpich"
if [ $# -gt 0 ] && [ "$1" != -- ]; then build=$1 && shift; fi
if [ "${1:-}" = -- ]; then shift; fi
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(env -u OMP_NUM_THREADS nproc)}
for tool in mpicxx mpiexec h5pcc; do
  command -v "$tool.mpich" >/dev/null || {
    echo "mpich.sh: there is no $tool.mpich: apt-get install mpich libmpich-dev libhdf5-mpich-dev" >&2
    exit 77
  }
done
launcher=$(command -v mpiexec.mpich)
export ROWHALO_MPIEXEC=$launcher

cmake -G Ninja -S . -B "$build" -D CMAKE_BUILD_TYPE=Release -D CMAKE_UNITY_BUILD=ON \
  -D ROWHALO_WITH_CUDA=OFF -D ROWHALO_WITH_PETSC=OFF -D ROWHALO_WITH_PTSCOTCH=OFF \
  -D ROWHALO_WITH_HDF5=ON -D MPI_CXX_COMPILER="$(command -v mpicxx.mpich)" \
  -D MPIEXEC_EXECUTABLE="$launcher" -D HDF5_C_COMPILER_EXECUTABLE="$(command -v h5pcc.mpich)"
cmake --build "$build" --parallel "$jobs" --target rowhalo rowhalo_held unit_tests
"$build/miniapp/rowhalo" --version
ctest --test-dir "$build" -j "$jobs" -L 'unit|cli' -LE 'slow|gpu' --output-on-failure "$@"
