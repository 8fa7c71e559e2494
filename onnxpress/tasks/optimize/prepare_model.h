// Prepares a model for the rewrites: cuts it, fixes sizes, freezes inputs and inlines functions, as requested.
#pragma once

#include "onnxpress/passes/driver.h"
#include "onnxpress/tasks/optimize/optimize.h"

namespace onnxpress::tasks {

// Changes the inputs and outputs as the options ask; later steps are compared with the model that results from this.
// Throws Error when the options do not fit the model.
void change_interface(Model& model, const OptimizeOptions& options);

// Inlines the functions that were asked for, and those that only one node calls. Steps of the report list them.
void inline_wanted_functions(Model& model, const OptimizeOptions& options, const passes::DriverOptions& driver,
                             OptimizeReport& report);

// Converts to another opset, if the options ask for one. Throws Error that names the nodes that cannot be converted.
void convert_to_wanted_opset(Model& model, const OptimizeOptions& options, OptimizeReport& report);

// Applies the user's own rewrites. Steps of the report list them; remarks say which match nowhere, and why. Throws
// Error.
void apply_wanted_rules(Model& model, const OptimizeOptions& options, OptimizeReport& report);

}  // namespace onnxpress::tasks
