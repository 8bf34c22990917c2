#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# A test of the tests: plants one-line faults, one at a time, in a copy of the tree and shows that the
# suite fails with each.
#   tests/planted.sh [-k PATTERN] [--shard I/N] [--resume] [--gpu] [BUILD_DIR]
#   tests/planted.sh --check | --update [BUILD_DIR]
#   -k PATTERN   only the faults whose name contains PATTERN
#   --shard I/N  only part I of N, in a copy of its own, so that N processes or machines share the work
#   --resume     continue after an interruption: skips the faults that this copy has seen caught
#   --gpu        the faults that need a GPU (gpu_fault), with CUDA, instead of the others
#   --check      only whether the text of every fault stands in its file exactly once
#   --update     only writes into planted_caught.txt which tests caught the faults of the last runs
# The copies lie in BUILD_DIR/planted* (default build/planted*) and are built incrementally. The test in
# planted_caught.txt and FIRST_TEST run first, and only what they need is built; where they pass, all
# tests follow, those of the room of the fault first. The first failure is enough; that test must pass
# without a fault. CMAKE_BUILD_PARALLEL_LEVEL: number of jobs. Exit status 0: all faults were caught.
set -euo pipefail
cd "$(dirname "$0")/.."

only="" shard=1 shards=1 resume="" action="" device=cpu build_dir=build
while [ $# -gt 0 ]; do
  case $1 in
    -k) only=${2:?"-k: a pattern is missing"} && shift ;;
    --shard)
      [[ ${2:-} == */* ]] ||
        { echo "planted.sh: --shard ${2:-}: give I/N with 1 <= I <= N, for example 1/3" >&2 && exit 2; }
      shard=${2%/*} shards=${2#*/} && shift ;;
    --help) sed -n '3,18s/^# \{0,1\}//p' "$0" && exit 0 ;;
    --resume) resume=yes ;;
    --gpu) device=gpu ;;
    --check | --update) action=$1 ;;
    -*) echo "planted.sh: $1: there is no such option; --help lists them" >&2 && exit 2 ;;
    *) build_dir=$1 ;;
  esac
  shift
done
[[ $shard/$shards =~ ^[1-9][0-9]*/[1-9][0-9]*$ && $shard -le $shards ]] ||
  { echo "planted.sh: --shard $shard/$shards: I/N with 1 <= I <= N is expected" >&2 && exit 2; }
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(env -u OMP_NUM_THREADS nproc)}
place=$(realpath -m "$build_dir/planted")
known=tests/planted_caught.txt # lines: TEST NAME-OF-THE-FAULT

names=() files=() originals=() replacements=() first_tests=() devices=()
# fault NAME FILE TEXT REPLACEMENT [FIRST_TEST]; gpu_fault likewise
fault() { add_fault cpu "$@"; }
gpu_fault() { add_fault gpu "$@"; }
add_fault() {
  names+=("$2") files+=("$3") originals+=("$4") replacements+=("$5") first_tests+=("${6:-}")
  devices+=("$1")
}
# Each is what a tired person might write; none may crash on a bounds check of its own making.
# FIRST_TEST names the one that finds it where only tests of the whole program can: that saves minutes.
for list in tests/planted/*.sh; do
  # shellcheck source=tests/planted/io.sh
  source "$list"
done

# replace check|plant: reads FILE, TEXT and REPLACEMENT, each ended by a NUL, of any number of faults;
# TEXT must stand there exactly once.
replace() {
  python3 -c '
import sys
fields = sys.stdin.read().split("\0")[:-1]
wrong = False
for path, text, replacement in zip(fields[0::3], fields[1::3], fields[2::3]):
    try:
        content = open(path, encoding="utf-8").read()
    except OSError as error:
        content = str(error)
    if content.count(text) != 1:
        wrong = True
        print(f"tests/planted is out of date: {path} has {content.count(text)} times: {text}",
              file=sys.stderr)
    elif sys.argv[1] == "plant":
        open(path, "w", encoding="utf-8").write(content.replace(text, replacement))
sys.exit(wrong)' "$1"
}

for i in "${!names[@]}"; do
  printf '%s\0' "${files[$i]}" "${originals[$i]}" "${replacements[$i]}"
done | replace check
twice=$(printf '%s\n' "${names[@]}" | sort | uniq -d)
[ -z "$twice" ] || { echo "tests/planted: name given twice: $twice" >&2 && exit 1; }
if [ "$action" = --check ]; then exit 0; fi

declare -A caught_by=() done_before=()
while read -r test name; do caught_by[$name]=$test; done <"$known"
if [ "$action" = --update ]; then
  while read -r test name; do caught_by[$name]=$test; done < <(cat "$place"*/results)
  for name in "${names[@]}"; do
    [ -z "${caught_by[$name]:-}" ] || echo "${caught_by[$name]} $name"
  done >"$known.new"
  mv "$known.new" "$known"
  exit 0
fi

[ "$device" = cpu ] || place=$place-gpu
[ "$shards" -eq 1 ] || place=$place-$shard-of-$shards
tree=$place/tree log=$place/log results=$place/results clean=$place/clean
# The copy is another folder than the original, but ccache should not mind.
export CCACHE_BASEDIR=$tree CCACHE_NOHASHDIR=1
export ROWHALO_TEST_MATRICES=${ROWHALO_TEST_MATRICES:-$PWD/../shared/matrices}

# target_of TEST: what must be built for it.
target_of() {
  local target=${1%_n[0-9]}
  target=${target%_schema}
  case $target in
    cli_* | jobs_* | slurm_*) echo rowhalo ;;
    fuzz_short_*) echo "${target/short_/}" ;;
    faults_*) echo rowhalo_held ;;
    python_*) echo rowhalo_c ;;
    *) if grep -rqE --include=CMakeLists.txt "rowhalo_add_(test|program)[(]$target( |\$)" "$tree/tests"; then
      echo "$target"
    else
      echo all
    fi ;;
  esac
}

# build TARGET: shows why it fails where it does.
build() {
  cmake --build "$tree/build" --parallel "$jobs" --target "$1" >"$log" 2>&1 && return
  tail -n 30 "$log"
  return 1
}

# run_tests FOLDER SELECTION...: succeeds when a test fails, whose name becomes `failure`.
run_tests() {
  local folder=$tree/build/$1
  local failed=$folder/Testing/Temporary/LastTestsFailed.log
  shift
  rm -rf "$folder/Testing" # or the longest would run first
  ctest --test-dir "$folder" --stop-on-failure -j "$jobs" "$@" >"$log" 2>&1 || true
  pkill -KILL -f "$tree/(build|jobs)/" || true # what a test that failed has left behind
  if [ ! -s "$failed" ]; then return 1; fi
  failure=$(head -n 1 "$failed" | cut -d : -f 2)
}

# find_failure FILE TEST...: sets `failure` to the first test that fails, or to nothing, `compiles` to
# yes or no. TESTs run first, then the tests of FILE's room, then the other rooms; in each those of few
# ranks first.
find_failure() {
  local own=${1%%/*} rooms=" base partition kernels io miniapp cli jobs " room target test
  if [[ $1 == partition/base/* ]]; then own=base; fi
  shift
  failure="" compiles=no
  for test in "$@"; do
    build "$(target_of "$test")" || return 0
    compiles=yes
    if run_tests . -R "^$test$"; then return; fi
  done
  for room in $own ${rooms/ $own / }; do
    target=tests/$room/all
    if [[ $room == cli || $room == jobs ]]; then target=rowhalo; fi
    build "$target" || return 0
    compiles=yes
    if run_tests "tests/$room" -LE slow -E "_n[247]$"; then return; fi
    if run_tests "tests/$room" -LE slow -R "_n[247]$"; then return; fi
  done
}

# passes_without_fault TEST: asked once for each test that passes.
passes_without_fault() {
  if grep -qxF "$1" "$clean"; then return; fi
  build "$(target_of "$1")" || return 1
  if run_tests . -R "^$1$"; then
    tail -n 30 "$log"
    return 1
  fi
  echo "$1" >>"$clean"
}

# Compared by contents and copied with a new time: an edit may be older than the objects that lack it.
mkdir -p "$tree"
declare -A wanted=()
while IFS= read -r -d "" file; do
  [ -f "$file" ] || continue
  wanted[$file]=yes
  cmp -s "$file" "$tree/$file" || install -D -m "$(stat -c %a "$file")" "$file" "$tree/$file"
done < <(git ls-files -co --exclude-standard -z)
while IFS= read -r -d "" file; do
  [ -n "${wanted[$file]:-}" ] || rm -f "$tree/$file"
done < <(cd "$tree" && find . -path ./build -prune -o -type f -printf '%P\0')
while read -r test name; do done_before[$name]=$test; done < <(cat "$results" 2>/dev/null)
: >"$clean"
cuda=OFF
[ "$device" = cpu ] || cuda=ON
# A few files as one: their headers are read once, and what is compiled again after a fault stays little.
cmake -G Ninja -S "$tree" -B "$tree/build" -D CMAKE_BUILD_TYPE=Release -D ROWHALO_WITH_CUDA=$cuda \
  -D CMAKE_UNITY_BUILD=ON -D CMAKE_UNITY_BUILD_BATCH_SIZE=6 \
  -D ROWHALO_TEST_TIMEOUT=900 >"$log" 2>&1 || { tail -n 30 "$log" && exit 1; }

chosen=()
for i in "${!names[@]}"; do
  if [[ ${devices[$i]} == "$device" && ${names[$i]} == *"$only"* ]]; then chosen+=("$i"); fi
done
count=${#chosen[@]}
first=$((count * (shard - 1) / shards)) end=$((count * shard / shards))
if [ -z "$resume" ]; then # forget what is tried again
  for i in "${chosen[@]:first:end-first}"; do done_before[${names[$i]}]=""; done
fi
for name in "${!done_before[@]}"; do
  [ -z "${done_before[$name]}" ] || echo "${done_before[$name]} $name"
done >"$results"
survivors=0
for i in "${chosen[@]:first:end-first}"; do
  name=${names[$i]} file=${files[$i]} start=$SECONDS
  if [ -n "${done_before[$name]:-}" ]; then
    printf '%-50s caught before by %s\n' "$name" "${done_before[$name]}"
    continue
  fi
  cp "$tree/$file" "$place/original"
  printf '%s\0' "$tree/$file" "${originals[$i]}" "${replacements[$i]}" | replace plant
  mapfile -t tests < <(printf '%s\n' "${caught_by[$name]:-}" "${first_tests[$i]}" | awk 'NF && !seen[$0]++')
  find_failure "$file" ${tests[0]+"${tests[@]}"}
  cp "$place/original" "$tree/$file"
  if [ -z "$failure" ]; then
    survivors=$((survivors + 1))
    verdict=SURVIVES
    [ "$compiles" = yes ] || verdict="DOES NOT COMPILE"
    printf '%-50s %s (%s)\n' "$name" "$verdict" "$file"
    continue
  fi
  caught=$failure
  if ! passes_without_fault "$caught"; then
    survivors=$((survivors + 1))
    printf '%-50s NOT SHOWN: %s fails without it, too\n' "$name" "$caught"
    continue
  fi
  echo "$caught $name" >>"$results"
  printf '%-50s caught by %s, %d s\n' "$name" "$caught" $((SECONDS - start))
done
echo "$((end - first)) faults, $survivors survive"
[ "$survivors" -eq 0 ]
