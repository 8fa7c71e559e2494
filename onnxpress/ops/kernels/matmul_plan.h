// How numpy's matmul pairs up the matrices of two arrays: batches, broadcasting and the rules for one dimension.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onnxpress/ops/core/array.h"
#include "onnxpress/ops/core/inference.h"
#include "onnxpress/ops/kernels/gemm.h"

namespace onnxpress::ops {

struct MatMulPlan {
  GemmSizes matrix;  // of each product
  bool transpose_a = false, transpose_b = false;
  std::vector<std::int64_t> a_at, b_at;  // where the matrices of each product begin, in elements
  bool same_right = false;               // all products have the same b, and the a follow each other
  Sizes sizes;                           // of the result

  std::size_t products() const { return a_at.size(); }
};
// nullopt when the shapes do not fit together, or the result is too large.
std::optional<MatMulPlan> plan_matmul(Sizes a, Sizes b, bool transpose_a = false, bool transpose_b = false);

// The products of arrays of one type: float, double, or integers of 32 or 64 bits (which wrap around).
Array multiply(const MatMulPlan& plan, const Array& a, const Array& b);

// Products of 8-bit integers. Zero points: one; one per row of a, or column of b; or that per product. nullopt when
// their number does not fit; an absent zero point is an array without elements.
std::optional<Array> multiply_integers(const MatMulPlan& plan, const Array& a, const Array& b, const Array& a_zero,
                                       const Array& b_zero);

// The shape of the result; nullopt when a rank is not known.
std::optional<Shape> matmul_shape(Inference& in, const Shape* a, const Shape* b, bool transpose_a = false,
                                  bool transpose_b = false);

// "[2,3] and [4,5]", for messages.
std::string shapes_text(const Sizes& a, const Sizes& b);

}  // namespace onnxpress::ops
