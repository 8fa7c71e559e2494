// A convolution multiplies each result by as many weights as lie in its window; padding is not discounted.
#include "onnxpress/ops/nn/conv_cost.h"

namespace onnxpress::ops {

namespace {

// The multiplications of a filter at one position: the weights [out, in / groups, kernel...] without their first axis.
Dim window(CostQuery& query, std::size_t weights) {
  const Shape* w = query.in.shape(weights);
  if (!w || w->empty()) return {};
  return query.dims.product(std::span<const Dim>(*w).subspan(1));
}

}  // namespace

void cost_conv(CostQuery& query) { query.cost.macs = query.product(query.result_elements(), window(query, 1)); }

void cost_qlinear_conv(CostQuery& query) { query.cost.macs = query.product(query.result_elements(), window(query, 3)); }

// Weights are [in, out / groups, kernel...]: every operand element is spread over one window.
void cost_conv_transpose(CostQuery& query) {
  query.cost.macs = query.product(query.operand_elements(0), window(query, 1));
}

// Each tap is interpolated between four neighbours before it is multiplied.
void cost_deform_conv(CostQuery& query) {
  cost_conv(query);
  query.cost.flops = query.product(Dim::size(2), query.operand_elements(2));  // offsets hold y and x of each tap
}

void cost_causal_conv(CostQuery& query) { cost_conv(query); }

}  // namespace onnxpress::ops
