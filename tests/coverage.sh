#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Line coverage of the rooms by the tests: builds without CUDA with --coverage in build-coverage, runs the
# tests and prints the share of lines of io/, partition/ and miniapp/ that ran, by gcovr.
#   tests/coverage.sh [--rooms "io partition"] [CTEST_OPTION...]
#   --rooms   only these; of io and partition alone, miniapp and kernels are not even compiled, and only the
#             unit tests of the two run
# CTEST_OPTION: which tests, e.g. -R test_io; default: all but the slow ones and install, whose consumer
#             is linked without gcov.
# Exit status: 0 every room has what it must have, 1 a room has less, 77 gcovr is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

rooms="io partition miniapp"
if [ "${1:-}" = --rooms ]; then
  rooms=${2:-}
  shift 2
fi
for room in ${rooms:-none}; do
  [[ $room =~ ^(io|partition|miniapp)$ ]] ||
    { echo "coverage.sh: --rooms $rooms: name some of io, partition and miniapp" >&2 && exit 2; }
done
selection=("$@")
if [ ${#selection[@]} -eq 0 ]; then
  selection=(-LE 'slow|install')
  # Without miniapp only the tests of these rooms are built.
  [[ $rooms == *miniapp* ]] ||
    selection+=(-R '^test_(base|partition|assignment|io|files|petsc_exchange|generators|hdf5)')
fi
if ! command -v gcovr >/dev/null; then
  echo "skipped: gcovr is missing: apt-get install gcovr"
  exit 77
fi

# Percent of the lines that must have run.
declare -A least=([io]=92 [partition]=92 [miniapp]=85)
# Files whose lines need a device, or a library that talks to devices; tests/gpu.sh runs those.
needs_device=(
  miniapp/halo/nccl.cpp              # NCCL
  miniapp/halo/p2p.cpp               # stores over NVLink
  miniapp/halo/memory/peer_memory.cpp       # CUDA IPC
  miniapp/halo/site.cpp              # what device transports ask
  miniapp/halo/device_packing.cpp    # gathers by a kernel
)

jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(env -u OMP_NUM_THREADS nproc)}
cmake --preset coverage >/dev/null
build_targets=(all)
if [[ $rooms != *miniapp* ]]; then build_targets=(tests/base/all tests/partition/all tests/io/all); fi
cmake --build build-coverage --parallel "$jobs" --target "${build_targets[@]}" >/dev/null
find build-coverage -name '*.gcda' -delete
ctest --test-dir build-coverage -j "$jobs" "${selection[@]}" --output-on-failure | tail -n 25

excluded=()
for file in "${needs_device[@]}"; do excluded+=(--exclude "$file"); done
short=0
printf '\n%-10s %8s %8s %8s %6s\n' room lines ran percent least
for room in $rooms; do
  summary=$(gcovr -j "$jobs" --root . --object-directory build-coverage --filter "$room/" "${excluded[@]}" \
    --exclude-throw-branches --json-summary-pretty --output - 2>/dev/null)
  read -r lines ran percent < <(python3 -c '
import json, sys
report = json.load(sys.stdin)
print(report["line_total"], report["line_covered"], report["line_percent"])' <<<"$summary")
  printf '%-10s %8s %8s %8s %6s\n' "$room" "$lines" "$ran" "$percent" "${least[$room]}"
  if python3 -c "import sys; sys.exit(not $percent < ${least[$room]})"; then
    short=1
    # The files that have most of what is missing.
    python3 -c '
import json, sys
files = json.load(sys.stdin)["files"]
for file in sorted(files, key=lambda f: f["line_covered"] - f["line_total"])[:10]:
    print("  %-44s %4d of %4d lines ran" % (file["filename"], file["line_covered"], file["line_total"]))' \
      <<<"$summary"
  fi
done
exit "$short"
