// How much memory and work a run takes with given sizes of open dims, and whether a search for sizes may try it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/inputs/sizes.h"

namespace onnxpress::inputs {

// Both are lower bounds: what depends on unknown sizes, and bodies of functions, are not counted.
struct RunSize {
  double bytes = 0;  // of the activations that are alive at the same time
  double work = 0;   // in multiply-adds
};

class RunSizes {
 public:
  RunSizes(const Model& model, const analysis::Facts& facts);
  RunSize with(const ops::DimMath::SizeOf& size_of) const;

 private:
  struct Held {
    ops::Shape shape;
    double bytes = 0;  // of an element
    std::size_t first = 0, last = 0;
  };
  struct Steps {
    std::size_t count = 0, at = 0;  // `at`: the position of the node that has this body
    std::vector<Held> values;
    std::vector<Steps> bodies;
  };
  Steps steps_of(const Graph& graph, int depth) const;
  double peak_of(const Steps& steps, const ops::DimMath::SizeOf& size_of) const;

  const analysis::Facts& facts_;
  Steps steps_;
  std::vector<std::pair<Dim, Dim>> work_;  // multiply-adds and other operations of each node
};

// Allows what the policy does, and in any case runs that take up to four times as much as the cheapest of all sizes: a
// large model must be tried, too.
class RunBudget {
 public:
  RunBudget(const Model& model, const analysis::Facts& facts, const SizePolicy& policy, std::vector<OpenDims> sizes);
  bool allows(const OpenDims& open);
  // "; not tried: N=4096 would take 12.5 GB of memory": about the cheapest that was not allowed; empty if all were.
  std::string why() const;

 private:
  RunSize size_with(const OpenDims& open);
  const RunSize& cheapest();

  const Model& model_;
  const analysis::Facts& facts_;
  const SizePolicy& policy_;
  std::vector<OpenDims> sizes_;
  std::vector<const Symbol*> symbols_;
  std::optional<RunSizes> runs_;  // made when it is first needed, because the costs of a large model take a while
  std::optional<RunSize> cheapest_, refused_;
  std::string refused_sizes_;
};

}  // namespace onnxpress::inputs
