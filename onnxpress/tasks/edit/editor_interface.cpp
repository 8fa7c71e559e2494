// Inputs and outputs: adding and removing them, their shapes and element types.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/analysis/places.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/option_error.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/passes/rewriter.h"
#include "onnxpress/tasks/report/field_lists/edit.h"

namespace onnxpress {

ElementType element_type_in(std::string_view text) {
  static constexpr std::pair<std::string_view, ElementType> kOthers[] = {
      {"float32", ElementType::kFloat}, {"fp32", ElementType::kFloat},     {"f32", ElementType::kFloat},
      {"fp16", ElementType::kFloat16},  {"f16", ElementType::kFloat16},    {"half", ElementType::kFloat16},
      {"bf16", ElementType::kBfloat16}, {"float64", ElementType::kDouble}, {"fp64", ElementType::kDouble},
      {"f64", ElementType::kDouble}};
  for (const auto& [word, type] : kOthers) {
    if (word == text) return type;
  }
  if (const auto type = element_type_named(text)) return *type;
  throw OptionError(fmt::format("there is no element type {}", quote_name(text)), "write float, float16, int64, ...");
}

ValueInfo& Editor::declaration(const Value& value) const {
  for (ValueInfo* input : model_.graph().inputs()) {
    if (input->value == &value) return *input;
  }
  for (ValueInfo* output : model_.graph().outputs()) {
    if (output->value == &value) return *output;
  }
  throw Error("", fmt::format("{} is neither an input nor an output of the model", quote_name(value.name())));
}

Value& Editor::add_input(std::string_view name, const Type* type) {
  require_free(name);
  Value* value = model_.graph().create_value(text(name), type);
  model_.graph().add_input(value, type);
  infer_again();
  return *value;
}

void Editor::add_output(Value& value) {
  require_own(&value);
  if (value.graph() != &model_.graph()) {
    throw Error("",
                fmt::format("{} is inside a body: it has a value for each run of that body", quote_name(value.name())),
                "return it from the body first");
  }
  for (const ValueInfo* output : model_.graph().outputs()) {
    if (output->value == &value) throw Error("", fmt::format("{} already is an output", quote_name(value.name())));
  }
  const Type* type = type_of(value);
  if (!type) {
    throw Error("", fmt::format("the type of {} is not known, but an output needs one", quote_name(value.name())),
                "run `onnxpress infer` to see why");
  }
  model_.graph().add_output(&value, type);
}

void Editor::remove_input(Value& value) {
  const ValueInfo& info = declaration(value);
  if (info.kind != ValueInfo::Kind::kInput)
    throw Error("", fmt::format("{} is not an input", quote_name(value.name())));
  const bool has_default = value.initializer() || value.sparse_initializer();
  if (value.is_used() && !has_default) {
    throw Error("",
                fmt::format("input {} is needed: {}", quote_name(value.name()),
                            value.first_use()
                                ? fmt::format("node {} reads it", analysis::node_label(*value.first_use()->user()))
                                : std::string("it is an output as well")),
                "extract a part that does not need it");
  }
  Value* const removed[] = {&value};
  model_.graph().remove_inputs(removed);
}

void Editor::set_shape(Value& value, std::span<const Dim> shape) {
  ValueInfo& info = declaration(value);
  const Type* before = info.type ? info.type : type_of(value);
  if (!before || !before->is_tensor()) throw Error("", fmt::format("{} is not a tensor", quote_name(value.name())));
  Type type = *before;
  type.origin = {};
  type.has_shape = true;
  type.dims = model_.arena().copy(shape);
  type.dim_denotations = {};
  shapes_changed_ = shapes_changed_ || info.kind == ValueInfo::Kind::kInput;
  model_.graph().set_type(info, model_.arena().make<Type>(type));
  if (info.kind == ValueInfo::Kind::kInput) infer_again();
}

// --- Element types

Value& Editor::cast_of(Graph& graph, Node* before, Value& value, ElementType type, std::string_view name) {
  Value* made = graph.create_value(name);
  Value* const inputs[] = {&value};
  Attribute* const attributes[] = {make_attribute(model_.arena(), "to", static_cast<std::int64_t>(type))};
  graph.insert_before(before, {.op_type = "Cast", .inputs = inputs, .outputs = {&made, 1}, .attributes = attributes});
  return *made;
}

void Editor::set_type(Value& value, ElementType type) {
  require_own(&value);
  const ValueInfo& info = declaration(value);
  const Type* before = info.type ? info.type : type_of(value);
  if (!before || before->kind != Type::Kind::kTensor)
    throw Error("", fmt::format("{} is not a tensor", quote_name(value.name())));
  if (before->element == type) return;
  if (info.kind == ValueInfo::Kind::kInput) {
    set_input_type(value, type, before->element);
  } else {
    set_output_type(value, type);
  }
}

// The input keeps its place and name; nodes read the result of the Cast instead.
void Editor::set_input_type(Value& value, ElementType type, ElementType before) {
  Graph& graph = model_.graph();
  if (value.is_output() || value.initializer()) {
    throw Error("",
                fmt::format("input {} is {}", quote_name(value.name()),
                            value.is_output() ? "an output as well" : "an initializer as well"),
                "change it by hand");
  }
  ValueInfo& info = declaration(value);
  Type changed = info.type ? *info.type : Type{.kind = Type::Kind::kTensor};
  changed.origin = {};
  changed.element = type;
  graph.set_type(info, model_.arena().make<Type>(changed));
  std::vector<std::pair<Node*, std::size_t>> uses;
  for (const Use* use = value.first_use(); use; use = use->next()) uses.emplace_back(use->user(), use->index());
  if (!uses.empty()) {
    Value& cast = cast_of(graph, graph.nodes().front(), value, before, {});
    for (const auto& [user, index] : uses) user->graph()->set_input(*user, index, &cast);
  }
  infer_again();
}

// The output keeps its place and name, as the result of the Cast; the value that the Cast reads gets a new name.
void Editor::set_output_type(Value& value, ElementType type) {
  Graph& graph = model_.graph();
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    ValueInfo& info = *graph.outputs()[i];
    if (info.value != &value) continue;
    Type changed = info.type ? *info.type : Type{.kind = Type::Kind::kTensor};
    changed.origin = {};
    changed.element = type;
    const std::string_view name = value.name();
    graph.rename(value, {});
    Value& cast = cast_of(graph, nullptr, value, type, name);
    graph.set_output(i, &cast);
    graph.set_type(info, model_.arena().make<Type>(changed));
    return;
  }
}

}  // namespace onnxpress
