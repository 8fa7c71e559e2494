// GraphProto and NodeProto: names become values, in scopes that bodies inherit.
#include <fmt/format.h>

#include "onnxpress/base/error.h"
#include "onnxpress/format/decoder.h"
#include "onnxpress/format/onnx_fields.h"
#include "onnxpress/ir/sort_nodes.h"

namespace onnxpress::format {

void Decoder::decode_graph(std::string_view message, Graph& graph) {
  count();
  if (++depth_ > options_.limits.graph_depth) {
    throw Error("", fmt::format("graphs are nested more than {} deep", options_.limits.graph_depth),
                "the file is damaged or hostile");
  }
  GraphFields parts;
  std::vector<MetadataEntry> metadata;
  WireReader in = cursor(message);
  while (in.next()) {
    switch (in.field()) {
      case fields::graph::kNode:
        parts.nodes.push_back(in.bytes());
        break;
      case fields::graph::kName:
        graph.set_name(in.bytes());
        break;
      case fields::graph::kInitializer:
        parts.initializers.push_back(in.bytes());
        break;
      case fields::graph::kSparseInitializer:
        parts.sparse_initializers.push_back(in.bytes());
        break;
      case fields::graph::kDocString:
        graph.set_doc(in.bytes());
        break;
      case fields::graph::kInput:
        parts.inputs.push_back(in.bytes());
        break;
      case fields::graph::kOutput:
        parts.outputs.push_back(in.bytes());
        break;
      case fields::graph::kValueInfo:
        parts.value_infos.push_back(in.bytes());
        break;
      case fields::graph::kMetadataProps:
        metadata.push_back(decode_entry(in.bytes()));
        break;
      case fields::graph::kQuantizationAnnotation:
        graph.add_quantization_annotation(decode_annotation(in.bytes()));
        break;
      default:
        in.skip();
    }
  }
  graph.set_metadata(std::move(metadata));
  build_graph(parts, graph);
  graph.set_origin(message);
  --depth_;
}

QuantizationAnnotation Decoder::decode_annotation(std::string_view message) {
  count();
  QuantizationAnnotation annotation;
  annotation.origin = message;
  std::vector<MetadataEntry> parameters;
  WireReader in = cursor(message);
  while (in.next()) {
    switch (in.field()) {
      case fields::annotation::kTensorName:
        annotation.tensor_name = in.bytes();
        break;
      case fields::annotation::kQuantParameterTensorNames:
        parameters.push_back(decode_entry(in.bytes()));
        break;
      default:
        in.skip();
    }
  }
  annotation.parameters = in_arena(parameters);
  return annotation;
}

void Decoder::build_graph(const GraphFields& parts, Graph& graph) {
  const std::size_t outer_names = shadowed_.size();
  const std::size_t first_output = node_outputs_.size();
  // Each of these takes bytes of the file, so a file cannot make this larger than a few times itself.
  NameTable& names = model_.context().names;
  const std::size_t definitions = parts.inputs.size() + parts.initializers.size() + parts.nodes.size();
  if (definitions > names.size()) names.reserve(names.size() + definitions);
  try {
    for (const std::string_view input : parts.inputs) declare_input(input, parts.plain_names, graph);
    for (const std::string_view tensor : parts.initializers) define_initializer(tensor, graph);
    for (const std::string_view tensor : parts.sparse_initializers) define_sparse_initializer(tensor, graph);

    std::vector<std::size_t> output_ends;
    output_ends.reserve(parts.nodes.size());
    for (const std::string_view node : parts.nodes) {
      define_node_outputs(node, graph);
      output_ends.push_back(node_outputs_.size());
    }
    std::size_t begin = first_output;
    for (std::size_t i = 0; i < parts.nodes.size(); ++i) {
      decode_node(parts.nodes[i], begin, output_ends[i], graph);
      begin = output_ends[i];
    }
    for (const std::string_view output : parts.outputs) declare_output(output, parts.plain_names, graph);
    for (const std::string_view info : parts.value_infos) declare_value_info(info, graph);
  } catch (Error& error) {
    if (!graph.name().empty()) error.add_outer_place(fmt::format("graph {}", quote_name(graph.name())));
    throw;
  }
  put_in_order(graph);

  node_outputs_.resize(first_output);
  for (; shadowed_.size() > outer_names; shadowed_.pop_back()) scope_[shadowed_.back().name] = shadowed_.back().outer;
}

// --- Names

// A second definition of a name in one graph is malformed; it gets a value of its own, which nothing can refer to.
Value* Decoder::define(std::string_view name, Graph& graph) {
  if (!name.empty()) return define(model_.context().names.intern(name), name, graph);
  count();
  return graph.create_value(name);
}

Value* Decoder::define(NameTable::Id id, std::string_view name, Graph& graph) {
  count();
  Value* value = graph.create_value_of_known_name(name);
  if (id >= scope_.size()) scope_.resize(std::max<std::size_t>(id + 1, scope_.size() * 2), nullptr);
  if (scope_[id] && scope_[id]->graph() == &graph) return value;
  shadowed_.push_back({id, scope_[id]});
  scope_[id] = value;
  return value;
}

Value* Decoder::own(std::string_view name, const Graph& graph) {
  Value* value = meaning_of(model_.context().names.find(name));
  return value && value->graph() == &graph ? value : nullptr;
}

// What a name means here; a name that nothing defines becomes a value without a definition, which `check` reports.
Value* Decoder::resolve(std::string_view name, Graph& graph) {
  const NameTable::Id id = model_.context().names.intern(name);
  Value* value = meaning_of(id);
  return value ? value : define(id, name, graph);
}

// --- Declarations and definitions

void Decoder::declare_input(std::string_view declaration, bool plain_name, Graph& graph) {
  if (plain_name) {
    graph.add_input(define(declaration, graph), nullptr);
    return;
  }
  const Declaration read = decode_declaration(declaration);
  Value* value = define(read.name, graph);
  fill(*graph.add_input(value, read.type), read, declaration);
}

void Decoder::declare_output(std::string_view declaration, bool plain_name, Graph& graph) {
  if (plain_name) {
    graph.add_output(resolve(declaration, graph), nullptr);
    return;
  }
  const Declaration read = decode_declaration(declaration);
  fill(*graph.add_output(resolve(read.name, graph), read.type), read, declaration);
}

void Decoder::declare_value_info(std::string_view declaration, Graph& graph) {
  const Declaration read = decode_declaration(declaration);
  Value* value = own(read.name, graph);
  if (!value) value = define(read.name, graph);
  fill(*graph.add_value_info(value, read.type), read, declaration);
}

void Decoder::fill(ValueInfo& info, const Declaration& read, std::string_view origin) {
  info.doc = read.doc;
  info.metadata = read.metadata;
  info.origin = origin;
}

void Decoder::define_initializer(std::string_view message, Graph& graph) {
  Tensor* tensor = nullptr;
  try {
    tensor = decode_tensor(message);
  } catch (Error& error) {
    error.add_outer_place(fmt::format("initializer {}", graph.initializers().size()));
    throw;
  }
  // IR version 3 lists every initializer as an input as well: one value, with a default.
  Value* value = own(tensor->name, graph);
  if (!value || value->initializer()) value = define(tensor->name, graph);
  const std::string_view name = tensor->name;
  graph.add_initializer(value, tensor);
  tensor->name = name;  // an absent name stays absent
}

void Decoder::define_sparse_initializer(std::string_view message, Graph& graph) {
  SparseTensor* sparse = decode_sparse_tensor(message);
  const std::string_view name = sparse->values ? sparse->values->name : std::string_view();
  Value* value = own(name, graph);
  if (!value || value->initializer() || value->sparse_initializer()) value = define(name, graph);
  graph.add_sparse_initializer(value, sparse);
  if (sparse->values) sparse->values->name = name;
}

void Decoder::define_node_outputs(std::string_view message, Graph& graph) {
  WireReader in = cursor(message);
  while (in.next()) {
    if (in.field() != fields::node::kOutput) {
      in.skip();
      continue;
    }
    const std::string_view name = in.bytes();
    count();
    if (name.empty()) {
      node_outputs_.push_back(nullptr);
      continue;
    }
    // An input or initializer of that name is a clash, and so is another node's output: define() keeps them apart.
    node_outputs_.push_back(define(name, graph));
  }
}

void Decoder::decode_node(std::string_view message, std::size_t first_output, std::size_t end_output, Graph& graph) {
  count();
  NodeParts parts;
  parts.origin = message;
  Scratch inputs(value_stack_);
  Scratch attributes(attribute_stack_);
  Scratch attribute_messages(view_stack_);
  std::vector<MetadataEntry> metadata;  // these two are rarely there, and a vector without elements costs nothing
  std::vector<std::string_view> configurations;
  WireReader in = cursor(message);
  while (in.next()) {
    switch (in.field()) {
      case fields::node::kInput: {
        const std::string_view name = in.bytes();
        count();
        inputs.push_back(name.empty() ? nullptr : resolve(name, graph));
        break;
      }
      case fields::node::kName:
        parts.name = in.bytes();
        break;
      case fields::node::kOpType:
        parts.op_type = in.bytes();
        break;
      case fields::node::kDomain:
        parts.domain = in.bytes();
        break;
      case fields::node::kOverload:
        parts.overload = in.bytes();
        break;
      case fields::node::kDocString:
        parts.doc = in.bytes();
        break;
      case fields::node::kAttribute:
        attribute_messages.push_back(in.bytes());
        break;
      case fields::node::kMetadataProps:
        metadata.push_back(decode_entry(in.bytes()));
        break;
      case fields::node::kDeviceConfigurations:
        configurations.push_back(in.bytes());
        break;
      default:
        in.skip();
    }
  }
  try {
    for (std::size_t i = 0; i < attribute_messages.size(); ++i) {
      attributes.push_back(decode_attribute(attribute_messages.items()[i]));
    }
  } catch (Error& error) {
    error.add_outer_place(fmt::format("node {} ({})", quote_name(parts.name), plain_or_quoted(parts.op_type)));
    throw;
  }
  parts.inputs = inputs.items();
  parts.attributes = attributes.items();
  // Only now: bodies in the attributes have pushed onto (and popped from) the same vector.
  parts.outputs = std::span<Value* const>(node_outputs_).subspan(first_output, end_output - first_output);
  parts.metadata = in_arena(metadata);
  parts.device_configurations = in_arena(configurations);
  graph.append(parts);
}

void Decoder::put_in_order(Graph& graph) {
  switch (sort_nodes(graph)) {
    case NodeOrder::kWasSorted:
      return;
    case NodeOrder::kSortedNow:
      note(Note::Kind::kRepair, "node-order", fmt::format("graph {}", quote_name(graph.name())),
           "nodes are not in topological order; sorted in memory");
      return;
    case NodeOrder::kCycle:
      note(Note::Kind::kProblem, "cycle", fmt::format("graph {}", quote_name(graph.name())), "nodes form a cycle");
  }
}

}  // namespace onnxpress::format
