# Installs the command, the library, its public headers, and what `find_package(onnxpress)` needs.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The interface that we promise to keep: the headers in include/onnxpress/, and what these show of the model and of content
# in memory. Everything else is private and may change at any time. tests/find_package.sh compiles each of these headers
# alone, using only what is installed.
set(public_headers
    base/arena.h base/bytes.h base/contained_file.h base/descriptor.h base/error.h base/mapped_file.h base/name_table.h
    base/option_error.h base/platform/missing_file.h base/small_float.h base/standard_input.h base/thread_pool.h base/version.h
    ir/attribute.h ir/element_type.h ir/graph.h ir/model.h ir/node.h ir/op_names.h ir/tensor.h ir/type.h ir/value.h)

set(config_folder "${CMAKE_INSTALL_LIBDIR}/cmake/onnxpress")
install(TARGETS onnxpress EXPORT onnxpressTargets)
if(TARGET onnxpress_cli)
  install(TARGETS onnxpress_cli)
  # Manual pages are made from the tables of the command itself.
  install(CODE "execute_process(COMMAND \"$<TARGET_FILE:onnxpress_cli>\" man --quiet
      -o \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1\" COMMAND_ERROR_IS_FATAL ANY)")
endif()
foreach(header ${public_headers})
  cmake_path(GET header PARENT_PATH room)
  install(FILES "${PROJECT_SOURCE_DIR}/onnxpress/${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/onnxpress/${room}")
endforeach()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/onnxpress" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        PATTERN "onnxpress_c.h" EXCLUDE)  # the C library brings it
if(TARGET onnxpress_c)
  # By itself, so that a program in C needs nothing of what the C++ library was built with.
  install(TARGETS onnxpress_c EXPORT onnxpressCTargets)
  install(FILES "${PROJECT_SOURCE_DIR}/include/onnxpress/onnxpress_c.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/onnxpress")
  install(EXPORT onnxpressCTargets NAMESPACE onnxpress:: DESTINATION "${config_folder}")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/onnxpress_c.pc.in" "${PROJECT_BINARY_DIR}/onnxpress_c.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/onnxpress_c.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endif()
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(EXPORT onnxpressTargets NAMESPACE onnxpress:: DESTINATION "${config_folder}")

# A static library passes its own libraries on to its users. Those without a CMake package are in its link list as plain
# names: the package file looks for each, and reports which one is missing.
set(plain_libraries "")
get_target_property(kind onnxpress TYPE)
if(kind STREQUAL "STATIC_LIBRARY")
  get_target_property(linked onnxpress LINK_LIBRARIES)
  foreach(library ${linked})
    if(library MATCHES "^[A-Za-z0-9_]+$" AND NOT library STREQUAL "${CMAKE_DL_LIBS}")
      list(APPEND plain_libraries ${library})
    endif()
  endforeach()
endif()

configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/onnxpressConfig.cmake.in" "${PROJECT_BINARY_DIR}/onnxpressConfig.cmake"
    INSTALL_DESTINATION "${config_folder}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/onnxpressConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/onnxpressConfig.cmake" "${PROJECT_BINARY_DIR}/onnxpressConfigVersion.cmake"
    DESTINATION "${config_folder}")
