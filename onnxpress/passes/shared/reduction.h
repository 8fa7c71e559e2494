// What a reduction (ReduceMean, ReduceSum, ...) reduces, regardless of where its version of the op keeps that.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

// Counted from the front, in ascending order; all axes if the node names none and that means all. nullopt when they are
// not known.
std::optional<std::vector<std::size_t>> reduced_axes(const Node& reduction, const Rewriter& rw);
// For a reduction that keeps its axes and reduces the last ones: the first reduced axis, counted from the end (-1: only
// the last). nullopt for others.
std::optional<std::int64_t> trailing_axis(const Node& reduction, const Rewriter& rw);
// `scale` in the shape of the last axes of x, starting at `axis` (counted from the end): as it is or, if it is a
// constant, without leading axes of size 1. Null when it has another shape.
Value* in_trailing_shape(Value* scale, const Value* x, std::int64_t axis, Rewriter& rw);
bool keeps_axes(const Node& reduction, const Rewriter& rw);

}  // namespace onnxpress::passes
