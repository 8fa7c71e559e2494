# Headers that nearly every file includes, compiled once: those of libraries, and the model's own, which take longer to
# parse than most files that use them. A change of one of them compiles everything again, so there are no others.
# They hide missing includes, so scripts/check_includes (part of `make lint`) compiles every file without them, and the
# preset `plain` builds everything without them.
set(ONNXPRESS_PRECOMPILED_HEADERS ON CACHE STRING "ON, SYSTEM (only those of libraries, for shared compile caches) or OFF")

function(onnxpress_precompile target)
  if(NOT ONNXPRESS_PRECOMPILED_HEADERS)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <bit> <cmath> <cstdint> <cstring> <filesystem> <functional> <limits> <map> <memory> <numeric>
      <optional> <span> <string> <string_view> <unordered_map> <unordered_set> <utility> <variant> <vector>
      <fmt/format.h> ${ARGN})
  if(NOT ONNXPRESS_PRECOMPILED_HEADERS STREQUAL "SYSTEM")
    foreach(header base/error.h ir/model.h)
      target_precompile_headers(${target} PRIVATE "${PROJECT_SOURCE_DIR}/onnxpress/${header}")
    endforeach()
  endif()
endfunction()

# Uses the precompiled header of another target if both have the same flags; not in Debug, where optimization differs
# between targets.
function(onnxpress_reuse_precompiled target other)
  get_target_property(flags ${target} COMPILE_OPTIONS)
  get_target_property(other_flags ${other} COMPILE_OPTIONS)
  if(NOT ONNXPRESS_PRECOMPILED_HEADERS)
    return()
  elseif(CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT flags STREQUAL other_flags)
    onnxpress_precompile(${target})
  else()
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()
