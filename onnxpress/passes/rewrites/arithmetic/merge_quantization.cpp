// Removes a DequantizeLinear followed by a QuantizeLinear with the same scale and zero point.
//
//   before: y = QuantizeLinear(DequantizeLinear(q, s, z), s, z)
//   after:  readers of y read q
//
// For 8 bits, because a value on the grid stays where it is. So two equal pairs in a row become one.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/quantization.h"

namespace onnxpress::passes {

namespace {

bool apply_merge_quantization(Node& quantize, Rewriter& rw) {
  const Node* dequantize = rw.producer(quantize.input(0), "DequantizeLinear");
  const auto grid = dequantize ? grid_of(quantize, rw) : std::nullopt;
  return grid && grid == grid_of(*dequantize, rw) && rw.replace(quantize, dequantize->input(0));
}

constexpr std::string_view kMergeQuantizationRoots[] = {"QuantizeLinear"};

}  // namespace

extern const Rewrite merge_quantization;
const Rewrite merge_quantization = {
    .name = "merge-quantization",
    .summary = "removes a DequantizeLinear followed by a QuantizeLinear with the same scale",
    .exactness = Exactness::kExact,
    .group = "arithmetic",
    .roots = kMergeQuantizationRoots,
    .apply = apply_merge_quantization};

}  // namespace onnxpress::passes
