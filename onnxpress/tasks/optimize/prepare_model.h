// Prepares a model for the rewrites: cuts it, fixes sizes, freezes inputs and inlines functions, as requested.
#pragma once

#include "onnxpress/passes/driver.h"
#include "onnxpress/tasks/optimize/optimize.h"

namespace onnxpress {

// Changes the inputs and outputs as the options ask; later steps are compared with the model that results from this.
// Throws Error when the options do not fit the model.
void change_interface(Model& model, const OptimizeOptions& options);

// Adds a remark if initializers that callers may override keep rewrites from applying.
void note_overridable(const Model& model, OptimizeReport& report);

// Inlines the functions that the options name and those that are called once, and converts the model to the opset that
// the options ask for. The steps of the report list the former. Throws Error that names the nodes that cannot be
// converted.
void inline_and_convert(Model& model, const OptimizeOptions& options, const passes::DriverOptions& driver,
                        OptimizeReport& report);

// Applies the user's own rewrites. Steps of the report list them; remarks say which match nowhere, and why. Throws
// Error.
void apply_wanted_rules(Model& model, const OptimizeOptions& options, OptimizeReport& report);

}  // namespace onnxpress
