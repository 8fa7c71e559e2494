// DeformConv: a convolution whose taps are moved by learned offsets.
#pragma once

#include "onnxpress/ops/core/call.h"

namespace onnxpress::ops {

bool evaluate_deform_conv(Call& call);

}  // namespace onnxpress::ops
