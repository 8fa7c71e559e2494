// Looks up attributes and operands in schemas.
#include "onnxpress/ops/schema/schema_defaults.h"

#include <algorithm>
#include <array>

namespace onnxpress::ops {

bool means_the_same_as_absent(const Schema& schema, const Attribute& attribute) {
  if (is_default(schema, attribute)) return true;
  const auto* list = std::get_if<std::span<const std::int64_t>>(&attribute.value);
  // Convolutions and pooling ops. Their first versions do not define what absent strides and dilations mean.
  if (!list || attribute.is_reference() || !schema.attribute("auto_pad") || !schema.attribute(attribute.name))
    return false;
  const auto all = [list](std::int64_t wanted) {
    return std::ranges::all_of(*list, [wanted](std::int64_t each) { return each == wanted; });
  };
  constexpr int kFirstThatSays = 10;
  if (attribute.name == "pads") return all(0);
  const bool steps = attribute.name == "strides" || attribute.name == "dilations";
  return steps && schema.since >= kFirstThatSays && all(1);
}

bool allows(const Schema& schema, const Formal& formal, ElementType type) {
  const std::string_view name = name_of(type);
  if (formal.type == name) return true;
  for (const TypeVariable& variable : schema.type_variables) {
    if (variable.name == formal.type)
      return std::find(variable.types.begin(), variable.types.end(), name) != variable.types.end();
  }
  return false;
}

const Formal* formal_at(const std::vector<Formal>& formals, std::size_t i) {
  if (i < formals.size()) return &formals[i];
  return !formals.empty() && formals.back().variadic ? &formals.back() : nullptr;
}

bool is_parameter(const Schema& schema, std::size_t operand) {
  // The names of such operands in the standard, from Reshape's shape to AffineGrid's size.
  static constexpr std::array<std::string_view, 20> kNames = {
      "shape",  "axes",  "axis", "starts", "ends",  "steps",        "pads", "repeats", "split", "roi",
      "scales", "sizes", "K",    "k",      "depth", "target_shape", "size", "start",   "limit", "delta"};
  const Formal* formal = formal_at(schema.operands, operand);
  if (!formal) return false;
  if (schema.name == "ConstantOfShape") return true;
  // The second operand of Upsample and Resize-10 is also called scales; the scales of quantizers have other names.
  return std::find(kNames.begin(), kNames.end(), formal->name) != kNames.end();
}

}  // namespace onnxpress::ops
