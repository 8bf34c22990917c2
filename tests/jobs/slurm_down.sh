#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Ends what slurm_up.sh started, by its pid files, and nothing else; then removes its folder.
# SLURMTEST_DIR: as for slurm_up.sh.
set -uo pipefail

place=${SLURMTEST_DIR:-/tmp/slurm-test-$(id -u)}
[ -d "$place/run" ] || exit 0
export SLURM_CONF=$place/slurm.conf

# No step may outlive the daemons.
mapfile -t jobs < <(timeout 10 squeue -h -o %A 2>/dev/null | sort -u)
if [ "${#jobs[@]}" -gt 0 ]; then
  timeout 10 scancel "${jobs[@]}" 2>/dev/null
  for _ in {1..50}; do
    [ -n "$(timeout 5 squeue -h 2>/dev/null)" ] || break
    sleep 0.2
  done
fi

# stop NAME PIDFILE...: TERM to all, a second to end, then KILL. The name is looked at, since an old
# number may be somebody else's by now.
stop() {
  local name=$1 file pid pids=() left
  shift
  for file in "$@"; do
    [ -s "$file" ] || continue
    pid=$(cat "$file")
    if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$name" ] && kill -TERM "$pid"; then
      pids+=("$pid")
    fi
  done
  for _ in {1..10}; do
    left=""
    for pid in "${pids[@]}"; do if kill -0 "$pid" 2>/dev/null; then left=yes; fi; done
    [ -n "$left" ] || return
    sleep 0.1
  done
  for pid in "${pids[@]}"; do kill -KILL "$pid" 2>/dev/null; done
}
stop slurmd "$place"/run/slurmd.*.pid
stop slurmctld "$place/run/slurmctld.pid"
stop munged "$place/run/munged.pid"
rm -rf -- "$place"
