# What nearly every file includes, compiled once: a third off the sanitized builds of a machine that has no compiler cache.
# With ccache it is off: an object then depends on a file that no two build folders have alike.
if(CCACHE_PROGRAM)
  option(ONNXPRESS_PRECOMPILED_HEADERS "Precompile common headers in debug builds" OFF)
else()
  option(ONNXPRESS_PRECOMPILED_HEADERS "Precompile common headers in debug builds" ON)
endif()

function(onnxpress_precompile target)
  # Release builds go without: they show an include that is missing.
  if(ONNXPRESS_PRECOMPILED_HEADERS AND CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_precompile_headers(${target} PRIVATE
        <algorithm> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <optional> <span> <string> <string_view>
        <unordered_map> <variant> <vector> <fmt/format.h> ${ARGN})
  endif()
endfunction()
