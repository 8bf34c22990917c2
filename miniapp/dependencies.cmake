# SPDX-License-Identifier: BSD-3-Clause
#
# Dependencies that a build may do without: each is ROWHALO_WITH_<NAME> = AUTO (use it if it is there),
# ON (it must be) or OFF. Adding one is a find function (see rowhalo_find_petsc) and one rowhalo_option
# line; the summary, the error message and `rowhalo --version` follow from it.

# rowhalo_option(NAME <what the user gains> <package to install> <macro that finds it>)
# The macro sets ROWHALO_<NAME>_VERSION and makes the target rowhalo::<name>, or sets
# ROWHALO_<NAME>_MISSING to the reason. Afterwards ROWHALO_HAVE_<NAME> says whether it is used.
macro(rowhalo_option name summary package finder)
  set(ROWHALO_WITH_${name} AUTO CACHE STRING "${summary}: AUTO, ON or OFF")
  set_property(CACHE ROWHALO_WITH_${name} PROPERTY STRINGS AUTO ON OFF)
  set(ROWHALO_HAVE_${name} OFF)
  set(ROWHALO_${name}_VERSION "")
  set(ROWHALO_${name}_MISSING "")
  if(ROWHALO_WITH_${name})
    cmake_language(CALL ${finder})
    if(ROWHALO_${name}_MISSING STREQUAL "")
      set(ROWHALO_HAVE_${name} ON)
      set(rowhalo_found "yes, ${ROWHALO_${name}_VERSION}")
    elseif(ROWHALO_WITH_${name} STREQUAL "AUTO")
      set(rowhalo_found "no: ${ROWHALO_${name}_MISSING} (${package})")
    else()
      message(FATAL_ERROR "ROWHALO_WITH_${name}=ON, but ${ROWHALO_${name}_MISSING}. Install ${package} "
                          "(Debian, Ubuntu), or configure with -D ROWHALO_WITH_${name}=OFF.")
    endif()
  else()
    set(rowhalo_found "no: switched off")
  endif()
  list(APPEND ROWHALO_SUMMARY "${name}|${rowhalo_found}|${summary}")
endmacro()

# A line of the summary for what every build needs.
macro(rowhalo_required name version summary)
  list(APPEND ROWHALO_SUMMARY "${name}|yes, ${version}|${summary}")
endmacro()

# Prints the table at the end of configuring.
function(rowhalo_print_summary)
  message(STATUS "")
  message(STATUS "rowhalo ${PROJECT_VERSION}, ${CMAKE_BUILD_TYPE}, ${CMAKE_CXX_COMPILER_ID} "
                 "${CMAKE_CXX_COMPILER_VERSION}")
  foreach(line IN LISTS ROWHALO_SUMMARY)
    string(REPLACE "|" ";" line "${line}")
    list(POP_FRONT line name found summary)
    string(SUBSTRING "${name}            " 0 12 name)
    string(SUBSTRING "${found}               " 0 16 column)
    if(found MATCHES "^no: ")
      set(column "${found}; for ")
    elseif(NOT column MATCHES " $")
      set(column "${found}; ")
    endif()
    message(STATUS "  ${name}${column}${summary}")
  endforeach()
  message(STATUS "")
endfunction()

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
  if(NOT ROWHALO_PKG_PETSC_FOUND)
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

# nvcc and its libraries. Machine code for the GPUs that are here, else for compute capability 9.0.
macro(rowhalo_find_cuda)
  find_program(ROWHALO_NVCC nvcc PATHS /usr/local/cuda/bin)
  if(ROWHALO_NVCC AND NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    set(CMAKE_CUDA_COMPILER ${ROWHALO_NVCC} CACHE FILEPATH "nvcc")
  endif()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    file(GLOB rowhalo_gpus /dev/nvidia[0-9]*)
    if(rowhalo_gpus)
      set(CMAKE_CUDA_ARCHITECTURES native)
    else()
      set(CMAKE_CUDA_ARCHITECTURES 90)
    endif()
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(NOT CMAKE_CUDA_COMPILER)
    set(ROWHALO_CUDA_MISSING "there is no nvcc that works")
  else()
    enable_language(CUDA)
    # CMake 3.25 does not know that nvcc has C++20.
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
    find_package(CUDAToolkit QUIET)
    set(ROWHALO_CUDA_VERSION "${CMAKE_CUDA_COMPILER_VERSION}")
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12)
      set(ROWHALO_CUDA_MISSING "nvcc is version ${CMAKE_CUDA_COMPILER_VERSION}, 12 or newer is needed")
    elseif(NOT TARGET CUDA::cusparse OR NOT TARGET CUDA::cublas)
      set(ROWHALO_CUDA_MISSING "cuSPARSE or cuBLAS is not there")
    endif()
  endif()
endmacro()

# NCCL beside CUDA: nccl.h and libnccl.
macro(rowhalo_find_nccl)
  find_path(ROWHALO_NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS} $ENV{NCCL_HOME}/include)
  find_library(ROWHALO_NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR} $ENV{NCCL_HOME}/lib)
  mark_as_advanced(ROWHALO_NCCL_INCLUDE_DIR ROWHALO_NCCL_LIBRARY)
  if(NOT ROWHALO_HAVE_CUDA)
    set(ROWHALO_NCCL_MISSING "there is no CUDA in this build")
  elseif(NOT ROWHALO_NCCL_INCLUDE_DIR OR NOT ROWHALO_NCCL_LIBRARY)
    set(ROWHALO_NCCL_MISSING "nccl.h or libnccl is not there")
  else()
    file(STRINGS ${ROWHALO_NCCL_INCLUDE_DIR}/nccl.h rowhalo_nccl_lines
         REGEX "^#define NCCL_(MAJOR|MINOR|PATCH) ")
    string(REGEX REPLACE "[^0-9;]" "" ROWHALO_NCCL_VERSION "${rowhalo_nccl_lines}")
    string(REPLACE ";" "." ROWHALO_NCCL_VERSION "${ROWHALO_NCCL_VERSION}")
    if(NOT TARGET rowhalo::nccl)
      add_library(rowhalo::nccl INTERFACE IMPORTED GLOBAL)
      target_include_directories(rowhalo::nccl INTERFACE ${ROWHALO_NCCL_INCLUDE_DIR})
      target_link_libraries(rowhalo::nccl INTERFACE ${ROWHALO_NCCL_LIBRARY})
    endif()
  endif()
endmacro()

# HDF5's C API; the parallel build of it before the serial one.
macro(rowhalo_find_hdf5)
  set(HDF5_PREFER_PARALLEL ON)
  enable_language(C)  # the find module of CMake asks for it
  find_package(HDF5 QUIET COMPONENTS C)
  set(rowhalo_petsc_has_hdf5 OFF)
  if(HDF5_FOUND AND NOT HDF5_IS_PARALLEL AND ROWHALO_HAVE_PETSC)
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_INCLUDES ${ROWHALO_PKG_PETSC_INCLUDE_DIRS})
    check_cxx_source_compiles("#include <petscconf.h>
      #if !defined(PETSC_HAVE_HDF5)
      #error
      #endif
      int main() {}" ROWHALO_PETSC_HAS_HDF5)
    unset(CMAKE_REQUIRED_INCLUDES)
    set(rowhalo_petsc_has_hdf5 ${ROWHALO_PETSC_HAS_HDF5})
  endif()
  if(NOT HDF5_FOUND)
    set(ROWHALO_HDF5_MISSING "hdf5.h or libhdf5 is not there")
  elseif(rowhalo_petsc_has_hdf5)
    # Two libraries with the same functions in one process.
    set(ROWHALO_HDF5_MISSING "the one found is serial, while PETSc brings a parallel one: take that one's \
headers, or leave PETSc out by -D ROWHALO_WITH_PETSC=OFF")
  else()
    set(ROWHALO_HDF5_VERSION "${HDF5_VERSION}")
    if(NOT HDF5_IS_PARALLEL)
      string(APPEND ROWHALO_HDF5_VERSION ", serial")
    endif()
    if(NOT TARGET rowhalo::hdf5)
      add_library(rowhalo::hdf5 INTERFACE IMPORTED GLOBAL)
      target_include_directories(rowhalo::hdf5 INTERFACE ${HDF5_C_INCLUDE_DIRS})
      target_link_libraries(rowhalo::hdf5 INTERFACE ${HDF5_C_LIBRARIES} MPI::MPI_CXX)
    endif()
  endif()
endmacro()

# METIS 5.
macro(rowhalo_find_metis)
  find_path(ROWHALO_METIS_INCLUDE_DIR metis.h HINTS $ENV{METIS_DIR}/include)
  find_library(ROWHALO_METIS_LIBRARY metis HINTS $ENV{METIS_DIR}/lib)
  mark_as_advanced(ROWHALO_METIS_INCLUDE_DIR ROWHALO_METIS_LIBRARY)
  if(NOT ROWHALO_METIS_INCLUDE_DIR OR NOT ROWHALO_METIS_LIBRARY)
    set(ROWHALO_METIS_MISSING "metis.h or libmetis is not there")
  else()
    file(STRINGS ${ROWHALO_METIS_INCLUDE_DIR}/metis.h rowhalo_metis_lines
         REGEX "^#define METIS_VER_(MAJOR|MINOR|SUBMINOR)")
    string(REGEX REPLACE "[^0-9;]" "" ROWHALO_METIS_VERSION "${rowhalo_metis_lines}")
    string(REPLACE ";" "." ROWHALO_METIS_VERSION "${ROWHALO_METIS_VERSION}")
    if(NOT TARGET rowhalo::metis)
      add_library(rowhalo::metis INTERFACE IMPORTED GLOBAL)
      target_include_directories(rowhalo::metis INTERFACE ${ROWHALO_METIS_INCLUDE_DIR})
      target_link_libraries(rowhalo::metis INTERFACE ${ROWHALO_METIS_LIBRARY})
    endif()
  endif()
endmacro()

# PT-Scotch, with the error functions that report instead of ending the process.
macro(rowhalo_find_ptscotch)
  find_path(ROWHALO_PTSCOTCH_INCLUDE_DIR ptscotch.h PATH_SUFFIXES scotch
            HINTS $ENV{SCOTCH_DIR}/include)
  foreach(library ptscotch scotch ptscotcherr)
    find_library(ROWHALO_${library}_LIBRARY ${library} HINTS $ENV{SCOTCH_DIR}/lib)
    mark_as_advanced(ROWHALO_${library}_LIBRARY)
  endforeach()
  mark_as_advanced(ROWHALO_PTSCOTCH_INCLUDE_DIR)
  if(NOT ROWHALO_PTSCOTCH_INCLUDE_DIR OR NOT ROWHALO_ptscotch_LIBRARY OR
     NOT ROWHALO_scotch_LIBRARY OR NOT ROWHALO_ptscotcherr_LIBRARY)
    set(ROWHALO_PTSCOTCH_MISSING "ptscotch.h or its libraries are not there")
  else()
    file(STRINGS ${ROWHALO_PTSCOTCH_INCLUDE_DIR}/scotch.h rowhalo_ptscotch_lines
         REGEX "^#define SCOTCH_(VERSION|RELEASE|PATCHLEVEL) ")
    string(REGEX REPLACE "[^0-9;]" "" ROWHALO_PTSCOTCH_VERSION "${rowhalo_ptscotch_lines}")
    string(REPLACE ";" "." ROWHALO_PTSCOTCH_VERSION "${ROWHALO_PTSCOTCH_VERSION}")
    if(NOT TARGET rowhalo::ptscotch)
      add_library(rowhalo::ptscotch INTERFACE IMPORTED GLOBAL)
      target_include_directories(rowhalo::ptscotch INTERFACE ${ROWHALO_PTSCOTCH_INCLUDE_DIR})
      target_link_libraries(rowhalo::ptscotch INTERFACE ${ROWHALO_ptscotch_LIBRARY}
        ${ROWHALO_scotch_LIBRARY} ${ROWHALO_ptscotcherr_LIBRARY} MPI::MPI_CXX)
    endif()
  endif()
endmacro()

# What every target needs that has CUDA sources or calls CUDA. Device functions may call constexpr
# functions such as RowListView's.
function(rowhalo_use_cuda target)
  set_target_properties(${target} PROPERTIES CUDA_STANDARD 20 CUDA_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CUDA>:-lineinfo;--expt-relaxed-constexpr;-Xcompiler=-Wall,-Wextra,-ffp-contract=off>")
  target_link_libraries(${target} PRIVATE CUDA::cudart_static)
endfunction()

list(APPEND ROWHALO_SUMMARY "")
rowhalo_required(MPI "${MPI_CXX_VERSION}" "the exchange between ranks")
rowhalo_required(OpenMP "${OpenMP_CXX_VERSION}" "threads of a rank")
rowhalo_required(zlib "${ZLIB_VERSION_STRING}" "compressed matrices")
rowhalo_option(PETSC "y and its time beside PETSc's MatMult" libpetsc-real-dev rowhalo_find_petsc)
rowhalo_option(CUDA "products on GPUs" "CUDA 12 or newer" rowhalo_find_cuda)
rowhalo_option(NCCL "the transport nccl" libnccl-dev rowhalo_find_nccl)
rowhalo_option(HDF5 "matrices, vectors and results in .h5" libhdf5-openmpi-dev rowhalo_find_hdf5)
rowhalo_option(METIS "the partitioner metis" libmetis-dev rowhalo_find_metis)
rowhalo_option(PTSCOTCH "the partitioner ptscotch" libptscotch-dev rowhalo_find_ptscotch)
