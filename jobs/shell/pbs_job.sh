# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# What PBS does not do for a job, as Slurm does; sourced by run.sh and by the scripts that rowhalo-study
# writes. Its commands are found (qstat, pbs_tmrsh), although the job's shell may not have PBS in
# PATH. And a signal comes before the walltime ends: PBS itself sends TERM afterwards, and KILL
# kill_delay (10 s) later. The process that sources this gets USR1 two minutes before the end, or
# at two thirds of a walltime below six minutes, as by `#SBATCH --signal=B:USR1@120`.

if [ -r "${PBS_CONF_FILE:-/etc/pbs.conf}" ]; then
  PATH=$PATH:$(sed -n 's/^PBS_EXEC=//p' "${PBS_CONF_FILE:-/etc/pbs.conf}")/bin
fi

# when_to_end: the time of the signal, in seconds since 1970; nothing where there is no walltime.
# Fails where qstat does.
when_to_end() {
  local job walltime start hours minutes seconds
  job=$(timeout -k 1 20 qstat -f "$PBS_JOBID" 2>/dev/null </dev/null) || return
  walltime=$(sed -n 's/^ *Resource_List\.walltime = //p' <<<"$job")
  start=$(sed -n 's/^ *stime = //p' <<<"$job")
  [ -n "$walltime" ] || return 0
  start=$(date -d "${start:-$1}" +%s) || return
  IFS=: read -r hours minutes seconds <<<"$walltime"
  walltime=$((10#$hours * 3600 + 10#$minutes * 60 + 10#$seconds))
  echo $((start + (walltime < 360 ? walltime * 2 / 3 : walltime - 120)))
}

# signal_before_the_end PROCESS: asks again when the time has come, since qalter may have moved it,
# and wakes up rarely, since times are measured beside it. While a job is suspended its processes are
# stopped, this one, too, and the walltime does not go on: such a sleep takes longer.
signal_before_the_end() {
  local begun end="" asked left slept suspended=0
  begun=@$(date +%s)
  while kill -0 "$1" 2>/dev/null; do
    left=$((${end:-0} - $(date +%s)))
    if [ "$left" -le 0 ] && asked=$(when_to_end "$begun"); then
      [ -n "$asked" ] || return 0
      end=$((asked + suspended)) left=$((asked + suspended - $(date +%s)))
    fi
    if [ -z "$end" ]; then
      left=10 # qstat has failed
    elif [ "$left" -le 0 ]; then
      kill -s USR1 "$1"
      return
    fi
    left=$((left < 30 ? left : 30)) slept=$SECONDS
    sleep "$left"
    slept=$((SECONDS - slept - left))
    [ "$slept" -lt 10 ] || suspended=$((suspended + slept)) # else this host is only busy
  done
}

# Once a job: what it starts inherits the note. A job of Slurm's qsub has Slurm's signal.
if [ -n "${PBS_JOBID:-}" ] && [ -z "${SLURM_JOB_ID:-}" ] &&
  [ "${ROWHALO_ENDS_BY_SIGNAL:-}" != "$PBS_JOBID" ]; then
  export ROWHALO_ENDS_BY_SIGNAL=$PBS_JOBID
  signal_before_the_end $$ </dev/null >/dev/null 2>&1 &
fi
