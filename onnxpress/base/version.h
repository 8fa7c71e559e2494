/// \file
/// The version of onnxpress.
#pragma once

#include <string_view>

namespace onnxpress {

/// "0.1.0"
std::string_view version();

}  // namespace onnxpress
