// Runs the rewrites, with or without verification, and records what they did.
#pragma once

#include "onnxpress/passes/driver.h"
#include "onnxpress/tasks/optimize/optimize.h"

namespace onnxpress {

// Turns the names that users gave, ours or those of other tools, into the list of rewrites to leave out. Remarks say
// which names of other tools have no equivalent here. Throws Error for an unknown name.
passes::DriverOptions driver_options(const OptimizeOptions& options, std::vector<std::string>& remarks);

// Should this step run? For steps of the task that are not rewrites of the driver.
bool is_wanted(std::string_view name, const passes::DriverOptions& driver);

// The size of the file; nullopt if a tensor is damaged, which is an error only for those who write it.
std::optional<std::uint64_t> size_of(const Model& model);

// `input_bytes`: the size of the file that the user gave, which the result may not exceed. Constants that take more
// bytes than they free are computed as long as there is room.
passes::DriverReport run_rewrites(Model& model, const OptimizeOptions& options, const passes::DriverOptions& driver,
                                  std::optional<std::uint64_t> input_bytes);

// Compares outputs with those of the original. A rewrite that changes them is found by bisecting the steps and left
// out, until none changes them.
passes::DriverReport run_verified(Model& model, const Model& original, const OptimizeOptions& options,
                                  passes::DriverOptions driver, std::optional<std::uint64_t> input_bytes,
                                  OptimizeReport& report);

// What happened to the nodes that `options.why` names.
std::vector<NodeFate> fates_of(Model& model, const Model& original, const OptimizeOptions& options,
                               passes::DriverOptions driver, const std::vector<RewriteLine>& steps);

}  // namespace onnxpress
