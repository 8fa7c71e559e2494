// Checks the attributes of a node against its op: known names, the right types, and no required one missing.
#include <fmt/format.h>

#include <vector>

#include "onnxpress/analysis/check/check_parts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/suggest.h"

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
    }
  }
  for (const ops::ParameterSchema& parameter : op.schema.attributes) {
    if (!parameter.required || op.node.attribute(parameter.name)) continue;
    found.add(op.severity, "missing-attribute", op.node,
              fmt::format("attribute {} is missing, but {} needs it", quote_name(parameter.name), op.schema.name));
  }
}

}  // namespace onnxpress::analysis
