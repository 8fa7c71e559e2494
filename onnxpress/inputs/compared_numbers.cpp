// Follows an input to the comparisons that read it.
#include "onnxpress/inputs/compared_numbers.h"

#include <algorithm>
#include <cmath>

namespace onnxpress::inputs {

namespace {

bool is_comparison(const Node& node) {
  return node.is("Equal") || node.is("Less") || node.is("Greater") || node.is("LessOrEqual") ||
         node.is("GreaterOrEqual");
}

// Calls take(other, node) for each value that this one is compared with.
template <typename Take>
void follow(const Value& value, const analysis::Facts& facts, int depth, const Take& take) {
  for (const Use* use = value.first_use(); use; use = use->next()) {
    const Node& node = *use->user();
    if (is_comparison(node)) {
      if (const Value* other = node.input(node.input(0) == &value ? 1 : 0)) take(*other, node);
      continue;
    }
    const ops::Op* op = facts.ops().plain_op_of(node);
    const bool passes = op && op->def && op->has_any(ops::kMovesData | ops::kConvertsData);
    if (passes && depth > 0 && node.input(0) == &value && node.output(0))
      follow(*node.output(0), facts, depth - 1, take);
  }
}

constexpr int kDepth = 4;

// Does a Not, and nothing else, read the result?
bool is_negated(const Node& comparison) {
  const Use* const use = comparison.output(0) ? comparison.output(0)->first_use() : nullptr;
  return use && !use->next() && use->user() && use->user()->is("Not");
}

bool is_whole(double number) { return number == std::floor(number) && std::abs(number) <= 1e15; }

}  // namespace

std::vector<std::int64_t> compared_numbers(const Value& input, const analysis::Facts& facts) {
  std::vector<std::int64_t> found;
  follow(input, facts, kDepth, [&](const Value& other, const Node&) {
    const auto constant = facts.constant(other, 1);
    const auto number = constant ? constant->number() : std::nullopt;
    if (!number || !is_whole(*number)) return;
    const auto whole = static_cast<std::int64_t>(*number);
    if (std::ranges::find(found, whole) == found.end()) found.push_back(whole);
  });
  return found;
}

std::optional<CodeRange> compared_codes(const Value& input, const analysis::Facts& facts) {
  constexpr std::uint64_t kMost = 1 << 20;
  std::optional<CodeRange> found;
  follow(input, facts, kDepth, [&](const Value& other, const Node&) {
    const auto constant = facts.constant(other, kMost);
    if (!constant || constant->count() < 2) return;
    using Types = ops::TypeList<ElementType::kUint8, ElementType::kInt32, ElementType::kInt64>;
    ops::dispatch(Types(), constant->type(), [&]<typename T>() {
      const auto [low, high] = std::ranges::minmax(constant->data<T>());
      found = CodeRange{static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
    });
  });
  return found;
}

std::optional<FloatLimit> compared_floats(const Value& input, const analysis::Facts& facts) {
  constexpr std::uint64_t kMost = 1 << 20;
  std::optional<FloatLimit> found;
  follow(input, facts, kDepth, [&](const Value& other, const Node& node) {
    const auto constant = facts.constant(other, kMost);
    if (node.is("Equal") || !constant || constant->count() < 2) return;
    const bool is_greater = node.is("Greater") || node.is("GreaterOrEqual"), others_first = node.input(0) == &other;
    const bool is_lower = (is_greater == others_first) != is_negated(node);
    using Types = ops::TypeList<ElementType::kFloat, ElementType::kDouble>;
    ops::dispatch(Types(), constant->type(), [&]<typename T>() {
      const auto [low, high] = std::ranges::minmax(constant->data<T>());
      if (std::isfinite(low) && std::isfinite(high))
        found = FloatLimit{static_cast<double>(low), static_cast<double>(high), is_lower};
    });
  });
  return found;
}

}  // namespace onnxpress::inputs
