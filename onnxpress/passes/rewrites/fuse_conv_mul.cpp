// Scales the weights of a Conv instead of its result.
//
//   before: y = Mul(Conv(x, w, b), c)   with c of [1, C, 1, 1] or [C, 1, 1]
//   after:  y = Conv(x, w * c, b * c)
//
// c may differ along the channel axis only; the Conv and its weights must be read by nothing else.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply(Node& mul, Rewriter& rw) {
  for (const std::size_t side : {0, 1}) {
    Node* conv = rw.sole_producer(mul.input(side), "Conv");
    Value* c = mul.input(1 - side);
    const auto weights = conv ? rw.shape_of(conv->input(1)) : std::nullopt;
    const auto shape = rw.shape_of(c);
    if (!weights || weights->size() < 3 || !shape || shape->size() > weights->size()) continue;
    Value *w = conv->input(1), *b = conv->input(2);
    const auto channels = weights->front().size();
    if (!channels || !rw.all_constant({w, c}) || (b && !rw.is_constant(b)) ||
        (w->first_use() && w->first_use()->next()))
      continue;
    bool fits = rw.element_of(c) == rw.element_of(w);
    std::int64_t count = 1;
    for (std::size_t i = 0; i < shape->size(); ++i) {
      const std::int64_t size = (*shape)[i].size().value_or(-1);
      fits &= size == 1 || (size == *channels && weights->size() - shape->size() + i == 1);
      count *= size;
    }
    if (!fits) continue;
    std::vector<std::int64_t> leading(weights->size(), 1);
    leading.front() = count;
    Value* flat = rw.reshaped(c, {-1});
    Value* weight = rw.make("Mul", {w, rw.reshaped(c, leading)});
    Value* bias = b ? rw.make("Mul", {b, flat}) : nullptr;
    if (!rw.is_constant(weight) || rw.shape_of(weight) != weights || (b && !rw.is_constant(bias))) continue;
    if (rw.shape_of(mul.output()) != rw.shape_of(conv->output()) || !rw.replace(mul, conv->output())) continue;
    return rw.set_input(*conv, 1, weight) && (!b || rw.set_input(*conv, 2, bias));
  }
  return false;
}

constexpr std::string_view kRoots[] = {"Mul"};

}  // namespace

extern const Rewrite fuse_conv_mul;
const Rewrite fuse_conv_mul = {.name = "fuse-conv-mul",
                               .summary = "scales the weights of a Conv instead of its result",
                               .exactness = Exactness::kReassociates,
                               .group = "fusion",
                               .roots = kRoots,
                               .apply = apply};

}  // namespace onnxpress::passes
