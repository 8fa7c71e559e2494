// Merges the addition of a bias into LayerNormalization.
//
//   before: y = Add(LayerNormalization(x, scale), bias)
//   after:  y = LayerNormalization(x, scale, bias)
//
// The bias must have the shape of the scale, so that it does not broadcast the result to more axes.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_fuse_layer_norm_bias(Node& add, Rewriter& rw) {
  for (const std::size_t side : {0, 1}) {
    Node* norm = rw.sole_producer(add.input(side), "LayerNormalization");
    Value* bias = add.input(1 - side);
    if (!norm || norm->output() != add.input(side) || norm->input(2) || !rw.same_shape(bias, norm->input(1))) continue;
    if (rw.element_of(bias) != rw.element_of(norm->input(1)) || !rw.same_shape(norm->output(), add.output())) continue;
    const auto params = rw.params(*norm);
    return rw.replace(add, rw.make("LayerNormalization", {norm->input(0), norm->input(1), bias},
                                   {{"axis", params.integer_or("axis", -1)},
                                    {"epsilon", params.real_or("epsilon", 1e-5)},
                                    {"stash_type", params.integer_or("stash_type", 1)}}));
  }
  return false;
}

constexpr std::string_view kFuseLayerNormBiasRoots[] = {"Add"};

}  // namespace

extern const Rewrite fuse_layer_norm_bias;
const Rewrite fuse_layer_norm_bias = {.name = "fuse-layer-norm-bias",
                                      .summary = "merges the addition of a bias into LayerNormalization",
                                      .exactness = Exactness::kReassociates,
                                      .group = "blocks",
                                      .large_pattern = true,
                                      .roots = kFuseLayerNormBiasRoots,
                                      .apply = apply_fuse_layer_norm_bias};

}  // namespace onnxpress::passes
