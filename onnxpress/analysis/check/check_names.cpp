// Checks names: one definition per name and scope, no shadowing, no use of undefined names.
#include <fmt/format.h>

#include <unordered_set>

#include "onnxpress/analysis/check/check_parts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::analysis {

namespace {

class NameChecker {
 public:
  NameChecker(const Model& model, FindingList& found)
      : model_(model), names_(model.context().names), found_(found), scope_(names_.size()) {}

  void check_root(const Graph& graph, bool is_function, bool is_training) {
    is_function_ = is_function;
    is_training_ = is_training;
    check_graph(graph);
  }

 private:
  enum class What : std::uint8_t { kNothing, kInput, kInitializer, kNodeOutput };
  struct Definition {
    const Graph* graph = nullptr;
    const Node* node = nullptr;
    What what = What::kNothing;
  };
  struct Hidden {
    NameTable::Id name;
    Definition outer;
  };

  void check_graph(const Graph& graph);
  void define(const Value* value, const Definition& definition);
  void check_operands(const Node& node);
  void check_outputs(const Graph& graph);
  void report_undefined(std::string_view code, std::string_view what, const Value& value, const Graph& graph,
                        const Node* node);
  std::string in_words(const Definition& definition) const;
  std::string place_of(const Definition& definition, std::string_view name) const;
  const Value* defined_elsewhere(std::string_view name);
  void find_definitions();

  const Model& model_;
  const NameTable& names_;
  FindingList& found_;
  std::vector<Definition> scope_;          // by name: its definition at the current place
  std::vector<Hidden> hidden_;             // undo log of scope_
  std::vector<const Value*> definitions_;  // by name: any value that defines it; filled on demand
  bool is_function_ = false, is_training_ = false;
};

// Recurses only into bodies, whose depth the readers limit.
void NameChecker::check_graph(const Graph& graph) {
  const std::size_t outer = hidden_.size();
  for (const ValueInfo* input : graph.inputs()) define(input->value, {&graph, nullptr, What::kInput});
  for (const Value* value : graph.initializers()) define(value, {&graph, nullptr, What::kInitializer});
  for (const Value* value : graph.sparse_initializers()) define(value, {&graph, nullptr, What::kInitializer});
  for (const Node& node : graph.nodes()) {
    check_operands(node);
    // A body sees values defined before its node, but not the node's own outputs.
    for (const Attribute* attribute : node.attributes()) {
      for_each_graph_in(*attribute, [this](const Graph& body) { check_graph(body); });
    }
    for (const Value* value : node.outputs()) {
      if (value) define(value, {&graph, &node, What::kNodeOutput});
    }
  }
  check_outputs(graph);
  for (; hidden_.size() > outer; hidden_.pop_back()) scope_[hidden_.back().name] = hidden_.back().outer;
}

void NameChecker::define(const Value* value, const Definition& definition) {
  const std::string_view name = value ? value->name() : std::string_view();
  if (name.empty()) {
    // A node output without a name is unused, or gets its name when the model is written.
    if (definition.what == What::kNodeOutput) return;
    found_.add(Severity::kError, "empty-name", *definition.graph,
               fmt::format("an {} has no name", in_words(definition)));
    return;
  }
  const NameTable::Id id = names_.find(name);
  if (id == NameTable::kNone) return;
  const Definition before = scope_[id];
  const auto place = [&] { return place_of(definition, name); };
  if (before.graph == definition.graph) {
    // An initializer with the name of an input is the input's default value.
    const bool is_default = before.what == What::kInput && definition.what == What::kInitializer;
    if (!is_default) {
      found_.add(Severity::kError, "duplicate-name", place,
                 fmt::format("{} is already the name of an {}{}", quote_name(name), in_words(before),
                             before.node ? " of " + found_.places.short_of(*before.node) : ""));
    }
  } else if (before.graph) {
    // The standard forbids all shadowing, but checkers and runtimes allow inputs and initializers of a body to hide
    // outer names.
    const Severity severity = definition.what == What::kNodeOutput ? Severity::kError : Severity::kWarning;
    found_.add(severity, "shadowed-name", place,
               fmt::format("{} is already the name of an {} of {}", quote_name(name), in_words(before),
                           before.node ? found_.places.of(*before.node) : found_.places.of(*before.graph)));
  }
  hidden_.push_back({id, before});
  scope_[id] = definition;
}

void NameChecker::check_operands(const Node& node) {
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const Value* value = node.input(i);
    if (!value || value->is_defined()) continue;
    report_undefined("undefined-input", fmt::format("input {}", i), *value, *node.graph(), &node);
  }
}

void NameChecker::check_outputs(const Graph& graph) {
  std::unordered_set<const Value*> seen;
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const Value* value = graph.outputs()[i]->value;
    if (!value || value->name().empty()) {
      if (!value || !value->is_defined()) {
        found_.add(Severity::kError, "empty-name", graph, fmt::format("output {} has no name", i));
      }
    } else if (!value->is_defined()) {
      report_undefined("undefined-output", fmt::format("output {}", i), *value, graph, nullptr);
    } else if (value->graph() != &graph) {
      found_.add(Severity::kError, "outer-output", graph,
                 fmt::format("output {} {} is a value from outside the body; it needs an Identity in between", i,
                             quote_name(value->name())));
    } else if (graph.outputs().size() > 1 && !seen.insert(value).second) {
      // The outputs of a function are told apart by name; those of a graph also by position.
      found_.add(is_function_ && !graph.owner() ? Severity::kError : Severity::kNote, "duplicate-output", graph,
                 fmt::format("output {} {} is listed a second time", i, quote_name(value->name())));
    }
  }
}

void NameChecker::report_undefined(std::string_view code, std::string_view what, const Value& value, const Graph& graph,
                                   const Node* node) {
  const Value* elsewhere = defined_elsewhere(value.name());
  // Training graphs may read the values of the main graph.
  if (is_training_ && elsewhere && elsewhere->graph() == &model_.graph()) return;
  const auto place = [&] { return node ? found_.places.of(*node) : found_.places.of(graph); };
  if (!elsewhere) {
    found_.add(Severity::kError, code, place, fmt::format("{} {} is defined nowhere", what, quote_name(value.name())));
  } else {
    found_.add(Severity::kError, "out-of-scope", place,
               fmt::format("{} {} is defined only in {}, which is not visible here", what, quote_name(value.name()),
                           found_.places.of(*elsewhere->graph())));
  }
}

std::string NameChecker::in_words(const Definition& definition) const {
  switch (definition.what) {
    case What::kInput:
      return "input";
    case What::kInitializer:
      return "initializer";
    default:
      return "output";
  }
}

std::string NameChecker::place_of(const Definition& definition, std::string_view name) const {
  if (definition.node) return found_.places.of(*definition.node);
  return fmt::format("{}, {} {}", found_.places.of(*definition.graph), in_words(definition), quote_name(name));
}

const Value* NameChecker::defined_elsewhere(std::string_view name) {
  if (definitions_.empty()) find_definitions();
  const NameTable::Id id = names_.find(name);
  return id == NameTable::kNone ? nullptr : definitions_[id];
}

void NameChecker::find_definitions() {
  definitions_.resize(names_.size() + 1);  // + 1: not empty even without names, which marks it as filled
  const auto add = [this](const Value* value) {
    if (!value || value->name().empty()) return;
    const NameTable::Id id = names_.find(value->name());
    if (id != NameTable::kNone && !definitions_[id]) definitions_[id] = value;
  };
  for_each_graph(model_, [&add](const Graph& graph) {
    for (const ValueInfo* input : graph.inputs()) add(input->value);
    for (const Value* value : graph.initializers()) add(value);
    for (const Value* value : graph.sparse_initializers()) add(value);
    for (const Node& node : graph.nodes()) {
      for (const Value* value : node.outputs()) add(value);
    }
  });
}

}  // namespace

void check_names(const Model& model, FindingList& found) {
  NameChecker checker(model, found);
  checker.check_root(model.graph(), false, false);
  for (const Function* function : model.functions) checker.check_root(*function->body, true, false);
  for (const TrainingInfo* training : model.training) {
    for (const Graph* graph : {training->initialization, training->algorithm}) {
      if (graph) checker.check_root(*graph, false, true);
    }
  }
}

}  // namespace onnxpress::analysis
