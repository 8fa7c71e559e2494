// float64 tensors whose values are float32 values.
//
//   before: w, float64
//   after:  w = Cast(f) <to = double>, f float32
#include "onnxpress/weights/lossless/converted_data.h"
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::weights {

namespace {

std::optional<Chain> find_cast_float(const Candidate& tensor) {
  if (tensor.type() != ElementType::kDouble || !tensor.statistics().fits_float) return std::nullopt;
  return cast_chain(tensor, ElementType::kFloat);
}

}  // namespace

constinit const Encoding cast_float = {
    .name = "cast-float", .summary = "float64 tensors that are float32 values", .find = find_cast_float};

}  // namespace onnxpress::weights
