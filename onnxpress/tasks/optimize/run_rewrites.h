// Runs the rewrites, with or without verification, and records what they did.
#pragma once

#include "onnxpress/passes/driver.h"
#include "onnxpress/tasks/optimize/optimize.h"

namespace onnxpress::tasks {

// The names that people may use, ours and those of other tools, become the names of rewrites to leave out. Remarks say
// which names of other tools have no equivalent here. Throws Error for an unknown name.
passes::DriverOptions driver_options(const OptimizeOptions& options, std::vector<std::string>& remarks);

// Is that step of the task, which is no rewrite of the driver, wanted?
bool is_wanted(std::string_view name, const passes::DriverOptions& driver);

passes::DriverReport run_rewrites(Model& model, const OptimizeOptions& options, const passes::DriverOptions& driver);

// Compares the results with those of the original; a rewrite that changes the outputs is found by halving the number of
// steps and left out, until none is left that does.
passes::DriverReport run_verified(Model& model, const Model& original, const OptimizeOptions& options,
                                  passes::DriverOptions driver, OptimizeReport& report);

// What happened to the nodes that `options.why` names.
std::vector<NodeFate> fates_of(Model& model, const Model& original, const OptimizeOptions& options,
                               passes::DriverOptions driver, const std::vector<RewriteLine>& steps);

}  // namespace onnxpress::tasks
