// Prepares a model for the rewrites: cuts it, fixes sizes, freezes inputs and inlines functions, as requested.
#pragma once

#include "onnxpress/passes/driver.h"
#include "onnxpress/tasks/optimize/optimize.h"

namespace onnxpress::tasks {

// Another interface, where the options ask for one: what follows is compared with the model as it is then. Throws Error
// when they do not fit.
void change_interface(Model& model, const OptimizeOptions& options);

// Functions that were asked for, and those that one node calls. Steps of the report list them.
void inline_wanted_functions(Model& model, const OptimizeOptions& options, const passes::DriverOptions& driver,
                             OptimizeReport& report);

// To another opset, where the options ask for one. Throws Error that names the nodes that cannot be converted.
void convert_to_wanted_opset(Model& model, const OptimizeOptions& options, OptimizeReport& report);

// The user's own rewrites. Steps of the report list them; remarks say which fit nowhere, and why. Throws Error.
void apply_wanted_rules(Model& model, const OptimizeOptions& options, OptimizeReport& report);

}  // namespace onnxpress::tasks
