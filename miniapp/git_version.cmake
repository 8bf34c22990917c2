# SPDX-License-Identifier: BSD-3-Clause
#
# Run at every build: cmake -D SOURCE_DIR= -D TEMPLATE= -D OUTPUT= -P git_version.cmake
# Fills @ROWHALO_GIT@, the last unknown of TEMPLATE. configure_file leaves OUTPUT alone when nothing
# has changed, so nothing is recompiled. Without git or in a tarball the answer is "unknown".
set(ROWHALO_GIT "")
find_program(GIT git)
if(GIT AND EXISTS "${SOURCE_DIR}/.git")
  execute_process(COMMAND "${GIT}" describe --always --dirty --tags
                  WORKING_DIRECTORY "${SOURCE_DIR}"
                  OUTPUT_VARIABLE ROWHALO_GIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(ROWHALO_GIT STREQUAL "")
  set(ROWHALO_GIT "unknown")
endif()
configure_file("${TEMPLATE}" "${OUTPUT}" @ONLY)
