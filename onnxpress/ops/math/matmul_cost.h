// Multiply-adds of matrix products.
#pragma once

#include "onnxpress/ops/core/cost.h"

namespace onnxpress::ops {

void cost_matmul(CostQuery& query);  // MatMul, MatMulInteger, QLinearMatMul and the fused forms
void cost_gemm(CostQuery& query);    // Gemm, QGemm, FusedGemm
void cost_matmul_nbits(CostQuery& query);
void cost_det(CostQuery& query);  // Det and Inverse: n * n * n / 3 and n * n * n for each matrix
void cost_inverse(CostQuery& query);

}  // namespace onnxpress::ops
