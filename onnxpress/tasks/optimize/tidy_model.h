// Tidies the whole model after the rewrites: removes dead parts, stores constants in narrower types if asked to, turns
// Constant nodes into initializers, and stores equal tensors once.
#pragma once

#include "onnxpress/passes/driver.h"
#include "onnxpress/passes/whole/remove_dead.h"
#include "onnxpress/tasks/optimize/optimize.h"

namespace onnxpress {

// The steps, for --list.
std::vector<RewriteInfo> tidying();

// Adds what was done to the steps and counts of the report. `removed`: what was already dead before the rewrites.
void tidy(Model& model, const OptimizeOptions& options, const passes::DriverOptions& driver,
          const passes::Removed& removed, OptimizeReport& report);

}  // namespace onnxpress
