// Normalizations per channel: BatchNormalization, InstanceNormalization and GroupNormalization.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_batch_normalization(Inference& in);
bool evaluate_batch_normalization(Call& call);
bool evaluate_instance_normalization(Call& call);
bool evaluate_group_normalization_18(Call& call);  // a scale per group
bool evaluate_group_normalization(Call& call);     // a scale per channel
bool evaluate_group_norm(Call& call);              // com.microsoft: channels last

}  // namespace onnxpress::ops
