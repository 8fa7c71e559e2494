// Generates names in order of appearance.
#include "onnxpress/ir/name_values.h"

#include <fmt/format.h>

#include "onnxpress/ir/duplicate_names.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress {

void for_each_unnamed(const Model& model, const std::function<void(Value&)>& visit) {
  if (!model.changed()) return;  // everything in it comes from a file
  const auto look_at = [&visit](Value* value) {
    if (!value || !value->name().empty() || !(value->producer() || value->initializer())) return;
    // A file may contain an initializer without a name. Nothing can refer to it, so it stays as it is.
    if (value->initializer() && value->initializer()->origin.data() && !value->is_used()) return;
    visit(*value);
  };
  for_each_graph(model, [&](Graph& graph) {
    // Only inputs of bodies that we made; those from a file stay as they are.
    for (const ValueInfo* input : graph.inputs()) {
      if (graph.owner() && !input->origin.data() && input->value->name().empty()) visit(*input->value);
    }
    for (Value* value : graph.initializers()) look_at(value);
    for (Node& node : graph.nodes()) {
      if (!node.changed()) continue;  // straight from a file: an empty name means that the output is not wanted
      for (Value* value : node.outputs()) look_at(value);
    }
  });
}

void name_values(Model& model) {
  if (model.changed()) rename_hidden_values(model);
  Context& context = model.context();
  std::size_t next = 0;
  for_each_unnamed(model, [&](Value& value) {
    std::string name;
    do {
      name = fmt::format("v{}", next++);
    } while (context.names.find(name) != NameTable::kNone);
    value.graph()->rename(value, context.arena.text(name));
  });
}

bool has_unnamed_values(const Model& model) {
  bool found = false;
  for_each_unnamed(model, [&found](Value&) { found = true; });
  return found;
}

std::optional<Model> named_copy(const Model& model) {
  if (!has_unnamed_values(model)) return std::nullopt;
  std::optional<Model> copy(model.clone());
  name_values(*copy);
  return copy;
}

}  // namespace onnxpress
