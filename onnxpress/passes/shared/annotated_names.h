// Values that quantization annotations name: these must keep their names and must not be removed.
#pragma once

#include <string_view>
#include <unordered_set>

#include "onnxpress/ir/graph.h"

namespace onnxpress::passes {

// Never adds the empty name: values that rewrites make have no name yet, and an annotation with an empty name does not
// refer to them.
void add_annotated_names(const Graph& graph, std::unordered_set<std::string_view>& names);

}  // namespace onnxpress::passes
