// Decides which definition counts, and renames the others.
#include "onnxpress/ir/duplicate_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "onnxpress/base/error.h"

namespace onnxpress {

std::optional<bool> later_counts(DefinitionKind earlier, DefinitionKind later) {
  if (earlier == DefinitionKind::kOther || later == DefinitionKind::kOther) return std::nullopt;
  if (earlier == DefinitionKind::kSparseInitializer && later == earlier) return std::nullopt;
  return later >= earlier;
}

Note hidden_constant_note(const Graph& graph, std::string_view name) {
  return {
      Note::Kind::kRepair, kHiddenConstant, fmt::format("graph {}", quote_name(graph.name())),
      fmt::format("{} is the name of several constants; the last one counts, as in ONNX Runtime", quote_name(name))};
}

Note ambiguous_name_note(const Graph& graph, std::string_view name) {
  return {Note::Kind::kProblem, kAmbiguousName, fmt::format("graph {}", quote_name(graph.name())),
          fmt::format("{} is the name of two values, so its meaning is ambiguous", quote_name(name))};
}

bool has_note(const Model& model, std::string_view code) {
  return std::ranges::any_of(model.notes, [code](const Note& note) { return note.code == code; });
}

void require_clear_names(const Model& model) {
  const auto ambiguous =
      std::ranges::find_if(model.notes, [](const Note& note) { return note.code == kAmbiguousName; });
  if (ambiguous == model.notes.end()) return;
  throw Error(ambiguous->where, ambiguous->message,
              "such a model can be copied, but not changed; rename one of the two values first");
}

void require_clear_names_if_changed(const Model& model) {
  if (model.changed() && !model.origin.empty()) require_clear_names(model);
}

namespace {

std::vector<Value*> definitions_of(Graph& graph) {
  std::vector<Value*> values;
  for (const ValueInfo* input : graph.inputs()) values.push_back(input->value);
  for (Value* value : graph.initializers()) {
    if (!value->is_input()) values.push_back(value);
  }
  for (Value* value : graph.sparse_initializers()) {
    if (!value->is_input() && !value->initializer()) values.push_back(value);
  }
  for (Node& node : graph.nodes()) {
    for (Value* value : node.outputs()) {
      if (value) values.push_back(value);
    }
  }
  std::erase_if(values, [](const Value* value) { return value->name().empty(); });
  return values;
}

}  // namespace

void rename_hidden_values(Model& model) {
  if (!has_note(model, kHiddenConstant)) return;
  Context& context = model.context();
  // The value that is used keeps its name; readers linked all uses to it and none to the others.
  const auto is_needed = [](const Value* value) {
    return value->is_input() || value->is_output() || value->first_use();
  };
  const std::vector<Value*> values = definitions_of(model.graph());
  std::unordered_map<std::string_view, const Value*> keeper;
  for (const Value* value : values) {
    const Value*& kept = keeper[value->name()];
    if (!kept || (!is_needed(kept) && is_needed(value))) kept = value;
  }
  std::size_t next = 0;
  for (Value* value : values) {
    if (keeper[value->name()] == value || value->is_input() || value->is_output()) continue;
    std::string name;
    do {
      name = fmt::format("hidden{}", next++);
    } while (context.names.find(name) != NameTable::kNone);
    value->graph()->rename(*value, context.arena.text(name));
  }
}

}  // namespace onnxpress
