#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# test_install.sh BUILD_DIR: installs into a fresh directory, builds and runs a consumer and the
# examples against it, and asks the installed program for its version.
set -euo pipefail
build=$(realpath "$1")
source=$(realpath "$(dirname "$0")")
place=$(mktemp -d "$build/install-test.XXXXXX")
trap 'rm -rf "$place"' EXIT

cmake --install "$build" --prefix "$place/prefix" >"$place/log" || { cat "$place/log"; exit 1; }
if grep -vF "$place/prefix/" "$build/install_manifest.txt"; then
  echo "the installation wrote outside of the prefix"
  exit 1
fi
cmake -S "$source/consumer" -B "$place/consumer" -D CMAKE_PREFIX_PATH="$place/prefix" \
  -D CMAKE_BUILD_TYPE=Release
cmake --build "$place/consumer"
"$place/consumer/consumer"
cmake -S "$source/../../miniapp/examples" -B "$place/examples" -D CMAKE_PREFIX_PATH="$place/prefix" \
  -D CMAKE_BUILD_TYPE=Release
cmake --build "$place/examples" --parallel 2
for example in cpu own_format own_transport new_values; do
  mpirun -n 3 "$place/examples/example_$example"
done
mpirun -n 1 "$place/examples/example_gpu"
"$place/prefix/bin/rowhalo" --version
if grep -rlF "$build" "$place/prefix/lib" --include='*.cmake'; then
  echo "the installed package names the build directory"
  exit 1
fi
# The last: it moves the prefix away.
"$source/test_study_tool.sh" "$place/prefix"
