# SPDX-License-Identifier: BSD-3-Clause
#
# rowhalo_find_petsc(): makes the target rowhalo::petsc and sets ROWHALO_PETSC_VERSION, or sets ROWHALO_PETSC_MISSING
# to the reason why not. Also for bindings/petsc alone, where nothing else of dependencies.cmake is wanted.

# PETSc through pkg-config, real and double before any other build of it that is there.
macro(rowhalo_find_petsc)
  find_package(PkgConfig QUIET)
  set(rowhalo_pkg_config_path "$ENV{PKG_CONFIG_PATH}")
  set(ENV{PKG_CONFIG_PATH}
      "$ENV{PKG_CONFIG_PATH}:$ENV{PETSC_DIR}/$ENV{PETSC_ARCH}/lib/pkgconfig:/usr/lib/petscdir/petsc-real/lib/pkgconfig")
  if(PKG_CONFIG_FOUND)
    pkg_search_module(ROWHALO_PKG_PETSC QUIET PETSc petsc)
  endif()
  set(ENV{PKG_CONFIG_PATH} "${rowhalo_pkg_config_path}")
  if(NOT PKG_CONFIG_FOUND)
    set(ROWHALO_PETSC_MISSING "the program pkg-config is not there, which finds it")
  elseif(NOT ROWHALO_PKG_PETSC_FOUND)
    set(ROWHALO_PETSC_MISSING "pkg-config does not know it")
  else()
    set(ROWHALO_PETSC_VERSION "${ROWHALO_PKG_PETSC_VERSION}")
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_INCLUDES ${ROWHALO_PKG_PETSC_INCLUDE_DIRS})
    check_cxx_source_compiles("#include <petscconf.h>
      #if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
      #error
      #endif
      int main() {}" ROWHALO_PETSC_IS_REAL_DOUBLE)
    unset(CMAKE_REQUIRED_INCLUDES)
    if(NOT ROWHALO_PETSC_IS_REAL_DOUBLE)
      set(ROWHALO_PETSC_MISSING "the PETSc that was found is not real and double")
    elseif(NOT TARGET rowhalo::petsc)
      # Its pkg-config flags also hold -D_FORTIFY_SOURCE, which is not ours to set.
      add_library(rowhalo::petsc INTERFACE IMPORTED GLOBAL)
      target_include_directories(rowhalo::petsc INTERFACE ${ROWHALO_PKG_PETSC_INCLUDE_DIRS})
      target_link_libraries(rowhalo::petsc INTERFACE ${ROWHALO_PKG_PETSC_LINK_LIBRARIES})
    endif()
  endif()
endmacro()
