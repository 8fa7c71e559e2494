// Inference of the elements of ops that only move data (Slice, Transpose, Concat, Gather, ...).
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

// The symbolic elements of the results, when `evaluate` does nothing but move elements of some operands: bit i of
// `moved` stands for operand i. Finds them by evaluating the op on the positions of the elements instead of the
// elements, so the rule is written once. Needs the results' shapes to be set, and all other operands to be constant.
void infer_moved_elements(Inference& in, bool (*evaluate)(Call&), std::uint64_t moved = 1);

// Each result has only elements of operand 0: it keeps the bounds, and is splat when that is.
void infer_moved_values(Inference& in);
// Both of the above: for ops that move elements of operand 0.
void infer_moved(Inference& in, bool (*evaluate)(Call&));

// A dim that is known, or a symbol of its own for one that depends on data.
inline Dim known_or_fresh(Inference& in, Dim dim, std::size_t result, std::size_t axis) {
  return dim.is_unknown() ? in.fresh(result, axis) : dim;
}

// Nothing but the rank is known: each size is a symbol of its own.
inline void set_fresh_shape(Inference& in, std::size_t rank) {
  Shape shape;
  for (std::size_t axis = 0; axis < rank; ++axis) shape.push_back(in.fresh(0, axis));
  in.set_shape(std::move(shape));
}

}  // namespace onnxpress::ops
