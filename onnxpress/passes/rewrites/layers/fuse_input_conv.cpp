// Folds arithmetic on the operand of a Conv into its weights.
//
//   before: y = Conv(Mul(x, c), w, b)   or of Div, Add, Sub, with c of one number per input channel, or one for all
//   after:  y = Conv(x, w * c, b)       for Add: Conv(x, w, b + sum of w * c)
//
// An addition can be folded only if the Conv does not pad, because padding adds zeros after the addition. Nothing else
// may read the weights. The last factor of a Gelu, HardSwish or HardSigmoid stays: without it, nobody finds these.
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/activations.h"
#include "onnxpress/passes/shared/conv_channels.h"

namespace onnxpress::passes {

namespace {

bool pads_nothing(const Node& conv, const Rewriter& rw) {
  const auto params = rw.params(conv);
  const auto pads = params.integers("pads");
  const auto automatic = params.text_or("auto_pad", "NOTSET");
  if (automatic == "VALID") return true;
  return automatic == "NOTSET" &&
         (!params.given("pads") || (pads && std::ranges::all_of(*pads, [](std::int64_t each) { return each == 0; })));
}

// Reshapes the constant so that it broadcasts along the input channels of weights of shape [groups, out, in, ...].
Value* along_input(Value* c, std::size_t rank, std::int64_t groups, std::int64_t channels, Rewriter& rw) {
  const auto shape = rw.shape_of(c);
  if (!rw.is_constant(c) || !shape || shape->size() > rank) return nullptr;
  std::vector<std::int64_t> dims(rank + 1, 1);
  for (std::size_t i = 0; i < shape->size(); ++i) {
    const auto size = (*shape)[i].size();
    const bool is_channel_axis = rank - shape->size() + i == 1;
    if (size == 1) continue;
    if (!is_channel_axis || size != groups * channels) return nullptr;
    dims[0] = groups;
    dims[2] = channels;
  }
  return rw.reshaped(c, dims);
}

bool apply_fuse_input_conv(Node& conv, Rewriter& rw) {
  Node* before = nullptr;
  for (const std::string_view op : {"Mul", "Div", "Add", "Sub"}) {
    if (!before) before = rw.sole_producer(conv.input(0), op);
  }
  if (before && ends_activation(*before, rw)) return false;
  Value *w = conv.input(1), *b = conv.input(2);
  const auto shape = before ? rw.shape_of(w) : std::nullopt;
  if (!shape || shape->size() < 3 || !rw.is_constant(w) || w->use_count() != 1 || (b && !rw.is_constant(b)))
    return false;
  const bool sums = before->is("Add") || before->is("Sub");
  const std::size_t side = rw.is_constant(before->input(1)) ? 1 : 0;
  if ((side == 0 && (before->is("Div") || before->is("Sub"))) || (sums && !pads_nothing(conv, rw))) return false;
  Value *x = before->input(1 - side), *c = before->input(side);
  if (!rw.same_shape(x, before->output()) || rw.element_of(c) != rw.element_of(w)) return false;

  std::vector<std::int64_t> dims;
  for (const Dim dim : *shape) dims.push_back(dim.size().value_or(0));
  const std::int64_t groups = rw.params(conv).integer_or("group", 1);
  if (groups < 1 || dims[0] % groups != 0) return false;
  std::vector<std::int64_t> grouped = dims;
  grouped[0] = dims[0] / groups;
  grouped.insert(grouped.begin(), groups);
  c = along_input(c, dims.size(), groups, dims[1], rw);
  Value* scaled = rw.make(before->is("Div") ? "Div" : "Mul", {rw.reshaped(w, grouped), c});
  if (!rw.is_constant(scaled)) return false;
  if (!sums) return rw.set_input(conv, 0, x) && rw.set_input(conv, 1, rw.reshaped(scaled, dims));
  Value* sum = rw.make("ReduceSum", {rw.reshaped(scaled, {dims[0], -1})},
                       {{"axes", std::vector<std::int64_t>{1}}, {"keepdims", 0}});
  if (before->is("Sub")) sum = rw.make("Neg", {sum});
  Value* bias = b ? rw.make("Add", {b, sum}) : sum;
  return rw.is_constant(bias) && rw.set_input(conv, 0, x) && rw.set_input(conv, 2, bias);
}

constexpr std::string_view kFuseInputConvRoots[] = {"Conv"};

}  // namespace

extern const Rewrite fuse_input_conv;
const Rewrite fuse_input_conv = {.name = "fuse-input-conv",
                                 .summary = "folds arithmetic on the operand of a Conv into its weights",
                                 .exactness = Exactness::kReassociates,
                                 .group = "layers",
                                 .large_pattern = true,
                                 .roots = kFuseInputConvRoots,
                                 .apply = apply_fuse_input_conv};

}  // namespace onnxpress::passes
