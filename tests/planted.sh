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

names=() files=() originals=() replacements=() first_tests=()
# fault NAME FILE TEXT REPLACEMENT [FIRST_TEST]
fault() {
  if [[ $1 == *"$only"* ]]; then
    names+=("$1") files+=("$2") originals+=("$3") replacements+=("$4") first_tests+=("${5:-}")
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

# run_tests FOLDER SELECTION...: succeeds when a test fails, whose name becomes `failure`.
run_tests() {
  local folder=$tree/build/tests/$1
  local failed=$folder/Testing/Temporary/LastTestsFailed.log
  shift
  rm -rf "$folder/Testing"  # or the longest would run first
  ctest --test-dir "$folder" --stop-on-failure -j "$jobs" -LE slow "$@" >"$log" 2>&1 || true
  if [ ! -s "$failed" ]; then return 1; fi
  failure=$(head -n 1 "$failed" | cut -d : -f 2)
}

# find_failure WHAT [FILE [TEST]]: sets `failure` to the first test that fails, or to nothing. TEST,
# one of the whole program, runs first; then the tests of FILE's room, in each room those of few
# ranks.
find_failure() {
  local rooms=" base partition kernels io miniapp cli " own=${2:-base/} room target
  if [[ $own == partition/base/* ]]; then own=base/; fi
  own=${own%%/*}
  failure=""
  if [ -n "${3:-}" ]; then
    build all "$1"
    if run_tests cli -R "^$3$"; then return; fi
  fi
  for room in $own ${rooms/ $own / }; do
    target=tests/$room/all
    if [ "$room" = cli ]; then target=all; fi
    build "$target" "$1"
    if run_tests "$room" -E "_n[247]$"; then return; fi
    if run_tests "$room" -R "_n[247]$"; then return; fi
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
  find_failure "${names[$i]}" "$file" "${first_tests[$i]}"
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
