// Value, Node and Graph: a pointer graph in the model's arena. Addresses are stable, nothing is freed before the Model.
//
// All changes go through Graph's members: they keep the use lists, the node order and the `changed` bits right. An
// unchanged node, graph or model is written again byte for byte from the file it came from.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "onnxpress/ir/attribute.h"
#include "onnxpress/ir/tensor.h"
#include "onnxpress/ir/type.h"

namespace onnxpress {

class Graph;
class Node;
class Value;
struct Context;

// One operand slot of a node: the value it reads (null for an omitted optional input), linked into that value's use
// list.
class Use {
 public:
  Value* value() const { return value_; }
  Node* user() const { return user_; }
  Use* next() const { return next_; }

 private:
  friend class Graph;
  friend class Value;
  Value* value_ = nullptr;
  Node* user_ = nullptr;
  Use* next_ = nullptr;
  Use** link_ = nullptr;  // the pointer that points here: makes unlinking O(1)
};

// One edge of the graph: a graph input, an initializer, or an output of a node. Identity is the pointer.
class Value {
 public:
  std::string_view name() const { return name_; }  // empty until written, for values we made
  std::uint32_t id() const { return id_; }         // dense per model, for side tables
  const Type* type() const { return type_; }       // as declared in the file (input, output or value_info); may be null
  Graph* graph() const { return graph_; }          // the scope that defines it
  Node* producer() const { return producer_; }     // null for inputs, initializers and undefined names
  std::uint32_t output_index() const { return output_index_; }

  Tensor* initializer() const { return initializer_; }
  SparseTensor* sparse_initializer() const { return sparse_initializer_; }
  bool is_input() const { return is_input_; }          // of the graph that defines it (or of the function)
  bool is_output() const { return output_uses_ > 0; }  // of any graph: a body may return an outer value
  bool is_defined() const { return producer_ || is_input_ || initializer_ || sparse_initializer_; }
  // The tensor if this is a constant initializer: null for one that is also a graph input, which callers may override.
  const Tensor* constant() const { return is_input_ ? nullptr : initializer_; }

  const Use* first_use() const { return first_use_; }
  std::size_t use_count() const;  // operand slots; graph outputs not counted

 private:
  friend class Graph;
  friend struct Context;
  std::string_view name_;
  const Type* type_ = nullptr;
  Graph* graph_ = nullptr;
  Node* producer_ = nullptr;
  Tensor* initializer_ = nullptr;
  SparseTensor* sparse_initializer_ = nullptr;
  Use* first_use_ = nullptr;
  std::uint32_t id_ = 0;
  std::uint32_t output_index_ = 0;
  std::uint32_t output_uses_ = 0;
  bool is_input_ = false;
};

// One application of an operator (or of a model-local function).
class Node {
 public:
  std::string_view op_type() const { return op_type_; }
  std::string_view domain() const {
    return domain_;
  }  // as written; "" and "ai.onnx" are the same: see is_standard_domain()
  std::string_view overload() const { return rare_->overload; }
  std::string_view name() const { return name_; }
  std::string_view doc() const { return rare_->doc; }
  std::uint32_t id() const { return id_; }  // dense per model, for side tables
  Graph* graph() const { return graph_; }
  bool is(std::string_view op_type) const;  // an op of the standard domain

  std::size_t input_count() const { return inputs_.size(); }
  Value* input(std::size_t i) const { return i < inputs_.size() ? inputs_[i].value() : nullptr; }  // null: omitted
  std::span<const Use> inputs() const { return inputs_; }
  std::size_t output_count() const { return outputs_.size(); }
  Value* output(std::size_t i = 0) const { return i < outputs_.size() ? outputs_[i] : nullptr; }  // null: not wanted
  std::span<Value* const> outputs() const { return outputs_; }

  std::span<Attribute* const> attributes() const { return attributes_; }
  const Attribute* attribute(std::string_view name) const;  // null when absent
  std::span<const MetadataEntry> metadata() const { return rare_->metadata; }
  std::span<const std::string_view> device_configurations() const {
    return rare_->device_configurations;
  }  // encoded messages, kept as they are

  Node* next() const { return next_; }
  Node* previous() const { return previous_; }
  bool erased() const { return erased_; }
  bool changed() const { return changed_; }
  std::string_view origin() const { return origin_; }

 private:
  friend class Graph;
  // What few nodes have: apart, so that a node takes two cache lines less.
  struct Rare {
    std::string_view overload, doc;
    std::span<const MetadataEntry> metadata;
    std::span<const std::string_view> device_configurations;
  };
  static const Rare kNothingRare;

  std::string_view op_type_, domain_, name_, origin_;
  std::span<Use> inputs_;
  std::span<Value*> outputs_;
  std::span<Attribute*> attributes_;
  const Rare* rare_ = &kNothingRare;
  Graph* graph_ = nullptr;
  Node* next_ = nullptr;
  Node* previous_ = nullptr;
  std::uint32_t id_ = 0;
  bool erased_ = false;
  bool changed_ = true;
};

inline bool is_standard_domain(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

// A declaration in a graph's input, output or value_info list.
struct ValueInfo {
  Value* value = nullptr;
  const Type* type = nullptr;
  std::string_view doc;
  std::span<const MetadataEntry> metadata;
  std::string_view origin;
  bool changed = false;
};

// One entry of quantization_annotation.
struct QuantizationAnnotation {
  std::string_view tensor_name;
  std::span<const MetadataEntry> parameters;
  std::string_view origin;
};

// Nodes of a graph in order. Erasing the current node while iterating is fine.
class NodeList {
 public:
  class iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Node;
    using difference_type = std::ptrdiff_t;
    using pointer = Node*;
    using reference = Node&;
    iterator() = default;
    explicit iterator(Node* node) : node_(node) {}
    Node& operator*() const { return *node_; }
    Node* operator->() const { return node_; }
    iterator& operator++() {
      node_ = node_->next();
      return *this;
    }
    iterator operator++(int) {
      iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(iterator, iterator) = default;

   private:
    Node* node_ = nullptr;
  };
  iterator begin() const { return iterator(first_); }
  iterator end() const { return iterator(); }
  bool empty() const { return first_ == nullptr; }
  std::size_t size() const { return size_; }
  Node* front() const { return first_; }
  Node* back() const { return last_; }

 private:
  friend class Graph;
  Node* first_ = nullptr;
  Node* last_ = nullptr;
  std::size_t size_ = 0;
};

// Everything a new node needs. Texts must live as long as the model (literals, the mapped file, Context::arena.text()).
struct NodeParts {
  std::string_view op_type, domain, overload, name, doc;
  std::span<Value* const> inputs;   // null: omitted
  std::span<Value* const> outputs;  // null: not wanted; values made by Graph::create_value, without a producer yet
  std::span<Attribute* const> attributes;
  std::span<const MetadataEntry> metadata;
  std::span<const std::string_view> device_configurations;
  std::string_view origin;  // readers only
};

// The main graph of a model, a body of If/Loop/Scan, a function's body, or a training graph.
class Graph {
 public:
  explicit Graph(Context& context) : context_(&context) {}

  std::string_view name() const { return name_; }
  std::string_view doc() const { return doc_; }
  Context& context() const { return *context_; }
  Node* owner() const {
    return owner_;
  }  // the node whose body this is; null for a main graph, function or training graph
  Graph* parent() const { return owner_ ? owner_->graph() : nullptr; }
  std::string_view origin() const { return origin_; }
  bool changed() const { return changed_; }

  const NodeList& nodes() const { return nodes_; }
  std::span<ValueInfo* const> inputs() const { return inputs_; }
  std::span<ValueInfo* const> outputs() const { return outputs_; }
  std::span<ValueInfo* const> value_infos() const { return value_infos_; }
  std::span<Value* const> initializers() const { return initializers_; }                // each has initializer()
  std::span<Value* const> sparse_initializers() const { return sparse_initializers_; }  // each has sparse_initializer()
  std::span<const QuantizationAnnotation> quantization_annotations() const { return quantization_annotations_; }
  std::span<const MetadataEntry> metadata() const { return metadata_; }

  // --- Building. `name` null or empty makes a value that is named when written.
  Value* create_value(std::string_view name, const Type* type = nullptr);
  Value* create_value_of_known_name(std::string_view name);  // readers: the name is in Context::names already
  Node* append(const NodeParts& parts) { return insert_before(nullptr, parts); }
  Node* insert_before(Node* position, const NodeParts& parts);  // null: at the end
  ValueInfo* add_input(Value* value, const Type* type);
  ValueInfo* add_output(Value* value, const Type* type);
  ValueInfo* add_value_info(Value* value, const Type* type);
  void add_initializer(Value* value, Tensor* tensor);
  void add_sparse_initializer(Value* value, SparseTensor* tensor);
  void add_quantization_annotation(const QuantizationAnnotation& annotation);

  // --- Changing.
  void set_input(Node& node, std::size_t i, Value* value);
  void set_inputs(Node& node, std::span<Value* const> values);
  void set_attribute(Node& node, Attribute* attribute);  // replaces the one of the same name, or adds it
  void remove_attribute(Node& node, std::string_view name);
  void set_node_texts(Node& node, std::string_view name, std::string_view doc);
  void set_node_metadata(Node& node, std::span<const MetadataEntry> metadata);
  void replace_uses(Value* value, Value* with);  // operands everywhere, bodies included; graph outputs stay
  void erase(Node& node);                        // its outputs become undefined; its operands lose a use
  void move_before(Node& node, Node* position);
  void set_tensor(Value* initializer, Tensor* tensor);
  void remove_initializer(Value* value);
  void remove_initializers(std::span<Value* const> values);  // of this graph; in one walk
  void remove_inputs(std::span<Value* const> values);        // no longer inputs; their initializers, if any, stay
  void set_type(ValueInfo& info, const Type* type);
  void rename(Value& value, std::string_view name);
  void set_name(std::string_view name);
  void set_doc(std::string_view doc);
  void set_metadata(std::vector<MetadataEntry> metadata);
  void clear_value_infos();
  void keep_value_infos(std::vector<ValueInfo*> kept);  // some of value_infos(), in their order
  // After an edit in place: that message, and all messages around it, are encoded anew when written.
  void mark_changed(ValueInfo& info);
  void mark_changed(Value& initializer);  // and its tensor (or both parts of a sparse one)
  void mark_changed(Node& node, Attribute& attribute);
  void mark_changed(Node& node);
  void mark_changed();

  // --- For readers: what was just built is exactly what `origin` encodes.
  void set_origin(std::string_view origin);
  void set_owner(Node* owner) { owner_ = owner; }
  void set_changed_flag(bool* flag) {
    outer_changed_ = flag;
  }  // of the function, training info or model that holds this graph
  // Nodes in the given order (a permutation). Does not count as a change: an unsorted file stays as it is until edited.
  void reorder(std::span<Node* const> nodes);

 private:
  void link(Use& use, Value* value);
  static void unlink(Use& use);
  void insert_links(Node& node, Node* position);
  void remove_links(Node& node);
  void set_rare(Node& node, const Node::Rare& rare);
  void mark_tensors_changed(Value& initializer);

  Context* context_;
  std::string_view name_, doc_, origin_;
  Node* owner_ = nullptr;
  bool* outer_changed_ = nullptr;
  bool changed_ = true;
  NodeList nodes_;
  std::vector<ValueInfo*> inputs_, outputs_, value_infos_;
  std::vector<Value*> initializers_, sparse_initializers_;
  std::vector<QuantizationAnnotation> quantization_annotations_;
  std::vector<MetadataEntry> metadata_;
};

}  // namespace onnxpress
