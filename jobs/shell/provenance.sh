# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# What must be known of a run later, as text files in a folder. Sourced by run.sh.
# Of the environment only what steers schedulers, MPI, CUDA and threads, and nothing that looks like
# a secret.

filtered_environment() {
  local name
  for name in $(compgen -e | grep -E '^(SLURM|PBS|OMPI|MPICH|UCX|NCCL|CUDA|OMP|ROWHALO)_' |
    grep -vE 'TOKEN|SECRET|PASS|COOKIE|JWT|KEY' | sort); do
    printf '%s=%s\n' "$name" "${!name}"
  done
}

# keep FILE COMMAND...: its output, or nothing at all where there is no such command. No answer in $patience, 60 s,
# is none.
keep() {
  local file=$1 status=0 patience=${patience:-60}
  shift
  case $(type -t "$1") in
    "") return 0 ;;
    file) set -- timeout -k 1 "$patience" "$@" ;;
  esac
  "$@" >"$file" 2>&1 </dev/null || status=$?
  [[ ! $status =~ ^(124|137)$ ]] || echo "no answer in $patience s: ${*:5}" >>"$file"
}

write_provenance() {
  local place=$1
  filtered_environment >"$place/environment.txt"
  {
    echo "$version"
    git -C "$jobs" describe --always --dirty 2>/dev/null || true
  } >"$place/version.txt"
  echo "$site_text" >"$place/site.txt"
  keep "$place/modules.txt" module -t list
  keep "$place/cpu.txt" lscpu
  keep "$place/nvidia-smi.txt" nvidia-smi -q
  keep "$place/memory.txt" cat /proc/meminfo
  keep "$place/gpu-topology.txt" nvidia-smi topo -m
  # nvidia-smi underlines its head, also in a file.
  [ ! -e "$place/gpu-topology.txt" ] || sed -i 's/\x1b\[[0-9;]*m//g' "$place/gpu-topology.txt"
  local patience=5 # for a scheduler, whose server may be stopped
  [ -z "${SLURM_JOB_ID:-}" ] || keep "$place/job.txt" scontrol show job -d "$SLURM_JOB_ID"
  [ -n "${SLURM_JOB_ID:-}" ] || [ -z "${PBS_JOBID:-}" ] ||
    keep "$place/job.txt" qstat -f "$PBS_JOBID"
  [ ! -r "${PBS_NODEFILE:-}" ] || cp -f "$PBS_NODEFILE" "$place/nodefile.txt"
}

# Starts place.sh on every rank, prints the map and keeps it, and the nodes in rank order.
# Fails where the launcher did not start what it was asked for.
rank_map() {
  local place=$1 status=0 lines hosts
  printf '%q ' "${launcher[@]}" "${rank_command[@]}" "${arguments[@]}" >"$place/command.txt"
  printf '\n' >>"$place/command.txt"
  supervised "${launcher[@]}" "${rank_command[@]:0:${#rank_command[@]}-1}" "$jobs/shell/place.sh" \
    >"$place/map.txt" 2>"$place/launcher.txt" || status=$?
  if [ "$status" -ne 0 ]; then
    tee -a "$place/map.txt" <"$place/launcher.txt" >&2
    return "$status"
  fi
  sort -k 2 -n -o "$place/map.txt" "$place/map.txt"
  cat "$place/map.txt"
  awk '!seen[$4]++ {print $4}' "$place/map.txt" >"$place/nodes.txt"
  lines=$(wc -l <"$place/map.txt") hosts=$(wc -l <"$place/nodes.txt")
  [ "$lines" -eq "$ranks" ] && [ "$hosts" -eq "$nodes" ] && return
  echo "$lines processes on $hosts hosts instead of $ranks ranks on $nodes nodes" |
    tee -a "$place/map.txt" >&2
  return 1
}
