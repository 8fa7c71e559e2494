// Drops the first of two equal pairs of quantization.
//
//   before: y = DequantizeLinear(QuantizeLinear(DequantizeLinear(QuantizeLinear(x, s, z), s, z), s, z), s, z)
//   after:  y = DequantizeLinear(QuantizeLinear(x, s, z), s, z)
//
// One scale and zero point for the whole tensor, the same values in all four: what is on the grid stays where it is.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool is_constant_scalar(const Value* value, const Rewriter& rw) {
  const auto array = rw.is_constant(value) ? rw.constant(value) : std::nullopt;
  return array && array->rank() == 0;
}

// Both read the same scale and zero point, constant and for the whole tensor.
bool same_grid(const Node& a, const Node& b, const Rewriter& rw) {
  if (a.input_count() != 3 || b.input_count() != 3 || !a.attributes().empty() || !b.attributes().empty()) return false;
  return a.input(1) == b.input(1) && a.input(2) == b.input(2) && is_constant_scalar(a.input(1), rw) &&
         is_constant_scalar(a.input(2), rw);
}

bool apply_merge_quantization(Node& quantize, Rewriter& rw) {
  Node* dequantize = rw.producer(quantize.input(0), "DequantizeLinear");
  Node* first = dequantize ? rw.producer(dequantize->input(0), "QuantizeLinear") : nullptr;
  if (!first || !same_grid(quantize, *dequantize, rw) || !same_grid(*first, *dequantize, rw)) return false;
  return rw.replace(quantize, first->output());
}

constexpr std::string_view kMergeQuantizationRoots[] = {"QuantizeLinear"};

}  // namespace

extern const Rewrite merge_quantization;
const Rewrite merge_quantization = {
    .name = "merge-quantization",
    .summary = "drops the first of two equal pairs of QuantizeLinear and DequantizeLinear",
    .exactness = Exactness::kExact,
    .group = "clean-up",
    .roots = kMergeQuantizationRoots,
    .apply = apply_merge_quantization};

}  // namespace onnxpress::passes
