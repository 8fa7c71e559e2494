// Merges a Pad into the Conv after it.
//
//   before: y = Conv(Pad(x, [0, 0, 1, 1, 0, 0, 1, 1]), w)
//   after:  y = Conv(x, w, pads = [1, 1, 1, 1])
//
// The Pad must add zeros, only on spatial axes, and remove nothing. If the Conv uses auto_pad, the sizes must be known.
// A ConvInteger pads with its zero point, so the Pad must do so, too. If every bit must stay, the weights must be known
// and finite, because 0 times infinity is no number, and no bias may be -0, which stays if nothing is added to it.
#include <algorithm>
#include <cmath>

#include "onnxpress/ops/kernels/convert.h"
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/pads.h"

namespace onnxpress::passes {

namespace {

// Whether products of the padding with the weights may change a sum: also the sign of one that is 0.
bool zeros_may_matter(const Node& conv, const Rewriter& rw) {
  const auto numbers_of = [&rw](const Value* value) {
    const auto array = rw.constant(value);
    return array ? ops::converted(*array, ElementType::kDouble) : std::nullopt;
  };
  const auto w = numbers_of(conv.input(1));
  if (!w || !std::ranges::all_of(w->data<double>(), [](double each) { return std::isfinite(each); })) return true;
  if (!conv.input(2)) return false;
  const auto b = numbers_of(conv.input(2));
  return !b || std::ranges::any_of(b->data<double>(), [](double each) { return each == 0 && std::signbit(each); });
}

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
  if (rw.must_keep_bits() && conv.is("Conv") && zeros_may_matter(conv, rw)) return false;
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
