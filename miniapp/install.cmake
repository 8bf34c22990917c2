# SPDX-License-Identifier: BSD-3-Clause
#
# cmake --install: the program with its documents, and the libraries that find_package(rowhalo) gives
# as rowhalo::base, rowhalo::partition, rowhalo::kernels, rowhalo::io and rowhalo::spmv.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rowhalo)

foreach(room base partition kernels io spmv)
  set_target_properties(rowhalo_${room} PROPERTIES EXPORT_NAME ${room})
  install(TARGETS rowhalo_${room} EXPORT rowhalo ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()
install(EXPORT rowhalo NAMESPACE rowhalo:: FILE rowhaloTargets.cmake DESTINATION ${package_dir})
foreach(folder partition kernels io miniapp/process miniapp/halo miniapp/spmv)
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
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/rowhaloConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/rowhaloConfig.cmake
              ${PROJECT_BINARY_DIR}/generated/rowhaloConfigVersion.cmake
        DESTINATION ${package_dir})
install(TARGETS rowhalo RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# What miniapp/manual.cmake has left: manual pages, completion.
install(DIRECTORY ${PROJECT_BINARY_DIR}/manual/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(DIRECTORY ${PROJECT_BINARY_DIR}/manual/bash/
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions OPTIONAL)
install(DIRECTORY ${PROJECT_BINARY_DIR}/manual/zsh/
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions OPTIONAL)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
              ${PROJECT_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
