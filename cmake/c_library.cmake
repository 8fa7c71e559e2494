# libonnxpress_c.so: the C interface (include/onnxpress/onnxpress_c.h) with the C++ library inside, of which nothing is
# visible.
file(GLOB c_api_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/onnxpress/c_api/*.cpp")
add_library(onnxpress_c SHARED ${c_api_sources})
add_library(onnxpress::c ALIAS onnxpress_c)
onnxpress_compile_options(onnxpress_c)
onnxpress_fast_loops(onnxpress_c)
target_compile_options(onnxpress_c PRIVATE "$<$<CONFIG:Debug>:-O0>")
onnxpress_join_sources(onnxpress_c)
target_include_directories(onnxpress_c PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:include>")
target_link_libraries(onnxpress_c PRIVATE "$<BUILD_INTERFACE:onnxpress>" "$<BUILD_INTERFACE:fmt::fmt>"
    "$<BUILD_INTERFACE:nlohmann_json::nlohmann_json>")
# In the build root, like the command, so that programs of other languages find it in one place.
set_target_properties(onnxpress_c PROPERTIES EXPORT_NAME c CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    VERSION "${PROJECT_VERSION}" SOVERSION "${PROJECT_VERSION_MAJOR}" LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
if(NOT APPLE)
  set(map "${PROJECT_SOURCE_DIR}/onnxpress/c_api/onnxpress_c.map")
  target_link_options(onnxpress_c PRIVATE "LINKER:--version-script=${map}")
  set_target_properties(onnxpress_c PROPERTIES LINK_DEPENDS "${map}")
endif()
