// Where types and shapes become unknown first, and why.
#pragma once

#include "onnxpress/analysis/facts/facts.h"

namespace onnxpress::analysis {

// Everything the node needs is known, but its result is not. Or, with a null node: an input without a shape.
struct Loss {
  const Node* node;
  const Value* value;
  std::string why;
  std::uint64_t values = 1;  // that are not known because of it, this one included
};

// In the order in which the model runs, bodies before the node they belong to. `rules` as the facts were made with.
std::vector<Loss> losses_of(const Facts& facts, const Model& model, const ops::ShapeRules* rules = nullptr);

}  // namespace onnxpress::analysis
