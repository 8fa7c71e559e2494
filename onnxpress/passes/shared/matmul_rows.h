// Which rows of two operands a MatMul multiplies: tells whether a product may be computed from other views of them.
#pragma once

#include "onnxpress/ops/core/fact.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

// The shapes of the operands of a MatMul, and of its result.
struct ProductShapes {
  ops::Shape a, b, result;
};

// The shapes of MatMul(a, b); nullopt if the operands do not fit, or the result is not known.
std::optional<ProductShapes> product_shapes(const ops::Shape& a, const ops::Shape& b, const Rewriter& rw);

// Whether both products have the same elements in the same order, if `other` multiplies the elements of the same
// operands in other shapes.
bool same_products(const ProductShapes& one, const ProductShapes& other, const Rewriter& rw);

}  // namespace onnxpress::passes
