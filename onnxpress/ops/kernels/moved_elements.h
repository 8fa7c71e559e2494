// Inference of the elements of ops that only move data (Slice, Transpose, Concat, Gather, ...).
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

// Sets the symbolic elements of the results, if `evaluate` only moves elements of some operands: bit i of `moved`
// stands for operand i. Finds them by evaluating the op on the positions of the elements instead of the elements, so
// each rule is written only once. The shapes of the results must be set, and all other operands must be constant.
void infer_moved_elements(Inference& in, bool (*evaluate)(Call&), std::uint64_t moved = 1);

// Each result consists of elements of operand 0, so it has the same bounds, and is splat if operand 0 is.
void infer_moved_values(Inference& in);
// Both of the above, for ops that move elements of operand 0.
void infer_moved(Inference& in, bool (*evaluate)(Call&));

// The dim if it is known, otherwise a new symbol (for a size that depends on data).
inline Dim known_or_fresh(Inference& in, Dim dim, std::size_t result, std::size_t axis) {
  return dim.is_unknown() ? in.fresh(result, axis) : dim;
}

// For a result of which only the rank is known: each size is a new symbol.
inline void set_fresh_shape(Inference& in, std::size_t rank) {
  Shape shape;
  for (std::size_t axis = 0; axis < rank; ++axis) shape.push_back(in.fresh(0, axis));
  in.set_shape(std::move(shape));
}

}  // namespace onnxpress::ops
