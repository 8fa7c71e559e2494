// Adds a constant to the bias of a Conv or ConvTranspose instead of to its result.
//
//   before: y = Add(Conv(x, w, b), c)   with c of [1, C, 1, 1] or [C, 1, 1]
//   after:  y = Conv(x, w, b + c)
//
// c may differ along the channel axis only; the Conv must be read by nothing else.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

// The constant as one number per channel; null when it differs along another axis.
Value* per_channel(Value* c, std::int64_t channels, std::size_t rank, Rewriter& rw) {
  const auto shape = rw.shape_of(c);
  if (!rw.is_constant(c) || !shape || shape->size() > rank) return nullptr;
  std::int64_t count = 1;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    const auto size = (*shape)[i].size();
    const bool is_channel_axis = rank - shape->size() + i == 1;
    if (!size || (*size != 1 && !(is_channel_axis && *size == channels))) return nullptr;
    count *= *size;
  }
  Value* flat = rw.reshaped(c, {-1});
  return count == channels ? flat : rw.make("Expand", {flat}, {{"shape", std::vector<std::int64_t>{channels}}});
}

bool apply(Node& add, Rewriter& rw) {
  for (const std::size_t side : {0, 1}) {
    Node* conv = rw.sole_producer(add.input(side), "Conv");
    if (!conv) conv = rw.sole_producer(add.input(side), "ConvTranspose");
    const auto shape = conv ? rw.shape_of(conv->output()) : std::nullopt;
    const auto channels = shape && shape->size() > 2 ? (*shape)[1].size() : std::nullopt;
    if (!channels || (conv->input(2) && !rw.is_constant(conv->input(2)))) continue;
    Value* c = per_channel(add.input(1 - side), *channels, shape->size(), rw);
    Value* bias = conv->input(2) ? rw.make("Add", {conv->input(2), c}) : c;
    if (!bias || !rw.is_constant(bias) || rw.shape_of(bias) != ops::Shape{Dim::size(*channels)}) continue;
    if (rw.shape_of(add.output()) != shape || !rw.replace(add, conv->output())) continue;
    return rw.set_input(*conv, 2, bias);
  }
  return false;
}

constexpr std::string_view kRoots[] = {"Add"};

}  // namespace

extern const Rewrite fuse_conv_add;
const Rewrite fuse_conv_add = {.name = "fuse-conv-add",
                               .summary = "adds a constant to the bias of a Conv instead of to its result",
                               .exactness = Exactness::kReassociates,
                               .group = "fusion",
                               .roots = kRoots,
                               .apply = apply};

}  // namespace onnxpress::passes
