// Model::clone(): graphs, nodes, values, declarations, attributes and tensors are copied one by one; what never changes
// (texts, types, dims, content of tensors) is shared with the original.
#include <unordered_map>
#include <utility>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/ir/remove_outputs.h"

namespace onnxpress {

class ModelCloner {
 public:
  ModelCloner(const Model& from, Model& to)
      : from_(from), to_(to), arena_(to.arena()), values_(from.context().value_count) {}

  void clone() {
    copy_context();
    copy_fields();
    graphs_.emplace(from_.graph_, to_.graph_);
    copy_graph(*from_.graph_, nullptr);
    for (const Function* function : from_.functions) copy_function(*function);
    for (const TrainingInfo* training : from_.training) copy_training(*training);
    for (auto& copy : values_) {
      if (copy.to) copy_uses(copy);
    }
    *to_.changed_ = *from_.changed_;
  }

  static void remove_outputs(Graph& graph) {
    for (ValueInfo* output : graph.outputs_) Graph::unlink(static_cast<GraphOutput&>(*output));
    graph.outputs_.clear();
    graph.mark_changed();
  }

 private:
  struct Pair {
    const Value* from = nullptr;
    Value* to = nullptr;
  };

  void copy_context() {
    const Context& from = from_.context();
    Context& to = to_.context();
    to.names = from.names;
    to.op_names = from.op_names;
    to.node_count = from.node_count;
    to.value_count = from.value_count;
    to.symbol_count = from.symbol_count;
    to.symbol_names_ = from.symbol_names_;
    to.symbols_ = from.symbols_;
    to.source = from_.context_;
  }

  void copy_fields() {
    to_.ir_version = from_.ir_version;
    to_.model_version = from_.model_version;
    to_.producer_name = from_.producer_name;
    to_.producer_version = from_.producer_version;
    to_.domain = from_.domain;
    to_.doc = from_.doc;
    to_.opsets = from_.opsets;
    to_.metadata = from_.metadata;
    to_.device_configurations = from_.device_configurations;
    to_.notes = from_.notes;
    to_.has_graph = from_.has_graph;
    to_.origin = from_.origin;
    to_.path = from_.path;
    to_.files = from_.files;
    to_.external_files = from_.external_files;
  }

  void copy_function(const Function& from) {
    Function* to = to_.create_function();
    Graph* body = to->body;
    *to = from;
    to->body = body;
    for (Attribute*& each : to->attribute_defaults) each = copy(*each, nullptr);
    graphs_.emplace(from.body, body);
    copy_graph(*from.body, nullptr);
    to->changed = from.changed;
  }

  void copy_training(const TrainingInfo& from) {
    TrainingInfo* to = to_.create_training();
    *to = from;
    for (auto [graph, copied] :
         {std::pair(from.initialization, &to->initialization), std::pair(from.algorithm, &to->algorithm)}) {
      if (!graph) continue;
      *copied = graph_of(graph);
      if (graph->outer_changed_ != nullptr) (*copied)->outer_changed_ = &to->changed;
      copy_graph(*graph, nullptr);
    }
    to->changed = from.changed;
  }

  Graph* graph_of(const Graph* from) {
    Graph*& to = graphs_[from];
    if (!to) to = to_.create_body();
    return to;
  }

  Value* value_of(const Value* from) {
    if (!from) return nullptr;
    Pair& pair = values_[from->id()];
    if (pair.to) return pair.to;
    pair = {from, arena_.make<Value>()};
    Value& to = *pair.to;
    to.name_ = from->name_;
    to.type_ = from->type_;
    to.graph_ = graph_of(from->graph_);
    to.id_ = from->id_;
    to.output_index_ = from->output_index_;
    to.is_input_ = from->is_input_;
    return &to;
  }

  void copy_graph(const Graph& from, Node* owner) {
    Graph& to = *graph_of(&from);
    to.name_ = from.name_;
    to.doc_ = from.doc_;
    to.origin_ = from.origin_;
    to.owner_ = owner;
    to.quantization_annotations_ = from.quantization_annotations_;
    to.metadata_ = from.metadata_;
    for (const ValueInfo* info : from.inputs_) to.inputs_.push_back(copy_declaration(*info));
    for (const ValueInfo* info : from.value_infos()) to.value_infos_.push_back(copy_declaration(*info));
    copy_initializers(from, to);
    for (const Node& node : from.nodes_) copy_node(node, to);
    for (const ValueInfo* info : from.outputs_) {
      auto* output = arena_.make<GraphOutput>(static_cast<const GraphOutput&>(*info));
      output->graph = &to;
      output->value = value_of(info->value);  // linked to its value once all graphs are copied
      output->next_output = nullptr;
      output->link = nullptr;
      to.outputs_.push_back(output);
    }
    to.changed_ = from.changed_;
  }

  ValueInfo* copy_declaration(const ValueInfo& from) {
    auto* to = arena_.make<ValueInfo>(from);
    to->value = value_of(from.value);
    Graph::link_declaration(*to);
    return to;
  }

  void copy_initializers(const Graph& from, Graph& to) {
    for (const Value* value : from.initializers_) {
      Value* copied = value_of(value);
      copied->tensor_ = arena_.make<Tensor>(*value->initializer());
      to.initializers_.push_back(copied);
    }
    for (const Value* value : from.sparse_initializers_) {
      Value* copied = value_of(value);
      copied->tensor_ = copy(*value->sparse_initializer());
      copied->is_sparse_ = true;
      to.sparse_initializers_.push_back(copied);
    }
  }

  SparseTensor* copy(const SparseTensor& from) {
    auto* to = arena_.make<SparseTensor>(from);
    for (Tensor** part : {&to->values, &to->indices}) {
      if (*part) *part = arena_.make<Tensor>(**part);
    }
    return to;
  }

  void copy_node(const Node& from, Graph& to) {
    auto* node = arena_.make<Node>(from);  // copies texts, ids, the order number and flags
    node->graph_ = &to;
    node->next_ = node->previous_ = nullptr;
    node->rare_ = from.rare_ == &Node::kNothingRare ? from.rare_ : arena_.make<Node::Rare>(*from.rare_);
    node->inputs_ = arena_.array<Use>(from.inputs_.size());
    for (Use& use : node->inputs_) use.user_ = node;
    for (const Use& use : from.inputs_) value_of(use.value_);
    node->outputs_ = arena_.array<Value*>(from.outputs_.size());
    for (std::size_t i = 0; i < from.outputs_.size(); ++i) {
      node->outputs_[i] = value_of(from.outputs_[i]);
      if (from.outputs_[i] && from.outputs_[i]->producer_ == &from) node->outputs_[i]->producer_ = node;
    }
    node->attributes_ = arena_.array<Attribute*>(from.attributes_.size());
    for (std::size_t i = 0; i < from.attributes_.size(); ++i) node->attributes_[i] = copy(*from.attributes_[i], node);
    nodes_.emplace(&from, node);
    to.insert_links(*node, nullptr);
  }

  Attribute* copy(const Attribute& from, Node* owner) {
    auto* to = arena_.make<Attribute>(from);
    const auto copied_list = [this](auto list, auto&& copied) {
      auto to_list = arena_.copy(list);
      for (auto& each : to_list) each = copied(each);
      return decltype(list)(to_list);
    };
    const auto tensor = [this](const Tensor* each) { return arena_.make<Tensor>(*each); };
    const auto sparse = [this](const SparseTensor* each) { return copy(*each); };
    const auto body = [this, owner](const Graph* each) {
      copy_graph(*each, owner);
      return graph_of(each);
    };
    if (auto* const* one = std::get_if<Tensor*>(&from.value)) to->value = tensor(*one);
    if (auto* const* one = std::get_if<SparseTensor*>(&from.value)) to->value = sparse(*one);
    if (auto* const* one = std::get_if<Graph*>(&from.value)) to->value = body(*one);
    if (const auto* many = std::get_if<std::span<Tensor* const>>(&from.value)) to->value = copied_list(*many, tensor);
    if (const auto* many = std::get_if<std::span<SparseTensor* const>>(&from.value))
      to->value = copied_list(*many, sparse);
    if (const auto* many = std::get_if<std::span<Graph* const>>(&from.value)) to->value = copied_list(*many, body);
    return to;
  }

  // Keeps the order of the original's use lists, so that walking either model visits uses in the same order.
  void copy_uses(const Pair& pair) {
    std::vector<Use*> uses;
    for (const Use* use = pair.from->first_use_; use; use = use->next_) {
      const auto user = nodes_.find(use->user_);
      if (user != nodes_.end()) uses.push_back(&user->second->inputs_[use->index()]);
    }
    for (auto use = uses.rbegin(); use != uses.rend(); ++use) Graph::link(**use, pair.to);
    std::vector<GraphOutput*> outputs;
    for (const GraphOutput* output = pair.from->first_output_; output; output = output->next_output) {
      const auto graph = graphs_.find(output->graph);
      if (graph != graphs_.end() && output->index < graph->second->outputs_.size())
        outputs.push_back(static_cast<GraphOutput*>(graph->second->outputs_[output->index]));
    }
    for (auto output = outputs.rbegin(); output != outputs.rend(); ++output) Graph::link(**output, pair.to);
  }

  const Model& from_;
  Model& to_;
  Arena& arena_;
  std::vector<Pair> values_;  // by id
  std::unordered_map<const Graph*, Graph*> graphs_;
  std::unordered_map<const Node*, Node*> nodes_;
};

Model Model::clone() const {
  Model copy;
  ModelCloner(*this, copy).clone();
  return copy;
}

// Defined here because ModelCloner is a friend of Graph.
void remove_outputs(Graph& graph) { ModelCloner::remove_outputs(graph); }

}  // namespace onnxpress
