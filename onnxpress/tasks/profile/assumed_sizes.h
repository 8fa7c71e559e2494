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

namespace onnxpress {

class AssumedSizes {
 public:
  // `rules` are those that the facts were made with.
  explicit AssumedSizes(const analysis::Facts& facts, const ops::ShapeRules* rules = nullptr)
      : facts_(facts), opaque_(facts, rules) {}

  // The first dim of an input of several dims is taken for a batch: 1. The last two of an input of four dims are an
  // image: 224. The second of a float input of two is sound: 16,000 samples, or 512 where another input is the state of
  // a recurrent network. Lengths of caches ("past...") are 0, other dims 128.
  void add_inputs(const Model& model);
  // Also assumes sizes for all symbols in the results of nodes, including those in bodies and functions.
  void add_model(const Model& model);
  // Assumes 128 for symbols that depend on the data or come from a loop.
  void add(Dim dim);
  // Adds the symbols of the results of a node; to be called in the order of the model. Symbols that come from an
  // unknown op get no size, so that everything that depends on them stays unknown.
  void add_results(const Node& node);

  std::optional<std::int64_t> of(const Symbol& symbol) const;
  // In order of appearance.
  const std::vector<std::pair<const Symbol*, std::int64_t>>& all() const { return sizes_; }

 private:
  void add(const ops::Fact& fact);
  // Sizes of an If's results are taken from its branches. They follow from other sizes, so all() does not list them.
  void add_branches(const Node& node);
  void keep_open(const ops::Fact& fact);
  void assume(const Symbol* symbol, std::int64_t size);
  void take_larger(const Value& result, const Value& in_branch);

  const analysis::Facts& facts_;
  std::vector<std::pair<const Symbol*, std::int64_t>> sizes_;
  std::unordered_map<const Symbol*, std::int64_t> by_symbol_;
  std::unordered_set<const Symbol*> seen_;  // symbols and expressions that were already handled
  std::unordered_set<const Symbol*> open_;  // never to be assumed
  OpaqueValues opaque_;
};

}  // namespace onnxpress
