/// \file
/// Graph: a pointer graph of nodes and values in the model's arena. Addresses are stable, nothing is freed before the
/// Model.
///
/// All changes go through Graph's members: they keep the use lists, the node order and the `changed` bits right, and
/// tell the model's listeners (see listener.h). An unchanged node, graph or model is written again byte for byte from
/// the file it came from.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "onnxpress/ir/attribute.h"
#include "onnxpress/ir/node.h"
#include "onnxpress/ir/tensor.h"
#include "onnxpress/ir/type.h"
#include "onnxpress/ir/value.h"

namespace onnxpress {

struct Context;

/// One entry of quantization_annotation.
struct QuantizationAnnotation {
  std::string_view tensor_name;
  std::span<const MetadataEntry> parameters;
  std::string_view origin;
};

/// The main graph of a model, a body of If/Loop/Scan, a function's body, or a training graph.
class Graph {
 public:
  explicit Graph(Context& context) : context_(&context) {}

  std::string_view name() const { return name_; }
  std::string_view doc() const { return doc_; }
  Context& context() const { return *context_; }
  /// The node whose body this is; null for a main graph, a function's body and a training graph.
  Node* owner() const { return owner_; }
  Graph* parent() const { return owner_ ? owner_->graph() : nullptr; }
  std::string_view origin() const { return origin_; }
  bool changed() const { return changed_; }

  const NodeList& nodes() const { return nodes_; }
  std::span<ValueInfo* const> inputs() const { return inputs_; }
  std::span<ValueInfo* const> outputs() const { return outputs_; }
  /// Declared types of other values. When a value loses its definition, its declarations are removed, too.
  std::span<ValueInfo* const> value_infos() const {
    if (has_stale_infos_.load(std::memory_order_acquire)) remove_stale_infos();
    return value_infos_;
  }
  std::span<Value* const> initializers() const { return initializers_; }  ///< each has initializer()
  std::span<Value* const> sparse_initializers() const {
    return sparse_initializers_;
  }  ///< each has sparse_initializer()
  std::span<const QuantizationAnnotation> quantization_annotations() const { return quantization_annotations_; }
  std::span<const MetadataEntry> metadata() const { return metadata_; }

  // --- Building. `name` null or empty makes a value that is named when written.
  Value* create_value(std::string_view name, const Type* type = nullptr);
  Value* create_value_of_known_name(std::string_view name);  ///< readers: the name is in Context::names already
  Node* append(const NodeParts& parts) { return insert_before(nullptr, parts); }
  Node* insert_before(Node* position, const NodeParts& parts);  ///< null: at the end
  ValueInfo* add_input(Value* value, const Type* type);
  ValueInfo* add_output(Value* value, const Type* type);
  ValueInfo* add_value_info(Value* value, const Type* type);
  void add_initializer(Value* value, Tensor* tensor);
  void add_sparse_initializer(Value* value, SparseTensor* tensor);
  void add_quantization_annotation(const QuantizationAnnotation& annotation);

  // --- Changing.
  void set_input(Node& node, std::size_t i, Value* value);
  void set_inputs(Node& node, std::span<Value* const> values);
  /// Makes `value` the i-th output, which takes the name of that value.
  void set_output(std::size_t i, Value* value);
  /// Replaces the attribute of the same name, or adds it. Uses in the bodies of the old attribute are removed.
  void set_attribute(Node& node, Attribute* attribute);
  void remove_attribute(Node& node, std::string_view name);
  void set_node_texts(Node& node, std::string_view name, std::string_view doc);
  void set_node_metadata(Node& node, std::span<const MetadataEntry> metadata);
  void replace_operands(Value* value, Value* with);  ///< operands everywhere, bodies included, but not graph outputs
  void replace_all_uses(Value* value, Value* with);  ///< operands and graph outputs, which take the name of `with`
  void erase(Node& node);                            ///< its outputs become undefined; its operands lose a use
  void move_before(Node& node, Node* position);
  void set_tensor(Value* initializer, Tensor* tensor);
  void remove_initializer(Value* value);
  void remove_initializers(std::span<Value* const> values);  ///< of this graph; in one walk
  void remove_inputs(std::span<Value* const> values);        ///< no longer inputs; their initializers, if any, stay
  void set_type(ValueInfo& info, const Type* type);
  void rename(Value& value, std::string_view name);  ///< everywhere; takes time in proportion to the number of uses
  void set_name(std::string_view name);
  void set_doc(std::string_view doc);
  void set_metadata(std::vector<MetadataEntry> metadata);
  void clear_value_infos();
  void keep_value_infos(std::vector<ValueInfo*> kept);  ///< some of value_infos(), in their order
  /// Call after an edit in place: that message, and all messages around it, are encoded again when written.
  void mark_changed(ValueInfo& info);
  void mark_changed(Value& initializer);  ///< and its tensor (or both parts of a sparse one)
  void mark_changed(Node& node, Attribute& attribute);
  void mark_changed(Node& node);
  void mark_changed();

  // --- For readers: what was just built is exactly what `origin` encodes.
  void set_origin(std::string_view origin);
  void set_owner(Node* owner) { owner_ = owner; }
  /// `flag` is the `changed` flag of the function, training info or model that holds this graph.
  void set_changed_flag(bool* flag) { outer_changed_ = flag; }
  /// Puts the nodes into the given order (a permutation of them). Does not count as a change: an unsorted file stays as
  /// it is until edited.
  void reorder(std::span<Node* const> nodes);

 private:
  friend class ModelCloner;
  static void link(Use& use, Value* value);
  static void unlink(Use& use);
  static void link(GraphOutput& output, Value* value);
  static void unlink(GraphOutput& output);
  static void link_declaration(ValueInfo& info);
  static void unlink_removed(std::span<ValueInfo* const> infos);
  static void mark_infos_stale(const Value& value);
  void remove_stale_infos() const;
  void rename_in_annotations(std::string_view before, std::string_view name);
  void insert_links(Node& node, Node* position);
  void remove_links(Node& node);
  static void give_order_number(Node& node);
  static void make_order_room(Node& node);
  static void detach_bodies(Node& node, const Attribute& attribute, const Attribute* kept);
  void detach();  // for a removed body: it uses nothing from now on
  void set_rare(Node& node, const Node::Rare& rare);
  void mark_tensors_changed(Value& initializer);

  Context* context_;
  std::string_view name_, doc_, origin_;
  Node* owner_ = nullptr;
  bool* outer_changed_ = nullptr;
  bool changed_ = true;
  mutable std::atomic<bool> has_stale_infos_ = false;
  NodeList nodes_;
  std::vector<ValueInfo*> inputs_, outputs_;  // outputs are GraphOutputs
  mutable std::vector<ValueInfo*> value_infos_;
  std::vector<Value*> initializers_, sparse_initializers_;
  std::vector<QuantizationAnnotation> quantization_annotations_;
  // Which annotations mention a name; made at the first rename.
  std::unique_ptr<std::unordered_multimap<std::string_view, std::size_t>> annotations_by_name_;
  std::vector<MetadataEntry> metadata_;
};

}  // namespace onnxpress
