# SPDX-License-Identifier: BSD-3-Clause
#
# Target rowhalo_version: makes "miniapp/version.hpp" in the build tree. What is known now is filled
# in now; `git describe` is asked again by every build (git_version.cmake).
get_directory_property(options COMPILE_OPTIONS)
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
list(JOIN options " " options)
# What holds for C++ alone stands in generator expressions.
string(REGEX REPLACE "\\$<\\$<COMPILE_LANGUAGE:CXX>:([^>]*)>" "\\1" options "${options}")
string(REGEX REPLACE "\\$<\\$<COMPILE_LANGUAGE:[A-Z]+>:[^>]*>" "" options "${options}")
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}} ${options}" ROWHALO_VERSION_FLAGS)
string(REGEX REPLACE " +" " " ROWHALO_VERSION_FLAGS "${ROWHALO_VERSION_FLAGS}")
string(REPLACE "\\" "\\\\" ROWHALO_VERSION_FLAGS "${ROWHALO_VERSION_FLAGS}")
string(REPLACE "\"" "\\\"" ROWHALO_VERSION_FLAGS "${ROWHALO_VERSION_FLAGS}")

# rowhalo_dependency(name version): a line of --version. An empty version: built without.
set(ROWHALO_VERSION_DEPENDENCIES "")
function(rowhalo_dependency name version)
  if(version STREQUAL "")
    set(value nullptr)
  else()
    set(value "\"${version}\"")
  endif()
  set(line "    Dependency{\"${name}\", ${value}},")
  if(ROWHALO_VERSION_DEPENDENCIES)
    string(PREPEND line "${ROWHALO_VERSION_DEPENDENCIES}\n")
  endif()
  set(ROWHALO_VERSION_DEPENDENCIES "${line}" PARENT_SCOPE)
endfunction()
rowhalo_dependency(MPI "${MPI_CXX_VERSION}")
rowhalo_dependency(OpenMP "${OpenMP_CXX_VERSION}")
rowhalo_dependency(PETSc "${ROWHALO_PETSC_VERSION}")
rowhalo_dependency(CUDA "${ROWHALO_CUDA_VERSION}")
rowhalo_dependency(NCCL "${ROWHALO_NCCL_VERSION}")
rowhalo_dependency(HDF5 "${ROWHALO_HDF5_VERSION}")
rowhalo_dependency(METIS "${ROWHALO_METIS_VERSION}")
rowhalo_dependency(PT-Scotch "${ROWHALO_PTSCOTCH_VERSION}")
set(hwloc_version "")
if(ROWHALO_HAVE_HWLOC)
  set(hwloc_version ${ROWHALO_HWLOC_VERSION})
endif()
rowhalo_dependency(hwloc "${hwloc_version}")
rowhalo_dependency(zlib "${ZLIB_VERSION_STRING}")
rowhalo_dependency(fmt "${fmt_VERSION}")
rowhalo_dependency(CLI11 "${CLI11_VERSION}")
rowhalo_dependency(nlohmann_json "${nlohmann_json_VERSION}")

set(ROWHALO_GIT "@ROWHALO_GIT@")  # left for the build
configure_file(${CMAKE_CURRENT_LIST_DIR}/version.hpp.in
               ${PROJECT_BINARY_DIR}/generated/version.hpp.in @ONLY)
add_custom_target(rowhalo_version_header
  COMMAND ${CMAKE_COMMAND} -D SOURCE_DIR=${PROJECT_SOURCE_DIR}
          -D TEMPLATE=${PROJECT_BINARY_DIR}/generated/version.hpp.in
          -D OUTPUT=${PROJECT_BINARY_DIR}/generated/miniapp/version.hpp
          -P ${CMAKE_CURRENT_LIST_DIR}/git_version.cmake
  BYPRODUCTS ${PROJECT_BINARY_DIR}/generated/miniapp/version.hpp VERBATIM)
add_library(rowhalo_version INTERFACE)
target_include_directories(rowhalo_version INTERFACE ${PROJECT_BINARY_DIR}/generated)
add_dependencies(rowhalo_version rowhalo_version_header)
