# What nearly every file includes, compiled once: about 2 seconds less for each of hundreds of files.
# scripts/check_includes builds without them once in a while (preset `plain`): only that shows an include that is missing.
option(ONNXPRESS_PRECOMPILED_HEADERS "Precompile common headers" ON)

function(onnxpress_precompile target)
  if(ONNXPRESS_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} PRIVATE
        <algorithm> <array> <bit> <cmath> <cstdint> <cstring> <filesystem> <functional> <limits> <map> <memory> <numeric>
        <optional> <span> <string> <string_view> <unordered_map> <unordered_set> <utility> <variant> <vector>
        <fmt/format.h> ${ARGN})
  endif()
endfunction()
