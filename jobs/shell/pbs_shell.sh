#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# pbs_shell.sh HOST COMMAND...: what ssh does, by PBS's task manager. mpirun quotes the words of
# COMMAND for a shell at the other end; pbs_tmrsh alone would start the first word and take the
# quotes literally. A task has PBS's environment, not the job's: without PATH Open MPI's daemon does
# not find this script, which it looks for, too, and without LD_LIBRARY_PATH not its libraries.
host=$1
shift
exports="export PATH=${PATH@Q}"
[ -z "${LD_LIBRARY_PATH:-}" ] || exports+=" LD_LIBRARY_PATH=${LD_LIBRARY_PATH@Q}"
exec pbs_tmrsh "$host" /bin/bash -c "$exports; $*"
