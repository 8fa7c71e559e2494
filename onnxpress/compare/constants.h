// The constants of a model: initializers, Constant nodes, and results of decoding chains that read only constants.
#pragma once

#include <optional>
#include <vector>

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/ops/core/array.h"

namespace onnxpress::compare {

class Constants {
 public:
  explicit Constants(const Model& model);

  const Model& model() const { return model_; }
  const analysis::OpResolver& ops() const { return ops_; }

  bool contains(const Value& value) const { return value.id() < constant_.size() && constant_[value.id()]; }
  // A Constant node, or a node whose result is constant.
  bool is_constant_node(const Node& node) const;
  // The node that computes a constant; null for plain constants and for values that are not constant.
  const Node* link_of(const Value& value) const;

  // Computes the value again in each call, so that only one chain is in memory at a time. nullopt if it cannot be
  // computed. Throws Error when a tensor cannot be read.
  std::optional<ops::Array> evaluate(const Value& value) const;

 private:
  void find(const Graph& graph);
  bool is_plain(const Node& node) const;
  bool is_link(const Node& node) const;

  const Model& model_;
  analysis::OpResolver ops_;
  std::vector<bool> constant_;  // by value id
};

}  // namespace onnxpress::compare
