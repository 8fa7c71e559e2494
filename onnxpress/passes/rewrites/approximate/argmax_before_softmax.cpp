// Takes ArgMax of the operand of an op that keeps the order of elements.
//
//   before: y = ArgMax(Softmax(x, axis = 1), axis = 1)   or of LogSoftmax, Sigmoid, Exp, Tanh; of Log, Sqrt of x >= 0
//   after:  y = ArgMax(x, axis = 1)
//
// If elements become equal by rounding, ArgMax may find another index, so this is an approximation.
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

constexpr std::string_view kRisingOps[] = {"Softmax", "LogSoftmax", "Sigmoid", "Exp", "Log", "Sqrt", "Tanh"};

// Log and Sqrt of negative numbers are nan, which has no order.
bool rises(const Node& node, const Rewriter& rw) {
  return !(rw.is(node, "Log") || rw.is(node, "Sqrt")) || rw.fact(node.input(0)).range.low >= 0;
}

// Softmax keeps the order only along its axis; old versions flatten and have another default.
bool runs_along(const Node& softmax, std::size_t axis, std::size_t rank, const Rewriter& rw) {
  const ops::ParameterSchema* known = rw.op_of(softmax)->schema->attribute("axis");
  return !known ||
         (known->default_text == "-1" && ops::normal_axis(rw.params(softmax).integer_or("axis", -1), rank) == axis);
}

bool apply_argmax_before_softmax(Node& node, Rewriter& rw) {
  const auto shape = rw.shape_of(node.input(0));
  const auto axis = shape ? ops::normal_axis(rw.params(node).integer_or("axis", 0), shape->size()) : std::nullopt;
  if (!axis) return false;
  const auto rising =
      std::ranges::find_if(kRisingOps, [&](std::string_view op) { return rw.producer(node.input(0), op) != nullptr; });
  if (rising == std::end(kRisingOps)) return false;
  const Node* before = rw.producer(node.input(0), *rising);
  return rises(*before, rw) && runs_along(*before, *axis, shape->size(), rw) && rw.set_input(node, 0, before->input(0));
}

constexpr std::string_view kArgmaxBeforeSoftmaxRoots[] = {"ArgMax", "ArgMin"};

}  // namespace

extern const Rewrite argmax_before_softmax;
const Rewrite argmax_before_softmax = {
    .name = "argmax-before-softmax",
    .summary = "takes ArgMax of the operand of an op that keeps the order of elements",
    .exactness = Exactness::kApproximate,
    .group = "approximate",
    .large_pattern = true,
    .roots = kArgmaxBeforeSoftmaxRoots,
    .apply = apply_argmax_before_softmax};

}  // namespace onnxpress::passes
