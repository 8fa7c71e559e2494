// Sizes for dims that nobody gave, so that a profile has numbers beside its formulas.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "onnxpress/analysis/cost/node_costs.h"
#include "onnxpress/analysis/facts/facts.h"

namespace onnxpress::tasks {

struct AssumedSizes {
  std::vector<std::pair<const Symbol*, std::int64_t>> sizes;  // symbols in order of appearance

  std::optional<std::int64_t> of(const Symbol& symbol) const;
};

// The first dim of an input of several dims is taken for a batch: 1. The last two of an input of four dims are an
// image: 224. Lengths of caches ("past...") are 0. Others, and sizes that only the data tell, are 128.
AssumedSizes assumed_sizes(const Model& model, const analysis::Facts& facts, const analysis::ModelCosts& costs);

}  // namespace onnxpress::tasks
