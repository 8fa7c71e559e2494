// Multiplies results inside a model by factors around 1, to see how much that moves its outputs.
#pragma once

#include <cstdint>
#include <functional>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::compare {

// `is_scaled` chooses nodes of the main graph whose first result is scaled, and `factor_for` returns the constant or
// input of the copy that it is multiplied by; null: it is not scaled. Outputs of the model never are.
struct Scaling {
  std::function<bool(const Node& original)> is_scaled;
  std::function<Value*(const ops::Fact& result)> factor_for;
};

// Inserts a Mul after the nodes. `copy` is a clone of `original`, and `facts` are those of `original`.
void scale_results(Model& copy, const Model& original, const analysis::Facts& facts, const Scaling& scaling);

// How many factors there are along the last axis of a result; 1 where its size is not known.
std::int64_t factor_count(const ops::Fact& result);

}  // namespace onnxpress::compare
