# SPDX-License-Identifier: BSD-3-Clause
#
# Dependencies. What every build needs is a rowhalo_require line; all that are missing are listed together. What
# a build may do without is ROWHALO_WITH_<NAME> = AUTO (use it if it is there), ON (it must be) or OFF: a find
# macro (see find_petsc.cmake) and a rowhalo_option line. The summary, the error message and
# `rowhalo --version` follow from these lines.

# rowhalo_require(<package> <what for> <packages that have it> <option that names it> [arguments of find_package])
# quickstart reads the lines "missing NAME: ...".
macro(rowhalo_require package summary packages option)
  find_package(${package} QUIET ${ARGN})
  if(NOT ${package}_FOUND)
    message(STATUS "missing ${package}: ${summary}. ${packages}. If it has a folder of its own: ${option}")
    set(ROWHALO_INCOMPLETE ON)
  endif()
endmacro()

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

include(${CMAKE_CURRENT_LIST_DIR}/find_petsc.cmake)

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
    # CMake 3.25 fails where the toolkit has no nvToolsExt, as since CUDA 12.9.
    if(CMAKE_VERSION VERSION_LESS 3.26 AND NOT TARGET CUDA::nvToolsExt)
      add_library(CUDA::nvToolsExt INTERFACE IMPORTED)
    endif()
    find_package(CUDAToolkit QUIET)
    find_path(ROWHALO_CUBLAS_INCLUDE_DIR cublas_v2.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
    mark_as_advanced(ROWHALO_CUBLAS_INCLUDE_DIR)
    set(ROWHALO_CUDA_VERSION "${CMAKE_CUDA_COMPILER_VERSION}")
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12)
      set(ROWHALO_CUDA_MISSING "nvcc is version ${CMAKE_CUDA_COMPILER_VERSION}, 12 or newer is needed")
    elseif(NOT TARGET CUDA::cusparse OR NOT ROWHALO_CUBLAS_INCLUDE_DIR)
      set(ROWHALO_CUDA_MISSING "cuSPARSE or the headers of cuBLAS are not there")
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

# hwloc 2.
macro(rowhalo_find_hwloc)
  find_path(ROWHALO_HWLOC_INCLUDE_DIR hwloc.h HINTS $ENV{HWLOC_DIR}/include)
  find_library(ROWHALO_HWLOC_LIBRARY hwloc HINTS $ENV{HWLOC_DIR}/lib)
  mark_as_advanced(ROWHALO_HWLOC_INCLUDE_DIR ROWHALO_HWLOC_LIBRARY)
  if(NOT ROWHALO_HWLOC_INCLUDE_DIR OR NOT ROWHALO_HWLOC_LIBRARY)
    set(ROWHALO_HWLOC_MISSING "hwloc.h or libhwloc is not there")
  else()
    file(STRINGS ${ROWHALO_HWLOC_INCLUDE_DIR}/hwloc.h rowhalo_hwloc_line REGEX "^#define HWLOC_API_VERSION ")
    string(REGEX REPLACE ".*(0x[0-9a-fA-F]+).*" "\\1" rowhalo_hwloc_number "${rowhalo_hwloc_line}")
    math(EXPR rowhalo_hwloc_major "${rowhalo_hwloc_number} >> 16")
    math(EXPR rowhalo_hwloc_minor "${rowhalo_hwloc_number} >> 8 & 255")
    set(ROWHALO_HWLOC_VERSION "${rowhalo_hwloc_major}.${rowhalo_hwloc_minor}")
    if(ROWHALO_HWLOC_VERSION VERSION_LESS 2)
      set(ROWHALO_HWLOC_MISSING "hwloc is version ${ROWHALO_HWLOC_VERSION}, 2 or newer is needed")
    elseif(NOT TARGET rowhalo::hwloc)
      add_library(rowhalo::hwloc INTERFACE IMPORTED GLOBAL)
      target_include_directories(rowhalo::hwloc INTERFACE ${ROWHALO_HWLOC_INCLUDE_DIR})
      target_link_libraries(rowhalo::hwloc INTERFACE ${ROWHALO_HWLOC_LIBRARY})
    endif()
  endif()
endmacro()

# What CMAKE_UNITY_BUILD is for C++ (CMake has it for CUDA from 3.31 on): nvcc compiles the CUDA sources of the
# target in a few pieces, because what they include takes it 4 s of every file.
function(rowhalo_unite_cuda target)
  get_target_property(files ${target} SOURCES)
  list(FILTER files INCLUDE REGEX "\\.cu$")
  if(NOT CMAKE_UNITY_BUILD OR NOT files)
    return()
  endif()
  set_source_files_properties(${files} PROPERTIES HEADER_FILE_ONLY ON)
  # Half as many as C++ files that are compiled as one: each takes longer.
  set(batch 4)
  if(CMAKE_UNITY_BUILD_BATCH_SIZE)
    math(EXPR batch "(${CMAKE_UNITY_BUILD_BATCH_SIZE} + 1) / 2")
  endif()
  set(place 0)
  foreach(file IN LISTS files)
    math(EXPR unit "${place} / ${batch}")
    math(EXPR place "${place} + 1")
    cmake_path(ABSOLUTE_PATH file)
    string(APPEND unit_${unit} "#include \"${file}\"\n")
  endforeach()
  foreach(number RANGE ${unit})
    set(path ${CMAKE_CURRENT_BINARY_DIR}/Unity/${target}_${number}.cu)
    file(CONFIGURE OUTPUT ${path} CONTENT "${unit_${number}}" @ONLY)
    target_sources(${target} PRIVATE ${path})
  endforeach()
endfunction()

# What every target needs that has CUDA sources or calls CUDA. Device functions may call constexpr
# functions such as RowListView's. Lines for profilers cost a Release build 6 % of nvcc's time and are left out.
function(rowhalo_use_cuda target)
  set_target_properties(${target} PROPERTIES CUDA_STANDARD 20 CUDA_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE
    "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<NOT:$<CONFIG:Release>>>:-lineinfo>"
    "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;--extended-lambda;-Xcompiler=-Wall,-Wextra,-Werror=switch,-ffp-contract=off>")
  target_link_libraries(${target} PRIVATE CUDA::cudart_static)
  rowhalo_unite_cuda(${target})
endfunction()

set(ROWHALO_INCOMPLETE OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(STATUS "missing compiler: ${CMAKE_CXX_COMPILER} is GCC ${CMAKE_CXX_COMPILER_VERSION}, and 12 or newer is \
needed. Debian: g++-12, Spack and modules: gcc. If it has another name: -D CMAKE_CXX_COMPILER=g++-12")
  set(ROWHALO_INCOMPLETE ON)
endif()
rowhalo_require(MPI "the exchange between ranks" "Debian: libopenmpi-dev, Fedora: openmpi-devel, Spack and modules: \
openmpi, mpich, cray-mpich" "-D MPI_CXX_COMPILER=FOLDER/bin/mpicxx" COMPONENTS CXX)
rowhalo_require(OpenMP "threads of a rank" "Part of GCC; Debian: libomp-dev for clang" "-D CMAKE_CXX_COMPILER=g++"
                COMPONENTS CXX)
rowhalo_require(ZLIB "compressed matrices" "Debian: zlib1g-dev, Fedora: zlib-devel, Spack and modules: zlib"
                "-D ZLIB_ROOT=FOLDER")
rowhalo_require(fmt "texts" "Debian: libfmt-dev, Fedora: fmt-devel, Spack and modules: fmt" "-D fmt_ROOT=FOLDER")
rowhalo_require(nlohmann_json "reports" "Debian: nlohmann-json3-dev, Fedora: json-devel, Spack: nlohmann-json"
                "-D nlohmann_json_ROOT=FOLDER")
rowhalo_require(CLI11 "options" "Debian: libcli11-dev, Fedora: cli11-devel, Spack: cli11" "-D CLI11_ROOT=FOLDER")
if(BUILD_TESTING)
  rowhalo_require(Catch2 "tests (-D BUILD_TESTING=OFF builds none)" "Debian: catch2, Fedora: catch-devel, Spack: catch2"
                  "-D Catch2_ROOT=FOLDER")
endif()
if(ROWHALO_INCOMPLETE)
  message(FATAL_ERROR "Rowhalo needs what is listed above as missing. README, Without apt: ./quickstart --prefix DIR \
--mirror FOLDER takes fmt, nlohmann_json, CLI11 and Catch2 from archives.")
endif()

list(APPEND ROWHALO_SUMMARY "")
rowhalo_required(MPI "${MPI_CXX_VERSION}" "the exchange between ranks")
rowhalo_required(OpenMP "${OpenMP_CXX_VERSION}" "threads of a rank")
rowhalo_required(zlib "${ZLIB_VERSION_STRING}" "compressed matrices")
rowhalo_option(PETSC "y and its time beside PETSc's MatMult" libpetsc-real-dev rowhalo_find_petsc)
rowhalo_option(CUDA "products on GPUs" "CUDA 12 or newer" rowhalo_find_cuda)
rowhalo_option(NCCL "the transport nccl" libnccl-dev rowhalo_find_nccl)
rowhalo_option(HDF5 "matrices, vectors and results in .h5" libhdf5-openmpi-dev rowhalo_find_hdf5)
rowhalo_option(HWLOC "processors in the report" libhwloc-dev rowhalo_find_hwloc)
rowhalo_option(METIS "the partitioner metis" libmetis-dev rowhalo_find_metis)
rowhalo_option(PTSCOTCH "the partitioner ptscotch" libptscotch-dev rowhalo_find_ptscotch)
