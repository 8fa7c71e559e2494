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

// What one node costs in one run of the model. Unknown dims where a size is not known.
struct NodeCost {
  const Node* node = nullptr;
  Dim macs, flops;           // see ops/core/cost.h; those of nodes in loops are for all iterations
  Dim counted;               // by the rules of another tool, when those were asked for
  Dim read, written;         // bytes: operands and weights in their real types; 0 for views
  Dim times;                 // how often it runs: 1, or the trips of the loops around it
  std::uint32_t depth = 0;   // of bodies around it
  bool is_known = false;     // false: nothing is known about the op's cost
  bool is_estimate = false;  // an algorithm or data decide
  bool is_view = false;
  bool is_too_large = false;  // all sizes are known, but figures have more bits than a dim
  bool has_bodies = false;    // If, Loop, Scan, a call of a function: the rows behind it have the work
  // False for nodes of a branch that is not taken, or is the smaller one of two that may be: they do not count.
  bool is_counted = true;
};

// An If whose condition only a run shows.
struct BranchChoice {
  std::size_t row = 0;  // of the If
  Amount then_macs, else_macs;
  bool counts_then = true;  // the larger one
};

struct ModelCosts {
  std::vector<NodeCost> nodes;  // in order, bodies behind their node
  Amount macs, flops, read, written, counted;
  std::vector<const Node*> unknown;  // counted nodes whose cost is not known
  std::vector<BranchChoice> choices;
  bool is_cut = false;  // bodies or calls are nested too deep, or there are too many calls: totals are lower bounds
};

struct CostOptions {
  CountStyle style = CountStyle::kMac;
  const ops::ShapeRules* rules = nullptr;  // what a user says about work, also of ops that we know; null: nothing
  // Sees each row as soon as its costs are there, while the facts inside of functions are those of the call. Whether it
  // counts is decided later.
  std::function<void(std::size_t row, const NodeCost& cost)> on_node;
};

// Functions are counted once for each call, with the facts of that call.
ModelCosts costs_of(const Facts& facts, const Model& model, const CostOptions& options = {});

}  // namespace onnxpress::analysis
