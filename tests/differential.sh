#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Random matrices and choices of everything on 1 to 7 ranks, each y compared with PETSc, the reference
# and sums in long double (tests/miniapp/spmv/test_differential.cpp).
#   tests/differential.sh [--seed S] [--cases N] [BUILD_DIR]      default: 1, 1000, build
# A case that fails prints the command that repeats it. Exit status 0: all cases are right.
set -euo pipefail
cd "$(dirname "$0")/.."

seed=1 cases=1000
while [[ ${1:-} == --* ]]; do
  case $1 in
    --seed) seed=$2 ;;
    --cases) cases=$2 ;;
    *) echo "differential.sh: unknown option $1; use --seed S and --cases N" >&2; exit 2 ;;
  esac
  shift 2
done
program=${1:-build}/tests/miniapp/test_differential
if [ ! -x "$program" ]; then
  echo "differential.sh: $program is missing; build the target test_differential first" >&2
  exit 2
fi

# More ranks than cores, root, containers: as in tests/CMakeLists.txt.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1 OMP_NUM_THREADS=1
log=$(mktemp)
trap 'rm -f "$log"' EXIT
right=0 failed=0
for ranks in 1 2 3 4 5 6 7; do
  count=$(((cases + ranks - 1) / 7))  # adds up to all cases
  ROWHALO_DIFFERENTIAL=$seed:0:$count mpirun -n "$ranks" "$program" >"$log" 2>&1 || failed=1
  line=$(grep "random cases right" "$log" || true)
  echo "${line:-no verdict on $ranks ranks}"
  if [ "$failed" = 1 ]; then cat "$log"; fi
  right=$((right + ${line%% *}))
done
echo "$right of $cases random cases right"
[ "$failed" = 0 ] && [ "$right" = "$cases" ]
