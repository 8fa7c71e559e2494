// Compares dim by dim and element by element.
#include "tests/support/fact_check.h"

#include <fmt/format.h>

#include <cmath>

#include "onnxpress/ops/core/dim_math.h"

namespace onnxpress::tests {

using ops::Fact;

std::string FactCheck::contradiction(const Value& value, const ops::Datum& datum) {
  const Fact& fact = facts_.of(value);
  if (datum.array()) {
    ++seen;
    complete += facts_.is_complete(value);
  }
  const std::string found = check(fact, datum);
  if (found.empty()) return {};
  Fact shown = fact;
  shown.shape = facts_.shape_of(value);
  return fmt::format("value '{}': inferred {}, but {}", value.name(), analysis::to_string(shown), found);
}

std::string FactCheck::check(const Fact& fact, const ops::Datum& datum) {
  if (fact.kind == Fact::Kind::kUnknown || fact.kind == Fact::Kind::kMap || fact.kind == Fact::Kind::kOther) return {};
  if (fact.kind == Fact::Kind::kOptional)
    return datum.empty() || !fact.inner ? std::string() : check(*fact.inner, datum);
  if (fact.kind == Fact::Kind::kSequence) {
    if (!datum.sequence()) return "it is not a sequence";
    // Items may differ in shape, so symbols in the fact about items do not stand for the sizes of one item.
    for (const ops::Datum& item : *datum.sequence()) {
      if (fact.inner && item.array() && fact.inner->is_tensor() && fact.inner->element != ElementType::kUndefined &&
          item.array()->type() != fact.inner->element) {
        return fmt::format("an item has type {}", name_of(item.array()->type()));
      }
      if (fact.inner && item.array() && fact.inner->shape && fact.inner->shape->size() != item.array()->rank()) {
        return fmt::format("an item has rank {}", item.array()->rank());
      }
    }
    return {};
  }
  return datum.array() ? check_array(fact, *datum.array()) : "it is not a tensor";
}

std::string FactCheck::check_dim(Dim dim, std::int64_t actual, const char* what, std::size_t position) {
  ops::DimMath& math = facts_.dims();
  dim = math.resolve(dim);
  if (dim.is_unknown()) return {};
  if (math.is_plain(dim) && !sizes_.contains(dim.symbol())) {
    if (actual < 0 && math.at_least(dim, 0))
      return fmt::format("{} {} is {}, a negative number", what, position, actual);
    sizes_.emplace(dim.symbol(), actual);
    return {};
  }
  const auto value = math.value_of(dim, [this](const Symbol& symbol) -> std::optional<std::int64_t> {
    const auto found = sizes_.find(&symbol);
    return found == sizes_.end() ? std::nullopt : std::optional(found->second);
  });
  if (!value || *value == actual) return {};
  return fmt::format("{} {} is {}, not {} = {}", what, position, actual, onnxpress::to_string(dim), *value);
}

std::string FactCheck::check_array(const Fact& fact, const ops::Array& array) {
  if (fact.element != ElementType::kUndefined && fact.element != array.type())
    return fmt::format("its type is {}", name_of(array.type()));
  if (!fact.shape) return {};
  if (fact.shape->size() != array.rank()) return fmt::format("its shape is {}", onnxpress::to_string(array.sizes()));
  for (std::size_t axis = 0; axis < array.rank(); ++axis) {
    const std::string found = check_dim((*fact.shape)[axis], array.size(axis), "dim", axis);
    if (!found.empty()) return found;
  }
  if (fact.elements) {
    std::optional<std::vector<std::int64_t>> elements = array.integers();
    if (!elements && array.type() == ElementType::kFloat) {
      elements.emplace();
      for (const float each : array.data<float>()) elements->push_back(static_cast<std::int64_t>(each));
    }
    if (elements && elements->size() != fact.elements->size())
      return fmt::format("it has {} elements", elements->size());
    for (std::size_t i = 0; elements && i < elements->size(); ++i) {
      const std::string found = check_dim((*fact.elements)[i], (*elements)[i], "element", i);
      if (!found.empty()) return found;
    }
  }
  return check_range(fact, array);
}

std::string FactCheck::check_range(const Fact& fact, const ops::Array& array) const {
  const Fact actual = Fact::of(array);
  if (array.count() == 0) return {};
  if (fact.range.finite && !actual.range.finite && is_float(array.type())) return "it is not finite";
  // Ranges are only about numbers, so NaN is outside every range that was proved.
  const bool nan =
      is_float(array.type()) && !actual.range.finite && std::isinf(actual.range.low) && std::isinf(actual.range.high);
  if (!nan && actual.range.low < fact.range.low)
    return fmt::format("its least element is {}, below {}", actual.range.low, fact.range.low);
  if (!nan && actual.range.high > fact.range.high)
    return fmt::format("its largest element is {}, above {}", actual.range.high, fact.range.high);
  if (fact.is_splat && !actual.is_splat && array.type() != ElementType::kString && !nan) return "its elements differ";
  return {};
}

}  // namespace onnxpress::tests
