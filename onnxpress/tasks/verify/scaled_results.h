// Multiplies results inside a model by factors around 1, to see how much that moves its outputs.
#pragma once

#include <cstdint>
#include <functional>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::tasks {

// The nodes of the main graph whose first result is scaled, and a constant or input of the copy that it is multiplied
// with; null: it stays as it is. Outputs of the model always do.
struct Scaling {
  std::function<bool(const Node& original)> is_scaled;
  std::function<Value*(const ops::Fact& result)> factor_for;
};

// Puts a Mul behind the nodes. `copy` is a clone of `original`, which `facts` are about.
void scale_results(Model& copy, const Model& original, const analysis::Facts& facts, const Scaling& scaling);

// How many factors there are along the last axis of a result; 1 where its size is not known.
std::int64_t factor_count(const ops::Fact& result);

}  // namespace onnxpress::tasks
