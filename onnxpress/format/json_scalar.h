// A number, string or word in a JSON file, converted to the type that an ONNX field needs.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace onnxpress::format {

struct JsonReal {
  double value;
  std::string_view digits;  // as written in the file
};

using JsonScalar = std::variant<bool, std::int64_t, std::uint64_t, JsonReal, std::string_view>;

// Nullopt when `scalar` is not a whole number or T cannot hold it. Whole numbers in texts, or written as 1e3, count.
template <std::integral T>
std::optional<T> as_whole(const JsonScalar& scalar);
// Nullopt when `scalar` is not a number or is too large for T. "NaN", "Infinity", "-Infinity" and numbers in texts
// count as numbers.
template <std::floating_point T>
std::optional<T> as_real(const JsonScalar& scalar);

// For messages: "'abc'", "1.5", "true".
std::string shown(const JsonScalar& scalar);

}  // namespace onnxpress::format
