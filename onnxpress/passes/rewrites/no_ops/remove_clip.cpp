// Removes ops that limit a value that is within the limits anyway.
//
//   before: y = Relu(Sigmoid(x))   or Clip(Relu(x), min = 0), Abs(Exp(x))
//   after:  readers of y read the operand
//
// Uses the range that the facts prove for the operand. All of these ops pass NaN through.
#include <limits>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_remove_clip(Node& node, Rewriter& rw) {
  const ops::Range& range = rw.fact(node.input(0)).range;
  double low = 0, high = std::numeric_limits<double>::infinity();
  if (node.is("Clip")) {
    const auto params = rw.params(node);
    const auto min = params.real("min"), max = params.real("max");
    if ((params.given("min") && !min) || (params.given("max") && !max)) return false;
    low = params.given("min") ? *min : -std::numeric_limits<double>::infinity();
    high = params.given("max") ? *max : std::numeric_limits<double>::infinity();
  }
  if (!(range.low >= low) || !(range.high <= high))
    return rw.refuse("numbers from {} to {} may reach it", range.low, range.high);
  if (low == 0 && range.low == 0 && is_float(rw.element_of(node.input(0)))) {
    // -0 is within the range, but Relu and Abs would turn it into 0, so the operand must not be able to be -0.
    const Node* maker = node.input(0)->producer();
    if (!maker ||
        !(maker->is("Relu") || maker->is("Abs") || maker->is("Exp") || maker->is("Sigmoid") || maker->is("Softmax")))
      return false;
  }
  return rw.replace(node, node.input(0));
}

constexpr std::string_view kRemoveClipRoots[] = {"Clip", "Relu", "Abs"};

}  // namespace

extern const Rewrite remove_clip;
const Rewrite remove_clip = {.name = "remove-clip",
                             .summary = "removes Clip, Relu and Abs of values that are within the limits anyway",
                             .exactness = Exactness::kReassociates,
                             .group = "no_ops",
                             .roots = kRemoveClipRoots,
                             .apply = apply_remove_clip};

}  // namespace onnxpress::passes
