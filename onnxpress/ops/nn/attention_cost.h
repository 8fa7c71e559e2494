// Multiply-adds of attention: the scores, and the sum of values weighted by them.
#pragma once

#include "onnxpress/ops/core/cost.h"

namespace onnxpress::ops {

void cost_attention(CostQuery& query);             // ai.onnx
void cost_multi_head_attention(CostQuery& query);  // com.microsoft
void cost_microsoft_attention(CostQuery& query);   // including its projections
void cost_qattention(CostQuery& query);
void cost_group_query_attention(CostQuery& query);
void cost_linear_attention(CostQuery& query);

}  // namespace onnxpress::ops
