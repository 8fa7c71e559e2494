// NodeCopier: copies nodes with everything that belongs to them (bodies, tensors, types) from one model to another.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress {

// Weights are shared, and the second model keeps them alive; texts are copied. A name that the second model already has
// is replaced by a new one. Both may be the same model.
class NodeCopier {
 public:
  NodeCopier(const Model& from, Model& to);

  // Copies of values of graph `from` are created in graph `to`; for graphs that are not mapped, in the main graph.
  void map(const Graph& from, Graph& to) { graphs_[&from] = &to; }
  // In the copy, users of `value` read `copy` instead.
  void map(const Value& value, Value* copy) { values_[&value] = copy; }
  // The same, and if the node that computes `value` is copied, too, its copy gets a new, unused result instead.
  void cut(const Value& value, Value* copy);
  // Prepended to the names of all values and nodes in the copy.
  void set_prefix(std::string_view prefix) { prefix_ = prefix; }
  // Copied nodes that call `function` call the function `name` instead.
  void rename_function(const Function& function, std::string_view name);

  // The copy of a value, made on the first request.
  Value* copy(const Value& value);
  Node* copy(const Node& node, Graph& graph);  // at the end of `graph`
  Tensor* copy(const Tensor& tensor);
  SparseTensor* copy(const SparseTensor& tensor);
  const Type* copy(const Type* type);
  Function* copy(const Function& function);
  // Copies the initializer of a value, and the value itself if that has not happened yet.
  void copy_initializer(const Value& value);
  // Copies the declarations and quantization annotations of those values that were copied.
  void copy_value_infos(const Graph& from);
  // Copies versions, texts, metadata and imports of the model.
  void copy_header();

  // The values that got another name: (old name, new name).
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
  std::unordered_set<std::string_view> taken_;      // names that the copy must not reuse
  std::unordered_set<std::string_view> from_main_;  // those of them that came from the original's main graph
  std::unordered_set<std::string_view> taken_nodes_;
  std::unordered_map<std::uint32_t, std::string_view> functions_;  // by op id: the function's name in the copy
  std::vector<std::pair<std::string_view, std::string_view>> renamed_;
  std::string_view prefix_;
};

}  // namespace onnxpress
