// The work and the memory traffic of every node of a model, as expressions of its dims, computed from the facts by the
// `cost` column of the op rows.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "onnxpress/analysis/cost/amount.h"
#include "onnxpress/analysis/cost/count_style.h"
#include "onnxpress/analysis/facts/facts.h"

namespace onnxpress::analysis {

// The cost of one node in one run of the model. Dims are unknown where a size is not known.
struct NodeCost {
  const Node* node = nullptr;
  Dim macs, flops;           // see ops/core/cost.h; those of nodes in loops are for all iterations
  Dim counted;               // by the rules of another tool, if CostOptions::style asks for them
  Dim read, written;         // bytes: operands and weights in their real types; 0 for views
  Dim times;                 // how often it runs: 1, or the iterations of the loops around it
  std::uint32_t depth = 0;   // number of bodies around it
  bool is_known = false;     // false: nothing is known about the op's cost
  bool is_estimate = false;  // the true cost depends on the algorithm or on the data
  bool is_view = false;
  bool is_too_large = false;  // all sizes are known, but the numbers do not fit in a dim
  bool has_bodies = false;    // If, Loop, Scan or a function call: the following rows hold the work
  // False for nodes of a branch that is not taken, or that is the smaller one when the condition is unknown.
  bool is_counted = true;
};

// An If whose condition is known only when the model runs.
struct BranchChoice {
  std::size_t row = 0;  // of the If
  Amount then_macs, else_macs;
  bool counts_then = true;  // then_branch is the larger one, which counts
};

struct ModelCosts {
  std::vector<NodeCost> nodes;  // in graph order; bodies follow their node
  Amount macs, flops, read, written, counted;
  std::vector<const Node*> unknown;  // counted nodes whose cost is not known
  std::vector<BranchChoice> choices;
  bool is_cut = false;  // bodies or calls are nested too deep, or there are too many calls: totals are lower bounds
};

struct CostOptions {
  CountStyle style = CountStyle::kMac;
  const ops::ShapeRules* rules = nullptr;  // the user's rules about work, which also apply to known ops; may be null
  // Called with each row as soon as its costs are computed, while the facts inside functions are those of the current
  // call. Whether the row counts is decided later.
  std::function<void(std::size_t row, const NodeCost& cost)> on_node;
};

// Functions are counted once for each call, with the facts of that call.
ModelCosts costs_of(const Facts& facts, const Model& model, const CostOptions& options = {});

}  // namespace onnxpress::analysis
