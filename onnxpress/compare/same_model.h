// Checks that a written model is the intended one: compares nodes, connections, attributes and all constants.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "onnxpress/ir/model.h"

namespace onnxpress::compare {

// Weights that were rounded on purpose: the largest difference that may be found in them, by name.
using RoundedWeights = std::unordered_map<std::string_view, double>;

// Both models must have the same interface and the same nodes in the same order, connected in the same way. Constants
// are compared by value, however they are stored: a chain is computed, one at a time. Dead nodes must be gone from
// both. Throws Error that names the first difference: a bug in onnxpress.
void require_same_model(const Model& before, const Model& after, const RoundedWeights& rounded = {});

struct NodeDifference {
  std::string what;
  const Node* node = nullptr;  // of the first model: the node itself, or one in its body; null: none in particular
};
// The same, but returns the first difference; nullopt when there is none. Throws Error when a constant cannot be read.
std::optional<NodeDifference> find_model_difference(const Model& before, const Model& after,
                                                    const RoundedWeights& rounded = {});

// Which value of one model corresponds to which value of another.
using MatchedValues = std::unordered_map<const Value*, const Value*>;

// Compares single nodes of two models.
class NodeComparer {
 public:
  NodeComparer(const Model& before, const Model& after, MatchedValues matched);
  ~NodeComparer();

  // What differs: op, attributes, bodies, connections or the constants that they read; nullopt if nothing does. Throws
  // Error when a constant cannot be read.
  std::optional<NodeDifference> compare(const Node& before, const Node& after);
  // From now on, these values correspond to each other.
  void match(const Value& before, const Value& after);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace onnxpress::compare
