#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# pbs_shell.sh HOST COMMAND...: what ssh does, by PBS's task manager. mpirun quotes the words of
# COMMAND for a shell at the other end; pbs_tmrsh alone would start the first word and take the
# quotes literally.
host=$1
shift
exec pbs_tmrsh "$host" /bin/sh -c "$*"
