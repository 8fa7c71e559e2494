// Facts of known arrays, and the join of two facts.
#include "onnxpress/ops/core/fact.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "onnxpress/ops/core/dim_math.h"

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

// --- Joining

namespace {

// Compares the content, because the same array may have been computed twice.
bool same(const std::shared_ptr<const Array>& a, const std::shared_ptr<const Array>& b) {
  if (a == b) return true;
  if (!a || !b || a->type() != b->type() || a->sizes() != b->sizes()) return false;
  if (!a->is_string()) return std::memcmp(a->bytes(), b->bytes(), a->count() * a->width()) == 0;
  const auto texts = a->data<std::string>(), others = b->data<std::string>();
  return std::equal(texts.begin(), texts.end(), others.begin());
}

// The list with unknown where the two differ; nullopt when they have different lengths.
std::optional<std::vector<Dim>> join(const std::optional<std::vector<Dim>>& a, const std::optional<std::vector<Dim>>& b,
                                     DimMath& dims) {
  if (!a || !b || a->size() != b->size()) return std::nullopt;
  std::vector<Dim> joined;
  for (std::size_t i = 0; i < a->size(); ++i) joined.push_back(dims.equal((*a)[i], (*b)[i]) ? (*a)[i] : Dim());
  return joined;
}

}  // namespace

Range join(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.finite && b.finite};
}

Fact join(const Fact& a, const Fact& b, DimMath& dims) {
  if (a.kind != b.kind) return Fact::unknown();
  Fact joined{.kind = a.kind};
  if (a.element == b.element) joined.element = a.element;
  joined.shape = join(a.shape, b.shape, dims);
  if (a.inner && b.inner) joined.inner = std::make_shared<const Fact>(join(*a.inner, *b.inner, dims));
  if (joined.shape && joined.sizes()) {
    joined.elements = join(a.elements, b.elements, dims);
    const auto known = [](Dim element) { return !element.is_unknown(); };
    if (joined.elements && std::none_of(joined.elements->begin(), joined.elements->end(), known))
      joined.elements.reset();
  }
  if (a.constant && same(a.constant, b.constant)) {
    joined.constant = a.constant;
    joined.is_constant = true;
  }
  joined.is_splat = a.is_splat && b.is_splat;
  joined.range = join(a.range, b.range);
  return joined;
}

bool same(const Fact& a, const Fact& b) {
  const bool same_inner = a.inner && b.inner ? same(*a.inner, *b.inner) : !a.inner == !b.inner;
  return same_inner && a.kind == b.kind && a.element == b.element && a.shape == b.shape && a.elements == b.elements &&
         same(a.constant, b.constant) && a.is_constant == b.is_constant && a.is_splat == b.is_splat &&
         a.range == b.range;
}

}  // namespace onnxpress::ops
