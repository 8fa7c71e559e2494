// Stores int64 constants as int32 and float64 constants as float32, without a Cast, if all their readers accept the
// narrower type.
#pragma once

#include <cstdint>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// Returns how many became narrower. Values stay the same. A constant is left alone if its type must equal that of a
// result or of a computed operand, so all other types in the model stay.
std::uint64_t narrow_types(Model& model);

}  // namespace onnxpress::passes
