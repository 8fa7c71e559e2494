// Follows an input to the comparisons that read it.
#include "onnxpress/tasks/inputs/compared_numbers.h"

#include <algorithm>
#include <cmath>

namespace onnxpress::tasks {

namespace {

bool is_comparison(const Node& node) {
  return node.is("Equal") || node.is("Less") || node.is("Greater") || node.is("LessOrEqual") ||
         node.is("GreaterOrEqual");
}

void follow(const Value& value, const analysis::Facts& facts, int depth, std::vector<std::int64_t>& found) {
  for (const Use* use = value.first_use(); use; use = use->next()) {
    const Node& node = *use->user();
    if (is_comparison(node)) {
      const Value* other = node.input(node.input(0) == &value ? 1 : 0);
      const auto constant = other ? facts.constant(*other, 1) : std::nullopt;
      const auto number = constant ? constant->number() : std::nullopt;
      if (!number || *number != std::floor(*number) || std::abs(*number) > 1e15) continue;
      const auto whole = static_cast<std::int64_t>(*number);
      if (std::ranges::find(found, whole) == found.end()) found.push_back(whole);
      continue;
    }
    const ops::Op* op = facts.ops().plain_op_of(node);
    const bool passes = op && op->def && op->has_any(ops::kMovesData | ops::kConvertsData);
    if (passes && depth > 0 && node.input(0) == &value && node.output(0))
      follow(*node.output(0), facts, depth - 1, found);
  }
}

}  // namespace

std::vector<std::int64_t> compared_numbers(const Value& input, const analysis::Facts& facts) {
  std::vector<std::int64_t> found;
  follow(input, facts, 4, found);
  return found;
}

}  // namespace onnxpress::tasks
