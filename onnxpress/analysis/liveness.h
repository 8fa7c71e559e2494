// Liveness: the first and last node that need each value of a graph, including bodies.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "onnxpress/ir/graph.h"

namespace onnxpress::analysis {

// Positions count the nodes of the graph from 0. A node with a body needs everything that the body reads.
struct Lifetime {
  static constexpr std::size_t kBefore = ~std::size_t{0};

  std::size_t made = kBefore;  // position of its producer; kBefore for an input or initializer
  std::size_t first_use = 0;   // the node that reads it first; `made` when none does
  std::size_t last_use = 0;    // the last node that needs it; the number of nodes for graph outputs
  bool is_read = false;        // false for results that no node reads
};

class Liveness {
 public:
  explicit Liveness(const Graph& graph);

  // The lifetime of a value of this graph; nullopt for inputs and initializers that nothing reads, and for values of
  // other graphs. Captured values live until the node with the body is done.
  std::optional<Lifetime> of(const Value& value) const;
  // Values that are not needed any more after the node at this position, in the order in which they were first met.
  std::span<const Value* const> ending_at(std::size_t position) const { return ending_[position]; }
  std::size_t node_count() const { return ending_.size(); }

 private:
  std::unordered_map<const Value*, Lifetime> lifetimes_;
  std::vector<std::vector<const Value*>> ending_;
};

}  // namespace onnxpress::analysis
