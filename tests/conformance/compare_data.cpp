// Compares element by element.
#include "tests/conformance/compare_data.h"

#include <fmt/format.h>

#include <cmath>
#include <complex>

namespace onnxpress::tests {

namespace {

using Numbers = ops::TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16, ElementType::kBfloat16,
                              ElementType::kUint8, ElementType::kInt8, ElementType::kUint16, ElementType::kInt16,
                              ElementType::kUint32, ElementType::kInt32, ElementType::kUint64, ElementType::kInt64,
                              ElementType::kBool, ElementType::kUint4, ElementType::kInt4, ElementType::kUint2,
                              ElementType::kInt2, ElementType::kFloat8e4m3fn, ElementType::kFloat8e4m3fnuz,
                              ElementType::kFloat8e5m2, ElementType::kFloat8e5m2fnuz, ElementType::kFloat8e8m0,
                              ElementType::kFloat6e2m3, ElementType::kFloat6e3m2, ElementType::kFloat4e2m1>;

bool close(double found, double expected, const Tolerance& tolerance) {
  if (std::isnan(found) || std::isnan(expected)) return std::isnan(found) && std::isnan(expected);
  if (found == expected) return true;
  if (std::isinf(found) || std::isinf(expected)) return false;
  return std::abs(found - expected) <= tolerance.absolute + tolerance.relative * std::abs(expected);
}

template <typename T>
std::string element_difference(const ops::Array& found, const ops::Array& expected, const Tolerance& tolerance) {
  for (std::size_t i = 0; i < found.count(); ++i) {
    if constexpr (std::is_integral_v<T>) {
      if (found.data<T>()[i] != expected.data<T>()[i])
        return fmt::format("element {} is {}, expected {}", i, found.data<T>()[i], expected.data<T>()[i]);
    } else {
      const auto a = static_cast<double>(static_cast<ops::Computed<T>>(found.data<T>()[i]));
      const auto b = static_cast<double>(static_cast<ops::Computed<T>>(expected.data<T>()[i]));
      if (!close(a, b, tolerance)) return fmt::format("element {} is {}, expected {}", i, a, b);
    }
  }
  return {};
}

// Results in narrow types may differ by a step or two, because expanded functions round after every op, others once.
Tolerance widened(Tolerance tolerance, ElementType type) {
  if (type == ElementType::kBfloat16) tolerance.relative = std::max(tolerance.relative, 0x1p-6);
  if (type == ElementType::kFloat16) tolerance.relative = std::max(tolerance.relative, 0x1p-9);
  return tolerance;
}

std::string array_difference(const ops::Array& found, const ops::Array& expected, const Tolerance& official) {
  const Tolerance tolerance = widened(official, found.type());
  if (found.type() != expected.type())
    return fmt::format("type {}, expected {}", name_of(found.type()), name_of(expected.type()));
  if (found.sizes() != expected.sizes())
    return fmt::format("shape {}, expected {}", to_string(found.sizes()), to_string(expected.sizes()));
  std::string difference;
  const bool number = ops::dispatch(
      Numbers(), found.type(), [&]<typename T>() { difference = element_difference<T>(found, expected, tolerance); });
  if (number) return difference;
  if (found.is_string()) {
    for (std::size_t i = 0; i < found.count(); ++i) {
      if (found.data<std::string>()[i] != expected.data<std::string>()[i])
        return fmt::format("element {} is '{}', expected '{}'", i, found.data<std::string>()[i],
                           expected.data<std::string>()[i]);
    }
    return {};
  }
  const auto complex = [&]<typename T>() {
    for (std::size_t i = 0; i < found.count(); ++i) {
      const T a = found.data<T>()[i], b = expected.data<T>()[i];
      if (!close(a.real(), b.real(), tolerance) || !close(a.imag(), b.imag(), tolerance))
        difference = fmt::format("element {} differs", i);
    }
  };
  ops::dispatch(ops::TypeList<ElementType::kComplex64, ElementType::kComplex128>(), found.type(), complex);
  return difference;
}

}  // namespace

std::string difference(const ops::Datum& found, const ops::Datum& expected, const Tolerance& tolerance) {
  if (found.content.index() != expected.content.index())
    return fmt::format("kind {}, expected {}", found.content.index(), expected.content.index());
  if (found.array()) return array_difference(*found.array(), *expected.array(), tolerance);
  if (!found.sequence()) return {};
  if (found.sequence()->size() != expected.sequence()->size())
    return fmt::format("{} items, expected {}", found.sequence()->size(), expected.sequence()->size());
  for (std::size_t i = 0; i < found.sequence()->size(); ++i) {
    const std::string inside = difference((*found.sequence())[i], (*expected.sequence())[i], tolerance);
    if (!inside.empty()) return fmt::format("item {}: {}", i, inside);
  }
  return {};
}

}  // namespace onnxpress::tests
