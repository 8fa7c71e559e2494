// Rounds by binary search: without their sign, the bit patterns of a format are ordered by value.
#include "onnxpress/text/small_float.h"

#include <fmt/format.h>

#include <cmath>

#include "onnxpress/text/numbers.h"

namespace onnxpress::text {

namespace {

// The quiet nan without a payload.
std::optional<std::uint32_t> nan_bits(SmallFloat format) {
  switch (format) {
    case SmallFloat::kFloat16:
      return 0x7e00;
    case SmallFloat::kBfloat16:
      return 0x7fc0;
    case SmallFloat::kFloat8e5m2:
      return 0x7e;
    case SmallFloat::kFloat8e4m3fn:
      return 0x7f;
    case SmallFloat::kFloat8e4m3fnuz:
    case SmallFloat::kFloat8e5m2fnuz:
      return 0x80;
    case SmallFloat::kFloat8e8m0:
      return 0xff;
    default:
      return std::nullopt;
  }
}

bool has_sign(SmallFloat format) { return format != SmallFloat::kFloat8e8m0; }
bool has_minus_zero(SmallFloat format) {
  return format != SmallFloat::kFloat8e4m3fnuz && format != SmallFloat::kFloat8e5m2fnuz;
}

// For a number that is not negative but may be infinity. Nan patterns come last, compare false and are never found.
std::optional<std::uint32_t> nearest_magnitude(SmallFloat format, double value) {
  const std::uint32_t count = 1U << (bits_of(format) - (has_sign(format) ? 1 : 0));
  std::uint32_t low = 0, high = count;  // the last pattern that is not above `value` is in [low, high)
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (value_of(format, middle) <= value ? low : high) = middle;
  }
  const double below = value_of(format, low);
  if (below == value) return low;
  if (std::isinf(value)) return std::nullopt;
  const double above = low + 1 < count ? value_of(format, low + 1) : NAN;
  if (!std::isfinite(above)) {
    const double step = below - static_cast<double>(value_of(format, low - 1));
    if (value - below >= step / 2) return std::nullopt;
    return low;
  }
  const bool up = value - below > above - value || (value - below == above - value && low % 2 == 1);
  return up ? low + 1 : low;
}

}  // namespace

std::optional<std::uint32_t> small_float_bits(SmallFloat format, double value) {
  const bool negative = std::signbit(value);
  if (!has_sign(format) && (negative || value == 0)) return std::nullopt;  // float8e8m0 has no zero
  const auto magnitude = std::isnan(value) ? nan_bits(format) : nearest_magnitude(format, std::fabs(value));
  if (!magnitude || !negative) return magnitude;
  if (!has_minus_zero(format) && (*magnitude == 0 || std::isnan(value))) return magnitude;
  return *magnitude | (1U << (bits_of(format) - 1));
}

void append_small_float(std::string& out, SmallFloat format, std::uint32_t bits) {
  const float value = value_of(format, bits);
  const std::size_t begin = out.size();
  const auto leads_back = [&] {
    const auto back = to_double({Number::Kind::kReal, std::string_view(out).substr(begin)});
    return back && small_float_bits(format, *back) == bits;
  };
  // Prefer the exact number if it is short: 0.125 and 65504.0, not 0.1 and 65500.0, which round to the same pattern.
  constexpr std::size_t kShort = 7;
  fmt::format_to(std::back_inserter(out), "{}", value);
  if (out.size() - begin <= kShort && leads_back()) return mark_as_real(out, begin);
  out.resize(begin);
  constexpr int kMostDigits = 9;  // a float needs no more
  for (int digits = 1; digits <= kMostDigits && !std::isnan(value); ++digits) {
    fmt::format_to(std::back_inserter(out), "{:.{}g}", value, digits);
    if (leads_back()) return mark_as_real(out, begin);
    out.resize(begin);
  }
  for (const std::string_view nan : {"nan", "-nan"}) {
    out += nan;
    if (leads_back()) return;
    out.resize(begin);
  }
  fmt::format_to(std::back_inserter(out), "{}", bits);
}

}  // namespace onnxpress::text
