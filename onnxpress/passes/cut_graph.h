// Cuts a model down to the part between given values.
#pragma once

#include <span>
#include <string>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// The values named become the inputs and outputs of the main graph, in that order, with the types that the facts know.
// An empty list leaves that side as it is: the inputs that are still needed, in their order. Nodes that no output needs
// any more are gone afterwards. Throws Error for a name that no value of the main graph has, and for an output that
// needs an input which is no longer one.
void cut_graph(Model& model, const analysis::Facts& facts, std::span<const std::string> inputs,
               std::span<const std::string> outputs);

}  // namespace onnxpress::passes
