// float32 weights of a model that was trained in bfloat16: their low 16 bits are zero.
//
//   before: w, float32
//   after:  w = Cast(h) <to = float>, h bfloat16
#include "onnxpress/weights/lossless/converted_data.h"
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::weights {

namespace {

std::optional<Chain> find_cast_bfloat16(const Candidate& tensor) {
  if (!tensor.statistics().fits_bfloat16) return std::nullopt;
  return cast_chain(tensor, ElementType::kBfloat16);
}

}  // namespace

constinit const Encoding cast_bfloat16 = {
    .name = "cast-bfloat16", .summary = "float32 weights that are bfloat16 values", .find = find_cast_bfloat16};

}  // namespace onnxpress::weights
