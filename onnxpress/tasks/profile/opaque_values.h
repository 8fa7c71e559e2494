// Values whose sizes cannot be inferred: results of unknown ops, and everything computed from them.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "onnxpress/analysis/facts/facts.h"

namespace onnxpress::tasks {

class OpaqueValues {
 public:
  // `rules` as the facts were made with.
  OpaqueValues(const analysis::Facts& facts, const ops::ShapeRules* rules) : facts_(facts), rules_(rules) {}

  // To be called for each node in the order of the model, for a node with bodies or a call before what is inside. Are
  // its results opaque?
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
  std::unordered_map<const Function*, bool> functions_;  // with an unknown op; calls of calls multiply
};

}  // namespace onnxpress::tasks
