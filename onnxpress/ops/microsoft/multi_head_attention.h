// Attention as ONNX Runtime fuses it (com.microsoft): MultiHeadAttention, Attention, QAttention, GroupQueryAttention.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_multi_head_attention(Inference& in);
bool evaluate_multi_head_attention(Call& call);
void infer_microsoft_attention(Inference& in);
bool evaluate_microsoft_attention(Call& call);
void infer_qattention(Inference& in);
bool evaluate_qattention(Call& call);
void infer_group_query_attention(Inference& in);
bool evaluate_group_query_attention(Call& call);

}  // namespace onnxpress::ops
