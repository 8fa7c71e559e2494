// Removes the replacement of NaN after a Softmax that gives none.
//
//   before: s = Softmax(Add(MatMul(q, k), mask)); y = Where(IsNaN(s), 0, s)   as torch.export writes attention
//   after:  readers of y read s
//
// A Softmax gives NaN where a whole row is minus infinity. So what is added to the products must be finite, and so must
// the sum of it all; one constant mask may hide numbers with minus infinity, but not all of a row. The products
// themselves are taken to be finite: infinite ones come from an overflow, which would then show as NaN, not as 0.
#include <algorithm>
#include <cmath>
#include <limits>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/pattern.h"

namespace onnxpress::passes {

namespace {

constexpr int kMostTerms = 16;

// Adds up the terms of scores.
class Scores {
 public:
  explicit Scores(const Rewriter& rw) : rw_(rw) {}

  bool add(const Value* value) {
    if (!value || ++terms_ > kMostTerms) return false;
    if (const ops::Range& range = rw_.fact(value).range; range.finite) return add(range);
    if (rw_.is_constant(value)) return add_constant(*value);
    const Node* node = value->producer();
    if (!node || !rw_.op_of(*node)) return false;
    if (node->is("MatMul")) return true;
    if (node->is("Add")) return add(node->input(0)) && add(node->input(1));
    if (node->is("Mul") || node->is("Div")) return is_scale(node->input(1)) && add_scaled(node->input(0));
    for (const std::string_view op : {"Reshape", "Unsqueeze", "Squeeze", "Expand", "Transpose"}) {
      if (node->is(op)) return add(node->input(0));
    }
    return false;
  }
  // Whether no sum of the terms becomes infinite; the rounding of the largest numbers hides scores of a usual size.
  bool are_finite() const {
    constexpr double kMost = std::numeric_limits<float>::max();
    return low_ >= -kMost && high_ <= kMost;
  }

 private:
  bool add(const ops::Range& range) {
    low_ += std::min(range.low, 0.0);
    high_ += std::max(range.high, 0.0);
    return true;
  }
  bool is_scale(const Value* value) const {
    const auto array = rw_.is_constant(value) ? rw_.constant(value) : std::nullopt;
    const auto number = array ? array->number() : std::nullopt;
    return number && std::isfinite(*number);
  }
  // Only products may be scaled: a mask would leave the range that is known for it.
  bool add_scaled(const Value* value) {
    const Node* node = value->producer();
    return node && rw_.op_of(*node) && node->is("MatMul");
  }
  // A mask that leaves a number in each row.
  bool add_constant(const Value& value) {
    const auto array = has_mask_ ? std::nullopt : rw_.constant(&value);
    if (!array || array->type() != ElementType::kFloat || array->rank() == 0 || array->count() == 0) return false;
    const auto row = static_cast<std::size_t>(array->sizes().back());
    const auto data = array->data<float>();
    for (std::size_t i = 0; i < data.size(); i += row) {
      bool leaves_one = false;
      for (const float each : data.subspan(i, row)) {
        if (std::isnan(each) || each == std::numeric_limits<float>::infinity()) return false;
        leaves_one = leaves_one || std::isfinite(each);
        if (std::isfinite(each)) add(ops::Range{each, each, true});
      }
      if (!leaves_one || row == 1) return false;
    }
    has_mask_ = true;
    return true;
  }

  const Rewriter& rw_;
  int terms_ = 0;
  bool has_mask_ = false;
  double low_ = 0, high_ = 0;
};

bool apply_remove_nan_guard(Node& where, Rewriter& rw) {
  static const Pattern kPattern("Where(IsNaN(s), 0, s)");
  const auto match = kPattern.find(where, rw);
  const Node* softmax = match ? rw.producer((*match)["s"], "Softmax") : nullptr;
  if (!softmax || rw.element_of(softmax->output()) != ElementType::kFloat) return false;
  Scores scores(rw);
  return scores.add(softmax->input(0)) && scores.are_finite() && rw.replace(where, (*match)["s"]);
}

constexpr std::string_view kRemoveNanGuardRoots[] = {"Where"};

}  // namespace

extern const Rewrite remove_nan_guard;
const Rewrite remove_nan_guard = {.name = "remove-nan-guard",
                                  .summary = "removes the replacement of NaN after a Softmax that gives none",
                                  .exactness = Exactness::kReassociates,
                                  .group = "no_ops",
                                  .large_pattern = true,
                                  .roots = kRemoveNanGuardRoots,
                                  .apply = apply_remove_nan_guard};

}  // namespace onnxpress::passes
