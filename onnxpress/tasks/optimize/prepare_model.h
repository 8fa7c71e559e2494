// Prepares a model for the rewrites: cuts it, fixes sizes, freezes inputs and inlines functions, as requested.
#pragma once

#include "onnxpress/passes/driver.h"
#include "onnxpress/tasks/optimize/optimize.h"

namespace onnxpress::tasks {

// Another interface, where the options ask for one: what follows is compared with the model as it is then. Throws Error
// when they do not fit.
void change_interface(Model& model, const OptimizeOptions& options);

// Inlines the functions that the options name and those that are called once, and converts the model to the opset that
// the options ask for. The steps of the report list the former. Throws Error that names the nodes that cannot be
// converted.
void inline_and_convert(Model& model, const OptimizeOptions& options, const passes::DriverOptions& driver,
                        OptimizeReport& report);

// The user's own rewrites. Steps of the report list them; remarks say which fit nowhere, and why. Throws Error.
void apply_wanted_rules(Model& model, const OptimizeOptions& options, OptimizeReport& report);

}  // namespace onnxpress::tasks
