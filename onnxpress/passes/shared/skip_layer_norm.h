// Merges the addition of a residual into the normalization after it, for ONNX Runtime.
#pragma once

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

// Replaces `norm` and the Add before it by SkipLayerNormalization or SkipSimplifiedLayerNormalization. Unless
// `everywhere`, only where ONNX Runtime does so itself when it loads the model. Returns whether it did.
bool fuse_skip_layer_norm(Node& norm, bool everywhere, Rewriter& rw);

}  // namespace onnxpress::passes
