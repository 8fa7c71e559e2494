// Checks the attributes of a node against its op: known names, the right types, and no required one missing.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "onnxpress/analysis/check/check_parts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/suggest.h"
#include "onnxpress/ops/schema/attribute_values.h"

namespace onnxpress::analysis {

namespace {

// Tools keep private data in attributes with such names; onnx.checker accepts them.
bool is_private(std::string_view name) { return name.starts_with("__"); }

std::string unknown_text(const AppliedOp& op, std::string_view name) {
  std::vector<std::string> known;
  for (const ops::ParameterSchema& parameter : op.schema.attributes) known.emplace_back(parameter.name);
  const std::string guess = nearest(name, known);
  return fmt::format("{} (version {}) has no attribute of that name{}", op.schema.name, op.schema.since,
                     guess.empty() ? "" : fmt::format("; did you mean {}?", quote_name(guess)));
}

// Whether the inference of the op reports wrong values of the attribute, as one of the rules for its operands.
bool has_rule(const ops::Schema& schema, std::string_view attribute) {
  const bool is_recurrent = schema.attribute("hidden_size") != nullptr;
  return attribute == "auto_pad" || attribute == "update_rule" || (attribute == "direction" && is_recurrent);
}

// A value that this version of the op does not list.
void check_value(const AppliedOp& op, const Attribute& attribute, FindingList& found) {
  if (has_rule(op.schema, attribute.name) || ops::lists_value(op.schema, attribute)) return;
  const auto* text = std::get_if<std::string_view>(&attribute.value);
  const auto* number = std::get_if<std::int64_t>(&attribute.value);
  const std::string value = text ? std::string(*text) : std::to_string(number ? *number : 0);
  const bool taken = op.severity != Severity::kError || ops::is_taken_anyway(op.node, op.schema, attribute.name, value);
  found.add(
      taken ? Severity::kWarning : Severity::kError, "unknown-value",
      [&] { return found.places.of(op.node, attribute); },
      fmt::format("{} (version {}) has no value {} for it, only {}", op.schema.name, op.schema.since, quote_name(value),
                  fmt::join(ops::values_of(op.schema, attribute.name), ", ")));
}

}  // namespace

void check_attributes(const AppliedOp& op, FindingList& found) {
  const auto add = [&](std::string_view code, const Attribute& attribute, std::string message) {
    found.add(
        op.severity, code, [&] { return found.places.of(op.node, attribute); }, std::move(message));
  };
  for (const Attribute* attribute : op.node.attributes()) {
    if (attribute->name.empty() || is_private(attribute->name)) continue;
    const ops::ParameterSchema* parameter = op.schema.attribute(attribute->name);
    if (!parameter && op.takes_any_attribute) continue;
    if (!parameter) {
      add("unknown-attribute", *attribute, unknown_text(op, attribute->name));
    } else if (attribute->type != parameter->type && attribute->type != AttributeType::kUndefined) {
      add("attribute-type", *attribute,
          fmt::format("is of type {}, but {} needs {}", name_of(attribute->type), op.schema.name,
                      name_of(parameter->type)));
    } else {
      check_value(op, *attribute, found);
    }
  }
  for (const ops::ParameterSchema& parameter : op.schema.attributes) {
    if (!parameter.required || op.node.attribute(parameter.name)) continue;
    found.add(op.severity, "missing-attribute", op.node,
              fmt::format("attribute {} is missing, but {} needs it", quote_name(parameter.name), op.schema.name));
  }
}

}  // namespace onnxpress::analysis
