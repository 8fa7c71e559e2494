// Multiply-adds of convolutions.
#pragma once

#include "onnxpress/ops/core/cost.h"

namespace onnxpress::ops {

void cost_conv(CostQuery& query);          // Conv, ConvInteger and the fused forms: weights are operand 1
void cost_qlinear_conv(CostQuery& query);  // weights are operand 3
void cost_conv_transpose(CostQuery& query);
void cost_deform_conv(CostQuery& query);
void cost_causal_conv(CostQuery& query);

}  // namespace onnxpress::ops
