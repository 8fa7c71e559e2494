// Where types and shapes become unknown first, and why.
#pragma once

#include "onnxpress/analysis/facts/facts.h"

namespace onnxpress::analysis {

// A node whose operands are all known, but whose result is not; or an input without a shape (then `node` is null).
struct Loss {
  const Node* node;
  const Value* value;
  std::string why;
  std::uint64_t values = 1;  // number of values that are unknown because of it, including this one
};

// In the order in which the model runs; bodies come before their node. `rules`: the ones that the facts were made with.
std::vector<Loss> losses_of(const Facts& facts, const Model& model, const ops::ShapeRules* rules = nullptr);

}  // namespace onnxpress::analysis
