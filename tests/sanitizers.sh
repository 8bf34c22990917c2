#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Unit and MPI tests under sanitizers, on the CPU.
#   tests/sanitizers.sh asan|tsan [OPTIONS of ctest]
#   asan   addresses, leaks, undefined behaviour
#   tsan   races between threads: clang and libomp, since gcc's libgomp is not instrumented. libarcher
#          tells the sanitizer what OpenMP orders. Debian, Ubuntu: apt-get install clang libomp-dev
# Presets of the same names; build folders build-asan and build-tsan. What MPI, PETSc and others do is
# left out by tests/sanitizers/*.supp. CMAKE_BUILD_PARALLEL_LEVEL: number of jobs.
# Ends in a list of the reports by kind. Exit status 0: no report and no failure.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-}
case $preset in
  asan | tsan) shift ;;
  *) echo "usage: tests/sanitizers.sh asan|tsan [OPTIONS of ctest]" >&2 && exit 2 ;;
esac
build=build-$preset
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(env -u OMP_NUM_THREADS nproc)}

cmake --preset "$preset"
cmake --build "$build" --parallel "$jobs" --target unit_tests
status=0
ctest --test-dir "$build" -j "$jobs" -L unit -LE 'slow|gpu' --output-on-failure "$@" || status=$?

log=$build/Testing/Temporary/LastTest.log
echo "$preset: reports by kind, in $log:"
grep -ahoE '^SUMMARY: [A-Za-z]+Sanitizer: .*|runtime error: .*' "$log" | sort | uniq -c | sort -rn |
  head -n 40 || true
reports=$(grep -acE '^SUMMARY: [A-Za-z]+Sanitizer|runtime error: ' "$log") || true
echo "$preset: $reports reports, exit status of the tests: $status"
[ "$status" -eq 0 ] && [ "$reports" -eq 0 ]
