// Floats that are float8 values. There are only 256 of those, so it is enough to look at the distinct values.
//
//   before: w, float32
//   after:  w = Cast(e) <to = float>, e float8
#include <bit>

#include "onnxpress/base/small_float.h"
#include "onnxpress/weights/lossless/converted_data.h"
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::weights {

namespace {

bool all_fit(const Candidate& tensor, SmallFloat format) {
  for (const std::uint64_t distinct : tensor.statistics().distinct) {
    const auto bits = static_cast<std::uint32_t>(distinct);
    const auto value = std::bit_cast<float>(bits);
    if (!(value == value)) return false;
    if (std::bit_cast<std::uint32_t>(value_of(format, nearest_bits(format, value))) != bits) return false;
  }
  return true;
}

std::optional<Chain> find_cast_float8(const Candidate& tensor) {
  if (tensor.type() != ElementType::kFloat || tensor.statistics().distinct.size() >= Statistics::kMostDistinct)
    return std::nullopt;
  if (all_fit(tensor, SmallFloat::kFloat8e4m3fn)) return cast_chain(tensor, ElementType::kFloat8e4m3fn);
  if (all_fit(tensor, SmallFloat::kFloat8e5m2)) return cast_chain(tensor, ElementType::kFloat8e5m2);
  return std::nullopt;
}

}  // namespace

constinit const Encoding cast_float8 = {
    .name = "cast-float8", .summary = "float32 weights that are float8 values", .find = find_cast_float8};

}  // namespace onnxpress::weights
