// Reads the elements only if a fact can use them.
#include "onnxpress/ops/core/tensor_fact.h"

#include "onnxpress/base/error.h"
#include "onnxpress/ops/core/array.h"

namespace onnxpress::ops {

namespace {

constexpr std::size_t kMostReadFloats = 256;  // float weights hardly ever determine shapes

}  // namespace

Shape shape_of_sizes(std::span<const std::int64_t> sizes) {
  Shape shape;
  for (const std::int64_t size : sizes) shape.push_back(size >= 0 && Dim::fits(size) ? Dim::size(size) : Dim());
  return shape;
}

Fact fact_of_tensor(const Tensor& tensor) {
  const bool integer = is_integer(tensor.type) || tensor.type == ElementType::kBool;
  const auto count = tensor.element_count();
  if (count && *count <= (integer ? kMostElementsKnown : kMostReadFloats)) {
    try {
      return Fact::of(Array::from(tensor));
    } catch (const Error&) {  // the file is missing or too short: `check` reports that, and shapes do not depend on it
    }
  }
  Fact fact = Fact::tensor(tensor.type, shape_of_sizes(tensor.dims));
  fact.is_constant = true;
  return fact;
}

}  // namespace onnxpress::ops
