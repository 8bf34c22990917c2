# SPDX-License-Identifier: BSD-3-Clause
#
# cmake --install: the program with its documents, and the libraries that find_package(rowhalo) gives
# as rowhalo::base, rowhalo::partition, rowhalo::kernels, rowhalo::io, rowhalo::spmv, rowhalo::tune and rowhalo::solve,
# archives, and as rowhalo::c, librowhalo.so.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rowhalo)

foreach(room base partition kernels io spmv tune solve)
  set_target_properties(rowhalo_${room} PROPERTIES EXPORT_NAME ${room})
  target_compile_features(rowhalo_${room} INTERFACE cxx_std_20)  # for consumers that set no standard
  install(TARGETS rowhalo_${room} EXPORT rowhalo ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()
# One library for programs that are linked against a shared one, C and other languages among them.
set_target_properties(rowhalo_c PROPERTIES EXPORT_NAME c INSTALL_RPATH_USE_LINK_PATH ON)
target_compile_features(rowhalo_c INTERFACE cxx_std_20)
install(TARGETS rowhalo_c EXPORT rowhalo LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
file(RELATIVE_PATH PREFIX_FROM_PC /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
foreach(package rowhalo rowhalo-c)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${package}.pc.in ${PROJECT_BINARY_DIR}/generated/${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/generated/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
install(FILES ${CMAKE_CURRENT_LIST_DIR}/bindings/c/rowhalo.h ${CMAKE_CURRENT_LIST_DIR}/bindings/fortran/rowhalo.f90
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rowhalo)
install(EXPORT rowhalo NAMESPACE rowhalo:: FILE rowhaloTargets.cmake DESTINATION ${package_dir})
foreach(folder partition kernels io miniapp/halo miniapp/spmv miniapp/tune miniapp/solve)
  cmake_path(GET folder PARENT_PATH parent)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rowhalo/${parent} FILES_MATCHING PATTERN "*.hpp")
endforeach()

set(ROWHALO_PACKAGE_LIBRARIES "")
foreach(library hdf5 metis ptscotch nccl)
  if(TARGET rowhalo::${library})
    get_target_property(files rowhalo::${library} INTERFACE_LINK_LIBRARIES)
    string(APPEND ROWHALO_PACKAGE_LIBRARIES
           "if(NOT TARGET rowhalo::${library})\n"
           "  add_library(rowhalo::${library} INTERFACE IMPORTED)\n"
           "  target_link_libraries(rowhalo::${library} INTERFACE \"${files}\")\n"
           "endif()\n")
  endif()
endforeach()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/rowhaloConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/generated/rowhaloConfig.cmake
                              INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/rowhaloConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/rowhaloConfig.cmake
              ${PROJECT_BINARY_DIR}/generated/rowhaloConfigVersion.cmake
        DESTINATION ${package_dir})
# What lies outside of the system's folders, as CUDA and a cluster's MPI, is found without LD_LIBRARY_PATH.
set_target_properties(rowhalo PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS rowhalo RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET rowhalo_with_petsc)
  file(RELATIVE_PATH libraries ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(rowhalo PROPERTIES INSTALL_RPATH "$ORIGIN;$ORIGIN/${libraries}")
  set_target_properties(rowhalo_with_petsc PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS rowhalo_with_petsc LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
# What miniapp/manual.cmake has left: manual pages, completion.
install(DIRECTORY ${PROJECT_BINARY_DIR}/manual/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(DIRECTORY ${PROJECT_BINARY_DIR}/manual/bash/
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions OPTIONAL)
install(DIRECTORY ${PROJECT_BINARY_DIR}/manual/zsh/
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions OPTIONAL)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
              ${PROJECT_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The Python package, as sources of a wheel: pip install PREFIX/share/rowhalo/python
install(DIRECTORY ${PROJECT_SOURCE_DIR}/miniapp/bindings/python DESTINATION ${CMAKE_INSTALL_DATADIR}/rowhalo
        PATTERN __pycache__ EXCLUDE PATTERN .mypy_cache EXCLUDE)

# The tool rowhalo-study: its package with studies, sites, batch scripts and guides, as they are, in
# share/rowhalo/jobs. They find each other and the executable from there by relative
# links, so the prefix may be moved; they write nothing into it.
set(data_dir ${CMAKE_INSTALL_DATADIR}/rowhalo)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/jobs DESTINATION ${data_dir} USE_SOURCE_PERMISSIONS
        REGEX "/jobs/results$" EXCLUDE PATTERN __pycache__ EXCLUDE PATTERN "study-*" EXCLUDE PATTERN ".*_cache" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/jobs/results/programs DESTINATION ${data_dir}/jobs/results
        USE_SOURCE_PERMISSIONS PATTERN __pycache__ EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/io/report/report.schema.json DESTINATION ${data_dir})

# FOLDER/NAME as a link to TARGET, both relative to the prefix.
function(install_link folder name target)
  cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE from)
  cmake_path(ABSOLUTE_PATH target BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX})
  file(RELATIVE_PATH target ${from} ${target})
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated/links)
  file(CREATE_LINK ${target} ${PROJECT_BINARY_DIR}/generated/links/${name} SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/generated/links/${name} DESTINATION ${folder})
endfunction()
install_link(${CMAKE_INSTALL_BINDIR} rowhalo-study ${data_dir}/jobs/rowhalo-study)
install_link(${data_dir}/jobs rowhalo ${CMAKE_INSTALL_BINDIR}/rowhalo)

# Found by Environment Modules and Lmod after `module use PREFIX/share/modulefiles`.
install(FILES ${PROJECT_SOURCE_DIR}/jobs/recipes/modulefile/rowhalo.tcl
        DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/rowhalo RENAME ${PROJECT_VERSION})
