// Stores int64 constants as int32 and float64 constants as float32, without a Cast, if all their readers accept the
// narrower type.
#pragma once

#include <cstdint>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// How many became narrower. Values stay the same; only constants whose type no result and no computed operand shares
// are touched, so all other types of the model stay.
std::uint64_t narrow_types(Model& model);

}  // namespace onnxpress::passes
