#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# test_install.sh BUILD_DIR: installs into a fresh directory, builds and runs a consumer and the
# examples against it, asks the installed program for its version, and looks for what belongs to it:
# manual pages and completion, which are those of this program.
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
options=(-D CMAKE_PREFIX_PATH="$place/prefix" -D CMAKE_CXX_FLAGS=-O0) # not fast, but soon compiled
cmake -S "$source/consumer" -B "$place/consumer" "${options[@]}"
cmake --build "$place/consumer"
"$place/consumer/consumer"
# The examples with librowhalo.so, three with archives, and one by pkg-config.
cmake -S "$source/../../miniapp/examples" -B "$place/shared" -D LIBRARIES=rowhalo::c "${options[@]}"
cmake --build "$place/shared" --parallel 2
for example in cpu own_rows several own_format own_transport new_values solve tuned poisson poisson_c; do
  mpirun -n 3 "$place/shared/example_$example"
done
if [ -e "$place/shared/example_poisson_fortran" ]; then
  mpirun -n 1 "$place/shared/example_poisson_fortran"
  mpirun -n 3 "$place/shared/example_poisson_fortran"
fi
mpirun -n 1 "$place/shared/example_gpu"
cmake -S "$source/../../miniapp/examples" -B "$place/archives" "${options[@]}"
cmake --build "$place/archives" --target example_cpu --target example_solve --target example_tuned --parallel 2
mpirun -n 2 "$place/archives/example_cpu"
mpirun -n 2 "$place/archives/example_solve"
mpirun -n 2 "$place/archives/example_tuned"
if command -v pkg-config >/dev/null; then
  export PKG_CONFIG_PATH="$place/prefix/lib/pkgconfig:${PKG_CONFIG_PATH:-}"
  # shellcheck disable=SC2046  # words
  mpicxx -O0 "$source/../../miniapp/examples/own_rows.cpp" $(pkg-config --cflags --libs rowhalo) \
    -Wl,-rpath,"$place/prefix/lib" -o "$place/own_rows"
  mpirun -n 2 "$place/own_rows"
  # shellcheck disable=SC2046  # words
  mpicc -std=c99 -Wall -Wextra -Werror "$source/../../miniapp/examples/poisson.c" $(pkg-config --cflags --libs rowhalo-c) \
    -Wl,-rpath,"$place/prefix/lib" -lm -o "$place/poisson"
  mpirun -n 1 "$place/poisson"
fi
# PETSc's type from where it was installed, and built by itself against what was installed, as for another PETSc.
if [ -e "$place/prefix/lib/librowhalo_petsc.so" ]; then
  cmake -S "$source/../../miniapp/bindings/petsc" -B "$place/petsc" "${options[@]}"
  cmake --build "$place/petsc"
  for library in "$place/prefix/lib/librowhalo_petsc.so" "$place/petsc/librowhalo_petsc.so"; do
    ROWHALO_PETSC_TYPE=$library ROWHALO_BINARY=$build/miniapp/rowhalo python3 "$source/../cli/test_petsc_type.py" \
      PetscType.test_the_same_output_as_with_aij
  done
  # A PETSc with complex numbers is refused in one sentence, before anything is compiled.
  mkdir "$place/complex"
  printf '#define PETSC_USE_COMPLEX 1\n#define PETSC_USE_REAL_DOUBLE 1\n' >"$place/complex/petscconf.h"
  printf 'Name: PETSc\nVersion: 3.18\nDescription: none\nCflags: -I%s\n' "$place/complex" >"$place/complex/PETSc.pc"
  if PKG_CONFIG_PATH=$place/complex cmake -S "$source/../../miniapp/bindings/petsc" -B "$place/refused" "${options[@]}" \
    2>"$place/log" || ! grep -qF 'PETSc: the PETSc that was found is not real and double.' "$place/log"; then
    cat "$place/log"
    exit 1
  fi
fi
# It shows no library that is linked into it, and hardly more than its own names.
strangers=$(nm -DC --defined-only "$place/prefix/lib/librowhalo.so" | grep -vE ' (rowhalo(::|_)|(typeinfo|vtable)( name)? for rowhalo::)' || true)
if [ -n "$strangers" ]; then
  echo "librowhalo.so shows: $strangers"
  exit 1
fi
rowhalo=$place/prefix/bin/rowhalo share=$place/prefix/share
"$rowhalo" --version
# The library that calls PETSc is found where it was installed.
if ! "$rowhalo" --version | grep -qE '^ *PETSc +no$'; then
  "$rowhalo" run --matrix stencil7:4 --min-seconds 0 --device cpu | grep -F 'RESULT: PASS y agrees with petsc'
fi
"$rowhalo" --man | cmp - "$share/man/man1/rowhalo.1"
for command in run kernels solve info network convert list; do
  "$rowhalo" "$command" --man | cmp - "$share/man/man1/rowhalo-$command.1"
done
"$place/prefix/bin/rowhalo-study" --man | cmp - "$share/man/man1/rowhalo-study.1"
"$rowhalo" --completion bash | cmp - "$share/bash-completion/completions/rowhalo"
"$rowhalo" --completion zsh | cmp - "$share/zsh/site-functions/_rowhalo"
if grep -rlF -e "$build" -e "$place" "$share/man" "$share/bash-completion" "$share/zsh"; then
  echo "manual pages or completion name the build directory"
  exit 1
fi
if grep -rlF "$build" "$place/prefix/lib" --include='*.cmake'; then
  echo "the installed package names the build directory"
  exit 1
fi
# The last: it moves the prefix away.
"$source/test_study_tool.sh" "$place/prefix"
