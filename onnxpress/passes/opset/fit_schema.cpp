// Compares the two schemas of a node, part by part.
#include "onnxpress/passes/opset/fit_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "onnxpress/ops/schema/attribute_values.h"
#include "onnxpress/ops/schema/schema_defaults.h"

namespace onnxpress::passes {

namespace {

// Parameters that only the old version has must have no effect.
void drop_unknown(const Node& node, const ops::Schema& before, const ops::Schema& after, Draft& draft) {
  std::erase_if(draft.parameters, [&](const Parameter& each) {
    if (after.attribute(each.name) || after.operand(each.name) >= 0) return false;
    const Attribute* given = node.attribute(each.name);
    const bool says_nothing = each.name == "consumed_inputs" || (given && ops::is_default(before, *given));
    if (!says_nothing) throw Obstacle{fmt::format("the new opset has no parameter {}", each.name)};
    return true;
  });
}

void write_old_defaults(const Node& node, const ops::Schema& before, const ops::Schema& after, Draft& draft) {
  for (const ops::ParameterSchema& old : before.attributes) {
    const ops::ParameterSchema* now = after.attribute(old.name);
    if (!now || node.attribute(old.name) || !old.default_text.data()) continue;
    if (now->default_text.data() && now->default_text == old.default_text) continue;
    if (!find_parameter(draft, old.name)) write_default(draft, old.name, before);
  }
}

// Constant operands become attributes again.
void operands_to_attributes(const ops::Schema& before, const ops::Schema& after, const analysis::Facts& facts,
                            Draft& draft) {
  for (std::size_t i = 1; i < draft.operands.size() && i < before.operands.size(); ++i) {
    const ops::Formal& formal = before.operands[i];
    if (!draft.operands[i] || !after.attribute(formal.name) || after.operand(formal.name) >= 0) continue;
    const auto array = facts.constant(*draft.operands[i], 1 << 16);
    const auto numbers = array ? array->integers() : std::nullopt;
    if (!numbers) throw Obstacle{fmt::format("{} must be constant in the new opset", formal.name)};
    draft.parameters.emplace_back(formal.name, *numbers);
    draft.operands[i] = nullptr;
  }
  while (!draft.operands.empty() && !draft.operands.back()) draft.operands.pop_back();
}

// Resize needed all of its operands once, and an empty list said that it had no such operand.
void write_empty_operands(const ops::Schema& after, Draft& draft) {
  if (after.name != "Resize") return;
  for (const std::string_view name : {"roi", "scales"}) {
    const int place = after.operand(name);
    if (place < 0 || after.operands[static_cast<std::size_t>(place)].optional || find_parameter(draft, name)) continue;
    const auto i = static_cast<std::size_t>(place);
    if (i >= draft.operands.size() || !draft.operands[i]) draft.parameters.emplace_back(name, std::vector<float>{});
  }
}

std::string text_of(const Parameter& parameter) {
  if (const auto* text = std::get_if<std::string_view>(&parameter.content)) return std::string(*text);
  if (const auto* number = std::get_if<std::int64_t>(&parameter.content)) return std::to_string(*number);
  return {};
}

// A value that the old version lists must be in the new one's list.
void require_values(const ops::Schema& before, const ops::Schema& after, const Draft& draft) {
  for (const Parameter& each : draft.parameters) {
    const auto listed = ops::values_of(after, each.name);
    const std::string text = text_of(each);
    if (listed.empty() || ops::lists_value(after, each.name, text) || !ops::lists_value(before, each.name, text))
      continue;
    throw Obstacle{fmt::format("the new opset has no {} {} (only {})", each.name, text, fmt::join(listed, ", "))};
  }
}

// The new version must return the types that the node returns.
void require_result_types(const Node& node, const ops::Schema& before, const ops::Schema& after,
                          const analysis::Facts& facts) {
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const Value* result = node.output(i);
    const ops::Formal *old = ops::formal_at(before.results, i), *now = ops::formal_at(after.results, i);
    if (!result || !old || !now || !facts.of(*result).is_tensor()) continue;
    const ElementType type = facts.of(*result).element;
    if (type == ElementType::kUndefined || !ops::allows(before, *old, type) || ops::allows(after, *now, type)) continue;
    throw Obstacle{fmt::format("in the new opset it cannot return {}", name_of(type))};
  }
}

}  // namespace

void fit_schema(const Node& node, const ops::Schema& before, const ops::Schema& after, const analysis::Facts& facts,
                Draft& draft) {
  drop_unknown(node, before, after, draft);
  write_old_defaults(node, before, after, draft);
  operands_to_attributes(before, after, facts, draft);
  write_empty_operands(after, draft);
  require_values(before, after, draft);
  require_result_types(node, before, after, facts);
}

}  // namespace onnxpress::passes
