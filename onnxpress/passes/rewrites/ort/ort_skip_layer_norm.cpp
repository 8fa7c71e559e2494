// Merges the addition of a residual into the LayerNormalization after it, where ONNX Runtime does so anyway.
//
//   before: y = LayerNormalization(Add(x, z), g, b)
//   after:  y = com.microsoft.SkipLayerNormalization(x, z, g, b)
//
// ONNX Runtime merges them when it loads the model if both addends have three axes and the same shape and nothing else
// reads the sum. Elsewhere its kernel is no gain: since version 1.30 it takes six times as long as the two nodes.
// ort-skip-every-norm merges all.
#include "onnxpress/passes/ort_rewrites.h"

namespace onnxpress::passes {

namespace {

bool apply_ort_skip_layer_norm(Node& norm, Rewriter& rw) { return fuse_skip_layer_norm(norm, false, rw); }

constexpr std::string_view kOrtSkipLayerNormRoots[] = {"LayerNormalization"};

}  // namespace

extern const Rewrite ort_skip_layer_norm;
const Rewrite ort_skip_layer_norm = {.name = "ort-skip-layer-norm",
                                     .summary = "merges a residual into LayerNormalization where ONNX Runtime does so",
                                     .exactness = Exactness::kReassociates,
                                     .group = "ort",
                                     .large_pattern = true,
                                     .roots = kOrtSkipLayerNormRoots,
                                     .apply = apply_ort_skip_layer_norm};

}  // namespace onnxpress::passes
