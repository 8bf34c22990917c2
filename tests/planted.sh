#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# A test of the tests: plants one-line faults, one at a time, in a copy of the tree and shows that the
# suite fails with each.   tests/planted.sh [--check] [-k PATTERN] [BUILD_DIR]
#   --check      only whether every fault's text still stands in its file exactly once
#   -k PATTERN   only the faults whose name contains PATTERN
# The copy lies in BUILD_DIR/planted (default build/planted). Without a fault the suite must pass,
# otherwise the script fails. The first test that fails is enough: those of the room where the fault
# lies come first, those of the whole program last. CMAKE_BUILD_PARALLEL_LEVEL: number of jobs.
# Exit status 0: all faults were caught.
set -euo pipefail
cd "$(dirname "$0")/.."

check_only=""
if [ "${1:-}" = --check ]; then
  check_only=1
  shift
fi
only=""
if [ "${1:-}" = -k ]; then
  only=$2
  shift 2
fi
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
place=$(realpath -m "${1:-build}/planted")
tree=$place/tree
log=$place/log
# The copy is another folder than the original, but ccache should not mind.
export CCACHE_BASEDIR=$tree CCACHE_NOHASHDIR=1

names=() files=() originals=() replacements=()
# fault NAME FILE TEXT REPLACEMENT
fault() {
  if [[ $1 == *"$only"* ]]; then
    names+=("$1") files+=("$2") originals+=("$3") replacements+=("$4")
  fi
}
# shellcheck source=tests/planted_faults.sh
source tests/planted_faults.sh

# replace FILE TEXT [REPLACEMENT]: TEXT must stand there exactly once; without REPLACEMENT it stays.
replace() {
  python3 - "$@" <<'PYTHON'
import sys
path, text, *replacement = sys.argv[1:]
content = open(path, encoding="utf-8").read()
if content.count(text) != 1:
    sys.exit(f"planted_faults.sh is out of date: {path} has {content.count(text)} times: {text}")
if replacement:
    open(path, "w", encoding="utf-8").write(content.replace(text, replacement[0]))
PYTHON
}

for i in "${!names[@]}"; do
  replace "${files[$i]}" "${originals[$i]}"
done
if [ -n "$check_only" ]; then exit 0; fi

# build TARGET WHAT
build() {
  cmake --build "$tree/build" --parallel "$jobs" --target "$1" >"$log" 2>&1 || {
    tail -n 30 "$log"
    echo "does not compile: $2"
    exit 1
  }
}

# find_failure WHAT [FILE]: sets `failure` to the first test that fails, or to nothing. The tests of
# FILE's room are built and run first, and in each room those of few ranks.
find_failure() {
  local rooms=" base partition kernels io miniapp cli " own=${2:-base/}
  local room folder failed target selection
  if [[ $own == partition/base/* ]]; then own=base/; fi
  own=${own%%/*}
  failure=""
  for room in $own ${rooms/ $own / }; do
    folder=$tree/build/tests/$room
    failed=$folder/Testing/Temporary/LastTestsFailed.log
    target=tests/$room/all
    if [ "$room" = cli ]; then target=all; fi
    build "$target" "$1"
    for selection in "-E _n[247]$" "-R _n[247]$"; do
      rm -rf "$folder/Testing"  # or the longest would run first
      # shellcheck disable=SC2086  # an option and its value
      ctest --test-dir "$folder" --stop-on-failure -j "$jobs" -LE slow $selection >"$log" 2>&1 || true
      if [ -s "$failed" ]; then
        failure=$(head -n 1 "$failed" | cut -d : -f 2)
        return
      fi
    done
  done
}

rm -rf "$tree"
mkdir -p "$tree"
git ls-files -co --exclude-standard -z | tar --null --ignore-failed-read -cf - -T - | tar -xf - -C "$tree"
export ROWHALO_TEST_MATRICES=${ROWHALO_TEST_MATRICES:-$PWD/../shared/matrices}
cmake -G Ninja -S "$tree" -B "$tree/build" -D CMAKE_BUILD_TYPE=Release -D ROWHALO_WITH_CUDA=OFF >"$log" 2>&1 ||
  { tail -n 30 "$log"; exit 1; }
find_failure "the tree without a fault"
if [ -n "$failure" ]; then
  tail -n 30 "$log"
  echo "without any fault $failure fails: nothing can be shown"
  exit 1
fi

survivors=0
for i in "${!names[@]}"; do
  file=${files[$i]}
  cp "$tree/$file" "$place/original"
  replace "$tree/$file" "${originals[$i]}" "${replacements[$i]}"
  find_failure "${names[$i]}" "$file"
  cp "$place/original" "$tree/$file"
  if [ -z "$failure" ]; then
    survivors=$((survivors + 1))
    printf '%-40s SURVIVES (%s)\n' "${names[$i]}" "$file"
  else
    printf '%-40s caught by %s\n' "${names[$i]}" "$failure"
  fi
done
echo "${#names[@]} faults, $survivors survive"
[ "$survivors" -eq 0 ]
