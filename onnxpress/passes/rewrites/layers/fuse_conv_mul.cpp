// Scales the weights of a Conv or ConvTranspose instead of its result.
//
//   before: y = Mul(Conv(x, w, b), c)   with c of [1, C, 1, 1] or [C, 1, 1]; or Div
//   after:  y = Conv(x, w * c, b * c)
//
// c may differ along the channel axis only, and nothing else may read the Conv and its weights.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/conv_channels.h"

namespace onnxpress::passes {

namespace {

bool apply_fuse_conv_mul(Node& mul, Rewriter& rw) {
  for (const std::size_t side : {0, 1}) {
    if (side == 1 && mul.is("Div")) break;  // c / Conv(x) is something else
    Node* conv = own_conv(mul.input(side), rw);
    if (!conv || !rw.same_shape(conv->output(), mul.output())) continue;
    Value* c = per_channel(mul.input(1 - side), *conv, rw);
    Value *weights = scaled_weights(*conv, c, rw, mul.op_type()), *b = conv->input(2);
    Value* bias = b ? rw.make(mul.op_type(), {b, c}) : nullptr;
    if (!weights || (b && !rw.is_constant(bias)) || !rw.replace(mul, conv->output())) continue;
    return rw.set_input(*conv, 1, weights) && (!b || rw.set_input(*conv, 2, bias));
  }
  return false;
}

constexpr std::string_view kFuseConvMulRoots[] = {"Mul", "Div"};

}  // namespace

extern const Rewrite fuse_conv_mul;
const Rewrite fuse_conv_mul = {.name = "fuse-conv-mul",
                               .summary = "scales the weights of a Conv instead of its result",
                               .exactness = Exactness::kReassociates,
                               .group = "layers",
                               .large_pattern = true,
                               .roots = kFuseConvMulRoots,
                               .apply = apply_fuse_conv_mul};

}  // namespace onnxpress::passes
