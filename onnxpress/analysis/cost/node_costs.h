// The work and the memory traffic of every node of a model, as expressions of its dims: the `cost` column of the op
// rows, asked with the facts.
#pragma once

#include <cstdint>
#include <vector>

#include "onnxpress/analysis/cost/amount.h"
#include "onnxpress/analysis/facts/facts.h"

namespace onnxpress::analysis {

// What one node costs in one run of the model. Unknown dims where a size is not known.
struct NodeCost {
  const Node* node = nullptr;
  Dim macs, flops;           // see ops/core/cost.h; those of nodes in loops are for all iterations
  Dim read, written;         // bytes: operands and weights in their real types; 0 for views
  Dim times;                 // how often it runs: 1, or the trips of the loops around it
  std::uint32_t depth = 0;   // of bodies around it
  bool is_known = false;     // false: nothing is known about the op's cost
  bool is_estimate = false;  // an algorithm or data decide
  bool is_view = false;
  bool has_bodies = false;  // If, Loop, Scan, a call of a function: the rows behind it have the work
  // False for nodes of a branch that is not taken, or is the smaller one of two that may be: they do not count.
  bool is_counted = true;
};

struct ModelCosts {
  std::vector<NodeCost> nodes;  // in order, bodies behind their node
  Amount macs, flops, read, written;
  std::vector<const Node*> unknown;  // counted nodes whose cost is not known
};

// Functions are counted once for each call, with the facts that hold for all calls.
ModelCosts costs_of(const Facts& facts, const Model& model);

}  // namespace onnxpress::analysis
