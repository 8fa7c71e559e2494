// Exact conversions of JSON numbers: nothing is rounded twice, nothing wraps around.
#include "onnxpress/format/json_scalar.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <system_error>
#include <type_traits>
#include <utility>

#include "onnxpress/base/error.h"
#include "onnxpress/base/from_chars.h"

namespace onnxpress::format {
namespace {

// The whole text as a number; nullopt when there is anything else in it or it is out of range.
template <typename T>
std::optional<T> parse(std::string_view text) {
  T value;
  const auto [end, error] = onnxpress::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <typename T>
std::optional<T> whole_part_of(double value) {
  // 2^63 and 2^64 are doubles; the largest 64-bit integers are not.
  const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
  const double begin = std::is_signed_v<T> ? -end : 0;
  if (!(value >= begin && value < end) || value != std::trunc(value)) return std::nullopt;
  return static_cast<T>(value);
}

template <typename T>
std::optional<T> narrowed(double value) {
  if (std::abs(value) > std::numeric_limits<T>::max()) return std::nullopt;
  return static_cast<T>(value);
}

template <typename T>
std::optional<T> real_in_text(std::string_view text) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  if (text == "NaN") return std::numeric_limits<T>::quiet_NaN();
  if (text == "Infinity") return kInfinity;
  if (text == "-Infinity") return -kInfinity;
  const std::optional<T> value = parse<T>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;  // from_chars takes "inf" and "nan" too
}

}  // namespace

template <std::integral T>
std::optional<T> as_whole(const JsonScalar& scalar) {
  return std::visit(
      [](auto value) -> std::optional<T> {
        using Given = decltype(value);
        if constexpr (std::is_same_v<Given, bool>) {
          return std::nullopt;
        } else if constexpr (std::is_integral_v<Given>) {
          return std::in_range<T>(value) ? std::optional(static_cast<T>(value)) : std::nullopt;
        } else if constexpr (std::is_same_v<Given, JsonReal>) {
          return whole_part_of<T>(value.value);
        } else {
          if (const auto whole = parse<T>(value)) return whole;
          const auto real = parse<double>(value);  // "1e3"
          return real ? whole_part_of<T>(*real) : std::nullopt;
        }
      },
      scalar);
}

template <std::floating_point T>
std::optional<T> as_real(const JsonScalar& scalar) {
  return std::visit(
      [](auto value) -> std::optional<T> {
        using Given = decltype(value);
        if constexpr (std::is_same_v<Given, bool>) {
          return std::nullopt;
        } else if constexpr (std::is_integral_v<Given>) {
          return static_cast<T>(value);
        } else if constexpr (std::is_same_v<Given, JsonReal>) {
          // Reads the digits, because going through double would round twice. from_chars rejects numbers that round to
          // zero, so those are converted from the double.
          const auto exact = parse<T>(value.digits);
          return exact ? exact : narrowed<T>(value.value);
        } else {
          return real_in_text<T>(value);
        }
      },
      scalar);
}

template std::optional<std::int32_t> as_whole(const JsonScalar&);
template std::optional<std::int64_t> as_whole(const JsonScalar&);
template std::optional<std::uint64_t> as_whole(const JsonScalar&);
template std::optional<float> as_real(const JsonScalar&);
template std::optional<double> as_real(const JsonScalar&);

std::string shown(const JsonScalar& scalar) {
  return std::visit(
      [](auto value) -> std::string {
        using Given = decltype(value);
        if constexpr (std::is_same_v<Given, std::string_view>) {
          return quote_name(value);
        } else if constexpr (std::is_same_v<Given, JsonReal>) {
          return value.digits.size() > 40 ? fmt::format("{}", value.value) : std::string(value.digits);
        } else {
          return fmt::format("{}", value);
        }
      },
      scalar);
}

}  // namespace onnxpress::format
