// How NumPy's matmul pairs up the matrices of two arrays: batches, broadcasting and the rules for one dimension.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onnxpress/ops/core/array.h"
#include "onnxpress/ops/core/inference.h"
#include "onnxpress/ops/kernels/gemm.h"

namespace onnxpress::ops {

struct MatMulPlan {
  GemmSizes matrix;  // sizes of each product
  bool transpose_a = false, transpose_b = false;
  std::vector<std::int64_t> a_at, b_at;  // where the matrices of each product begin, in elements
  bool same_right = false;               // all products have the same b, and their a are consecutive
  Sizes sizes;                           // of the result

  std::size_t products() const { return a_at.size(); }
};
// Nullopt when the shapes do not match, or the result is too large.
std::optional<MatMulPlan> plan_matmul(Sizes a, Sizes b, bool transpose_a = false, bool transpose_b = false);

// Multiplies arrays of one type: float, double, or integers of 32 or 64 bits (which wrap around).
Array multiply(const MatMulPlan& plan, const Array& a, const Array& b);

// Multiplies 8-bit integers. There may be one zero point, one per row of a or column of b, or that many for each
// product. Nullopt when their number is wrong; an absent zero point is an array without elements.
std::optional<Array> multiply_integers(const MatMulPlan& plan, const Array& a, const Array& b, const Array& a_zero,
                                       const Array& b_zero);

// The shape of the result; nullopt when a rank is not known.
std::optional<Shape> matmul_shape(Inference& in, const Shape* a, const Shape* b, bool transpose_a = false,
                                  bool transpose_b = false);

// "[2,3] and [4,5]", for messages.
std::string shapes_text(const Sizes& a, const Sizes& b);

}  // namespace onnxpress::ops
