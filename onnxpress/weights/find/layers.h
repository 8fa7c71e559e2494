// Which layers come first and last between a model's inputs and outputs: rounding matters most there.
#pragma once

#include <unordered_set>
#include <vector>

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::weights {

// A layer is a node that takes weights, which are constants or computed only from constants. Values flow into bodies
// and out of them, so a layer in a branch is the first if no layer comes before the If. Values that a loop passes to
// its next iteration do not count.
class Layers {
 public:
  explicit Layers(const Model& model);
  bool is_first(const Node& node) const { return first_.contains(&node); }  // no layer above it
  bool is_last(const Node& node) const { return last_.contains(&node); }    // no layer below it

 private:
  void walk_down(const Graph& graph);
  void walk_up(const Graph& graph);
  bool is_layer(const Node& node) const;

  analysis::OpResolver ops_;
  std::vector<bool> constant_, above_, below_;  // by value id: computed from constants; layers above, below
  std::unordered_set<const Node*> layers_, first_, last_;
};

}  // namespace onnxpress::weights
