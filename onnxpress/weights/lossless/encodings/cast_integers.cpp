// Floats that are small whole numbers.
//
//   before: w, float32 or float64
//   after:  w = Cast(i) <to = float>, i of 1 or 2 bytes each
#include <limits>

#include "onnxpress/weights/lossless/converted_data.h"
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::weights {

namespace {

template <typename T>
bool fits(const Candidate& tensor) {
  return tensor.statistics().fits(std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
}

std::optional<Chain> find_cast_integers(const Candidate& tensor) {
  if (tensor.type() != ElementType::kFloat && tensor.type() != ElementType::kDouble) return std::nullopt;
  if (fits<std::uint8_t>(tensor)) return cast_chain(tensor, ElementType::kUint8);
  if (fits<std::int8_t>(tensor)) return cast_chain(tensor, ElementType::kInt8);
  if (fits<std::int16_t>(tensor)) return cast_chain(tensor, ElementType::kInt16);
  if (fits<std::uint16_t>(tensor)) return cast_chain(tensor, ElementType::kUint16);
  return std::nullopt;
}

}  // namespace

constinit const Encoding cast_integers = {
    .name = "cast-integers", .summary = "floats that are small whole numbers", .find = find_cast_integers};

}  // namespace onnxpress::weights
