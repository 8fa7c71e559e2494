// Merges a Pad into the Conv after it.
//
//   before: y = Conv(Pad(x, [0, 0, 1, 1, 0, 0, 1, 1]), w)
//   after:  y = Conv(x, w, pads = [1, 1, 1, 1])
//
// The Pad must add zeros, only on spatial axes, and remove nothing. If the Conv uses auto_pad, the sizes must be known.
// A ConvInteger pads with its zero point, so the Pad must do so, too.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/pads.h"

namespace onnxpress::passes {

namespace {

bool apply_fuse_pad_conv(Node& conv, Rewriter& rw) {
  Node* pad = rw.producer(conv.input(0), "Pad");
  const auto padding = pad ? padding_of(*pad, rw) : std::nullopt;
  if (!padding) return false;
  double zero = 0;
  if (conv.is("ConvInteger") && conv.input(2)) {
    const auto point = rw.constant(conv.input(2));
    const auto number = point ? point->number() : std::nullopt;
    if (!number) return false;
    zero = *number;
  }
  const auto pads = padding->number == zero ? pads_with(conv, *padding, rw) : std::nullopt;
  if (!pads || !rw.set_input(conv, 0, pad->input(0))) return false;
  set_pads(conv, *pads, rw);
  return true;
}

constexpr std::string_view kFusePadConvRoots[] = {"Conv", "ConvInteger"};

}  // namespace

extern const Rewrite fuse_pad_conv;
const Rewrite fuse_pad_conv = {.name = "fuse-pad-conv",
                               .summary = "merges a Pad into the Conv after it",
                               .exactness = Exactness::kExact,
                               .group = "layers",
                               .large_pattern = true,
                               .roots = kFusePadConvRoots,
                               .apply = apply_fuse_pad_conv};

}  // namespace onnxpress::passes
