#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Every test that needs a GPU, and the short ones again under compute-sanitizer.
#   tests/gpu.sh [FOLDER]     FOLDER: where the executables test_*_gpu are, at any depth: a build
#                             folder (default build) or an unpacked one; needs neither CMake nor ctest
# Prints one table: test, tool, result. Tests under mpirun run on 1, 2, 4 and 8 ranks, as many as there
# are GPUs, and with 2 and 4 ranks on 1 GPU; the
# program itself, where it is in FOLDER, solves and multiplies in pairs there.
# Exit status 0: nothing failed. Logs: FOLDER/gpu-tests/.
set -uo pipefail

folder=$(realpath "${1:-build}")
logs=$folder/gpu-tests
mkdir -p "$logs" || exit 2
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_mpi_yield_when_idle=1 OMP_NUM_THREADS=${OMP_NUM_THREADS:-2}
if [ "$(id -u)" -eq 0 ]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

mapfile -t executables < <(find "$folder" -type f -name 'test_*_gpu' -perm -u+x | sort)
if [ "${#executables[@]}" -eq 0 ]; then
  echo "gpu.sh: no executables test_*_gpu under $folder; build with CUDA first, or name their folder" >&2
  exit 2
fi
gpus=$(nvidia-smi --list-gpus 2>/dev/null | grep -c '^GPU')
sanitizer=$(command -v compute-sanitizer || true)
failed=0 passed=0 skipped=0

# report TEST TOOL STATUS LOG [SECONDS]
report() {
  local result=passed
  case $3 in
    0) passed=$((passed + 1)) ;;
    77) result=skipped skipped=$((skipped + 1)) ;;
    124) result="FAILED (time-out)" failed=$((failed + 1)) ;;
    *) result="FAILED (exit $3), see $4" failed=$((failed + 1)) ;;
  esac
  printf '%-34s %-10s %4s s  %s\n' "$1" "$2" "${5:-0}" "$result"
}

# attempt TEST TOOL COMMAND...
attempt() {
  local test=$1 tool=$2 status=0 start=$SECONDS
  local log=$logs/${test//[^A-Za-z0-9_.]/-}-$tool.log
  shift 2
  timeout "${ROWHALO_GPU_TEST_SECONDS:-300}" "$@" >"$log" 2>&1 || status=$?
  report "$test" "$tool" "$status" "$log" $((SECONDS - start))
  if [ "$status" -ne 0 ] && [ "$status" -ne 77 ]; then tail -n 15 "$log" | sed 's/^/    /'; fi
}

uses_mpi() { ldd "$1" 2>/dev/null | grep -q 'libmpi'; }

echo "$gpus GPUs; sanitizer: ${sanitizer:-none, its checks are left out}"
for executable in "${executables[@]}"; do
  name=$(basename "$executable")
  if ! uses_mpi "$executable"; then
    attempt "$name" plain "$executable"
    for tool in memcheck racecheck initcheck; do
      [ -z "$sanitizer" ] || attempt "$name [short]" "$tool" \
        "$sanitizer" --tool "$tool" --error-exitcode 1 "$executable" '[short]' --durations yes
    done
    continue
  fi
  for ranks in 1 2 4 8; do
    [ "$ranks" -gt "$gpus" ] || attempt "$name -n $ranks" plain mpirun -n "$ranks" "$executable"
  done
  for ranks in 2 4; do
    CUDA_VISIBLE_DEVICES=0 attempt "$name -n $ranks on 1 GPU" plain mpirun -n $ranks "$executable"
  done
  # NCCL asks for kernels of other architectures on purpose: not an error of an API call.
  [ -z "$sanitizer" ] || attempt "$name -n 2 [short]" memcheck mpirun -n 2 \
    "$sanitizer" --tool memcheck --report-api-errors no --error-exitcode 1 "$executable" '[short]' --durations yes
done
program=$(find "$folder" -type f -name rowhalo -perm -u+x | head -n 1)
if [ -n "$program" ]; then
  for script in solutions pair; do
    ROWHALO_TEST_DEVICE=gpu ROWHALO_BINARY=$program attempt "cli_$script" plain \
      python3 -B "$(dirname "$0")/cli/test_$script.py"
  done
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
