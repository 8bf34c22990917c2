# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Files that appear complete or not at all, and earlier ones that are kept; sourced by run.sh. Names
# and rules are those of jobs/rowhalo_study/whole_files.py.

# remove_stale TARGET: what killed processes of this host left of it.
remove_stale() {
  local stem=${1%/*}/.${1##*/}.$(uname -n) path pid
  for path in "$stem".*.part; do
    pid=${path#"$stem."}
    pid=${pid%%.*}
    [[ $pid =~ ^[0-9]+$ ]] && [ -e "$path" ] && [ ! -d "/proc/$pid" ] && rm -f "$path"
  done
  return 0
}

# write_whole TARGET: from stdin. mktemp makes the name with O_EXCL, which follows no link.
write_whole() {
  local target fresh
  target=$(realpath -m "$1")
  remove_stale "$target"
  fresh=$(mktemp "${target%/*}/.${target##*/}.$(uname -n).$$.XXXXXXXX.part") || return
  if cat >"$fresh" && chmod "$(printf '%o' $((0666 & ~$(umask))))" "$fresh" &&
    mv -f "$fresh" "$target"; then
    return 0
  fi
  rm -f "$fresh"
  return 1
}

# set_aside FOLDER PATH...: moves what is there into FOLDER/before-TIME, which is new.
set_aside() {
  local folder=$1 path place found=()
  shift
  for path in "$@"; do
    if [ -e "$path" ] || [ -L "$path" ]; then found+=("$path"); fi
  done
  [ "${#found[@]}" -gt 0 ] || return 0
  place=$folder/before-$(date -u +%Y%m%dT%H%M%SZ)
  mkdir "$place" 2>/dev/null || place=$(mktemp -d "$place-XXXX") || return
  mv -- "${found[@]}" "$place"
}
