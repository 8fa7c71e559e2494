// Facts of arrays that are at hand.
#include "onnxpress/ops/fact.h"

#include <cmath>

namespace onnxpress::ops {

std::optional<Sizes> Fact::sizes() const {
  if (!shape) return std::nullopt;
  Sizes sizes;
  for (const Dim dim : *shape) {
    const auto size = dim.size();
    if (!size) return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

namespace {

// Bounds, finiteness and whether all elements are the same number.
template <typename T>
void look_at_elements(std::span<const T> elements, Fact& fact) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool finite = true, splat = true;
  const auto first = static_cast<double>(static_cast<Computed<T>>(elements[0]));
  for (const T& each : elements) {
    const auto value = static_cast<double>(static_cast<Computed<T>>(each));
    if (std::isnan(value)) {
      fact.range = Range();
      return;
    }
    finite &= std::isfinite(value);
    splat &= value == first && std::signbit(value) == std::signbit(first);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  fact.range = {low, high, finite};
  fact.is_splat = splat;
}

}  // namespace

Fact Fact::of(const Array& array) {
  Shape shape;
  for (const std::int64_t size : array.sizes()) shape.push_back(Dim::size(size));
  Fact fact = tensor(array.type(), std::move(shape));
  fact.constant = std::make_shared<const Array>(array);
  fact.is_constant = true;
  if (array.count() == 0) return fact;
  using Types =
      TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16, ElementType::kBfloat16,
               ElementType::kUint8, ElementType::kInt8, ElementType::kUint16, ElementType::kInt16, ElementType::kUint32,
               ElementType::kInt32, ElementType::kUint64, ElementType::kInt64, ElementType::kBool>;
  dispatch(Types(), array.type(), [&]<typename T>() { look_at_elements(array.data<T>(), fact); });
  const bool integer = is_integer(array.type()) || array.type() == ElementType::kBool;
  if (integer && array.count() <= kMostElementsKnown) {
    const auto integers = array.integers();
    std::vector<Dim> elements;
    for (const std::int64_t value : *integers) elements.push_back(Dim::fits(value) ? Dim::size(value) : Dim());
    fact.elements = std::move(elements);
  }
  return fact;
}

}  // namespace onnxpress::ops
