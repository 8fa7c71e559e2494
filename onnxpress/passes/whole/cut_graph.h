// Cuts a model down to the part between given values.
#pragma once

#include <span>
#include <string>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// The named values become the inputs and outputs of the main graph, in that order, with their declared or inferred
// types. An empty list leaves that side as it is, except that inputs that are no longer needed are removed, and so are
// nodes that no output needs. Throws Error for a name that no value of the main graph has, and for an output that needs
// an input that is not in the list.
void cut_graph(Model& model, const analysis::Facts& facts, std::span<const std::string> inputs,
               std::span<const std::string> outputs);

}  // namespace onnxpress::passes
