// Assumes sizes for dims that were not given, so that a profile has numbers in addition to formulas.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/tasks/profile/opaque_values.h"

namespace onnxpress::tasks {

class AssumedSizes {
 public:
  // `rules` as the facts were made with.
  explicit AssumedSizes(const analysis::Facts& facts, const ops::ShapeRules* rules = nullptr)
      : facts_(facts), opaque_(facts, rules) {}

  // The first dim of an input of several dims is taken for a batch: 1. The last two of an input of four dims are an
  // image: 224. The second of a float input of two is sound: 16,000 samples, or 512 where another input is the state of
  // a recurrent network. Lengths of caches ("past...") are 0, other dims 128.
  void add_inputs(const Model& model);
  // Those, and all symbols in the results of nodes, bodies and functions included.
  void add_model(const Model& model);
  // Symbols of a dim that only the data tell, or that a loop brought in: 128.
  void add(Dim dim);
  // Symbols of the results of a node, in the order of the model. After an unknown op, no size is made up:
  // what has such symbols stays unknown.
  void add_results(const Node& node);

  std::optional<std::int64_t> of(const Symbol& symbol) const;
  // In order of appearance.
  const std::vector<std::pair<const Symbol*, std::int64_t>>& all() const { return sizes_; }

 private:
  void add(const ops::Fact& fact);
  // Symbols of the results of an If, by what its branches give. They follow from others, so all() does not list them.
  void add_branches(const Node& node);
  void keep_open(const ops::Fact& fact);
  void assume(const Symbol* symbol, std::int64_t size);
  void take_larger(const Value& result, const Value& in_branch);

  const analysis::Facts& facts_;
  std::vector<std::pair<const Symbol*, std::int64_t>> sizes_;
  std::unordered_map<const Symbol*, std::int64_t> by_symbol_;
  std::unordered_set<const Symbol*> seen_;  // symbols and expressions that were taken apart already
  std::unordered_set<const Symbol*> open_;  // never to be assumed
  OpaqueValues opaque_;
};

}  // namespace onnxpress::tasks
