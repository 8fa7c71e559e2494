// What a reduction (ReduceMean, ReduceSum, ...) reduces, regardless of where its version of the op keeps that.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

// Counted from the front, in order; all axes where none are named and that means all. nullopt when it is not known.
std::optional<std::vector<std::size_t>> reduced_axes(const Node& reduction, const Rewriter& rw);
// For one that keeps its axes and reduces the last ones: the first of them, counted from the end (-1: only the last).
std::optional<std::int64_t> trailing_axis(const Node& reduction, const Rewriter& rw);
// `scale` in the shape of the last axes of x from `axis` (counted from the end) on: as it is, or a constant without its
// leading axes of size 1. Null when it has another shape.
Value* in_trailing_shape(Value* scale, const Value* x, std::int64_t axis, Rewriter& rw);
bool keeps_axes(const Node& reduction, const Rewriter& rw);

}  // namespace onnxpress::passes
