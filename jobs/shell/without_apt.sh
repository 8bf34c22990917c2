# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# ./quickstart [test] --prefix DIR [--mirror FOLDER|URL] [-D NAME=VALUE]...
# Builds with the compiler, MPI and libraries that modules, Spack or the environment name, without apt and without
# root, and installs into DIR. Of fmt, nlohmann_json, CLI11 and (for `test`) Catch2 those that are missing are built
# from release archives of the mirror and installed into DIR, too. Exit status 2: wrong usage, or something is missing
# and the list says how to get it; 1: a build failed.
#
# Sourced by quickstart, whose functions it uses. What is missing are CMake's lines "-- missing NAME: ..."
# (miniapp/dependencies.cmake).

# Package, name in a mirror, where the publisher has it, sha256 (as Spack and EasyBuild have it, too). A folder may
# hold any other version as well.
releases() {
  local github=https://github.com
  cat <<END
fmt fmt-9.1.0.zip $github/fmtlib/fmt/releases/download/9.1.0/fmt-9.1.0.zip cceb4cb9366e18a5742128cb3524ce5f50e88b476f1e54737a47ffdf4df4c996
nlohmann_json json-3.11.2.tar.gz $github/nlohmann/json/archive/v3.11.2.tar.gz d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273
CLI11 CLI11-2.1.2.tar.gz $github/CLIUtils/CLI11/archive/v2.1.2.tar.gz 26291377e892ba0e5b4972cdfd4a2ab3bf53af8dac1f4ea8fe0d1376b625c8cb
Catch2 Catch2-2.13.10.tar.gz $github/catchorg/Catch2/archive/v2.13.10.tar.gz d54a712b7b1d7708bc7a819a8e6e47b2fde9536f487b89ccbca295072a7d9943
END
}
# Where modules say that a package is: NAME_ROOT, NAME_DIR, NAME_HOME, NAME_PATH, EBROOTNAME.
module_names=(FMT NLOHMANN_JSON JSON CLI11 CATCH2 ZLIB MPI OPENMPI MPICH CUDA CUDATOOLKIT NCCL PETSC HDF5 METIS SCOTCH
  HWLOC)

# The first lines of this file.
usage_of_prefix() { sed -n '4,8s/^# //p' jobs/shell/without_apt.sh >&2; }

# refuse TEXT...: wrong usage.
refuse() {
  note "$*"
  note "usage: ./quickstart [test] --prefix DIR [--mirror FOLDER|URL] [-D NAME=VALUE]..."
  exit 2
}

# Sets prefix, mirror, with_tests and cmake_options.
read_prefix_options() {
  prefix="" mirror="" with_tests=OFF cmake_options=()
  while [ $# -gt 0 ]; do
    case $1 in
      test) with_tests=ON ;;
      --help | -h)
        usage_of_prefix
        exit 0
        ;;
      --prefix=* | --mirror=*)
        set -- "${1%%=*}" "${1#*=}" "${@:2}"
        continue
        ;;
      --prefix | --mirror | -D)
        [ -n "${2:-}" ] || refuse "$1 needs a value"
        case $1 in
          --prefix) prefix=$2 ;;
          --mirror) mirror=$2 ;;
          -D) cmake_options+=("-D$2") ;;
        esac
        shift
        ;;
      -D?*) cmake_options+=("$1") ;;
      *) refuse "$1: with --prefix only test, --mirror and -D NAME=VALUE (for CMake) may be given" ;;
    esac
    shift
  done
  [ -n "$prefix" ] || refuse "--mirror needs --prefix DIR: the folder to install into"
  # quickstart has gone to its own folder; names are those of the folder that it was called in.
  prefix=$(absolute "$prefix")
  [[ $mirror == "" || $mirror == *://* ]] || mirror=$(absolute "$mirror")
  [[ $mirror == "" || $mirror == *://* || -d $mirror ]] || refuse "--mirror $mirror: there is no such folder"
  mkdir -p "$prefix" 2>/dev/null || refuse "--prefix $prefix: cannot be made"
  [ -w "$prefix" ] || refuse "--prefix $prefix: not writable"
}

absolute() { case $1 in /*) echo "$1" ;; *) echo "$called_in/$1" ;; esac; }

# Without these CMake cannot look for the others.
check_tools() {
  local tool version missing=() compilers=(c++ g++ clang++)
  version=$(cmake --version 2>/dev/null | sed -n 's/^cmake version //p') || true
  if [ "$(printf '%s\n' 3.25 "${version:-0}" | sort -V | head -n 1)" != 3.25 ]; then
    missing+=("cmake: 3.25 or newer, here: ${version:-none}. Module or Spack: cmake; pip install cmake")
  fi
  [ -z "${CXX:-}" ] || compilers=("${CXX%% *}") # it may hold options, too
  for tool in "${compilers[@]}" ""; do
    if [ -n "$tool" ] && command -v "$tool" >/dev/null; then break; fi
  done
  [ -n "$tool" ] || missing+=("compiler: C++20, e.g. GCC 12 or newer; not there: ${compilers[*]}. Module or Spack: gcc. \
Another name: export CXX=NAME")
  command -v ninja >/dev/null || command -v make >/dev/null || missing+=("make or ninja. Module or Spack: ninja, gmake")
  [ "$with_tests" = OFF ] || command -v python3 >/dev/null || missing+=("python3: 3.9 or newer, for the tests. Module: python")
  if [ "${#missing[@]}" -gt 0 ]; then
    missing+=("Then, if CMake does not find them: an MPI, zlib, fmt, nlohmann_json, CLI11")
    say "Missing:"
    printf '             %s\n' "${missing[@]}" >&2
    exit 2
  fi
}

# CMake searches what CMAKE_PREFIX_PATH names; not all modules set it.
add_modules() {
  local name variable
  for name in "${module_names[@]}"; do
    for variable in "${name}_ROOT" "${name}_DIR" "${name}_HOME" "${name}_PATH" "EBROOT${name//_/}" "${name,,}_ROOT"; do
      if [ -d "${!variable:-}" ] && [[ :${CMAKE_PREFIX_PATH:-}: != *:"${!variable}":* ]]; then
        CMAKE_PREFIX_PATH=${CMAKE_PREFIX_PATH:+$CMAKE_PREFIX_PATH:}${!variable}
      fi
    done
  done
  export CMAKE_PREFIX_PATH=$prefix${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}
}

# Everything is looked for again: other modules may have been loaded. Fails if something is missing or wrong.
configure_for_prefix() {
  generator=()
  command -v ninja >/dev/null || generator=(-G "Unix Makefiles")
  say "Configuring (log: $build/configure.log)"
  cmake --fresh --preset release "${generator[@]}" -D "BUILD_TESTING=$with_tests" \
    -D CMAKE_INSTALL_RPATH_USE_LINK_PATH=ON "${cmake_options[@]}" >"$build/configure.log" 2>&1
}

# Names of what is missing, one per line; with an argument: its whole line.
missing_packages() { sed -n "s/^-- missing \(${1:-[^:]*}\): .*/\1/p" "$build/configure.log"; }
missing_line() { sed -n "s/^-- missing \($1: .*\)/\1/; t found; d; :found; s/ If it/\n    If it/; p" "$build/configure.log"; }

# download URL FILE
download() {
  if command -v curl >/dev/null; then
    curl -fsSL --connect-timeout 20 --speed-limit 1 --speed-time 60 -o "$2" "$1"
  elif command -v wget >/dev/null; then
    wget -q --timeout=60 --tries=2 -O "$2" "$1"
  else
    note "neither curl nor wget is there: take a folder as mirror"
    return 1
  fi
}

# archive_of PACKAGE FILE: the archive in the mirror; nothing if there is none. In a folder, and in the folders below
# it, any version: the name of the top folder inside tells what an archive is.
archive_of() {
  local archive top pattern=$1 found=""
  if [[ $mirror == *://* ]]; then
    mkdir -p "$build/archives"
    if download "${mirror%/}/$2" "$build/archives/$2"; then echo "$PWD/$build/archives/$2"; fi
    return
  fi
  [ "$1" != nlohmann_json ] || pattern=json
  while IFS= read -r archive; do
    top=$(cmake -E tar tf "$archive" 2>/dev/null | sed -n '1{s|^\./||; s|/.*||; p;}') || true
    if grep -qiE "^(nlohmann[-_])?$pattern(lib)?([-_]v?[0-9].*)?$" <<<"$top"; then found=$archive; fi
  done < <(find -L "$mirror" -maxdepth 3 -type f \( -iname "*$pattern*" -o -name 'v[0-9]*' \) 2>/dev/null |
    grep -E '\.(zip|tgz|tar\.(gz|bz2|xz))$' | sort -V)
  echo "$found"
}

# Compares an archive with SHA256SUMS beside it, else with the release of that name.
check_sum() {
  local sum recorded="" name=${1##*/} sums=${1%/*}/SHA256SUMS
  sum=$(cmake -E sha256sum "$1")
  sum=${sum%% *}
  if [ -e "$sums" ]; then
    recorded=$(awk -v name="$name" '$2 == name || $2 == "*" name { print $1; exit }' "$sums")
  fi
  [ -n "$recorded" ] || recorded=$(releases | awk -v name="$name" -v sum="$sum" '$2 == name || $4 == sum { print $4 }')
  note "$1: sha256 $sum, $(case $recorded in "") echo "not recorded" ;; "$sum") echo "as recorded" ;; *) echo WRONG ;; esac)"
  if [ -n "$recorded" ] && [ "$recorded" != "$sum" ]; then
    note "recorded is $recorded. Get the archive again, or, if you packed it yourself, record its sum in $sums"
    exit 2
  fi
}

# install_archive PACKAGE FILE: into the prefix.
install_archive() {
  local place=$build/dependencies/$1 top
  rm -rf "$place"
  mkdir -p "$place/source"
  (cd "$place/source" && cmake -E tar xf "$2")
  top=$(dirname "$(find "$place/source" -maxdepth 2 -name CMakeLists.txt | sort | head -n 1)")
  # Old releases ask for policies that CMake 4 has given up.
  logged "$place/log" cmake -S "$top" -B "$place/build" "${generator[@]}" -D CMAKE_BUILD_TYPE=Release \
    -D CMAKE_INSTALL_PREFIX="$prefix" -D CMAKE_POLICY_VERSION_MINIMUM=3.5 -D CMAKE_POSITION_INDEPENDENT_CODE=ON \
    -D BUILD_TESTING=OFF -D FMT_TEST=OFF -D FMT_DOC=OFF -D JSON_BuildTests=OFF -D CATCH_BUILD_TESTING=OFF \
    -D CATCH_INSTALL_DOCS=OFF -D CLI11_BUILD_TESTS=OFF -D CLI11_BUILD_EXAMPLES=OFF -D CLI11_BUILD_DOCS=OFF \
    -D CLI11_SINGLE_FILE=OFF || return 1
  logged "$place/log" cmake --build "$place/build" --parallel "$(compilers)" || return 1
  logged "$place/log" cmake --install "$place/build"
}

# Builds from the mirror what it can; prints how to get what is left.
complete() {
  local package file url archive lines=() needed
  mapfile -t needed < <(missing_packages)
  if [ "${#needed[@]}" -eq 0 ]; then # something else is wrong
    tail -n 30 "$build/configure.log" >&2
    exit 1
  fi
  while read -r package file url _; do
    [ -n "$(missing_packages "$package")" ] || continue
    archive=""
    [ -z "$mirror" ] || archive=$(archive_of "$package" "$file") || true
    if [ -n "$archive" ]; then
      say "Building $package of the mirror into $prefix (log: $build/dependencies/$package/log)"
      check_sum "$archive"
      install_archive "$package" "$archive" || exit 1
    else
      lines+=("$(missing_line "$package")" "    For --mirror FOLDER: $file, or another version, from" "    $url")
    fi
  done < <(releases)
  for package in "${needed[@]}"; do
    [ -n "$(releases | awk -v name="$package" '$1 == name')" ] || lines+=("$(missing_line "$package")")
  done
  if [ "${#lines[@]}" -gt 0 ]; then
    say "Missing${mirror:+ here and in $mirror}:"
    printf '%s\n' "${lines[@]}" | sed 's/^/             /' >&2
    exit 2
  fi
}

build_into_prefix() {
  read_prefix_options "$@"
  check_tools
  add_modules
  say "Without apt, into $prefix. Prefixes that are searched: ${CMAKE_PREFIX_PATH//:/ }"
  if ! configure_for_prefix; then
    complete
    if ! configure_for_prefix; then
      tail -n 30 "$build/configure.log" >&2
      exit 1
    fi
  fi
  sed -n 's/^--   /             /p' "$build/configure.log" >&2
  compile all
  say "Installing into $prefix (log: $build/install.log)"
  logged "$build/install.log" cmake --install "$build" --prefix "$prefix"
  logged "$build/version.log" "$prefix/bin/rowhalo" --version
  if [ "$with_tests" = ON ]; then
    set_environment
    run_tests
  else
    say "$(head -n 1 "$build/version.log") is in $prefix/bin. Try it where MPI may run, e.g. inside a job:"
    note "mpirun -n $ranks $prefix/bin/rowhalo run --matrix stencil27:96"
  fi
}
