// Values whose sizes cannot be inferred: results of unknown ops, and everything computed from them.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "onnxpress/analysis/facts/facts.h"

namespace onnxpress {

class OpaqueValues {
 public:
  // `rules` are those that the facts were made with.
  OpaqueValues(const analysis::Facts& facts, const ops::ShapeRules* rules) : facts_(facts), rules_(rules) {}

  // Returns whether the results of the node are opaque. To be called for each node in the order of the model; for a
  // node with bodies and for a function call, before the nodes inside.
  bool add(const Node& node);

 private:
  bool is_opaque(const Value* value) const { return value && values_.contains(value); }
  bool has_inference(const Node& node) const;
  bool reads_opaque(const Node& node) const;
  bool has_opaque_node(const Graph& body, int depth);
  bool has_opaque_inside(const Node& node, int depth);

  const analysis::Facts& facts_;
  const ops::ShapeRules* rules_;
  std::unordered_set<const Value*> values_;
  // Does a function have an unknown op? Stored, because nested calls would multiply the work.
  std::unordered_map<const Function*, bool> functions_;
};

}  // namespace onnxpress
