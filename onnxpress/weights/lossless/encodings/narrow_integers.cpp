// Integers that fit a narrower type: indices, positions, token ids.
//
//   before: w, int64, 8 bytes each
//   after:  w = Cast(n) <to = int64>, n of 1, 2 or 4 bytes each
//
// Consumers see the same type as before. Small numbers may still be smaller as varints (storage form); the caller
// takes the smaller one.
#include <limits>

#include "onnxpress/weights/lossless/converted_data.h"
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::weights {

namespace {

struct Range {
  ElementType type;
  std::int64_t low, high;
};
template <typename T>
constexpr Range range_of(ElementType type) {
  return {type, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}
constexpr Range kNarrow[] = {
    range_of<std::uint8_t>(ElementType::kUint8),   range_of<std::int8_t>(ElementType::kInt8),
    range_of<std::uint16_t>(ElementType::kUint16), range_of<std::int16_t>(ElementType::kInt16),
    range_of<std::int32_t>(ElementType::kInt32),   range_of<std::uint32_t>(ElementType::kUint32),
};

std::optional<Chain> find_narrow_integers(const Candidate& tensor) {
  if (!is_integer(tensor.type())) return std::nullopt;
  for (const Range& narrow : kNarrow) {
    if (bits_of(narrow.type) >= bits_of(tensor.type())) break;
    if (!tensor.statistics().fits(narrow.low, narrow.high)) continue;
    if (auto chain = cast_chain(tensor, narrow.type)) return chain;
  }
  return std::nullopt;
}

}  // namespace

constinit const Encoding narrow_integers = {
    .name = "narrow-integers", .summary = "integers that fit a narrower type", .find = find_narrow_integers};

}  // namespace onnxpress::weights
