// Is a model that was written the one that was meant? Compares nodes, connections, attributes and all constants.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "onnxpress/ir/model.h"

namespace onnxpress::tasks {

// Weights that were rounded on purpose: the largest difference that may be found in them, by name.
using RoundedWeights = std::unordered_map<std::string_view, double>;

// Both models must have the same interface and the same nodes in the same order, connected in the same way. Constants
// are compared by value, however they are stored: a chain is computed, one at a time. Dead nodes must be gone from
// both. Throws Error that names the first difference: a defect of ours.
void require_same_model(const Model& before, const Model& after, const RoundedWeights& rounded = {});
// The same as an answer: what the first difference is; nullopt when there is none. Throws Error when a constant cannot
// be read.
std::optional<std::string> find_model_difference(const Model& before, const Model& after,
                                                 const RoundedWeights& rounded = {});

// Which values of one model stand for which of another.
using MatchedValues = std::unordered_map<const Value*, const Value*>;

struct NodeInModel {
  const Model& model;
  const Node& node;
};
struct NodeDifference {
  std::string what;
  const Node* node = nullptr;  // of the first model: the node itself, or one in its body; null: none in particular
};
// What differs between two nodes: op, attributes, bodies, connections or constants that they read. nullopt: nothing.
// Throws Error when a constant cannot be read.
std::optional<NodeDifference> find_node_difference(const NodeInModel& before, const NodeInModel& after,
                                                   const MatchedValues& matched);

}  // namespace onnxpress::tasks
