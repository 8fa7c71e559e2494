// GraphProto and NodeProto: names become values, in scopes that bodies inherit.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "onnxpress/base/error.h"
#include "onnxpress/format/decoder.h"
#include "onnxpress/format/onnx_fields.h"
#include "onnxpress/ir/duplicate_names.h"
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

// Reserves the memory that a large graph will need. Each part takes bytes in the file, so a file cannot make us reserve
// more than a few times its size.
void Decoder::make_room(const GraphFields& parts) {
  NameTable& names = model_.context().names;
  const std::size_t definitions = parts.inputs.size() + parts.initializers.size() + parts.nodes.size();
  if (definitions > names.size()) names.reserve(names.size() + definitions);
  constexpr std::size_t kLarge = 1000, kMostNodes = 1'000'000;
  if (parts.nodes.size() < kLarge || parts.nodes.size() > kMostNodes) return;
  constexpr std::size_t kPerNode = sizeof(Node) + sizeof(Value) + 2 * sizeof(Use) + 2 * sizeof(void*);
  arena_.expect(parts.nodes.size() * kPerNode + parts.value_infos.size() * sizeof(ValueInfo));
}

void Decoder::build_graph(const GraphFields& parts, Graph& graph) {
  const std::size_t outer_names = shadowed_.size();
  const std::size_t first_output = node_outputs_.size(), first_duplicate = duplicates_.size();
  make_room(parts);
  try {
    for (const std::string_view input : parts.inputs) declare_input(input, parts.plain_names, graph);
    for (const std::string_view tensor : parts.initializers) define_initializer(tensor, graph);
    for (const std::string_view tensor : parts.sparse_initializers) define_sparse_initializer(tensor, graph);

    const std::vector<std::size_t> output_ends = define_node_outputs(parts.nodes, graph);
    if (duplicates_.size() > first_duplicate)
      settle_duplicates(parts, first_output, output_ends, first_duplicate, graph);
    std::size_t begin = first_output;
    for (std::size_t i = 0; i < parts.nodes.size(); ++i) {
      decode_node(parts.nodes[i], begin, output_ends[i], graph);
      begin = output_ends[i];
    }
    for (const std::string_view output : parts.outputs) declare_output(output, parts.plain_names, graph);
    std::size_t likely = first_output;
    for (const std::string_view info : parts.value_infos) declare_value_info(info, likely, graph);
  } catch (Error& error) {
    if (!graph.name().empty()) error.add_outer_place(fmt::format("graph {}", quote_name(graph.name())));
    throw;
  }
  if (reads_before_definition_) put_in_order(graph);

  node_outputs_.resize(first_output);
  for (; shadowed_.size() > outer_names; shadowed_.pop_back()) scope_[shadowed_.back().name] = shadowed_.back().outer;
}

// --- Names

// A second definition of a name in one graph gets its own value; settle_duplicates() decides which one the name means.
Value* Decoder::define(std::string_view name, Graph& graph) {
  if (!name.empty()) return define(model_.context().names.intern(name), name, graph);
  count();
  return graph.create_value(name);
}

Value* Decoder::define(NameTable::Id id, std::string_view name, Graph& graph) {
  count();
  Value* value = graph.create_value_of_known_name(name);
  if (id >= scope_.size()) scope_.resize(std::max<std::size_t>(id + 1, scope_.size() * 2), nullptr);
  if (scope_[id] && scope_[id]->graph() == &graph) {
    names_are_unique_ = false;
    duplicates_.push_back({id, value});
    return value;
  }
  shadowed_.push_back({id, scope_[id]});
  scope_[id] = value;
  return value;
}

bool Decoder::is_constant_node(std::string_view message) const {
  std::string_view op_type, domain;
  WireReader in = cursor(message);
  while (in.next()) {
    if (in.field() == fields::node::kOpType) {
      op_type = in.bytes();
    } else if (in.field() == fields::node::kDomain) {
      domain = in.bytes();
    } else {
      in.skip();
    }
  }
  return op_type == "Constant" && is_standard_domain(domain);
}

// Runs before operands are resolved: each name gets the meaning that ONNX Runtime gives it, or else that of its first
// definition.
void Decoder::settle_duplicates(const GraphFields& parts, std::size_t first_output,
                                std::span<const std::size_t> output_ends, std::size_t first_duplicate, Graph& graph) {
  std::unordered_map<const Value*, std::size_t> positions;
  for (std::size_t i = first_output; i < node_outputs_.size(); ++i) positions.emplace(node_outputs_[i], i);
  const auto kind_of = [&](const Value* value) {
    if (&graph != &model_.graph() || value->is_input()) return DefinitionKind::kOther;
    if (value->sparse_initializer()) return DefinitionKind::kSparseInitializer;
    if (value->initializer()) return DefinitionKind::kInitializer;
    const auto position = positions.find(value);
    if (position == positions.end()) return DefinitionKind::kOther;
    const auto node = std::upper_bound(output_ends.begin(), output_ends.end(), position->second) - output_ends.begin();
    return is_constant_node(parts.nodes[static_cast<std::size_t>(node)]) ? DefinitionKind::kConstant
                                                                         : DefinitionKind::kOther;
  };
  for (std::size_t i = first_duplicate; i < duplicates_.size(); ++i) {
    const Duplicate& duplicate = duplicates_[i];
    Value*& meaning = scope_[duplicate.name];
    const auto later = later_counts(kind_of(meaning), kind_of(duplicate.value));
    if (later.value_or(false)) meaning = duplicate.value;
    const std::string_view name = duplicate.value->name();
    Note found = later ? hidden_constant_note(graph, name) : ambiguous_name_note(graph, name);
    if (has_note(model_, found.code)) {
      note(std::move(found));
    } else {
      model_.notes.push_back(std::move(found));  // writers look for this note, so the first one is never left out
    }
  }
  duplicates_.resize(first_duplicate);
}

Value* Decoder::own(std::string_view name, const Graph& graph) {
  Value* value = meaning_of(model_.context().names.find(name));
  return value && value->graph() == &graph ? value : nullptr;
}

// The value that a name means here. A name that nothing defines becomes a value without a definition, which `check`
// reports.
Value* Decoder::resolve(std::string_view name, Graph& graph) {
  const NameTable::Id id = model_.context().names.intern(name);
  Value* value = meaning_of(id);
  if (!value) value = define(id, name, graph);
  // If it is not defined yet, its node comes later (or does not exist).
  reads_before_definition_ |= !value->is_defined();
  return value;
}

// Most operands are results of the last few nodes. Checking those first saves a lookup in the name table, which is a
// cache miss for a large graph.
Value* Decoder::resolve_operand(std::string_view name, std::size_t first_output, Graph& graph) {
  constexpr std::size_t kNear = 4;
  if (names_are_unique_) {
    for (std::size_t i = first_output; i > 0 && i + kNear > first_output; --i) {
      Value* value = node_outputs_[i - 1];
      if (value && value->name() == name && value->graph() == &graph) return value;
    }
  }
  return resolve(name, graph);
}

// Declarations are mostly in the order of the nodes; `likely` is where the next one should be in node_outputs_.
Value* Decoder::declared_value(std::string_view name, std::size_t& likely, Graph& graph) {
  constexpr std::size_t kNear = 4;
  if (names_are_unique_) {
    for (std::size_t i = likely; i < std::min(likely + kNear, node_outputs_.size()); ++i) {
      Value* value = node_outputs_[i];
      if (!value || value->name() != name) continue;
      likely = i + 1;
      return value;
    }
  }
  Value* value = own(name, graph);
  return value ? value : define(name, graph);
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

void Decoder::declare_value_info(std::string_view declaration, std::size_t& likely, Graph& graph) {
  const Declaration read = decode_declaration(declaration);
  Value* value = declared_value(read.name, likely, graph);
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
  // IR version 3 lists every initializer as an input, too: that is one value, with a default.
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

// Defines the outputs of all nodes, in node_outputs_; returns where those of each node end. Names are read a few nodes
// ahead of their definition: see NameTable::prepare.
std::vector<std::size_t> Decoder::define_node_outputs(std::span<const std::string_view> nodes, Graph& graph) {
  constexpr std::size_t kAhead = 32;
  NameTable& names = model_.context().names;
  std::vector<std::size_t> ends;
  ends.reserve(nodes.size());
  std::vector<NameTable::Prepared> ahead;
  while (!nodes.empty()) {
    const auto batch = nodes.first(std::min(nodes.size(), kAhead));
    nodes = nodes.subspan(batch.size());
    ahead.clear();
    for (const std::string_view message : batch) {
      WireReader in = cursor(message);
      while (in.next()) {
        if (in.field() == fields::node::kOutput) {
          ahead.push_back(names.prepare(in.bytes()));
        } else {
          in.skip();
        }
      }
      ends.push_back(node_outputs_.size() + ahead.size());
    }
    for (const NameTable::Prepared& output : ahead) {
      count();
      // If an input, an initializer or another node's output has the same name, define() makes separate values.
      node_outputs_.push_back(output.name.empty() ? nullptr : define(names.intern(output), output.name, graph));
    }
  }
  return ends;
}

void Decoder::decode_node(std::string_view message, std::size_t first_output, std::size_t end_output, Graph& graph) {
  count();
  NodeParts parts;
  parts.origin = message;
  Scratch inputs(value_stack_);
  Scratch attributes(attribute_stack_);
  Scratch attribute_messages(view_stack_);
  std::vector<MetadataEntry> metadata;  // these two are rarely present, and an empty vector costs nothing
  std::vector<std::string_view> configurations;
  WireReader in = cursor(message);
  while (in.next()) {
    switch (in.field()) {
      case fields::node::kInput: {
        const std::string_view name = in.bytes();
        count();
        inputs.push_back(name.empty() ? nullptr : resolve_operand(name, first_output, graph));
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
  remember_domain(parts.domain);
  try {
    for (std::size_t i = 0; i < attribute_messages.size(); ++i) {
      Attribute* attribute = decode_attribute(attribute_messages.items()[i]);
      attributes.push_back(attribute);
      if (!std::exchange(repeated_value_, false)) continue;
      note(Note::Kind::kRepair, "repeated-value",
           fmt::format("node {} ({})", quote_name(parts.name), plain_or_quoted(parts.op_type)),
           fmt::format("attribute {} has several values; the last one counts", quote_name(attribute->name)));
    }
  } catch (Error& error) {
    error.add_outer_place(fmt::format("node {} ({})", quote_name(parts.name), plain_or_quoted(parts.op_type)));
    throw;
  }
  parts.inputs = inputs.items();
  parts.attributes = attributes.items();
  // Taken only now, because bodies in the attributes have pushed onto (and popped from) the same vector.
  parts.outputs = std::span<Value* const>(node_outputs_).subspan(first_output, end_output - first_output);
  parts.metadata = in_arena(metadata);
  parts.device_configurations = in_arena(configurations);
  graph.append(parts);
}

void Decoder::remember_domain(std::string_view domain) {
  if (domain == last_domain_ && !domains_.empty()) return;
  last_domain_ = domain;
  if (domain_names_.intern(domain) == domains_.size()) domains_.push_back(domain);
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
