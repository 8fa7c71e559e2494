// One walk in node order: whether an operand has a gradient is known before the node is reached.
#include "onnxpress/tasks/profile/backward.h"

#include <algorithm>
#include <unordered_set>

namespace onnxpress {

std::optional<std::uint64_t> backward_macs(const analysis::Facts& facts, const std::vector<const Node*>& rows,
                                           const std::vector<NodeProfile>& list) {
  std::unordered_set<const Value*> with_gradient;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < rows.size() && i < list.size(); ++i) {
    std::uint64_t weights = 0, activations = 0;
    for (const Use& use : rows[i]->inputs()) {
      if (!use.value()) continue;
      const ops::Fact& fact = facts.of(*use.value());
      const bool is_weight = fact.is_constant && fact.is_tensor() && is_float(fact.element);
      weights += is_weight ? 1 : 0;
      activations += with_gradient.contains(use.value()) ? 1 : 0;
    }
    const bool has_gradient = weights + activations > 0;
    for (const Value* output : rows[i]->outputs()) {
      if (output && has_gradient && !facts.of(*output).is_constant) with_gradient.insert(output);
    }
    if (!list[i].counted) continue;
    if (!list[i].known || !list[i].macs) return std::nullopt;
    // At most two operands of a product need gradients: a bias or mask is not multiplied, and all weights count as one.
    const std::uint64_t times = std::min<std::uint64_t>(2, std::min<std::uint64_t>(1, weights) + activations);
    std::uint64_t own = 0;
    if (__builtin_mul_overflow(times, *list[i].macs, &own) || __builtin_add_overflow(sum, own, &sum))
      return std::nullopt;
  }
  return sum;
}

}  // namespace onnxpress
