// Follows an input to the arithmetic that normalizes it.
#include "onnxpress/inputs/pixel_range.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace onnxpress::inputs {

namespace {

// The mean absolute value of a constant with few elements: a single number, or one for each channel.
std::optional<double> size_of_constant(const Value* value, const analysis::Facts& facts) {
  constexpr std::uint64_t kMostChannels = 16;
  const auto array = value ? facts.constant(*value, kMostChannels) : std::nullopt;
  if (!array || array->type() != ElementType::kFloat || array->count() == 0) return std::nullopt;
  double sum = 0;
  for (const float each : array->data<float>()) sum += std::abs(each);
  return sum / static_cast<double>(array->count());
}

bool normalizes_bytes(const Node& node, const Value& value, const analysis::Facts& facts) {
  constexpr double kLarge = 50, kSmall = 1 / kLarge;  // no other range of images comes near these
  if (node.is("BatchNormalization"))
    return node.input(0) == &value && size_of_constant(node.input(3), facts).value_or(0) >= kLarge;
  const bool first = node.input(0) == &value;
  const auto size = size_of_constant(node.input(first ? 1 : 0), facts);
  if (!size) return false;
  if (node.is("Div")) return first && *size >= kLarge;
  if (node.is("Mul")) return *size > 0 && *size <= kSmall;
  return *size >= kLarge && *size <= 1000;  // Sub, Add
}

bool follow_pixels(const Value& value, const analysis::Facts& facts, int depth) {
  for (const Use* use = value.first_use(); use; use = use->next()) {
    const Node& node = *use->user();
    if (node.is("Div") || node.is("Mul") || node.is("Sub") || node.is("Add") || node.is("BatchNormalization")) {
      if (normalizes_bytes(node, value, facts)) return true;
      continue;
    }
    const ops::Op* op = facts.ops().plain_op_of(node);
    const bool passes = op && op->def && op->has_any(ops::kMovesData | ops::kConvertsData);
    if (passes && depth > 0 && node.input(0) == &value && node.output(0) &&
        follow_pixels(*node.output(0), facts, depth - 1))
      return true;
  }
  return false;
}

}  // namespace

bool takes_bytes_as_floats(const Value& input, const analysis::Facts& facts) { return follow_pixels(input, facts, 4); }

}  // namespace onnxpress::inputs
