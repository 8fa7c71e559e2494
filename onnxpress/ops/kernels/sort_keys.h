// Keys to sort elements by: two number types and strings stand for all element types, so that sorting is compiled three
// times and not 28.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "onnxpress/ops/core/array.h"

namespace onnxpress::ops {

// A number that sorts like the element: NaN comes after all others and is equal to itself.
struct NumberKey {
  double number;

  friend bool operator<(NumberKey a, NumberKey b) {
    return a.number < b.number || (a.number == a.number && b.number != b.number);
  }
  friend bool operator==(NumberKey a, NumberKey b) {
    return a.number == b.number || (a.number != a.number && b.number != b.number);
  }
};

struct SortKeys {
  std::variant<std::monostate, std::vector<NumberKey>, std::vector<std::int64_t>, std::vector<std::string_view>> keys;
  std::size_t per_element = 1;  // 2 for complex numbers: real part, then imaginary part

  // The keys are monostate if elements of this type cannot be sorted. String keys point into the array.
  explicit SortKeys(const Array& array);
};

}  // namespace onnxpress::ops
