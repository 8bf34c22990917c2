#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# What every batch script calls, and what runs without a scheduler: one measured run, a study, or
# the classes of matrices, under the site's launcher.
#   run.sh [--site S] [--ranks N] [--nodes M] [--ranks-per-node K] [--threads T] [--repeats R]
#          --output DIR -- ROWHALO-ARGUMENTS      one point; without --ranks all that the job has
#   run.sh [--site S] --study FILE.ini --output DIR [-- OPTIONS]      jobs/rowhalo-study run
#   run.sh [--site S] --classes --output DIR [-- OPTIONS]             jobs/rowhalo-study classes
# A point leaves in DIR: result-K.json, result-K.h5, log-K.txt for K = 1..R, provenance/, and in the
# end one of the markers done and error. An earlier run is moved to DIR/before-TIME, but only when
# site, ranks, executable and its arguments have been checked; a refusal leaves it as it is. USR1,
# TERM and INT (Ctrl-C) make the program write what it has and end; under PBS, USR1 comes by itself
# before the walltime ends (shell/pbs_job.sh).
# Exit status: that of the program; 2 for wrong usage or an allocation that is too small.
# Site: a name in jobs/sites or a file; default $ROWHALO_SITE, else what this machine looks like.
set -euo pipefail

jobs=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# jobs/ may be read-only, or belong to a package: Python leaves no __pycache__ there.
export PYTHONDONTWRITEBYTECODE=1
site="" study="" classes="" output="" ranks="" nodes="" ranks_per_node="" threads="" repeats=1
started="" child="" interrupted="" interrupted_at=0 woken="" phase="before the first repeat"
# shellcheck source=jobs/shell/site.sh
source "$jobs/shell/site.sh"
# shellcheck source=jobs/shell/allocation.sh
source "$jobs/shell/allocation.sh"
# shellcheck source=jobs/shell/launcher.sh
source "$jobs/shell/launcher.sh"
# shellcheck source=jobs/shell/provenance.sh
source "$jobs/shell/provenance.sh"
# shellcheck source=jobs/shell/names.sh
source "$jobs/shell/names.sh"
# shellcheck source=jobs/shell/whole_files.sh
source "$jobs/shell/whole_files.sh"

refuse() {
  stop_if_interrupted # what was asked before ends by the same signal
  shown "run.sh: $*" >&2
  [ -z "$started" ] || mark_error 2 "$*"
  exit 2
}

count() { # OPTION VALUE: a whole number of at least 1
  [[ $2 =~ ^[1-9][0-9]{0,7}$ ]] || refuse "$1 $2: give a whole number of at least 1"
  echo "$2"
}

parse() {
  while [ $# -gt 0 ]; do
    case $1 in
      --classes) classes=yes && shift && continue ;;
      --) shift && break ;;
      --help) sed -n '4,18s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit 0 ;;
    esac
    [[ $# -gt 1 && $2 != --* ]] || refuse "$1: an option without a value, or unknown; --help lists them"
    case $1 in
      --site) site=$2 ;;
      --study) study=$2 ;;
      --output) output=$2 ;;
      --ranks) ranks=$(count "$1" "$2") ;;
      --nodes) nodes=$(count "$1" "$2") ;;
      --ranks-per-node) ranks_per_node=$(count "$1" "$2") ;;
      --threads) threads=$(count "$1" "$2") ;;
      --repeats) repeats=$(count "$1" "$2") ;;
      *) refuse "$1: there is no such option; --help lists them; those of rowhalo stand after --" ;;
    esac
    shift 2
  done
  arguments=("$@")
  [ -n "$output" ] || refuse "--output DIR is missing"
  if [ -n "$study" ] && [ ! -f "$study" ]; then refuse "--study $study: there is no such file"; fi
  if [ -z "$study$classes" ] && [ $# -eq 0 ]; then
    refuse "nothing to run: rowhalo's arguments come last, as in -- run --matrix stencil27:96"
  fi
}

# ------------------------------------------------------------------ markers and signals
# write_marker NAME STATUS [REASON [LOG]]: appears complete or not at all.
write_marker() {
  {
    echo "status = $2"
    echo "time = $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    [ -z "${3:-}" ] || shown "reason = $3"
    if [ -n "${4:-}" ] && [ -s "$4" ]; then printf '\n' && tail -n 20 "$4"; fi
  } | write_whole "$output/$1"
}

# mark_error STATUS REASON [LOG]: but an earlier run that was not moved aside stays done.
mark_error() {
  [ -e "$output/done" ] || write_marker error "$@"
}

# fail STATUS REASON [LOG]: the marker error, and the end.
fail() {
  mark_error "$@"
  shown "run.sh: $2; see $output" >&2
  exit "$1"
}

interruption() {
  echo "interrupted by SIG$interrupted $phase"
}

stop_if_interrupted() {
  [ -z "$started" ] || [ -z "$interrupted" ] ||
    fail 1 "$(interruption)"
}

# "139 (SIGSEGV)".
spelt() {
  local name=""
  [ "$1" -le 128 ] || name=$(kill -l "$1" 2>/dev/null) || true
  echo "$1${name:+ (SIG$name)}"
}

# The launcher hands USR1 to every rank; TERM would make some launchers kill them before they have
# written anything. A later signal is passed as it is; but PBS signals all processes of a session, and
# rowhalo-study hands its signal on, too: a second within 10 s is the same one. The marker is written at
# once, since there may be no time for it at the end.
pass_on() {
  local pass=USR1
  woken=yes
  if [ -n "$interrupted" ]; then
    [ $((SECONDS - interrupted_at)) -ge 10 ] || return 0
    pass=${1/INT/TERM} # what runs in the background does not hear INT
  fi
  interrupted=$1 interrupted_at=$SECONDS
  echo "run.sh: got SIG$1: asking for an early end" >&2
  [ -z "$child" ] || kill -s "$pass" "$child" 2>/dev/null || true
  [ -z "$started" ] || mark_error 1 "$(interruption)" || true
}

# Another signal meanwhile is ignored: where one interrupts the $(...) of a trap, bash 5.2 may end
# with a syntax error.
on_signal() {
  trap '' USR1 TERM INT
  pass_on "$1"
  heed_signals
}

heed_signals() {
  trap 'on_signal USR1' USR1
  trap 'on_signal TERM' TERM
  trap 'on_signal INT' INT
}
heed_signals

# said_in LOG: ": " and the first error message of the program, if there is one.
said_in() {
  grep -aE '^rowhalo: |^\[rank [0-9]+ on ' "$1" 2>/dev/null | grep -v -m 1 '^rowhalo: warning: ' | sed 's/^/: /' || true
}

# said_by_launcher LOG: the same of what kept ranks from starting: its first line, after which launchers explain at
# length.
said_by_launcher() {
  grep -avE -m 1 '^rank [0-9]+ on |^[^[:alnum:]]*$' "$1" 2>/dev/null | sed 's/^/: /' || true
}

# supervised COMMAND...: runs it so that signals reach it at once; its exit status.
supervised() {
  local status=0
  woken=""
  "$@" </dev/null &
  child=$!
  # A signal between the start and here has not been passed on.
  [ -z "$interrupted" ] || kill -s USR1 "$child" 2>/dev/null || true
  wait "$child" || status=$?
  while [ -n "$woken" ]; do # it was only the signal that ended the wait
    woken="" status=0
    wait "$child" || status=$?
  done
  child=""
  return "$status"
}

# ------------------------------------------------------------------ the three things to run
# logged LOG COMMAND...: output to stdout and LOG. tee outlives the signals that end the others.
logged() {
  local log=$1 status=0 copier
  shift
  exec {copy}> >(trap '' TERM USR1 INT HUP && exec tee "$log")
  copier=$!
  supervised "$@" >&"$copy" 2>&1 {copy}>&- || status=$?
  exec {copy}>&-
  for _ in {1..100}; do # a process left behind must not keep it waiting
    kill -0 "$copier" 2>/dev/null || break
    sleep 0.1
  done
  kill -KILL "$copier" 2>/dev/null || true
  return "$status"
}

# Asks the executable whether it takes the arguments; without a launcher, and without a product.
check_arguments() {
  local said argument
  [[ ${arguments[0]} != -* ]] ||
    refuse "${arguments[0]}: a command of rowhalo comes first, as in -- run --matrix stencil27:96"
  for argument in "${arguments[@]}"; do
    case $argument in
      --json | --json=* | --hdf5 | --hdf5=*)
        refuse "$argument: run.sh names the result files itself; leave the option out" ;;
    esac
  done
  [[ $("$rowhalo" "${arguments[0]}" --help 2>/dev/null) == *--dry* ]] || return 0
  # As in studies/program.py: one process without a launcher, which inside a job takes itself for a rank.
  said=$(OMPI_MCA_ess_singleton_isolated=1 OMPI_MCA_orte_create_session_dirs=0 \
    "$rowhalo" "${arguments[@]}" --dry --quiet --no-progress 2>&1 >/dev/null </dev/null) ||
    refuse "$(grep -m 1 '^rowhalo: ' <<<"$said" || echo "$said")"
}

run_point() {
  local k status log files provenance
  mkdir -p "$output" || refuse "--output $output: cannot be made"
  started=yes
  plan_layout
  find_rowhalo
  build_launcher
  check_arguments
  set_aside "$output" "$output"/{done,error,provenance} "$output"/{result,log}-* ||
    refuse "--output $output: the earlier run there cannot be moved aside"
  mkdir -p "$output/provenance"
  write_provenance "$output/provenance" & # takes as long as the map, a second or two
  provenance=$!
  status=0
  rank_map "$output/provenance" || status=$?
  wait "$provenance" || true
  stop_if_interrupted
  [ "$status" -eq 0 ] ||
    fail "$status" "the launcher did not place the ranks$(said_by_launcher "$output/provenance/map.txt"): ${launcher[*]}" \
      "$output/provenance/map.txt"
  for ((k = 1; k <= repeats; ++k)); do
    phase="in repeat $k of $repeats"
    log=$output/log-$k.txt
    files=(--no-progress --json "$output/result-$k.json")
    ! writes_hdf5 || files+=(--hdf5 "$output/result-$k.h5")
    status=0
    logged "$log" "${launcher[@]}" "${rank_command[@]}" "${arguments[@]}" "${files[@]}" || status=$?
    if [ -n "$interrupted" ]; then
      [ "$status" -ne 0 ] || status=1
      fail "$status" "$(interruption)" "$log"
    fi
    [ "$status" -eq 0 ] ||
      fail "$status" "repeat $k of $repeats ended with exit status $(spelt "$status")$(said_in "$log")" "$log"
    [ -s "$output/result-$k.json" ] ||
      fail 1 "repeat $k of $repeats ended well, but wrote no result-$k.json: is $rowhalo rowhalo?" "$log"
  done
  write_marker "done" 0
}

# Programs that start runs themselves: inside the same allocation, with the same environment.
run_program() {
  local status=0
  mkdir -p "$output"
  supervised "$@" || status=$?
  return "$status"
}

run_study() {
  export ROWHALO_SITE=$site
  run_program "$python" "$jobs/rowhalo-study" run "$study" --site "$site" --output "$output" \
    ${arguments[0]+"${arguments[@]}"}
}

run_classes() {
  local status=0
  find_rowhalo
  "$python" "$jobs/rowhalo-study" classes --rowhalo "$rowhalo" --output "$output" --list \
    ${arguments[0]+"${arguments[@]}"} >/dev/null || exit 2
  mkdir -p "$output"
  set_aside "$output" "$output"/{done,error,provenance}
  started=yes phase="in the classes"
  mkdir "$output/provenance"
  write_provenance "$output/provenance"
  run_program "$python" "$jobs/rowhalo-study" classes --rowhalo "$rowhalo" --output "$output" \
    ${arguments[0]+"${arguments[@]}"} || status=$?
  [ "$status" -eq 0 ] || fail "$status" "the classes ended with exit status $status"
  write_marker "done" 0
}

main() {
  parse "$@"
  read_site
  # shellcheck source=jobs/shell/pbs_job.sh
  [ "$SITE_SCHEDULER" != pbs ] || source "$jobs/shell/pbs_job.sh"
  if [ -n "$study" ]; then
    run_study
  elif [ -n "$classes" ]; then
    run_classes
  else
    run_point
  fi
}

# The lock on the point (studies/claims.py) is kept by this shell, but by nothing that it starts.
claim=${ROWHALO_CLAIM:-}
unset ROWHALO_CLAIM
[[ $claim =~ ^[0-9]*$ ]] || refuse "ROWHALO_CLAIM=$claim: is for rowhalo-study only; unset it"
eval "main \"\$@\" ${claim:+$claim>&-}"
