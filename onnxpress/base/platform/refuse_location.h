// The error for a path in a model that must not be followed.
#pragma once

#include <string_view>

namespace onnxpress::platform {

[[noreturn]] void refuse_location(std::string_view location, std::string_view why);

}  // namespace onnxpress::platform
