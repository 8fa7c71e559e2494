// Handles the cases that std::from_chars and fmt do not.
#include "onnxpress/text/numbers.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "onnxpress/base/from_chars.h"

namespace onnxpress::text {

namespace {

template <typename T, typename... Format>
std::optional<T> whole(std::string_view text, Format... format) {
  T value{};
  const auto [end, error] = onnxpress::from_chars(text.data(), text.data() + text.size(), value, format...);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Whether a real number that from_chars calls out of range is too small, and so 0, rather than too large. It is if its
// first significant digit is worth less than 1: in 12e-500 that digit is worth 10^-499.
bool is_tiny(std::string_view text) {
  const std::size_t mantissa_end = std::min(text.find_first_of("eE"), text.size());
  std::int64_t exponent = 0;
  if (mantissa_end < text.size()) {
    std::string_view digits = text.substr(mantissa_end + 1);
    if (digits[0] == '+') digits.remove_prefix(1);
    exponent = whole<std::int64_t>(digits).value_or(digits[0] == '-' ? INT64_MIN / 2 : INT64_MAX / 2);
  }
  const std::string_view mantissa = text.substr(0, mantissa_end);
  const std::size_t first = std::min(mantissa.find_first_of("123456789"), mantissa.size());
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  return exponent < static_cast<std::int64_t>(first) - static_cast<std::int64_t>(point);
}

template <typename Real>
std::optional<Real> to_real(const Number& number) {
  if (number.kind == Number::Kind::kNanBits) return std::nullopt;
  const char* end = number.text.data() + number.text.size();
  Real value{};
  const auto [stop, error] = onnxpress::from_chars(number.text.data(), end, value);
  if (error == std::errc::result_out_of_range) {
    if (!is_tiny(number.text)) return std::nullopt;
    return number.text[0] == '-' ? -Real{0} : Real{0};
  }
  if (error != std::errc() || stop != end) return std::nullopt;
  // A nan keeps its sign, but not every from_chars preserves it.
  if (std::isnan(value))
    value = std::copysign(std::numeric_limits<Real>::quiet_NaN(), number.text[0] == '-' ? Real{-1} : Real{1});
  return value;
}

template <typename Real, typename Bits>
std::optional<Bits> to_bits(const Number& number) {
  if (number.kind == Number::Kind::kNanBits) {
    const auto bits = whole<Bits>(number.text, 16);
    return bits && std::isnan(std::bit_cast<Real>(*bits)) ? bits : std::nullopt;
  }
  const auto value = to_real<Real>(number);
  if (!value) return std::nullopt;
  return std::bit_cast<Bits>(*value);
}

template <typename Real, typename Bits>
void append_real(std::string& out, Bits bits) {
  const Real value = std::bit_cast<Real>(bits);
  constexpr Bits kSign = Bits{1} << (sizeof(Bits) * 8 - 1);
  const bool odd_nan =
      std::isnan(value) && (bits & ~kSign) != std::bit_cast<Bits>(std::numeric_limits<Real>::quiet_NaN());
  if (odd_nan) {
    fmt::format_to(std::back_inserter(out), "nan({:#x})", bits);
  } else {
    char text[32];
    out.append(text, fmt::format_to(text, FMT_COMPILE("{}"), value));
  }
}

}  // namespace

std::optional<std::int64_t> to_int64(const Number& number) {
  return number.kind == Number::Kind::kInteger ? whole<std::int64_t>(number.text) : std::nullopt;
}

std::optional<std::uint64_t> to_uint64(const Number& number) {
  return number.kind == Number::Kind::kInteger ? whole<std::uint64_t>(number.text) : std::nullopt;
}

std::optional<std::uint32_t> to_float_bits(const Number& number) { return to_bits<float, std::uint32_t>(number); }
std::optional<std::uint64_t> to_double_bits(const Number& number) { return to_bits<double, std::uint64_t>(number); }
std::optional<double> to_double(const Number& number) { return to_real<double>(number); }

void append_float(std::string& out, std::uint32_t bits) { append_real<float>(out, bits); }
void append_double(std::string& out, std::uint64_t bits) { append_real<double>(out, bits); }

void mark_as_real(std::string& out, std::size_t begin) {
  if (out.find_first_of(".eEn", begin) == std::string::npos) out += ".0";
}

}  // namespace onnxpress::text
