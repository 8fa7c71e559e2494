// Scopes work as in the binary reader (format/decode_graph.cpp): an array by name id, with an undo log for leaving a
// graph.
#include "onnxpress/text/build_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/sort_nodes.h"
#include "onnxpress/text/limits.h"

namespace onnxpress::text {

// --- Names

Value* Builder::meaning(std::string_view name) const {
  const NameTable::Id id = names_.find(name);
  return id < scope_.size() ? scope_[id] : nullptr;
}

Value* Builder::own(std::string_view name, const Graph& graph) const {
  Value* value = meaning(name);
  return value && value->graph() == &graph ? value : nullptr;
}

// A second definition of a name in one graph gets its own value. The name means what it means to ONNX Runtime, or else
// its first definition.
Value* Builder::define(std::string_view name, Graph& graph, DefinitionKind kind) {
  NameTable::Id id = names_.find(name);
  if (id == NameTable::kNone) id = names_.intern(arena_.text(name));
  Value* value = graph.create_value(names_.text(id));
  if (id >= scope_.size()) scope_.resize(std::max<std::size_t>(id + std::size_t{1}, scope_.size() * 2), nullptr);
  if (kinds_.size() < scope_.size()) kinds_.resize(scope_.size(), DefinitionKind::kOther);
  if (scope_[id] && scope_[id]->graph() == &graph) {
    const auto later = &graph == &model_.graph() ? later_counts(kinds_[id], kind) : std::nullopt;
    Note found = later ? hidden_constant_note(graph, name) : ambiguous_name_note(graph, name);
    // Others look for this note, so the first one is never left out.
    if (model_.notes.size() < kMaxNotes || !has_note(model_, found.code)) model_.notes.push_back(std::move(found));
    if (!later.value_or(false)) return value;
  } else {
    shadowed_.push_back({id, scope_[id]});
  }
  scope_[id] = value;
  if (&graph == &model_.graph()) kinds_[id] = kind;
  return value;
}

Value* Builder::resolve(std::string_view name, Graph& graph) {
  Value* value = meaning(name);
  return value ? value : define(name, graph);
}

std::string_view Builder::copied(std::string_view word) {
  if (!word.data()) return {};
  NameTable::Id id = words_.find(word);
  if (id == NameTable::kNone) id = words_.intern(arena_.text(word));
  return words_.text(id);
}

// --- Graphs

void Builder::fill(ValueInfo& info, const Annotations& annotations) {
  info.doc = annotations.doc;
  info.metadata = in_arena(annotations.metadata);
}

void Builder::declare_inputs(const GraphSyntax& syntax, Graph& graph) {
  for (const DeclarationSyntax& input : syntax.inputs) {
    fill(*graph.add_input(define(input.name, graph), input.type), input.annotations);
  }
}

void Builder::define_initializer(const InitializerSyntax& syntax, Graph& graph) {
  // If an input has that name, this is its default; another initializer of that name is a clash.
  Value* value = own(syntax.name, graph);
  if (!value || value->initializer() || value->sparse_initializer()) {
    value =
        define(syntax.name, graph, syntax.tensor ? DefinitionKind::kInitializer : DefinitionKind::kSparseInitializer);
  }
  if (syntax.tensor) {
    graph.add_initializer(value, syntax.tensor);
  } else {
    graph.add_sparse_initializer(value, syntax.sparse);
  }
}

void Builder::build(const GraphSyntax& syntax, Graph& graph) {
  const std::size_t outer_names = shadowed_.size();
  if (syntax.name.data()) graph.set_name(arena_.text(syntax.name));  // the body of a function has no name of its own
  graph.set_doc(syntax.annotations.doc);
  graph.set_metadata(syntax.annotations.metadata);
  for (const QuantizationAnnotation& annotation : syntax.annotations.quantization)
    graph.add_quantization_annotation(annotation);

  declare_inputs(syntax, graph);
  for (const InitializerSyntax& initializer : syntax.initializers) define_initializer(initializer, graph);
  std::vector<Value*> outputs;
  for (const NodeSyntax& node : syntax.nodes) {
    const bool is_constant = node.op_type == "Constant" && is_standard_domain(node.domain);
    const DefinitionKind kind = is_constant ? DefinitionKind::kConstant : DefinitionKind::kOther;
    for (const std::string_view name : node.outputs)
      outputs.push_back(name.empty() ? nullptr : define(name, graph, kind));
  }
  std::size_t begin = 0;
  for (const NodeSyntax& node : syntax.nodes) {
    append_node(node, std::span(outputs).subspan(begin, node.outputs.size()), graph);
    begin += node.outputs.size();
  }
  for (const DeclarationSyntax& output : syntax.outputs) {
    fill(*graph.add_output(resolve(output.name, graph), output.type), output.annotations);
  }
  for (const DeclarationSyntax& info : syntax.value_infos) {
    Value* value = own(info.name, graph);
    if (!value) value = define(info.name, graph);
    fill(*graph.add_value_info(value, info.type), info.annotations);
  }
  put_in_order(graph);
  for (; shadowed_.size() > outer_names; shadowed_.pop_back()) scope_[shadowed_.back().name] = shadowed_.back().outer;
}

void Builder::put_in_order(Graph& graph) {
  const NodeOrder order = sort_nodes(graph);
  if (order == NodeOrder::kWasSorted || model_.notes.size() >= kMaxNotes) return;
  const bool cycle = order == NodeOrder::kCycle;
  model_.notes.push_back({cycle ? Note::Kind::kProblem : Note::Kind::kRepair, cycle ? "cycle" : "node-order",
                          fmt::format("graph {}", quote_name(graph.name())),
                          cycle ? "nodes form a cycle" : "nodes are not in topological order; sorted in memory"});
}

void Builder::append_node(const NodeSyntax& syntax, std::span<Value* const> outputs, Graph& graph) {
  std::vector<Value*> inputs;
  for (const std::string_view name : syntax.inputs) inputs.push_back(name.empty() ? nullptr : resolve(name, graph));
  std::vector<Attribute*> attributes;
  for (const AttributeSyntax& attribute : syntax.attributes) attributes.push_back(complete(attribute));
  NodeParts parts;
  parts.op_type = copied(syntax.op_type);
  parts.domain = copied(syntax.domain);
  parts.overload = copied(syntax.overload);
  if (!syntax.name.empty()) parts.name = arena_.text(syntax.name);
  parts.doc = syntax.annotations.doc;
  parts.metadata = in_arena(syntax.annotations.metadata);
  parts.device_configurations = in_arena(syntax.annotations.device_configurations);
  parts.inputs = inputs;
  parts.outputs = outputs;
  parts.attributes = attributes;
  graph.append(parts);
}

Attribute* Builder::complete(const AttributeSyntax& syntax) {
  std::vector<Graph*> bodies;
  for (const auto& body : syntax.bodies) {
    bodies.push_back(model_.create_body());
    build(*body, *bodies.back());
  }
  if (syntax.attribute->type == AttributeType::kGraph) {
    if (!bodies.empty()) syntax.attribute->value = bodies.front();
  } else if (!bodies.empty()) {
    syntax.attribute->value = std::span<Graph* const>(in_arena(bodies));
  }
  return syntax.attribute;
}

void Builder::build_main_graph(const GraphSyntax& syntax) {
  model_.device_configurations = syntax.annotations.device_configurations;
  build(syntax, model_.graph());
}

void Builder::build_function(const FunctionSyntax& syntax) {
  Function& function = *model_.create_function();
  function.name = arena_.text(syntax.name);
  function.domain = syntax.domain;
  function.overload = syntax.overload;
  function.doc = syntax.doc;
  function.opsets = syntax.opsets;
  function.metadata = syntax.annotations.metadata;
  function.attribute_names = syntax.attribute_names;
  for (const AttributeSyntax& attribute : syntax.attribute_defaults)
    function.attribute_defaults.push_back(complete(attribute));
  build(syntax.body, *function.body);
}

}  // namespace onnxpress::text
