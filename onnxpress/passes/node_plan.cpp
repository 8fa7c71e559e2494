// Sorts parameters into attributes and operands.
#include "onnxpress/passes/node_plan.h"

#include <algorithm>
#include <string>

#include "onnxpress/ir/constants.h"
#include "onnxpress/ops/kernels/convert.h"
#include "onnxpress/ops/schema/schema_defaults.h"

namespace onnxpress::passes {

namespace {

// Converts to the kind of attribute that the schema declares; monostate when that is not possible.
Attribute::Value attribute_value(const Parameter::Content& content, AttributeType wanted) {
  if (const auto* number = std::get_if<std::int64_t>(&content)) {
    if (wanted == AttributeType::kInt) return *number;
    if (wanted == AttributeType::kFloat) return static_cast<float>(*number);
    if (wanted == AttributeType::kInts) return std::span<const std::int64_t>(number, 1);
  }
  if (const auto* real = std::get_if<double>(&content); real && wanted == AttributeType::kFloat)
    return static_cast<float>(*real);
  if (const auto* text = std::get_if<std::string_view>(&content); text && wanted == AttributeType::kString)
    return *text;
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&content)) {
    if (wanted == AttributeType::kInts) return std::span<const std::int64_t>(*list);
    if (wanted == AttributeType::kInt && list->size() == 1) return list->front();
  }
  if (const auto* list = std::get_if<std::vector<float>>(&content); list && wanted == AttributeType::kFloats)
    return std::span<const float>(*list);
  return {};
}

}  // namespace

Attribute* make_parameter_attribute(const ops::Schema& schema, const Parameter& parameter, Arena& arena) {
  const ops::ParameterSchema* declared = schema.attribute(parameter.name);
  if (!declared) return nullptr;
  const Attribute::Value value = attribute_value(parameter.content, declared->type);
  return std::holds_alternative<std::monostate>(value) ? nullptr : make_attribute(arena, parameter.name, value);
}

ops::Array array_of(const Parameter& parameter) {
  const Parameter::Content& content = parameter.content;
  if (const auto* number = std::get_if<std::int64_t>(&content)) return ops::Array::scalar(*number);
  if (const auto* real = std::get_if<double>(&content)) return ops::Array::scalar(*real);
  if (const auto* text = std::get_if<std::string_view>(&content)) return ops::Array::scalar(std::string(*text));
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&content))
    return ops::Array::of(std::span<const std::int64_t>(*list));
  return ops::Array::of(std::span<const float>(std::get<std::vector<float>>(content)));
}

namespace {

class Planner {
 public:
  Planner(const ops::Schema& schema, std::span<Value* const> operands, Arena& arena,
          const std::function<ElementType(const Value&)>& element_of)
      : schema_(schema), arena_(arena), element_of_(element_of) {
    for (Value* value : operands) plan_.operands.push_back({value, {}});
  }

  bool add(const Parameter& parameter) {
    if (schema_.attribute(parameter.name)) {
      Attribute* attribute = make_parameter_attribute(schema_, parameter, arena_);
      if (attribute && !ops::is_default(schema_, *attribute)) plan_.attributes.push_back(attribute);
      return attribute != nullptr;
    }
    const int place = schema_.operand(parameter.name);
    if (place < 0) return false;
    const auto index = static_cast<std::size_t>(place);
    if (index >= plan_.operands.size()) plan_.operands.resize(index + 1);
    if (plan_.operands[index].given()) return false;
    const ops::Array array = array_of(parameter);
    const ElementType type = type_for(schema_.operands[index], array.type());
    if (type == ElementType::kUndefined) return false;
    auto& constant = plan_.operands[index].constant;
    constant = type == array.type() ? std::optional(array) : ops::converted(array, type);
    return constant.has_value();
  }

  std::optional<NodePlan> finish() {
    while (!plan_.operands.empty() && !plan_.operands.back().given()) plan_.operands.pop_back();
    if (!has_required() || !types_fit()) return std::nullopt;
    for (const ops::ParameterSchema& each : schema_.attributes) {
      const bool set = std::ranges::any_of(plan_.attributes, [&](auto* made) { return made->name == each.name; });
      if (each.required && !set) return std::nullopt;
    }
    return std::move(plan_);
  }

 private:
  // The type of another operand with the same type variable; else the parameter's own, or int64, if the schema allows.
  ElementType type_for(const ops::Formal& formal, ElementType own) const {
    for (std::size_t i = 0; i < plan_.operands.size(); ++i) {
      const ops::Formal* other = ops::formal_at(schema_.operands, i);
      if (!other || other->type != formal.type || !plan_.operands[i].value) continue;
      const ElementType known = element_of_(*plan_.operands[i].value);
      if (known != ElementType::kUndefined && ops::allows(schema_, formal, known)) return known;
    }
    for (const ElementType each : {own, ElementType::kInt64, ElementType::kFloat}) {
      if (ops::allows(schema_, formal, each)) return each;
    }
    return ElementType::kUndefined;
  }

  bool has_required() const {
    for (std::size_t i = 0; i < schema_.operands.size(); ++i) {
      const ops::Formal& formal = schema_.operands[i];
      const bool given = i < plan_.operands.size() && plan_.operands[i].given();
      if (!formal.optional && !formal.variadic && !given) return false;
    }
    for (std::size_t i = 0; i < plan_.operands.size(); ++i) {
      const ops::Formal* formal = ops::formal_at(schema_.operands, i);
      if (formal && formal->variadic && !plan_.operands[i].given()) return false;
    }
    return plan_.operands.empty() || ops::formal_at(schema_.operands, plan_.operands.size() - 1);
  }

  bool types_fit() const {
    for (std::size_t i = 0; i < plan_.operands.size(); ++i) {
      const Value* value = plan_.operands[i].value;
      const ElementType type = value ? element_of_(*value) : ElementType::kUndefined;
      if (type != ElementType::kUndefined && !ops::allows(schema_, *ops::formal_at(schema_.operands, i), type))
        return false;
    }
    return true;
  }

  const ops::Schema& schema_;
  Arena& arena_;
  const std::function<ElementType(const Value&)>& element_of_;
  NodePlan plan_;
};

}  // namespace

std::optional<NodePlan> plan_node(const ops::Schema& schema, std::span<Value* const> operands,
                                  std::span<const Parameter> parameters, Arena& arena,
                                  const std::function<ElementType(const Value&)>& element_of) {
  if (schema.deprecated) return std::nullopt;
  Planner planner(schema, operands, arena, element_of);
  for (const Parameter& each : parameters) {
    if (!planner.add(each)) return std::nullopt;
  }
  return planner.finish();
}

}  // namespace onnxpress::passes
