// Which value of one model corresponds to which value of another: by name or, if names do not help, by structure.
#pragma once

#include "onnxpress/compare/same_model.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::compare {

// From results of nodes in the first main graph to those in the second. Names are trusted when most nodes with equal
// result names have the same op. The rest is matched by how it is computed from the inputs, regardless of constants and
// attributes, in the order of the graphs.
MatchedValues match_values(const Model& first, const Model& second);

}  // namespace onnxpress::compare
