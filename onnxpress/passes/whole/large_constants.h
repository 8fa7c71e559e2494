// LargeConstants: nodes whose results are the same in every run, but take more bytes than computing them in the model,
// in the order in which constants in their place remove most nodes for their bytes.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

class LargeConstants {
 public:
  struct Candidate {
    Node* node = nullptr;
    std::uint64_t growth = 0;  // bytes by which the file grows, at most
    double nodes_per_byte = 0;
  };

  // Begins with the nodes whose results are read by nodes that are not constant.
  explicit LargeConstants(Rewriter& rw);

  bool empty() const { return open_.empty() && behind_.empty(); }
  // The best node that remains and makes the file grow by at most `room` bytes; its `node` is null when there is none.
  Candidate next(std::uint64_t room);
  // The node stays. Smaller constants that it reads are candidates now.
  void skip(const Candidate& candidate);

 private:
  Candidate measured(Node& node) const;

  const Rewriter& rw_;
  std::unordered_set<const Node*> seen_;
  std::vector<Candidate> open_;  // the best one last
  std::vector<Node*> behind_;    // what skipped nodes read; their turn comes when nothing else is open
};

}  // namespace onnxpress::passes
