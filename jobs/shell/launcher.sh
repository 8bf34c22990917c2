# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# The command line that starts the ranks. Sourced by run.sh.
# build_launcher() sets launcher, an array, from the site's template: {ranks}, {nodes},
# {ranks_per_node}, {cores_per_rank}, and {host_options}, which is what Open MPI's mpirun must be
# told about hosts, cores and environment; rank_command is the program with what goes before it on a
# rank.

# $ROWHALO, the build beside jobs/, the link of the installation, or PATH: sets rowhalo, and version to what it says of itself.
find_rowhalo() {
  local candidate
  for candidate in "${ROWHALO:-}" "$jobs/../build/miniapp/rowhalo" "$jobs/rowhalo" rowhalo; do
    if [ -n "$candidate" ] && rowhalo=$(command -v "$candidate") && [ -x "$rowhalo" ]; then
      rowhalo=$(realpath "$rowhalo")
      export ROWHALO=$rowhalo
      version=$("$rowhalo" --version 2>&1) ||
        refuse "$rowhalo does not start here: ${version##*$'\n'} (does site $site load the modules" \
          "that it was built with?)"
      return
    fi
    [ -z "${ROWHALO:-}" ] || refuse "ROWHALO=$ROWHALO: there is no such executable"
  done
  refuse "no rowhalo in build/miniapp nor in PATH: build it (./quickstart), or set ROWHALO=FILE"
}

# Whether the command writes HDF5, and this build does.
writes_hdf5() {
  [[ ${arguments[0]} =~ ^(run|solve)$ ]] && [[ $("$rowhalo" "${arguments[0]}" --help) == *--hdf5* ]] &&
    [[ ! $version =~ HDF5\ +no ]]
}

# Whether the launcher was built with PBS; Open MPI 5 starts ranks by PRRTE, MPICH by Hydra.
knows_pbs() {
  if [[ $1 == *HYDRA* ]]; then
    grep -q 'Launchers available:.* pbs ' <<<"$1"
    return
  fi
  [[ $(ompi_info --parsable 2>/dev/null) == *mca:plm:tm:* ]] ||
    [[ $(prte_info 2>/dev/null) =~ plm:\ +tm\  ]]
}

# choose_remote_start VERSION: a launcher that was built without PBS starts its daemons by ssh, as a rule; where
# that is not allowed, PBS's own pbs_tmrsh can, which also lets PBS count and end them. VERSION is what the
# launcher says of itself. The first host of the node file is this one.
choose_remote_start() {
  local hosts
  mapfile -t hosts < <(awk '!seen[$1]++ {print $1}' "$PBS_NODEFILE")
  # Slurm's qsub: mpirun knows Slurm.
  [ "${#hosts[@]}" -gt 1 ] && [ -z "${SLURM_JOB_ID:-}" ] || return 0
  # Open MPI cuts domains off, and would take n1.a.org and n1.b.org for one host.
  if [ -n "$(printf '%s\n' "${hosts[@]%%.*}" | sort | uniq -d)" ]; then
    export OMPI_MCA_orte_keep_fqdn_hostnames=1 PRTE_MCA_prte_keep_fqdn_hostnames=1
  fi
  if [ -n "${OMPI_MCA_plm_rsh_agent:-}${PRTE_MCA_plm_ssh_agent:-}${HYDRA_LAUNCHER:-}${HYDRA_LAUNCHER_EXEC:-}" ] || knows_pbs "$1" ||
    timeout 20 ssh -o BatchMode=yes -o ConnectTimeout=10 "${hosts[1]}" true 2>/dev/null </dev/null; then
    return 0
  fi
  command -v pbs_tmrsh >/dev/null ||
    refuse "$launcher_name cannot start processes on ${hosts[1]}: it was built without PBS, ssh ${hosts[1]} asks or" \
      "fails, and there is no pbs_tmrsh; allow ssh between the nodes, add PBS's bin to PATH, or take an MPI with tm"
  # mpirun splits the agent at spaces, which a folder may have. The node file is on this host only: no daemon
  # starts others.
  export PATH=$jobs/shell:$PATH
  export OMPI_MCA_plm_rsh_agent=pbs_shell.sh OMPI_MCA_plm_rsh_no_tree_spawn=1 OMPI_MCA_orte_leave_session_attached=1
  export PRTE_MCA_plm_ssh_agent=pbs_shell.sh PRTE_MCA_plm_ssh_no_tree_spawn=1 PRTE_MCA_prte_leave_session_attached=1
  export HYDRA_LAUNCHER=ssh HYDRA_LAUNCHER_EXEC=pbs_shell.sh
}

# Open MPI 4 looks for ssh and ends without it, even where all ranks are on this host and nothing calls it.
do_without_ssh() {
  # command -v names what may not be started, too
  [ "$nodes" -gt 1 ] || [ -x "$(command -v ssh)" ] || [ -x "$(command -v rsh)" ] ||
    export OMPI_MCA_plm_rsh_agent=${OMPI_MCA_plm_rsh_agent:-false}
}

open_mpi_options() {
  local name cores here
  options=()
  if [ "$SITE_SCHEDULER" = pbs ]; then
    # Open MPI 5 does not know this host, the first of the node file, by its address. With PBS's tm it would.
    here=$(head -n 1 "$PBS_NODEFILE")
    if [[ $here =~ ^[0-9.]+$ ]] && ! knows_pbs "$said"; then
      options+=(--host "$(sed "s/^$here\$/$(hostname)/" "$PBS_NODEFILE" | paste -sd ,)")
    else
      options+=(--hostfile "$PBS_NODEFILE")
    fi
    # At the end of the walltime PBS may signal mpirun, too, which then ends the ranks: they must have
    # time to finish a batch and to write.
    options+=(--mca odls_base_sigkill_timeout 5)
  fi
  # mpirun counts cores; bound to too few of them, threads would take turns. It counts from the first that it sees,
  # and so do those of other jobs.
  cores=$(physical_cores)
  if [ $((cores_per_rank * ranks_per_node)) -le "$cores" ] && ! shares_cores; then
    options+=(--map-by "ppr:$ranks_per_node:node:PE=$cores_per_rank" --bind-to core)
  else
    options+=(--map-by "ppr:$ranks_per_node:node" --bind-to none)
  fi
  # Ranks on other nodes start with the environment of a fresh login.
  for name in PATH LD_LIBRARY_PATH $(compgen -e | grep -E '^(OMP|NCCL|CUDA|UCX)_') \
    $(sed -n 's/^export \([A-Za-z0-9_]*\)=.*/\1/p' <<<"$SITE_VARIABLES"); do
    [ -z "${!name+set}" ] || options+=(-x "$name")
  done
}

# Whether the site has an order of GPUs and the job has all of them: of a part, some numbers would
# name GPUs that are not there.
has_all_gpus() {
  local order=${SITE_GPU_ORDER//[^,]/} visible=${CUDA_VISIBLE_DEVICES:-}
  [ -n "$SITE_GPU_ORDER" ] || return
  [ -z "$visible" ] || [ "${visible//[^,]/}" = "$order" ] || return
  [ "${SLURM_GPUS_ON_NODE:-$((${#order} + 1))}" -eq $((${#order} + 1)) ]
}

build_launcher() {
  local line=$SITE_LAUNCH options=() launcher_name said
  # What sbatch --export=NONE leaves behind, and what srun no longer takes from sbatch.
  unset SLURM_EXPORT_ENV
  export SRUN_CPUS_PER_TASK=$cores_per_rank
  line=${line//\{ranks\}/$ranks}
  line=${line//\{nodes\}/$nodes}
  line=${line//\{ranks_per_node\}/$ranks_per_node}
  line=${line//\{cores_per_rank\}/$cores_per_rank}
  launcher_name=${line%% *}
  said=""
  if [[ $SITE_SCHEDULER == pbs || $line == *"{host_options}"* ]]; then
    said=$(timeout -k 1 20 "$launcher_name" --version 2>/dev/null </dev/null) || said=""
  fi
  [[ $SITE_SCHEDULER != pbs || $said != *@("Open MPI"|HYDRA)* ]] || choose_remote_start "$said"
  [[ $said != *"Open MPI"* ]] || do_without_ssh
  if [[ $line == *"{host_options}"* ]]; then
    if [[ $said == *"Open MPI"* ]]; then open_mpi_options; fi
    # shellcheck disable=SC2016  # expanded below
    line=${line//\{host_options\}/'"${options[@]}"'}
  fi
  [[ $line != *[{}]* || $line == *'${options[@]}'* ]] ||
    refuse "site $site: launch command has an unknown {name}: $SITE_LAUNCH"
  eval "launcher=($line)" # the site's own quotes and variables count
  command -v "${launcher[0]}" >/dev/null ||
    refuse "site $site: there is no ${launcher[0]}: load its module, or change [launch] command"
  rank_command=("$rowhalo")
  ! has_all_gpus || rank_command=(env "CUDA_VISIBLE_DEVICES=$SITE_GPU_ORDER" "$rowhalo")
}
