/// \file
/// Node: one application of an operator. NodeList: the nodes of a graph in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <variant>

#include "onnxpress/ir/attribute.h"
#include "onnxpress/ir/value.h"

namespace onnxpress {

/// ONNX's own operator set has two names; only this function knows both.
inline bool is_standard_domain(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }
/// Returns "" for both names, so that domains can be compared as texts.
inline std::string_view normal_domain(std::string_view domain) {
  return is_standard_domain(domain) ? std::string_view("") : domain;
}

/// One application of an operator (or of a model-local function).
class Node {
 public:
  std::string_view op_type() const { return op_type_; }
  std::string_view domain() const { return domain_; }  ///< as written: see is_standard_domain()
  std::string_view overload() const { return rare_->overload; }
  std::string_view name() const { return name_; }
  std::string_view doc() const { return rare_->doc; }
  std::uint32_t id() const { return id_; }  ///< dense per model, for side tables
  /// Dense per model, and the same for nodes of the same op: an index into Context::op_names.
  std::uint32_t op_id() const { return op_id_; }
  Graph* graph() const { return graph_; }
  /// Is it this op of the standard domain?
  bool is(std::string_view op_type) const { return op_type_ == op_type && is_standard_domain(domain_); }

  std::size_t input_count() const { return inputs_.size(); }
  Value* input(std::size_t i) const { return i < inputs_.size() ? inputs_[i].value() : nullptr; }  ///< null: omitted
  std::span<const Use> inputs() const { return inputs_; }
  std::size_t output_count() const { return outputs_.size(); }
  Value* output(std::size_t i = 0) const { return i < outputs_.size() ? outputs_[i] : nullptr; }  ///< null: not wanted
  std::span<Value* const> outputs() const { return outputs_; }
  std::size_t used_outputs() const;  ///< how many outputs are used

  std::span<Attribute* const> attributes() const { return attributes_; }
  const Attribute* attribute(std::string_view name) const;  ///< null when absent
  std::span<const MetadataEntry> metadata() const { return rare_->metadata; }
  /// Encoded messages, kept as they are.
  std::span<const std::string_view> device_configurations() const { return rare_->device_configurations; }

  Node* next() const { return next_; }
  Node* previous() const { return previous_; }
  /// Compares positions in the graph that both nodes belong to. O(1).
  bool comes_before(const Node& other) const { return order_ < other.order_; }
  bool erased() const { return erased_; }
  bool changed() const { return changed_; }
  std::string_view origin() const { return origin_; }

 private:
  friend class Graph;
  friend class ModelCloner;
  // Fields that few nodes have. Stored separately, so that a node takes two cache lines less.
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
  std::uint64_t order_ = 0;  // grows along the list; see order_numbers.cpp
  std::uint32_t id_ = 0;
  std::uint32_t op_id_ : 30 = 0;
  std::uint32_t erased_ : 1 = 0;
  std::uint32_t changed_ : 1 = 1;
};

/// The value of the node's own attribute, or `otherwise` where it is absent or of another kind. For parameters that
/// every version of an op has as an attribute; ops::Params finds all others.
template <typename T>
T attribute_or(const Node& node, std::string_view name, T otherwise) {
  const Attribute* attribute = node.attribute(name);
  const auto* value = attribute ? std::get_if<T>(&attribute->value) : nullptr;
  return value ? *value : otherwise;
}

inline std::size_t Use::index() const { return static_cast<std::size_t>(this - user_->inputs().data()); }

/// Nodes of a graph in order. Erasing nodes while iterating is fine, the current one and any other: an erased node
/// keeps its link to the next, and iterators skip erased nodes. Nodes inserted after the current one are visited.
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
      do {
        node_ = node_->next();
      } while (node_ && node_->erased());
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

/// Everything a new node needs. Texts must live as long as the model (literals, the mapped file,
/// Context::arena.text()).
struct NodeParts {
  std::string_view op_type, domain, overload, name, doc;
  std::span<Value* const> inputs;   ///< null: omitted
  std::span<Value* const> outputs;  ///< null: not wanted; values made by Graph::create_value, without a producer yet
  std::span<Attribute* const> attributes;
  std::span<const MetadataEntry> metadata;
  std::span<const std::string_view> device_configurations;
  std::string_view origin;  ///< readers only
};

}  // namespace onnxpress
