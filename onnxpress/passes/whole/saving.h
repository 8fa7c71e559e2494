// What a pass saved on one tensor.
#pragma once

#include <cstdint>
#include <string_view>

namespace onnxpress::passes {

struct Saving {
  std::string_view tensor;              // its name; lives as long as the model
  std::string_view method;              // "share", "splat", ...
  std::uint64_t before = 0, after = 0;  // bytes in the file
};

}  // namespace onnxpress::passes
