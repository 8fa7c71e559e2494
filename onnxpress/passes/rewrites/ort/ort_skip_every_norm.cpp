// Merges the addition of a residual into the LayerNormalization or RMSNormalization after it.
//
//   before: s = Add(x, z); y = LayerNormalization(s, g, b); and others may read s
//   after:  y, , , s = com.microsoft.SkipLayerNormalization(x, z, g, b)
//
// Both addends must have the same shape with three axes, and the normalization must run over the last one. Only on
// request: the kernel is a little faster than the two nodes up to ONNX Runtime 1.29, but much slower since 1.30.
#include "onnxpress/passes/ort_rewrites.h"

namespace onnxpress::passes {

namespace {

bool apply_ort_skip_every_norm(Node& norm, Rewriter& rw) { return fuse_skip_layer_norm(norm, true, rw); }

constexpr std::string_view kOrtSkipEveryNormRoots[] = {"LayerNormalization", "RMSNormalization"};

}  // namespace

extern const Rewrite ort_skip_every_norm;
const Rewrite ort_skip_every_norm = {.name = "ort-skip-every-norm",
                                     .summary = "merges the addition of a residual into the normalization after it",
                                     .exactness = Exactness::kReassociates,
                                     .group = "ort",
                                     .large_pattern = true,
                                     .on_request = true,
                                     .roots = kOrtSkipEveryNormRoots,
                                     .apply = apply_ort_skip_every_norm};

}  // namespace onnxpress::passes
