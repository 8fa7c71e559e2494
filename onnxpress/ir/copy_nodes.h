// NodeCopier: copies nodes with everything that belongs to them (bodies, tensors, types) from one model to another.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress {

// Weights are shared with the first model and stay alive with the second; texts are copied. A name that the second
// model has already becomes another one. Both may be the same model.
class NodeCopier {
 public:
  NodeCopier(const Model& from, Model& to);

  // Values of `from` belong to `to` in the copy. Graphs that were not mapped belong to the main graph.
  void map(const Graph& from, Graph& to) { graphs_[&from] = &to; }
  // Whoever reads `value` reads `copy` in the copy.
  void map(const Value& value, Value* copy) { values_[&value] = copy; }
  // The same, but a node that computes `value` gets an unused result: its users get `copy`.
  void cut(const Value& value, Value* copy);
  // Names of values and nodes begin with this in the copy.
  void set_prefix(std::string_view prefix) { prefix_ = prefix; }
  // Nodes of that function mean another one.
  void rename_function(const Function& function, std::string_view name);

  // The copy of a value, made on the first request.
  Value* copy(const Value& value);
  Node* copy(const Node& node, Graph& graph);  // at the end of `graph`
  Tensor* copy(const Tensor& tensor);
  SparseTensor* copy(const SparseTensor& tensor);
  const Type* copy(const Type* type);
  Function* copy(const Function& function);
  // The initializer of a value; the value itself is copied if it was not yet.
  void copy_initializer(const Value& value);
  // Declarations of values that were copied, and what annotations say about them.
  void copy_value_infos(const Graph& from);
  // Versions, texts, metadata and imports of the model.
  void copy_header();

  // Names that are others now.
  const std::vector<std::pair<std::string_view, std::string_view>>& renamed() const { return renamed_; }

 private:
  std::string_view text(std::string_view text) { return text.data() ? to_.arena().text(text) : text; }
  std::string_view name_for(const Value& value, const Graph& graph);
  std::string_view name_for(const Node& node);
  std::span<const MetadataEntry> copy(std::span<const MetadataEntry> entries);
  Attribute* copy(const Attribute& attribute);
  Graph* copy_body(const Graph& body);
  void fill(const Graph& from, Graph& to);
  Value* copy_result(const Value& value, bool& same);

  const Model& from_;
  Model& to_;
  std::unordered_map<const Graph*, Graph*> graphs_;
  std::unordered_map<const Value*, Value*> values_;
  std::unordered_set<const Value*> cut_;
  std::unordered_set<std::string_view> taken_;      // names that the copy must not have again
  std::unordered_set<std::string_view> from_main_;  // of these, names that the main graph of the original has, too
  std::unordered_set<std::string_view> taken_nodes_;
  std::unordered_map<std::uint32_t, std::string_view> functions_;  // by op id: the name it has in the copy
  std::vector<std::pair<std::string_view, std::string_view>> renamed_;
  std::string_view prefix_;
};

}  // namespace onnxpress
