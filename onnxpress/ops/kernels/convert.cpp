// Converts numbers through one of four wide types (float, double, int64, uint64) in small buffers, so that 28 x 28
// conversions need only 28 readers and 4 x 28 writers.
#include "onnxpress/ops/kernels/convert.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "onnxpress/base/parallel_for.h"
#include "onnxpress/ops/kernels/convert_strings.h"

namespace onnxpress::ops {

namespace {

using WideTypes =
    TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kUint8, ElementType::kInt8, ElementType::kUint16,
             ElementType::kInt16, ElementType::kUint32, ElementType::kInt32, ElementType::kInt64, ElementType::kUint64,
             ElementType::kBool, ElementType::kInt4, ElementType::kUint4, ElementType::kInt2, ElementType::kUint2>;

// Cuts off the fraction. For numbers out of range, x86 instructions give the most negative integer, and narrow types
// take its low bits.
template <typename To, typename From>
To truncated(From value) {
  constexpr From k31 = 0x1p31F, k63 = 0x1p63F;
  constexpr bool kViaInt32 = sizeof(To) < 4 || std::is_same_v<To, std::int32_t>;
  if constexpr (kViaInt32) {
    const bool fits = value > -k31 - 1 && value < k31;
    return static_cast<To>(fits ? static_cast<std::int32_t>(value) : std::numeric_limits<std::int32_t>::min());
  } else {
    if constexpr (std::is_same_v<To, std::uint64_t>) {
      if (value >= k63) return value < 2 * k63 ? static_cast<std::uint64_t>(value) : 0;
    }
    const bool fits = value >= -k63 && value < k63;
    return static_cast<To>(fits ? static_cast<std::int64_t>(value) : std::numeric_limits<std::int64_t>::min());
  }
}

template <typename To, typename From>
To one_converted(From value) {
  if constexpr (std::is_same_v<To, Bool>) {
    return Bool(value != 0);
  } else if constexpr (std::is_floating_point_v<To> || !std::is_floating_point_v<From>) {
    return static_cast<To>(value);
  } else {
    return truncated<To>(value);
  }
}

// A float near `value` that rounds to the same number of 16 bits or fewer as `value` itself. If bits were cut off, the
// last bit is set, so that rounding does not see a false tie.
float rounded_to_odd(double value) {
  const auto near = static_cast<float>(value);
  if (static_cast<double>(near) == value || !std::isfinite(near)) return near;
  auto bits = std::bit_cast<std::uint32_t>(near);
  if (std::abs(static_cast<double>(near)) > std::abs(value)) --bits;
  return std::bit_cast<float>(bits | 1U);
}

// By the tables in Cast's documentation. Zero and numbers below 2^-127 become the smallest number if `saturate`, else
// NaN.
std::uint8_t float8e8m0_bits(float value, Conversion how) {
  constexpr std::uint8_t kNan = 0xff, kLargest = 0xfe;
  if (std::isnan(value)) return kNan;
  if (std::isinf(value)) return how.saturate ? kLargest : kNan;
  const float magnitude = std::abs(value);
  if (magnitude < 0x1p-127F) return how.saturate ? 0 : kNan;
  int exponent = 0;
  const float fraction = std::frexp(magnitude, &exponent);  // in [0.5, 1)
  int biased = exponent - 1 + 127;
  const bool up = how.round == Conversion::Round::kUp        ? fraction > 0.5F
                  : how.round == Conversion::Round::kNearest ? fraction >= 0.75F
                                                             : false;
  if (up) ++biased;
  if (biased > kLargest) return how.saturate ? kLargest : kNan;
  return static_cast<std::uint8_t>(biased);
}

void store_small(SmallFloat format, const float* from, std::size_t count, std::byte* to, Conversion how) {
  if (format == SmallFloat::kFloat8e8m0) {
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<std::byte>(float8e8m0_bits(from[i], how));
    return;
  }
  const bool saturates = how.saturate && bits_of(format) < 16;
  nearest_bits(format, from, count, to, saturates ? Overflow::kSaturate : Overflow::kInfinity);
}

template <typename From>
bool store_from(const From* from, std::size_t count, ElementType type, std::byte* to, Conversion how) {
  if (const auto format = small_float_of(type)) {
    if constexpr (std::is_same_v<From, float>) {
      store_small(*format, from, count, to, how);
    } else {
      float near[kConvertedAtOnce];
      const std::size_t width = bits_of(*format) == 16 ? 2 : 1;
      for (std::size_t begin = 0; begin < count; begin += kConvertedAtOnce) {
        const std::size_t length = std::min(count - begin, kConvertedAtOnce);
        for (std::size_t i = 0; i < length; ++i) near[i] = rounded_to_odd(static_cast<double>(from[begin + i]));
        store_small(*format, near, length, to + begin * width, how);
      }
    }
    return true;
  }
  return dispatch(WideTypes(), type, [&]<typename To>() {
    auto* into = reinterpret_cast<To*>(to);
    for (std::size_t i = 0; i < count; ++i) into[i] = one_converted<To>(from[i]);
  });
}

// Reads elements of a type that the wide type represents exactly (or, for int64 as float, nearly).
template <typename To>
bool load_as(ElementType type, const std::byte* from, std::size_t count, To* to) {
  if (const auto format = small_float_of(type)) {
    if constexpr (std::is_same_v<To, float>) {
      values_of(*format, from, count, to);
    } else {
      float values[kConvertedAtOnce];
      const std::size_t width = bits_of(*format) == 16 ? 2 : 1;
      for (std::size_t begin = 0; begin < count; begin += kConvertedAtOnce) {
        const std::size_t length = std::min(count - begin, kConvertedAtOnce);
        values_of(*format, from + begin * width, length, values);
        for (std::size_t i = 0; i < length; ++i) to[begin + i] = one_converted<To>(values[i]);
      }
    }
    return true;
  }
  return dispatch(WideTypes(), type, [&]<typename From>() {
    const auto* elements = reinterpret_cast<const From*>(from);
    if constexpr (std::is_arithmetic_v<From>) {
      for (std::size_t i = 0; i < count; ++i) to[i] = one_converted<To>(elements[i]);
    } else {
      for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<To>(static_cast<int>(elements[i]));
    }
  });
}

template <typename Wide>
void convert_range(const Array& from, Array& to, std::size_t begin, std::size_t end, Conversion how) {
  Wide wide[kConvertedAtOnce];
  for (; begin < end; begin += kConvertedAtOnce) {
    const std::size_t length = std::min(end - begin, kConvertedAtOnce);
    load_as(from.type(), from.bytes() + begin * from.width(), length, wide);
    store_from(wide, length, to.type(), to.mutable_bytes() + begin * to.width(), how);
  }
}

bool is_number(ElementType type) { return is_float(type) || is_integer(type) || type == ElementType::kBool; }

void convert_numbers(const Array& from, Array& to, Conversion how) {
  constexpr std::size_t kPiece = std::size_t{1} << 18;  // long enough to be worth a thread
  const std::size_t pieces = (from.count() + kPiece - 1) / kPiece;
  const auto work = [&](std::size_t piece) {
    const std::size_t begin = piece * kPiece, end = std::min(begin + kPiece, from.count());
    if (from.type() == ElementType::kDouble) {
      convert_range<double>(from, to, begin, end, how);
    } else if (is_float(from.type())) {
      convert_range<float>(from, to, begin, end, how);
    } else if (from.type() == ElementType::kUint64) {
      convert_range<std::uint64_t>(from, to, begin, end, how);
    } else {
      convert_range<std::int64_t>(from, to, begin, end, how);
    }
  };
  if (pieces == 1) return work(0);
  parallel_for(pieces, work);
}

}  // namespace

std::optional<Array> converted(const Array& from, ElementType to, Conversion how) {
  if (from.type() == to) return from;
  if (from.is_string()) return is_number(to) ? converted_from_strings(from, to, how) : std::nullopt;
  if (!is_number(from.type())) return std::nullopt;
  if (to == ElementType::kString) return converted_to_strings(from);
  if (!is_number(to)) return std::nullopt;
  Array result = Array::make(to, from.sizes());
  convert_numbers(from, result, how);
  return result;
}

bool load(const Array& from, std::size_t first, std::size_t count, float* to) {
  return load_as(from.type(), from.bytes() + first * from.width(), count, to);
}
bool load(const Array& from, std::size_t first, std::size_t count, double* to) {
  return load_as(from.type(), from.bytes() + first * from.width(), count, to);
}
bool store(const float* from, std::size_t count, Array& to, std::size_t first, Conversion how) {
  return store_from(from, count, to.type(), to.mutable_bytes() + first * to.width(), how);
}
bool store(const double* from, std::size_t count, Array& to, std::size_t first, Conversion how) {
  return store_from(from, count, to.type(), to.mutable_bytes() + first * to.width(), how);
}

}  // namespace onnxpress::ops
