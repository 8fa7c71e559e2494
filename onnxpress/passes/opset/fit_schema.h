// Fits a node that is being converted to the schema of the new version, after the changes that have names.
#pragma once

#include "onnxpress/passes/opset/opset_draft.h"

namespace onnxpress::passes {

// Keeps the parameters that the new schema has, writes defaults that differ, and moves operands to attributes. Throws
// Obstacle for a parameter, a value of an attribute or a type of a result that only the old version has.
void fit_schema(const Node& node, const ops::Schema& before, const ops::Schema& after, const analysis::Facts& facts,
                Draft& draft);

}  // namespace onnxpress::passes
