# Installs the command, the library, its headers, and what `find_package(onnxpress)` needs.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(config_folder "${CMAKE_INSTALL_LIBDIR}/cmake/onnxpress")
install(TARGETS onnxpress EXPORT onnxpressTargets)
if(TARGET onnxpress_cli)
  install(TARGETS onnxpress_cli)
  # Manual pages are made from the tables of the command itself.
  install(CODE "execute_process(COMMAND \"$<TARGET_FILE:onnxpress_cli>\" man --quiet
      -o \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1\" COMMAND_ERROR_IS_FATAL ANY)")
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/onnxpress" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(EXPORT onnxpressTargets NAMESPACE onnxpress:: DESTINATION "${config_folder}")

configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/onnxpressConfig.cmake.in" "${PROJECT_BINARY_DIR}/onnxpressConfig.cmake"
    INSTALL_DESTINATION "${config_folder}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/onnxpressConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/onnxpressConfig.cmake" "${PROJECT_BINARY_DIR}/onnxpressConfigVersion.cmake"
    DESTINATION "${config_folder}")
