# onnxpress_add_executables(<kind> <output folder> <libraries...>): one executable per *.cpp of the current folder,
# named after the file. The target is <kind>_<stem>, so files in bench/ and fuzz/ may have the
# same name. `<kind>_targets` builds them all. An empty folder is fine.
function(onnxpress_add_executables kind output_folder)
  add_custom_target(${kind}_targets)
  file(GLOB sources CONFIGURE_DEPENDS "*.cpp")
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    set(target ${kind}_${name})
    add_executable(${target} ${source})
    onnxpress_compile_options(${target})
    target_link_libraries(${target} PRIVATE onnxpress fmt::fmt ${ARGN})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${output_folder}")
    add_dependencies(${kind}_targets ${target})
  endforeach()
endfunction()
