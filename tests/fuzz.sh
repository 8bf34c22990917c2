#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Fuzzing by libFuzzer with address and undefined behaviour sanitizers (clang).
#   tests/fuzz.sh [--runs N] [TARGET...]     default: 1000000 runs of each target of tests/fuzz
# The slow targets (options, hdf5_outline, foreign_file, machine_file) get a hundredth of the runs. Prints a table: target, runs, runs
# per second, findings. The build and the corpora that grow lie in build-fuzz; an input that is a finding
# lies in build-fuzz/findings and belongs into tests/fuzz/corpus/TARGET once it is mended.
# Exit status: 0 no findings, 1 findings, 77 clang or its fuzzer runtime is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

runs=1000000
if [ "${1:-}" = --runs ]; then
  runs=${2:-}
  [[ $runs =~ ^[1-9][0-9]*$ ]] || { echo "fuzz.sh: --runs $runs: give a number of runs" >&2 && exit 2; }
  shift 2
fi
for target in "$@"; do
  [ -d "tests/fuzz/corpus/$target" ] || {
    echo "fuzz.sh: $target: there is no such target; use $(cd tests/fuzz/corpus && echo *)" >&2
    exit 2
  }
done
compiler=$(command -v clang++ || command -v clang++-14 || true)
runtime=""
if [ -n "$compiler" ]; then
  runtime=$("$compiler" -print-file-name=libclang_rt.fuzzer-x86_64.a)
  [ -f "$runtime" ] || runtime=$(find "$("$compiler" -print-resource-dir)" -name 'libclang_rt.fuzzer*.a' | head -n 1)
fi
if [ -z "$runtime" ]; then
  echo "skipped: clang's fuzzer runtime is missing: apt-get install clang libclang-rt-14-dev libomp-dev"
  exit 77
fi

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for file in tests/fuzz/corpus/*; do targets+=("$(basename "$file")"); done
fi
[ -f build-fuzz/CMakeCache.txt ] || cmake --preset fuzz -D CMAKE_CXX_COMPILER="$compiler" >/dev/null
cmake --build build-fuzz --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(env -u OMP_NUM_THREADS nproc)}" --target "${targets[@]/#/fuzz_}" >/dev/null

export OMP_NUM_THREADS=1 OMP_THREAD_LIMIT=1 ASAN_OPTIONS=detect_leaks=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mkdir -p build-fuzz/findings
total=0 findings=0
printf '%-22s %10s %10s %9s\n' target runs per_second findings
for target in "${targets[@]}"; do
  share=$runs
  case $target in options | hdf5_outline | foreign_file | machine_file) share=$((runs / 100)) ;; esac
  corpus=build-fuzz/corpus/$target log=build-fuzz/$target.log found=0
  mkdir -p "$corpus"
  build-fuzz/tests/fuzz/"fuzz_$target" -runs="$share" -max_len=4096 -print_final_stats=1 -rss_limit_mb=4096 \
    -artifact_prefix="build-fuzz/findings/$target-" "$corpus" "tests/fuzz/corpus/$target" >"$log" 2>&1 || found=1
  done_runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  per_second=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
  printf '%-22s %10s %10s %9s\n' "$target" "${done_runs:-?}" "${per_second:-?}" "$found"
  total=$((total + ${done_runs:-0})) findings=$((findings + found))
done
echo "$total runs, $findings targets with findings"
[ "$findings" -eq 0 ]
