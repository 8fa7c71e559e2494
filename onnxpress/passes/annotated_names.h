// Values that quantization annotations name: these must keep their names and must not be removed.
#pragma once

#include <string_view>
#include <unordered_set>

#include "onnxpress/ir/graph.h"

namespace onnxpress::passes {

// Only real names: values that rewrites make have none yet, and an annotation that names nothing is not about them.
void add_annotated_names(const Graph& graph, std::unordered_set<std::string_view>& names);

}  // namespace onnxpress::passes
