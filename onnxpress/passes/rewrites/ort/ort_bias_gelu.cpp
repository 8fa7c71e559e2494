// Merges the addition of a bias into Gelu.
//
//   before: y = Gelu(Add(x, b))   of the standard or of ONNX Runtime, or FastGelu
//   after:  y = com.microsoft.BiasGelu(x, b)   or y = com.microsoft.FastGelu(x, b)
//
// The bias must have one element for each position of the last axis of x.
#include "onnxpress/passes/ort_rewrites.h"

namespace onnxpress::passes {

namespace {

bool apply_ort_bias_gelu(Node& gelu, Rewriter& rw) {
  const bool is_fast = gelu.op_type() == "FastGelu";
  const bool is_exact = !is_fast && rw.params(gelu).text_or("approximate", "none") == "none";
  if ((!is_fast && !is_exact) || gelu.input(1) || !is_for_ort(gelu.output(), rw)) return false;
  Node* add = rw.sole_producer(gelu.input(0), "Add");
  for (const std::size_t side : {0, 1}) {
    Value *bias = add ? add->input(side) : nullptr, *x = add ? add->input(1 - side) : nullptr;
    const auto shape = rw.shape_of(bias);
    if (!shape || shape->size() != 1 || !rw.is_constant(bias) || !rw.same_shape(x, add->output())) continue;
    const auto whole = rw.shape_of(x);
    if (whole->empty() || whole->back() != shape->front()) continue;
    return rw.replace(gelu, make_ort(is_fast ? "FastGelu" : "BiasGelu", {x, bias}, {}, rw));
  }
  return add && rw.refuse("no operand of the Add is a constant with one number for each element of the last axis");
}

constexpr std::string_view kOrtBiasGeluRoots[] = {"Gelu", "com.microsoft.Gelu", "com.microsoft.FastGelu"};

}  // namespace

extern const Rewrite ort_bias_gelu;
const Rewrite ort_bias_gelu = {.name = "ort-bias-gelu",
                               .summary = "merges the addition of a bias into ONNX Runtime's Gelu",
                               .exactness = Exactness::kReassociates,
                               .group = "ort",
                               .large_pattern = true,
                               .roots = kOrtBiasGeluRoots,
                               .apply = apply_ort_bias_gelu};

}  // namespace onnxpress::passes
