# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# What the scheduler gave, and whether a point fits into it. Sourced by run.sh.
# allocation() sets job_nodes, slots_per_node (ranks that a node takes), node_cpus (what the launcher
# may share out on a node) and shares_node (yes where it may have to share it with other jobs);
# plan_layout() then ranks, nodes, ranks_per_node, cores_per_rank
# and threads.

# Cores, not hardware threads, that this process may use.
physical_cores() {
  local cores available
  available=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc) # which heeds them
  cores=$(lscpu -p=CORE,SOCKET 2>/dev/null | grep -v '^#' | sort -u | wc -l) || cores=0
  if [ "$cores" -eq 0 ] || [ "$available" -lt "$cores" ]; then cores=$available; fi
  echo "$cores"
}

# Whether Open MPI was told that ranks may share cores.
may_share_cores() {
  [[ ${OMPI_MCA_rmaps_base_oversubscribe:-} =~ ^(1|true|yes)$ ]] ||
    [[ ${PRTE_MCA_rmaps_default_mapping_policy:-} == *oversubscribe* ]]
}

# "4(x2),3" is Slurm's way of writing 4 4 3: the first.
first_of() { echo "${1%%[(,]*}"; }

# pbs_share: sets node_cpus to the cores of a node that a job of PBS may use, the site's or its share of them, and
# shares_node. (The variable NCPUS is what the job asked for as ompthreads.)
pbs_share() {
  local job share
  [ -n "$shares_node" ] || return 0
  if job=$(timeout -k 1 5 qstat -f "${PBS_JOBID:-}" 2>/dev/null </dev/null) &&
    [[ $job =~ Resource_List\.ncpus\ =\ ([1-9][0-9]*) ]]; then
    share=$((BASH_REMATCH[1] / job_nodes))
    if [[ $job =~ Resource_List\.place\ =\ [a-z:]*excl ]]; then shares_node="" share=$SITE_CORES; fi
  else # the server does not answer: as rowhalo-study asks for them
    share=$((slots_per_node * ${NCPUS:-1}))
  fi
  [ "$share" -gt 0 ] || share=1
  [ "$share" -ge "$SITE_CORES" ] || node_cpus=$share
}

# Whether other jobs may run on the cores that this one sees: it has no whole node, and nothing (as a cgroup) keeps
# it on what it was given. taskset undoes what ends with a process.
shares_cores() {
  local list
  [ -n "$shares_node" ] || return
  list=$(taskset -c "0-$(($(nproc --all) - 1))" sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status) || return 0
  [ "$(cores_in "$list")" -gt "$node_cpus" ]
}

# cores_in LIST: how many cores the hardware threads of a list as 0-3,8 are.
cores_in() {
  { tr , '\n' <<<"$1" && echo && lscpu -p=CPU,CORE,SOCKET; } | awk -F, '
    !listed && NF == 1 && split($1, ends, "-") { for (i = ends[1]; i <= (ends[2] == "" ? ends[1] : ends[2]); ++i) seen[i] }
    /^#/ { listed = 1 }
    listed && $1 in seen && !counted[$2, $3]++ { ++cores }
    END { print cores + 0 }'
}

allocation() {
  local cores
  cores=$(physical_cores)
  job_nodes=1 slots_per_node=$SITE_CORES node_cpus=$SITE_CORES default_ranks="" shares_node=""
  [ "$SITE_EXCLUSIVE" != no ] || shares_node=yes
  case $SITE_SCHEDULER in
    slurm)
      [ -n "${SLURM_JOB_ID:-}" ] ||
        refuse "site $site has Slurm, but this is no job: submit it by sbatch, or use --site local"
      job_nodes=${SLURM_JOB_NUM_NODES:-1}
      node_cpus=$(first_of "${SLURM_JOB_CPUS_PER_NODE:-$cores}")
      # What Slurm calls a CPU may be half a core.
      slots_per_node=$node_cpus
      default_ranks=${SLURM_NTASKS:-}
      more="ask for more, as with sbatch --nodes=M --ntasks-per-node=K, or run fewer ranks"
      ;;
    pbs)
      [ -r "${PBS_NODEFILE:-}" ] ||
        refuse "site $site has PBS, but this is no job (PBS_NODEFILE names no file):" \
          "submit it by qsub, or use --site local"
      job_nodes=$(sort -u "$PBS_NODEFILE" | wc -l)
      slots_per_node=$(sort "$PBS_NODEFILE" | uniq -c | sort -n | awk 'NR == 1 {print $1}')
      default_ranks=$(wc -l <"$PBS_NODEFILE")
      pbs_share
      more="ask for more, as with qsub -l select=M:ncpus=C:mpiprocs=K, or run fewer ranks"
      ;;
    none)
      ! may_share_cores || slots_per_node=1000000
      more="run fewer, or set OMPI_MCA_rmaps_base_oversubscribe=1, with Open MPI 5 \
PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe (the times then mean little)"
      ;;
    *) refuse "site $site: scheduler = $SITE_SCHEDULER is none of slurm, pbs, none" ;;
  esac
}

plan_layout() {
  local cores
  allocation
  ranks=${ranks:-$default_ranks}
  [ -n "$ranks" ] || refuse "--ranks N is missing, and there is no scheduler that would tell"
  if [ -z "$ranks_per_node" ]; then
    # As many nodes as told, else as full as the job asked for.
    if [ -n "$nodes" ]; then
      ranks_per_node=$(((ranks + nodes - 1) / nodes))
    elif [ -n "$default_ranks" ]; then
      ranks_per_node=$(((default_ranks + job_nodes - 1) / job_nodes))
      [ "$ranks_per_node" -le "$ranks" ] || ranks_per_node=$ranks
    else
      ranks_per_node=$ranks
    fi
  fi
  nodes=${nodes:-$(((ranks + ranks_per_node - 1) / ranks_per_node))}
  [ "$nodes" -le "$ranks" ] || refuse "--nodes $nodes: more than the $ranks ranks"
  [ "$ranks" -le $((nodes * ranks_per_node)) ] ||
    refuse "$ranks ranks do not fit on $nodes nodes with $ranks_per_node each"
  [ "$nodes" -le "$job_nodes" ] ||
    refuse "$ranks ranks need $nodes nodes with $ranks_per_node each, there are $job_nodes: $more"
  [ "$ranks_per_node" -le "$slots_per_node" ] ||
    refuse "$ranks_per_node ranks per node, but a node takes $slots_per_node: $more"
  cores_per_rank=$((node_cpus / ranks_per_node))
  [ "$cores_per_rank" -gt 0 ] || cores_per_rank=1
  # One thread a core, also where the scheduler counts hardware threads.
  cores=$(physical_cores)
  [ "$cores" -le "$SITE_CORES" ] || cores=$SITE_CORES
  [ "$cores" -le "$node_cpus" ] || cores=$node_cpus
  threads=${threads:-$((cores > ranks_per_node ? cores / ranks_per_node : 1))}
  export OMP_NUM_THREADS=$threads
  if [ "$SITE_GPUS" -gt 0 ] && [ "$ranks_per_node" -gt "$SITE_GPUS" ]; then
    echo "run.sh: $ranks_per_node ranks share the $SITE_GPUS GPUs of a node" >&2
  fi
}
