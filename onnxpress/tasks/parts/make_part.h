// Makes a model of a part of another: some nodes, the weights they need, and the functions they call.
#pragma once

#include <string>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/ir/model.h"

namespace onnxpress {

struct PartPlan {
  std::vector<const Node*> nodes;  // in the order they run
  std::vector<const Value*> inputs, outputs;
};

// Inputs and outputs get the types that the facts know. Initializers that the nodes read come along, and so do
// functions, imports and metadata. Throws Error when the type of an input or output is not known.
Model make_part(const Model& model, const analysis::Facts& facts, const PartPlan& plan);

// Does the value belong to a body of the node, at any depth?
bool is_inside(const Value& value, const Node& node);

// Throws Error when `check` finds errors in `result`, although the original had none. Values get their names.
void require_valid(Model& result, bool original_is_valid, std::string_view what);
bool is_valid(const Model& model);

}  // namespace onnxpress
