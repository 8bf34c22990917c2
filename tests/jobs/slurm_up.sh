#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Starts a throw-away Slurm on this machine: a real one, with virtual nodes and GPUs, without
# systemd and without a change outside its folder.
#   eval "$(tests/jobs/slurm_up.sh)"; sbatch --wait x.sbatch; tests/jobs/slurm_down.sh
# Prints "export SLURM_CONF=... SLURM_PMIX_FENCE=ring": with the other fences of Slurm 22.05 jobs of
# 16 ranks on few cores died at times inside MPI_Init (a message before its handler); so not seen.
# The rest goes to stderr. Needs slurm-wlm and munge (exit status 77 without), and root or any user.
# From the environment:
#   SLURMTEST_DIR    its folder (default /tmp/slurm-test-UID)
#   SLURMTEST_NODES, SLURMTEST_CPUS, SLURMTEST_GPUS   nodes, what each claims to have (default 4)
#   SLURMTEST_PORT   first of NODES + 11 ports
#   SLURMTEST_PBS=1  PBS variables in jobs, so that qsub of slurm-wlm-torque can feed it
set -euo pipefail

place=${SLURMTEST_DIR:-/tmp/slurm-test-$(id -u)}
nodes=${SLURMTEST_NODES:-4} cpus=${SLURMTEST_CPUS:-4} gpus=${SLURMTEST_GPUS:-4}
port=${SLURMTEST_PORT:-26817} pbs=${SLURMTEST_PBS:-0}
host=$(hostname -s) user=$(id -un)
PATH=$PATH:/usr/sbin:/sbin

say() { echo "slurm_up: $*" >&2; }
for program in munged slurmctld slurmd sinfo scontrol; do
  command -v "$program" >/dev/null || {
    say "$program is missing: apt-get install slurm-wlm munge"
    exit 77
  }
done
# Virtual nodes share a host name and /dev/shm, where Open MPI's segments of two nodes would have
# the same name. Own name spaces for each node cure that; where those are not allowed, TCP does.
own_spaces=0
if unshare --uts --mount true 2>/dev/null; then own_spaces=1; fi

mkdir -p "$place"/{run,log,state,spool,munge,gpu,tmp}
chmod 755 "$place" "$place"/*
chmod 700 "$place/state"

start_munge() {
  (umask 077 && head -c 128 /dev/urandom >"$place/munge/munge.key")
  munged --force --key-file="$place/munge/munge.key" --socket="$place/run/munge.sock" \
    --pid-file="$place/run/munged.pid" --log-file="$place/log/munged.log" \
    --seed-file="$place/munge/seed" --num-threads=2 2>>"$place/log/munged.err"
}

node_lines() {
  local i node_host=$host resources=""
  [ "$gpus" -eq 0 ] || resources="Gres=gpu:fake:$gpus"
  for ((i = 1; i <= nodes; ++i)); do
    [ "$own_spaces" = 0 ] || node_host=n$i
    echo "NodeName=n$i NodeHostname=$node_host NodeAddr=127.0.0.1 Port=$((port + 10 + i))" \
      "CPUs=$cpus Boards=1 SocketsPerBoard=1 CoresPerSocket=$cpus ThreadsPerCore=1" \
      "RealMemory=4000 $resources"
  done
}

write_configuration() {
  local i
  if [ "$gpus" -gt 0 ]; then
    # A GPU's file must be a device; the number at the end of its name is the GPU's.
    for ((i = 0; i < gpus; ++i)); do ln -sfn /dev/null "$place/gpu/fake$i"; done
    echo "NodeName=n[1-$nodes] Name=gpu Type=fake File=$place/gpu/fake[0-$((gpus - 1))]" \
      >"$place/gres.conf"
  fi
  # Nothing uses it, but slurmd wants one that starts: this one does without any mount.
  echo "CgroupPlugin=cgroup/v1" >"$place/cgroup.conf"
  cat >"$place/slurm.conf" <<END
ClusterName=throwaway
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$place/run/munge.sock
SlurmctldPort=$port
StateSaveLocation=$place/state
SlurmdSpoolDir=$place/spool/%n
TmpFS=$place/tmp/%n
SlurmctldPidFile=$place/run/slurmctld.pid
SlurmdPidFile=$place/run/slurmd.%n.pid
SlurmctldLogFile=$place/log/slurmctld.log
SlurmdLogFile=$place/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0,defer_batch=0
MpiDefault=none
TaskProlog=$place/task_prolog.sh
ReturnToService=2
MailProg=/bin/true
SlurmdParameters=config_overrides
SlurmdTimeout=60
MessageTimeout=60
InactiveLimit=0
KillWait=5
MinJobAge=3600
PropagateResourceLimits=NONE
$(node_lines)
PartitionName=debug Nodes=n[1-$nodes] Default=YES MaxTime=1-00:00:00 State=UP
END
  if [ "$gpus" -gt 0 ]; then echo "GresTypes=gpu" >>"$place/slurm.conf"; fi
  # Slurm binds to the address of its host's name; where that is loopback, to nothing else.
  if getent ahostsv4 "$host" | grep -q '^127\.0\.0\.1[[:space:]]'; then
    echo "CommunicationParameters=NoCtldInAddrAny,NoInAddrAny" >>"$place/slurm.conf"
  fi
  if [ "$pbs" = 1 ]; then
    echo "required $(echo /usr/lib/*/slurm*/spank_pbs.so)" >"$place/plugstack.conf"
    echo "PlugStackConfig=$place/plugstack.conf" >>"$place/slurm.conf"
  fi
  {
    echo "127.0.0.1 localhost $host"
    for ((i = 1; i <= nodes; ++i)); do echo "127.0.0.1 n$i"; done
  } >"$place/hosts"
}

# What every task gets to see: Open MPI on loopback, and PBS's node file.
write_task_prolog() {
  cat >"$place/task_prolog.sh" <<END
#!/bin/bash
[ $own_spaces = 1 ] || echo "export OMPI_MCA_btl=self,tcp"
echo "export OMPI_MCA_btl_tcp_if_include=lo"
echo "export OMPI_MCA_oob_tcp_if_include=lo"
[ $pbs = 1 ] || exit 0
file=$place/tmp/nodefile.\$SLURM_JOB_ID
[ -s "\$file" ] || scontrol show hostnames "\$SLURM_JOB_NODELIST" |
  awk -v n="\${SLURM_NTASKS_PER_NODE:-1}" '{for (i = 0; i < n; i++) print}' >"\$file"
echo "export PBS_NODEFILE=\$file"
echo "export PBS_ENVIRONMENT=PBS_BATCH"
END
  chmod 755 "$place/task_prolog.sh"
}

start_nodes() {
  local i
  for ((i = 1; i <= nodes; ++i)); do
    mkdir -p "$place/spool/n$i" "$place/tmp/n$i"
    chmod 1777 "$place/tmp/n$i"
    if [ "$own_spaces" = 1 ]; then
      # shellcheck disable=SC2016  # $1 and $2 belong to the inner shell
      unshare --uts --mount --propagation private sh -c 'hostname "$1" &&
        mount -t tmpfs -o mode=1777 tmpfs /dev/shm && mount --bind "$2/hosts" /etc/hosts &&
        exec slurmd -N "$1"' sh "n$i" "$place"
    else
      slurmd -N "n$i"
    fi
  done
}

wait_until_idle() {
  local idle
  for _ in {1..1500}; do
    idle=$(sinfo -h -N -o %t 2>/dev/null | grep -cx idle) || idle=0
    if [ "$idle" -eq "$nodes" ]; then return 0; fi
    sleep 0.2
  done
  say "$idle of $nodes nodes are idle after 300 s; logs: $place/log"
  return 1
}

start_munge
write_configuration
write_task_prolog
export SLURM_CONF=$place/slurm.conf
slurmctld -c -i
start_nodes
wait_until_idle
say "$nodes nodes with $cpus CPUs and $gpus fake GPUs, in $place"
echo "export SLURM_CONF=$(printf '%q' "$SLURM_CONF") SLURM_PMIX_FENCE=ring"
