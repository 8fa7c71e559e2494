// Adds a constant to the bias of a Conv or ConvTranspose instead of to its result.
//
//   before: y = Add(Conv(x, w, b), c)   with c of [1, C, 1, 1] or [C, 1, 1]; or Sub
//   after:  y = Conv(x, w, b + c)
//
// c may differ along the channel axis only, and nothing else may read the Conv. The Add of a HardSigmoid stays there.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/activations.h"
#include "onnxpress/passes/shared/conv_channels.h"

namespace onnxpress::passes {

namespace {

bool apply_fuse_conv_add(Node& add, Rewriter& rw) {
  if (begins_activation(add, rw)) return false;
  for (const std::size_t side : {0, 1}) {
    if (side == 1 && add.is("Sub")) break;  // c - Conv(x) is something else
    Node* conv = own_conv(add.input(side), rw);
    if (!conv || !rw.same_shape(conv->output(), add.output())) continue;
    Value* c = per_channel(add.input(1 - side), *conv, rw);
    if (add.is("Sub")) c = rw.make("Neg", {c});
    Value* bias = conv->input(2) ? rw.make("Add", {conv->input(2), c}) : c;
    if (!rw.is_constant(bias) || !rw.same_shape(bias, c) || !rw.replace(add, conv->output())) continue;
    return rw.set_input(*conv, 2, bias);
  }
  return false;
}

constexpr std::string_view kFuseConvAddRoots[] = {"Add", "Sub"};

}  // namespace

extern const Rewrite fuse_conv_add;
const Rewrite fuse_conv_add = {.name = "fuse-conv-add",
                               .summary = "adds a constant to the bias of a Conv instead of to its result",
                               .exactness = Exactness::kReassociates,
                               .group = "layers",
                               .large_pattern = true,
                               .roots = kFuseConvAddRoots,
                               .apply = apply_fuse_conv_add};

}  // namespace onnxpress::passes
