// Conversions between float16, bfloat16, float and double arrays.
#include "onnxpress/ops/kernels/widen.h"

namespace onnxpress::ops {

namespace {

template <typename From, typename To>
Array converted(const Array& array) {
  Array result = Array::make<To>(array.sizes());
  const auto from = array.data<From>();
  const auto to = result.mutable_data<To>();
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<To>(static_cast<float>(from[i]));
  return result;
}

}  // namespace

Array widened(const Array& array) {
  if (array.type() == ElementType::kFloat16) return converted<Float16, float>(array);
  if (array.type() == ElementType::kBfloat16) return converted<Bfloat16, float>(array);
  return array;
}

Array narrowed(Array array, ElementType type) {
  if (array.type() == ElementType::kFloat && type == ElementType::kFloat16) return converted<float, Float16>(array);
  if (array.type() == ElementType::kFloat && type == ElementType::kBfloat16) return converted<float, Bfloat16>(array);
  if (array.type() == ElementType::kDouble && type == ElementType::kFloat) return converted<double, float>(array);
  return array;
}

}  // namespace onnxpress::ops
