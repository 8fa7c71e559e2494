// Reads the elements of arrays of any number type as doubles, without a copy.
#pragma once

#include <span>

#include "onnxpress/ops/core/array.h"
#include "onnxpress/ops/core/element.h"

namespace onnxpress::compare {

using NumberTypes = ops::TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16,
                                  ElementType::kBfloat16, ElementType::kUint8, ElementType::kInt8, ElementType::kUint16,
                                  ElementType::kInt16, ElementType::kUint32, ElementType::kInt32, ElementType::kUint64,
                                  ElementType::kInt64, ElementType::kBool>;

// The elements of an array as doubles.
template <typename T>
struct Numbers {
  std::span<const T> elements;
  double operator()(std::size_t i) const { return static_cast<double>(static_cast<ops::Computed<T>>(elements[i])); }
};

// Calls `use` with the Numbers of an array; does nothing if it holds no numbers.
template <typename Use>
void with_numbers(const ops::Array& array, const Use& use) {
  ops::dispatch(NumberTypes(), array.type(), [&]<typename T>() { use(Numbers<T>{array.data<T>()}); });
}

// The same for two arrays of the same type.
template <typename Use>
void with_numbers(const ops::Array& first, const ops::Array& second, const Use& use) {
  ops::dispatch(NumberTypes(), first.type(),
                [&]<typename T>() { use(Numbers<T>{first.data<T>()}, Numbers<T>{second.data<T>()}); });
}

}  // namespace onnxpress::compare
