#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# A test of the tests: plants one-line faults, one at a time, in a copy of the tree and shows that the
# suite fails with each.   tests/planted.sh [-k PATTERN] [BUILD_DIR]
#   -k PATTERN   only the faults whose name contains PATTERN
# The copy lies in BUILD_DIR/planted (default build/planted). Without a fault the suite must pass, and
# a fault's text must stand in its file exactly once: otherwise the script fails. Exit status 0: all
# faults were caught.
set -euo pipefail
cd "$(dirname "$0")/.."

only=""
if [ "${1:-}" = -k ]; then
  only=$2
  shift 2
fi
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

# replace FILE TEXT REPLACEMENT: TEXT must stand there exactly once.
replace() {
  python3 - "$@" <<'PYTHON'
import sys
path, text, replacement = sys.argv[1:]
content = open(path, encoding="utf-8").read()
if content.count(text) != 1:
    sys.exit(f"planted_faults.sh is out of date: {path} has {content.count(text)} times: {text}")
open(path, "w", encoding="utf-8").write(content.replace(text, replacement))
PYTHON
}

compile() {
  cmake --build "$tree/build" --parallel "$(nproc)" >"$log" 2>&1 || {
    tail -n 30 "$log"
    echo "does not compile: $1"
    exit 1
  }
}

# The first test that fails, or nothing: those of the rooms first, then those of the whole program.
first_failure() {
  local failed=$tree/build/Testing/Temporary/LastTestsFailed.log selection
  for selection in "-LE cli|lint|install|slow" "-L cli"; do
    rm -f "$failed"
    # shellcheck disable=SC2086  # an option and its value
    ctest --test-dir "$tree/build" --stop-on-failure -j "$(nproc)" $selection >"$log" 2>&1 || true
    if [ -s "$failed" ]; then
      head -n 1 "$failed" | cut -d : -f 2
      return
    fi
  done
}

rm -rf "$tree"
mkdir -p "$tree"
git ls-files -co --exclude-standard -z | tar --null --ignore-failed-read -cf - -T - | tar -xf - -C "$tree"
export ROWHALO_TEST_MATRICES=${ROWHALO_TEST_MATRICES:-$PWD/../shared/matrices}
cmake -G Ninja -S "$tree" -B "$tree/build" -D CMAKE_BUILD_TYPE=Release -D ROWHALO_WITH_CUDA=OFF >"$log" 2>&1 ||
  { tail -n 30 "$log"; exit 1; }
compile "the tree without a fault"
failure=$(first_failure)
if [ -n "$failure" ]; then
  tail -n 30 "$log"
  echo "without any fault $failure fails: nothing can be shown"
  exit 1
fi

survivors=0
for i in "${!names[@]}"; do
  file=${files[$i]}
  replace "$tree/$file" "${originals[$i]}" "${replacements[$i]}"
  compile "${names[$i]}"
  failure=$(first_failure)
  cp "$file" "$tree/$file"
  if [ -z "$failure" ]; then
    survivors=$((survivors + 1))
    printf '%-40s SURVIVES (%s)\n' "${names[$i]}" "$file"
  else
    printf '%-40s caught by %s\n' "${names[$i]}" "$failure"
  fi
done
echo "${#names[@]} faults, $survivors survive"
[ "$survivors" -eq 0 ]
