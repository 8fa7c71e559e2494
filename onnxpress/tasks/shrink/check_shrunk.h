// Checks that a model with smaller weights is what it should be.
#pragma once

#include "onnxpress/compare/same_model.h"
#include "onnxpress/ir/model.h"

namespace onnxpress {

// Compares nodes, connections and decoded constants of `after` with those of the original; both change. Weights may be
// off by as much as `rounded` says. `froze`: initializers that are also inputs became constants. Throws Error if they
// differ, which would be a bug in onnxpress.
void require_same_after_shrinking(Model& original, Model& after, bool froze,
                                  const compare::RoundedWeights& rounded = {});

}  // namespace onnxpress
