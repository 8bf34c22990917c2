# SPDX-License-Identifier: BSD-3-Clause
#
# cmake -D PROGRAM=rowhalo -D STUDY=rowhalo-study -D FOLDER=... -P manual.cmake, whenever rowhalo has been
# linked: asks the programs for their manual pages and the completion of two shells, which cmake --install
# takes from FOLDER. A program that does not run here, e.g. because it was compiled for another machine, or
# has no Python, goes without them.

# ask(FILE WORD...): what `rowhalo WORD...` prints, into FILE; sets `text` to it.
function(ask file)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0 OR text STREQUAL "")
    message(STATUS "rowhalo does not run on this machine: no manual pages and no completion")
    set(text "" PARENT_SCOPE)
    return()
  endif()
  file(WRITE ${FOLDER}/${file} "${text}")
  set(text "${text}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${FOLDER})
ask(man/rowhalo.1 --man)
if(text STREQUAL "")
  return()
endif()
# The page of the program names those of its commands.
string(REGEX MATCHALL "BR rowhalo.-[a-z]+" pages "${text}")
foreach(page ${pages})
  string(REGEX REPLACE ".*-" "" command "${page}")
  ask(man/rowhalo-${command}.1 ${command} --man)
endforeach()
execute_process(COMMAND ${STUDY} --man OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE status)
if(status EQUAL 0)
  file(WRITE ${FOLDER}/man/rowhalo-study.1 "${text}")
endif()
ask(bash/rowhalo --completion bash)
ask(zsh/_rowhalo --completion zsh)
