// float32 weights that are float16 values: models trained or rounded to half precision and exported in single.
//
//   before: w, float, 4 bytes each
//   after:  w = Cast(h) <to = float>, h float16, 2 bytes each
//
// Widening is exact, subnormals, infinities and -0.0 included. Not for nan: runtimes differ in its bits.
#include "onnxpress/weights/converted_data.h"
#include "onnxpress/weights/encoding.h"

namespace onnxpress::weights {

namespace {

std::optional<Chain> find(const Candidate& tensor) {
  if (tensor.type() != ElementType::kFloat || !tensor.statistics().fits_float16) return std::nullopt;
  if (!tensor.has_op("Cast", ElementType::kFloat16)) return std::nullopt;
  ChainBuilder chain(tensor);
  const auto half = std::make_shared<ConvertedData>(tensor, tensor.count() * 2,
                                                    cast_between(ElementType::kFloat, ElementType::kFloat16));
  const auto stored = chain.constant(ElementType::kFloat16, tensor.dims(), half);
  chain.op("Cast", {stored}, {chain.attribute("to", static_cast<std::int64_t>(ElementType::kFloat))});
  return chain.finish();
}

}  // namespace

constinit const Encoding cast_float16 = {
    .name = "cast-float16", .summary = "float32 weights that are float16 values", .find = find};

}  // namespace onnxpress::weights
