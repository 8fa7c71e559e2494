# Compiles several files of a folder at a time. Templates that they share (containers, strings, formatting) are instantiated
# and optimized once instead of once per file, which makes a full build three times as fast.
# Files of one folder therefore see each other's unnamed namespaces, so names there must be unique within the folder.
option(ONNXPRESS_UNITY "Compile several files of a folder at a time" ON)
set(ONNXPRESS_UNITY_FILES 14 CACHE STRING "How many files at most: more build faster, fewer rebuild faster after a change")

function(onnxpress_join_sources target)
  if(NOT ONNXPRESS_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source)
    if(NOT EXISTS "${source}")
      continue()  # generated files are compiled alone
    endif()
    # Highway compiles a file several times, once for each kind of processor, by including it again.
    file(STRINGS "${source}" vectors REGEX "#include <hwy/" LIMIT_COUNT 1)
    if(vectors)
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    math(EXPR files_${folder} "0${files_${folder}} + 1")
    math(EXPR batch "${files_${folder}} / ${ONNXPRESS_UNITY_FILES}")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${folder}_${batch}")
  endforeach()
endfunction()
