// Compares the outputs of two models bit for bit. A runtime runs both on the same made-up inputs.
#pragma once

#include <memory>

#include "onnxpress/engines/engine.h"
#include "onnxpress/tasks/report/field_lists/shrink.h"
#include "onnxpress/tasks/verify/verify.h"

namespace onnxpress {

// Runs with optimizations off, so that the files themselves are compared and not what the optimizer makes of them. Open
// dims are tried as 1, then larger. If the engine is null or the built-in evaluator, or the original does not load or
// run, or gives other bits each time, nothing is compared and the reason is returned. Throws Error when the result does
// not load or run, or differs.
OutputComparison compare_outputs(const std::shared_ptr<const engines::Engine>& engine, const Model& original,
                                 const Model& result);

}  // namespace onnxpress
