// Copies nodes one by one; messages whose names do not change keep the bytes they were read from.
#include "onnxpress/ir/copy_nodes.h"

#include <algorithm>
#include <string>

#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress {

NodeCopier::NodeCopier(const Model& from, Model& to) : from_(from), to_(to) {
  const NameTable& names = to.context().names;
  for (std::size_t id = 0; id < names.size(); ++id) taken_.insert(names.text(static_cast<NameTable::Id>(id)));
  graphs_.emplace(&from.graph(), &to.graph());
  for_each_graph(to.graph(), [this](const Graph& graph) {
    for (const Node& node : graph.nodes()) taken_nodes_.insert(node.name());
  });
  if (&from == &to) return;
  // The copy refers to the bytes its messages were read from and to files with weights, so it keeps them alive.
  to.arena().make<Bytes>(from.origin);
  for (const auto& file : from.files) to.arena().make<std::shared_ptr<const MappedFile>>(file);
  for (const auto& file : from.external_files) {
    if (std::ranges::find(to.external_files, file) == to.external_files.end()) to.external_files.push_back(file);
  }
}

void NodeCopier::cut(const Value& value, Value* copy) {
  map(value, copy);
  cut_.insert(&value);
}

void NodeCopier::rename_function(const Function& function, std::string_view name) {
  const OpName wanted{normal_domain(function.domain), function.name, function.overload};
  const OpNames& names = from_.context().op_names;
  for (OpNames::Id id = 0; id < names.size(); ++id) {
    if (names[id] == wanted) functions_.emplace(id, text(name));
  }
}

// --- Names and values

namespace {

std::string free_name(std::string name, const std::unordered_set<std::string_view>& taken) {
  if (!taken.contains(name)) return name;
  const std::string stem = name + "_";
  for (std::size_t i = 2; taken.contains(name); ++i) name = stem + std::to_string(i);
  return name;
}

}  // namespace

// Nodes copied from one model may share a name, as they did there; a name must not clash with a node `to` had before.
std::string_view NodeCopier::name_for(const Node& node) {
  if (node.name().empty()) return text(node.name());
  return text(free_name(std::string(prefix_) + std::string(node.name()), taken_nodes_));
}

std::string_view NodeCopier::name_for(const Value& value, const Graph& graph) {
  if (value.name().empty()) return {};
  const bool is_main = &graph == &to_.graph();
  const std::string wanted = std::string(prefix_) + std::string(value.name());
  // A value in a body may share its name with a value of the main graph if it did so before; some ops find the inputs
  // of their bodies by name, so such names are kept.
  const bool hides = !is_main && from_main_.contains(wanted);
  const std::string_view kept = text(hides ? wanted : free_name(wanted, taken_));
  // Two bodies may use the same name, but within the main graph a name must be unique.
  if (is_main) taken_.insert(kept);
  if (is_main && value.graph() == &from_.graph() && kept == wanted) from_main_.insert(kept);
  if (kept != value.name()) renamed_.emplace_back(value.name(), kept);
  return kept;
}

Value* NodeCopier::copy(const Value& value) {
  const auto found = values_.find(&value);
  if (found != values_.end()) return found->second;
  const auto scope = graphs_.find(value.graph());
  Graph& graph = scope == graphs_.end() ? to_.graph() : *scope->second;
  Value* made = graph.create_value(name_for(value, graph), copy(value.type()));
  values_.emplace(&value, made);
  return made;
}

// --- Types, tensors, attributes

std::span<const MetadataEntry> NodeCopier::copy(std::span<const MetadataEntry> entries) {
  const std::span<MetadataEntry> made = to_.arena().copy(entries);
  for (MetadataEntry& entry : made) entry = {text(entry.key), text(entry.value)};
  return made;
}

const Type* NodeCopier::copy(const Type* type) {
  if (!type) return nullptr;
  Type made = *type;
  std::vector<Dim> dims;
  for (const Dim dim : type->dims)
    dims.push_back(dim.is_symbol() ? Dim::symbol(to_.context().symbol(dim.symbol()->name)) : dim);
  made.dims = to_.arena().copy(std::span<const Dim>(dims));
  const auto denotations = to_.arena().copy(type->dim_denotations);
  for (std::string_view& each : denotations) each = text(each);
  made.dim_denotations = denotations;
  made.denotation = text(type->denotation);
  made.opaque_domain = text(type->opaque_domain);
  made.opaque_name = text(type->opaque_name);
  made.inner = copy(type->inner);
  return to_.arena().make<Type>(made);
}

Tensor* NodeCopier::copy(const Tensor& tensor) {
  auto* made = to_.arena().make<Tensor>(tensor);
  made->name = text(tensor.name);
  made->doc = text(tensor.doc);
  made->dims = to_.arena().copy(tensor.dims);
  made->metadata = copy(tensor.metadata);
  made->external_entries = copy(tensor.external_entries);
  if (const auto* texts = std::get_if<std::span<const std::string_view>>(&tensor.content)) {
    const auto kept = to_.arena().copy(*texts);
    for (std::string_view& each : kept) each = text(each);
    made->content = std::span<const std::string_view>(kept);
  }
  return made;
}

SparseTensor* NodeCopier::copy(const SparseTensor& tensor) {
  auto* made = to_.arena().make<SparseTensor>(tensor);
  if (tensor.values) made->values = copy(*tensor.values);
  if (tensor.indices) made->indices = copy(*tensor.indices);
  made->dims = to_.arena().copy(tensor.dims);
  return made;
}

Attribute* NodeCopier::copy(const Attribute& attribute) {
  Arena& arena = to_.arena();
  Attribute* made = make_attribute(arena, attribute.name, attribute.value);
  made->ref_name = text(attribute.ref_name);
  made->doc = text(attribute.doc);
  made->type = attribute.type;
  made->states_type = attribute.states_type;
  made->conflicting = attribute.conflicting;
  made->origin = attribute.origin;
  made->changed = attribute.changed;
  const auto copy_list = [&]<typename T>(std::span<T* const> list) {
    std::vector<T*> copies;
    for (T* each : list) copies.push_back(copy(*each));
    return std::span<T* const>(arena.copy(std::span<T* const>(copies)));
  };
  if (const auto* tensor = std::get_if<Tensor*>(&attribute.value)) made->value = copy(**tensor);
  if (const auto* sparse = std::get_if<SparseTensor*>(&attribute.value)) made->value = copy(**sparse);
  if (const auto* type = std::get_if<const Type*>(&attribute.value)) made->value = copy(*type);
  if (const auto* list = std::get_if<std::span<Tensor* const>>(&attribute.value)) made->value = copy_list(*list);
  if (const auto* list = std::get_if<std::span<SparseTensor* const>>(&attribute.value)) made->value = copy_list(*list);
  if (const auto* list = std::get_if<std::span<const Type* const>>(&attribute.value)) {
    const auto copies = arena.copy(*list);
    for (const Type*& each : copies) each = copy(each);
    made->value = std::span<const Type* const>(copies);
  }
  bool has_bodies = false;
  std::vector<Graph*> bodies;
  for_each_graph_in(attribute, [&](const Graph& body) {
    bodies.push_back(copy_body(body));
    has_bodies = true;
  });
  if (has_bodies) made->changed = true;  // names inside it may have changed
  if (std::holds_alternative<Graph*>(attribute.value)) made->value = bodies.front();
  if (std::holds_alternative<std::span<Graph* const>>(attribute.value))
    made->value = std::span<Graph* const>(arena.copy(std::span<Graph* const>(bodies)));
  return made;
}

// --- Nodes and graphs

Value* NodeCopier::copy_result(const Value& value, bool& same) {
  if (cut_.contains(&value)) {
    same = false;
    const auto scope = graphs_.find(value.graph());
    return (scope == graphs_.end() ? to_.graph() : *scope->second).create_value({}, copy(value.type()));
  }
  Value* made = copy(value);
  same = same && made->name() == value.name();
  return made;
}

Node* NodeCopier::copy(const Node& node, Graph& graph) {
  bool same = !node.changed() && node.origin().data();
  std::vector<Value*> inputs, outputs;
  for (const Use& use : node.inputs()) {
    inputs.push_back(use.value() ? copy(*use.value()) : nullptr);
    same = same && (!use.value() || inputs.back()->name() == use.value()->name());
  }
  for (const Value* output : node.outputs()) outputs.push_back(output ? copy_result(*output, same) : nullptr);
  std::vector<Attribute*> attributes;
  for (const Attribute* each : node.attributes()) {
    attributes.push_back(copy(*each));
    for_each_graph_in(*each, [&same](const Graph&) { same = false; });
  }
  const std::string_view name = name_for(node);
  same = same && name == node.name();
  const auto function = functions_.find(node.op_id());
  const bool other_function = function != functions_.end();
  std::vector<std::string_view> devices;
  for (const std::string_view each : node.device_configurations()) devices.push_back(text(each));
  return graph.append({.op_type = other_function ? function->second : text(node.op_type()),
                       .domain = text(node.domain()),
                       .overload = text(node.overload()),
                       .name = name,
                       .doc = text(node.doc()),
                       .inputs = inputs,
                       .outputs = outputs,
                       .attributes = attributes,
                       .metadata = copy(node.metadata()),
                       .device_configurations = to_.arena().copy(std::span<const std::string_view>(devices)),
                       .origin = same && !other_function ? node.origin() : std::string_view()});
}

void NodeCopier::copy_initializer(const Value& value) {
  Value* made = copy(value);
  const bool same = made->name() == value.name();
  if (const Tensor* tensor = value.initializer()) {
    Tensor* content = copy(*tensor);
    content->changed |= !same;
    made->graph()->add_initializer(made, content);
  } else if (const SparseTensor* sparse = value.sparse_initializer()) {
    SparseTensor* content = copy(*sparse);
    content->changed |= !same;
    if (!same && content->values) content->values->changed = true;
    made->graph()->add_sparse_initializer(made, content);
  }
}

void NodeCopier::copy_value_infos(const Graph& from) {
  std::unordered_set<std::string_view> names;
  for (const ValueInfo* info : from.value_infos()) {
    const auto found = values_.find(info->value);
    if (found == values_.end() || cut_.contains(info->value) || found->second->is_output()) continue;
    Value* value = found->second;
    ValueInfo* made = value->graph()->add_value_info(value, copy(info->type));
    made->doc = text(info->doc);
    made->metadata = copy(info->metadata);
  }
  // ONNX Runtime needs the type of every result, even of one that is now unused, and cannot infer it for some of its
  // own ops.
  for (const ValueInfo* info : from.outputs()) {
    const auto found = values_.find(info->value);
    if (found == values_.end() || cut_.contains(info->value) || found->second->is_used()) continue;
    found->second->graph()->add_value_info(found->second, copy(info->type));
  }
  for (const auto& [value, made] : values_) {
    if (value->graph() == &from && made->name() == value->name()) names.insert(made->name());
  }
  for (const QuantizationAnnotation& each : from.quantization_annotations()) {
    if (!names.contains(each.tensor_name)) continue;
    to_.graph().add_quantization_annotation({text(each.tensor_name), copy(each.parameters), each.origin});
  }
}

void NodeCopier::fill(const Graph& from, Graph& to) {
  graphs_[&from] = &to;
  for (const ValueInfo* input : from.inputs()) {
    ValueInfo* made = to.add_input(copy(*input->value), copy(input->type));
    made->doc = text(input->doc);
    made->metadata = copy(input->metadata);
  }
  for (const Value* value : from.initializers()) copy_initializer(*value);
  for (const Value* value : from.sparse_initializers()) copy_initializer(*value);
  // Nodes may be in any order, so create all values before a body reads one.
  bool same = true;
  for (const Node& node : from.nodes()) {
    for (const Value* output : node.outputs()) {
      if (output) copy_result(*output, same);
    }
  }
  for (const Node& node : from.nodes()) copy(node, to);
  for (const ValueInfo* output : from.outputs()) {
    ValueInfo* made = to.add_output(copy(*output->value), copy(output->type));
    made->doc = text(output->doc);
    made->metadata = copy(output->metadata);
  }
  for (const ValueInfo* info : from.value_infos()) to.add_value_info(copy(*info->value), copy(info->type));
}

Graph* NodeCopier::copy_body(const Graph& body) {
  Graph* made = to_.create_body();
  made->set_name(text(body.name()));
  made->set_doc(text(body.doc()));
  const auto metadata = copy(body.metadata());
  made->set_metadata({metadata.begin(), metadata.end()});
  fill(body, *made);
  return made;
}

Function* NodeCopier::copy(const Function& function) {
  Function* made = to_.create_function();
  Graph* body = made->body;
  *made = function;
  made->body = body;
  made->changed = true;
  made->name = text(function.name);
  made->domain = text(function.domain);
  made->overload = text(function.overload);
  made->doc = text(function.doc);
  for (std::string_view& each : made->attribute_names) each = text(each);
  for (Attribute*& each : made->attribute_defaults) each = copy(*each);
  for (OpsetImport& each : made->opsets) each.domain = text(each.domain);
  const auto metadata = copy(function.metadata);
  made->metadata.assign(metadata.begin(), metadata.end());
  // Names in a function are separate from those of the model, so the taken names do not apply.
  const std::unordered_set<std::string_view> taken = std::exchange(taken_, {});
  const std::unordered_set<std::string_view> taken_nodes = std::exchange(taken_nodes_, {});
  const std::string_view prefix = std::exchange(prefix_, {});
  fill(*function.body, *body);
  taken_ = taken;
  taken_nodes_ = taken_nodes;
  prefix_ = prefix;
  return made;
}

void NodeCopier::copy_header() {
  to_.ir_version = from_.ir_version;
  to_.model_version = from_.model_version;
  to_.producer_name = text(from_.producer_name);
  to_.producer_version = text(from_.producer_version);
  to_.domain = text(from_.domain);
  to_.doc = text(from_.doc);
  for (const OpsetImport& each : from_.opsets) to_.opsets.push_back({text(each.domain), each.version, each.origin});
  const auto metadata = copy(std::span<const MetadataEntry>(from_.metadata));
  to_.metadata.assign(metadata.begin(), metadata.end());
  for (const std::string_view each : from_.device_configurations) to_.device_configurations.push_back(text(each));
  to_.path = from_.path;
  to_.graph().set_name(text(from_.graph().name()));
  to_.graph().set_doc(text(from_.graph().doc()));
  const auto graph_metadata = copy(from_.graph().metadata());
  to_.graph().set_metadata({graph_metadata.begin(), graph_metadata.end()});
}

}  // namespace onnxpress
