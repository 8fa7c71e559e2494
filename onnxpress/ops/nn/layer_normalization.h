// Normalizations over the last axes: LayerNormalization, RMSNormalization and ONNX Runtime's forms.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_layer_normalization(Inference& in);
bool evaluate_layer_normalization(Call& call);
bool evaluate_rms_normalization(Call& call);  // also SimplifiedLayerNormalization
void infer_skip_layer_normalization(Inference& in);
bool evaluate_skip_layer_normalization(Call& call);
bool evaluate_skip_rms_normalization(Call& call);
void infer_embed_layer_normalization(Inference& in);
bool evaluate_embed_layer_normalization(Call& call);

}  // namespace onnxpress::ops
