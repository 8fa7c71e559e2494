// Transposed convolutions: ConvTranspose and Col2Im add overlapping windows into an image.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_conv_transpose(Inference& in);
bool evaluate_conv_transpose(Call& call);
void infer_col2im(Inference& in);
bool evaluate_col2im(Call& call);

}  // namespace onnxpress::ops
