// The shape operand of a Reshape, from what is known about both shapes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

// Known sizes as they are, 0 for dims that provably equal the dim of `from` at the same position, -1 for at most one
// other. nullopt when that is not enough. Sizes are assumed to be at least 1, as everywhere in passes: -1 next to an
// empty dim would be ambiguous. `copies`: whether 0 means "copy" (allowzero is off).
std::optional<std::vector<std::int64_t>> view_dims(const std::optional<ops::Shape>& from, const ops::Shape& to,
                                                   Rewriter& rw, bool copies = true);

// The ops that change only the shape.
inline constexpr std::string_view kViewOps[] = {"Reshape", "Flatten", "Squeeze", "Unsqueeze"};

}  // namespace onnxpress::passes
