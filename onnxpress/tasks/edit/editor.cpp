// Nodes, names and weights. The interface is in editor_interface.cpp, attributes in editor_attributes.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/analysis/places.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/rewriter.h"
#include "onnxpress/tasks/edit/find_names.h"
#include "onnxpress/tasks/inspect/fact_type.h"
#include "onnxpress/tasks/report/field_lists/edit.h"

namespace onnxpress {

namespace {

std::unique_ptr<analysis::Facts> followed(Model& model) {
  auto facts = std::make_unique<analysis::Facts>(model);
  facts->follow();
  return facts;
}

std::string readers_of(const Value& value) {
  if (value.is_output()) return "it is an output of its graph";
  return fmt::format("node {} reads it", analysis::node_label(*value.first_use()->user()));
}

}  // namespace

Editor::Editor(Model& model) : model_(model) { infer_again(); }
Editor::~Editor() = default;

void Editor::infer_again() {
  rewriter_.reset();
  facts_ = followed(model_);
  rewriter_ = std::make_unique<passes::Rewriter>(model_, *facts_);
}

const Type* Editor::type_of(const Value& value) const { return declared_type(*facts_, value); }

void Editor::require_own(const Value* value) const {
  if (value && &value->graph()->context() != &model_.context())
    throw Error("", fmt::format("value {} belongs to another model", quote_name(value->name())));
  if (value && !value->is_defined())
    throw Error("", fmt::format("value {} is no longer defined", quote_name(value->name())));
}

// --- Names

void Editor::require_free(std::string_view name) const {
  if (name.empty()) throw Error("", "a name cannot be empty");
  if (model_.context().names.find(name) == NameTable::kNone) return;
  // The table also contains the names of values that were removed, so look for a value that exists.
  for_each_graph(model_, [&](const Graph& graph) {
    const auto look_at = [&](const Value* value) {
      if (value && value->is_defined() && value->name() == name)
        throw Error("", fmt::format("there already is a value {}", quote_name(name)), "choose another name");
    };
    for (const ValueInfo* input : graph.inputs()) look_at(input->value);
    for (const Value* value : graph.initializers()) look_at(value);
    for (const Value* value : graph.sparse_initializers()) look_at(value);
    for (const Node& node : graph.nodes()) std::ranges::for_each(node.outputs(), look_at);
  });
}

void Editor::rename(Value& value, std::string_view name) {
  require_own(&value);
  if (value.name() == name) return;
  require_free(name);
  value.graph()->rename(value, text(name));
}

void Editor::rename(Node& node, std::string_view name) { node.graph()->set_node_texts(node, text(name), node.doc()); }

// --- Nodes

Node& Editor::add_node(Graph& graph, const NewNode& wanted) {
  if (wanted.op_type.empty()) throw Error("", "a node needs an operator");
  if (wanted.before && wanted.before->graph() != &graph)
    throw Error("", "the node to insert before is in another graph");
  const auto import = opset_in(model_.opsets, wanted.domain);
  if (!import) {
    throw Error("", fmt::format("the model does not import the domain {}", quote_name(wanted.domain)),
                "add the import first");
  }
  for (const std::string& name : wanted.outputs) {
    if (!name.empty()) require_free(name);
  }
  std::vector<Value*> inputs = wanted.inputs, outputs;
  Node* position = wanted.before;
  for (Value* input : inputs) {
    require_own(input);
    const Node* maker = input ? input->producer() : nullptr;
    if (input && input->graph() != &graph && !input->is_input() && !input->initializer() && !maker)
      throw Error("", fmt::format("value {} is not visible there", quote_name(input->name())));
    if (maker && maker->graph() == &graph && position && !maker->comes_before(*position)) {
      throw Error("", fmt::format("value {} is computed after that place", quote_name(input->name())),
                  "add the node further down");
    }
  }
  for (const std::string& name : wanted.outputs)
    outputs.push_back(graph.create_value(name.empty() ? std::string_view() : text(name)));
  Node* node = graph.insert_before(position, {.op_type = text(wanted.op_type),
                                              .domain = text(wanted.domain),
                                              .name = text(wanted.name),
                                              .inputs = inputs,
                                              .outputs = outputs});
  try {
    for (const auto& [name, content] : wanted.attributes) set_attribute(*node, name, content);
  } catch (const Error&) {
    graph.erase(*node);
    throw;
  }
  return *node;
}

void Editor::set_input(Node& node, std::size_t i, Value* value) {
  require_own(value);
  if (!value) {
    if (i >= node.input_count()) return;
    node.graph()->set_input(node, i, nullptr);
    return;
  }
  constexpr std::size_t kMostOperands = 1 << 16;
  if (i >= kMostOperands) throw Error("", fmt::format("a node cannot have {} operands", i + 1));
  if (!rewriter_->set_input(node, i, value)) {
    throw Error("", fmt::format("node {} cannot read {}: it depends on the node's own results, or is in a body that "
                                "does not contain the node",
                                analysis::node_label(node), quote_name(value->name())));
  }
}

void Editor::replace(Value& value, Value& with) {
  require_own(&value);
  require_own(&with);
  if (&value == &with) return;
  if (!value.producer()) {  // an input or initializer: an output cannot refer to another value and keep its name
    if (value.is_output())
      throw Error("", fmt::format("{} is an input or initializer and an output as well", quote_name(value.name())));
    while (const Use* use = value.first_use()) set_input(*use->user(), use->index(), &with);
    return;
  }
  if (!rewriter_->replace_value(&value, &with)) {
    throw Error("", fmt::format("{} cannot replace {}: it is not visible everywhere the other is read",
                                quote_name(with.name()), quote_name(value.name())));
  }
}

void Editor::bypass(Node& node) {
  if (node.erased()) throw Error("", "the node was already removed");
  const std::string label = analysis::node_label(node);
  Value* result = nullptr;
  for (Value* output : node.outputs()) {
    if (!output || !output->is_used()) continue;
    if (result) throw Error("", fmt::format("several results of node {} are read", label));
    result = output;
  }
  if (!result) return node.graph()->erase(node);
  std::vector<Value*> open, same;
  for (const Use& use : node.inputs()) {
    Value* value = use.value();
    if (!value || facts_->of(*value).is_constant || constant_tensor(*value)) continue;
    if (std::ranges::find(open, value) == open.end()) open.push_back(value);
  }
  for (Value* value : open) {
    if (same_type(type_of(*value), type_of(*result))) same.push_back(value);
  }
  const std::vector<Value*>& choice = open.size() == 1 ? open : same;
  if (choice.size() != 1) {
    throw Error(
        "",
        fmt::format("node {} has {} operands that could replace its result", label, choice.empty() ? "no" : "several"),
        "connect its readers to another value first");
  }
  Value* operand = choice.front();
  const Type *from = type_of(*operand), *to = type_of(*result);
  if (from && to && from->is_tensor() && to->is_tensor() && from->element != to->element) {
    throw Error("", fmt::format("without node {} its readers would get {} instead of {}", label, to_string(from),
                                to_string(to)));
  }
  if (!rewriter_->replace_value(result, operand))
    throw Error("", fmt::format("{} cannot replace {}", quote_name(operand->name()), quote_name(result->name())));
  if (!node.erased() && !result->is_used()) node.graph()->erase(node);
}

void Editor::remove(Node& node) {
  if (node.erased()) throw Error("", "the node was already removed");
  for (const Value* output : node.outputs()) {
    if (!output || !output->is_used()) continue;
    throw Error("",
                fmt::format("node {} computes {}, and {}", analysis::node_label(node), quote_name(output->name()),
                            readers_of(*output)),
                "replace the value first, or bypass the node");
  }
  node.graph()->erase(node);
}

// --- Weights

Value& Editor::add_initializer(std::string_view name, Tensor* tensor) {
  require_free(name);
  return *add_constant(model_, model_.graph(), model_.graph().nodes().front(), tensor, text(name));
}

void Editor::set_tensor(Value& value, Tensor* tensor) {
  require_own(&value);
  const Tensor* before = value.initializer() ? value.initializer() : constant_tensor(value);
  if (!before)
    throw Error("", fmt::format("{} is not an initializer or the result of a Constant", quote_name(value.name())));
  if (value.initializer()) {
    value.graph()->set_tensor(&value, tensor);
    std::vector<ValueInfo*> kept;
    for (ValueInfo* info : value.graph()->value_infos()) {
      if (info->value != &value) kept.push_back(info);
    }
    value.graph()->keep_value_infos(std::move(kept));
    if (value.is_input())
      value.graph()->set_type(declaration(value), make_tensor_type(model_.arena(), tensor->type, tensor->dims));
    return;
  }
  tensor->name = {};
  Node& node = *value.producer();
  node.graph()->set_attribute(node, make_attribute(model_.arena(), "value", tensor));
}

void Editor::tidy() {
  std::vector<Value*> unused;
  for_each_graph(model_.graph(), [&](Graph& graph) {
    for (Value* value : graph.initializers()) {
      if (!value->is_used() && !value->is_input()) unused.push_back(value);
    }
    for (Node& node : graph.nodes()) {
      if (node.is("Constant") && node.output() && !node.output()->is_used()) unused.push_back(node.output());
    }
  });
  for (Value* value : unused) remove_unused_constant(*value);
  const analysis::Facts facts(model_);
  // If the shapes of inputs were changed, the declared shapes of outputs must follow.
  for (ValueInfo* output : model_.graph().outputs()) {
    if (!shapes_changed_ || !facts.is_complete(*output->value)) continue;
    const Type* type = declared_type(facts, *output->value);
    if (!same_type(type, output->type)) model_.graph().set_type(*output, type);
  }
  // A declaration that the ops contradict is removed; an output gets the inferred type.
  for (const analysis::Contradiction& each : facts.contradictions()) {
    Graph& graph = *each.value->graph();
    std::vector<ValueInfo*> kept;
    for (ValueInfo* info : graph.value_infos()) {
      if (info->value != each.value) kept.push_back(info);
    }
    graph.keep_value_infos(std::move(kept));
    for (ValueInfo* output : graph.outputs()) {
      const Type* type = output->value == each.value ? declared_type(facts, *each.value) : nullptr;
      if (type) graph.set_type(*output, type);
    }
  }
}

}  // namespace onnxpress
