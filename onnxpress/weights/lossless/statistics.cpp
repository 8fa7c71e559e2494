// One tight loop per question and part; a question that is answered with no is not asked again.
#include "onnxpress/weights/lossless/statistics.h"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "onnxpress/base/small_float.h"
#include "onnxpress/passes/shared/wire_size.h"

namespace onnxpress::weights {

namespace {

constexpr std::size_t kStatisticsSlots = 1024;
// Floats up to here are exact integers, so that a cast from an integer gives them back.
constexpr double kMostWhole = 1 << 24;

template <typename T, typename Keeps>
bool all(Elements<T> part, Keeps&& keeps) {
  // In blocks: the inner loop has no early exit, so that it vectorizes, but the walk still ends soon after a failure.
  constexpr std::size_t kBlock = 256;
  for (std::size_t begin = 0; begin < part.size(); begin += kBlock) {
    const std::size_t end = std::min(part.size(), begin + kBlock);
    unsigned good = 1;
    for (std::size_t i = begin; i < end; ++i) good &= keeps(part[i]) ? 1U : 0U;
    if (!good) return false;
  }
  return true;
}

bool keeps_float16(float value) {
  return std::bit_cast<std::uint32_t>(float16_value(float16_bits(value))) == std::bit_cast<std::uint32_t>(value);
}
bool keeps_bfloat16(float value) { return (std::bit_cast<std::uint32_t>(value) & 0xffffU) == 0; }

template <typename T>
bool is_whole_number(T value) {
  const bool negative_zero = value == 0 && std::signbit(value);
  return value >= -kMostWhole && value <= kMostWhole && std::trunc(value) == value && !negative_zero;
}

}  // namespace

StatisticsBuilder::StatisticsBuilder(ElementType type) : type_(type), slots_(kStatisticsSlots, 0) {
  const bool wide = type == ElementType::kFloat || type == ElementType::kDouble;
  found_.fits_float16 = found_.fits_bfloat16 = found_.fits_float = wide;
  found_.is_whole = wide || is_integer(type);
  found_.low = std::numeric_limits<std::int64_t>::max();
  found_.high = std::numeric_limits<std::int64_t>::min();
}

bool StatisticsBuilder::insert(std::uint64_t bits) {
  std::size_t at = (bits * 0x9e3779b97f4a7c15U) >> 54;
  while (slots_[at] != 0) {
    if (found_.distinct[slots_[at] - 1U] == bits) return true;
    at = (at + 1) % kStatisticsSlots;
  }
  found_.distinct.push_back(bits);
  slots_[at] = static_cast<std::uint16_t>(found_.distinct.size());
  return found_.distinct.size() < Statistics::kMostDistinct;
}

template <typename T>
void StatisticsBuilder::add_bits(Elements<T> part) {
  if (part.size() == 0) return;
  if (first_) first_bits_ = part[0];
  first_ = false;
  const T same = static_cast<T>(first_bits_);
  found_.is_splat = found_.is_splat && all(part, [same](T bits) { return bits == same; });
  if (found_.is_splat) {
    insert(same);
    return;
  }
  T last = static_cast<T>(~part[0]);
  for (std::size_t i = 0; i < part.size() && found_.distinct.size() < Statistics::kMostDistinct; ++i) {
    if (part[i] == last) continue;
    last = part[i];
    if (!insert(last)) return;
  }
}

template <typename T>
void StatisticsBuilder::add_float(Elements<T> part) {
  if constexpr (std::is_same_v<T, double>) {
    found_.fits_float =
        found_.fits_float && all(part, [](double value) {
          const double back = static_cast<double>(static_cast<float>(value));
          return std::bit_cast<std::uint64_t>(back) == std::bit_cast<std::uint64_t>(value) && !std::isnan(value);
        });
  }
  const auto as_float = [](T value) { return static_cast<float>(value); };
  const bool finite = found_.fits_float || std::is_same_v<T, float>;
  found_.fits_float16 = found_.fits_float16 && finite &&
                        all(part, [&](T value) { return keeps_float16(as_float(value)) && !std::isnan(value); });
  found_.fits_bfloat16 = found_.fits_bfloat16 && finite &&
                         all(part, [&](T value) { return keeps_bfloat16(as_float(value)) && !std::isnan(value); });
  found_.is_whole = found_.is_whole && all(part, [](T value) { return is_whole_number(value); });
  if (!found_.is_whole) return;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const auto whole = static_cast<std::int64_t>(part[i]);
    found_.low = std::min(found_.low, whole);
    found_.high = std::max(found_.high, whole);
  }
}

template <typename T>
void StatisticsBuilder::add_integers(Elements<T> part) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    const T value = part[i];
    // In a typed field a negative number is extended to 64 bits: ten bytes.
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    found_.varint_bytes += passes::varint_bytes(static_cast<std::uint64_t>(static_cast<Wide>(value)));
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      found_.is_whole &= value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    }
    found_.low = std::min(found_.low, static_cast<std::int64_t>(value));
    found_.high = std::max(found_.high, static_cast<std::int64_t>(value));
  }
}

void StatisticsBuilder::add(std::string_view part) {
  const int bits = bits_of(type_);
  if (bits < 8 || bits > 64) {
    found_.is_splat = found_.is_whole = false;
    return;
  }
  found_.count += part.size() / static_cast<std::size_t>(bits / 8);
  if (bits == 8) add_bits(Elements<std::uint8_t>(part));
  if (bits == 16) add_bits(Elements<std::uint16_t>(part));
  if (bits == 32) add_bits(Elements<std::uint32_t>(part));
  if (bits == 64) add_bits(Elements<std::uint64_t>(part));
  switch (type_) {
    case ElementType::kFloat:
      return add_float(Elements<float>(part));
    case ElementType::kDouble:
      return add_float(Elements<double>(part));
    case ElementType::kInt8:
      return add_integers(Elements<std::int8_t>(part));
    case ElementType::kUint8:
      return add_integers(Elements<std::uint8_t>(part));
    case ElementType::kInt16:
      return add_integers(Elements<std::int16_t>(part));
    case ElementType::kUint16:
      return add_integers(Elements<std::uint16_t>(part));
    case ElementType::kInt32:
      return add_integers(Elements<std::int32_t>(part));
    case ElementType::kUint32:
      return add_integers(Elements<std::uint32_t>(part));
    case ElementType::kInt64:
      return add_integers(Elements<std::int64_t>(part));
    case ElementType::kUint64:
      return add_integers(Elements<std::uint64_t>(part));
    default:
      return;
  }
}

Statistics StatisticsBuilder::finish() {
  if (found_.count == 0) found_.is_splat = found_.is_whole = false;
  return std::move(found_);
}

}  // namespace onnxpress::weights
