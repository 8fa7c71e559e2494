// The shape operand of a Reshape, from what is known about both shapes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

// Sizes where they are known, 0 for dims that are proved equal to the dim of x at their place, -1 for at most one
// other. nullopt when that is not enough. Sizes are taken to be at least 1, as everywhere in passes: -1 next to an
// empty dim would be ambiguous. `copies`: 0 means "copy" (allowzero is off).
std::optional<std::vector<std::int64_t>> view_dims(const std::optional<ops::Shape>& from, const ops::Shape& to,
                                                   Rewriter& rw, bool copies = true);

// The ops that change nothing but the shape.
inline constexpr std::string_view kViewOps[] = {"Reshape", "Flatten", "Squeeze", "Unsqueeze"};

}  // namespace onnxpress::passes
