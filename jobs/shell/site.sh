# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# The site: where the launcher line, the modules, the sizes of a node come from. Sourced by run.sh.
# `rowhalo-study site NAME --shell` prints quoted assignments, of which these count here:
#   SITE_NAME, SITE_SCHEDULER (slurm|pbs|none), SITE_LAUNCH (the launcher's template)
#   SITE_CORES and SITE_GPUS of a node, SITE_GPU_ORDER (a list or empty), SITE_EXCLUSIVE (yes|no)
#   SITE_MODULES, SITE_SETUP, SITE_VARIABLES (lines; the last are exports)

python=${PYTHON:-python3}

load_modules() {
  local module start
  [ -n "$SITE_MODULES" ] || return 0
  if ! command -v module >/dev/null; then # a batch shell need not have read the profile
    for start in "${LMOD_PKG:-}/init/bash" "${MODULESHOME:-}/init/bash" \
      /etc/profile.d/lmod.sh /etc/profile.d/modules.sh; do
      # shellcheck disable=SC1090  # belongs to the machine
      if [ -r "$start" ]; then source "$start" && break; fi
    done
  fi
  command -v module >/dev/null ||
    refuse "site $site asks for modules (${SITE_MODULES//$'\n'/, }), but there is no command module"
  while read -r module; do
    [ -z "$module" ] || module load "$module" || refuse "site $site: module load $module failed"
  done <<<"$SITE_MODULES"
}

read_site() {
  site=${site:-${ROWHALO_SITE:-}}
  command -v "$python" >/dev/null ||
    refuse "there is no $python: Python 3.8 or newer is needed; name it with PYTHON=..."
  # It says itself what is wrong with the file.
  site_text=$("$python" "$jobs/rowhalo-study" site ${site:+"$site"} --shell) || exit 2
  eval "$site_text"
  site=${site:-$SITE_NAME}
  # Files of modules and of users are not written for these.
  set +eu
  load_modules
  eval "$SITE_VARIABLES"
  eval "$SITE_SETUP" ||
    refuse "site $site: [environment] setup ended with status $?; mend it, or end it by '|| true'"
  set -eu
}
