#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The steps of both container recipes (Dockerfile, rowhalo.def), on an image of Debian 12 or Ubuntu 24.04:
#   steps.sh packages                  installs what the build needs
#   steps.sh install SOURCE [OPTION]   builds SOURCE and installs it into /opt/rowhalo; OPTION goes to cmake
#   steps.sh libraries [PACKAGE]...    in the final image: installs the shared libraries that /opt/rowhalo uses, and
#                                      PACKAGEs, as python3-scipy python3-mpi4py for the Python package
# `install` writes the names of the packages that `libraries` installs, as they depend on the release.
set -euo pipefail
prefix=/opt/rowhalo
export DEBIAN_FRONTEND=noninteractive

# install_packages NAME...
install_packages() {
  apt-get update
  apt-get install -y --no-install-recommends "$@"
  rm -rf /var/lib/apt/lists/*
}

# The packages of the files that are read. dpkg may know as /lib/... what lies in /usr/lib/...; what belongs to no
# package must be in the final image anyway, as `libraries` finds out.
packages_of() {
  local file
  while read -r file; do
    dpkg -S "$file" 2>/dev/null || dpkg -S "${file#/usr}" 2>/dev/null || true
  done | cut -d: -f1
}

case ${1:-} in
  packages)
    # build_packages of quickstart, without those that only a developer needs; git: the commit for --version
    install_packages git build-essential cmake ninja-build pkg-config libopenmpi-dev openmpi-bin \
      libpetsc-real-dev libhdf5-openmpi-dev libmetis-dev libptscotch-dev libcli11-dev libfmt-dev \
      nlohmann-json3-dev libhwloc-dev zlib1g-dev
    ;;
  install)
    source=${2:?steps.sh install SOURCE [OPTION of cmake]...}
    cmake --preset release -S "$source" -B /tmp/build -D BUILD_TESTING=OFF "${@:3}"
    cmake --build /tmp/build
    cmake --install /tmp/build --prefix "$prefix"
    # librowhalo_with_petsc.so and librowhalo_petsc.so are loaded when they are asked for.
    find "$prefix" \( -path '*/bin/rowhalo' -o -name 'librowhalo*.so' \) -exec ldd {} + | sed -n 's|.* => \(/[^ ]*\) .*|\1|p' | xargs realpath |
      packages_of | sort -u >"$prefix/share/rowhalo/packages.txt"
    rm -rf /tmp/build
    ;;
  libraries)
    # Not again what is there: images with CUDA hold some packages at their version.
    mapfile -t packages < <(dpkg-query -W -f '${Package}\n' | sort -u |
      comm -13 - "$prefix/share/rowhalo/packages.txt")
    install_packages openmpi-bin "${packages[@]}" "${@:2}"
    "$prefix/bin/rowhalo" --version
    ;;
  *)
    echo "usage: steps.sh packages | install SOURCE [OPTION of cmake]... | libraries [PACKAGE]..." >&2
    exit 2
    ;;
esac
