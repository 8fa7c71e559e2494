// float32 weights that are float16 values: models trained or rounded to half precision and exported in single.
//
//   before: w, float, 4 bytes each
//   after:  w = Cast(h) <to = float>, h float16, 2 bytes each
//
// Widening is exact, subnormals, infinities and -0.0 included. Not for nan: runtimes differ in its bits.
#include "onnxpress/weights/lossless/converted_data.h"
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::weights {

namespace {

std::optional<Chain> find_cast_float16(const Candidate& tensor) {
  if (!tensor.statistics().fits_float16) return std::nullopt;
  return cast_chain(tensor, ElementType::kFloat16);
}

}  // namespace

constinit const Encoding cast_float16 = {
    .name = "cast-float16", .summary = "float32 weights that are float16 values", .find = find_cast_float16};

}  // namespace onnxpress::weights
