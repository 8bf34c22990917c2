#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# pbs_shell.sh [-OPTION]... HOST COMMAND...: what ssh does, by PBS's task manager, for mpirun of Open MPI and
# MPICH. They quote the words of COMMAND for a shell at the other end; pbs_tmrsh alone would start the first
# word and take the quotes literally. A task has PBS's environment, not the job's: without PATH Open MPI's
# daemon does not find this script, which it looks for, too, and without LD_LIBRARY_PATH not its libraries.
# pbs_tmrsh takes the names of the node file alone, from which Open MPI has cut the domain off.
set -euo pipefail
while [[ ${1:-} == -* ]]; do shift; done # of ssh, e.g. -x
host=$1
shift

# The names in the node file that HOST may mean: itself, else those that differ by a domain.
names=$(awk -v wanted="${host,,}" '
  { name = tolower($1) }
  name == wanted { exact = $1 }
  index(name, wanted ".") == 1 || index(wanted, name ".") == 1 { if (!seen[name]++) near = near " " $1 }
  END { print exact ? exact : near }' "$PBS_NODEFILE")
case $(wc -w <<<"$names") in
  0) echo "pbs_shell.sh: $host is not a host of job ${PBS_JOBID:-}, which has $(sort -u "$PBS_NODEFILE" | tr '\n' ' ')" >&2 && exit 1 ;;
  1) ;;
  *) echo "pbs_shell.sh: $host may mean each of$names: the launcher must hand on full names, as Open MPI does with orte_keep_fqdn_hostnames" >&2 && exit 1 ;;
esac
exports="export PATH=${PATH@Q}"
[ -z "${LD_LIBRARY_PATH:-}" ] || exports+=" LD_LIBRARY_PATH=${LD_LIBRARY_PATH@Q}"
exec pbs_tmrsh "${names# }" /bin/bash -c "$exports; $*"
