// Which node and value of one model corresponds to which of the other; internal to analysis/differences*.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "onnxpress/analysis/diff/differences_hash.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::analysis {

// The pairs found so far, in all graphs of two models. A node or value has at most one partner.
class Matching {
 public:
  Matching(const Model& before, const Model& after);

  const Node* after(const Node& before) const { return node_after_[before.id()]; }
  const Node* before(const Node& after) const { return node_before_[after.id()]; }
  const Value* after(const Value& before) const { return value_after_[before.id()]; }
  const Value* before(const Value& after) const { return value_before_[after.id()]; }

  // Does nothing and returns false when one of them already has a partner. Pairing nodes also pairs their outputs.
  bool pair(const Node& before, const Node& after);
  bool pair(const Value& before, const Value& after);
  // True for partners, and when both are absent.
  bool same(const Value* before, const Value* after) const;

  const OpResolver before_ops, after_ops;
  std::vector<NodeHashes> before_hashes, after_hashes;  // by node id; filled for graphs that were matched

 private:
  std::vector<const Node*> node_after_, node_before_;     // by node id
  std::vector<const Value*> value_after_, value_before_;  // by value id
};

// Pairs the nodes and values of two graphs. The graphs around them, if any, must be matched first.
void match_graphs(const Graph& before, const Graph& after, Matching& matching);

// The tensor of an initializer or of a Constant node's output; null for everything else.
const Tensor* constant_of(const Value& value);
bool same_op(const Node& a, const Node& b);

}  // namespace onnxpress::analysis
