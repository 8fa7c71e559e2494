// Weights of a few bits, quantized in blocks: ONNX Runtime's MatMulNBits and GatherBlockQuantized.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_matmul_nbits(Inference& in);
bool evaluate_matmul_nbits(Call& call);
void infer_gather_block_quantized(Inference& in);
bool evaluate_gather_block_quantized(Call& call);

}  // namespace onnxpress::ops
