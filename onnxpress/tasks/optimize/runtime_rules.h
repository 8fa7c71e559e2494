// `--target ort`: operators of ONNX Runtime itself, which its CPU kernels compute faster than the standard ones.
#pragma once

#include <string_view>
#include <vector>

#include "onnxpress/passes/driver.h"
#include "onnxpress/tasks/optimize/optimize.h"

namespace onnxpress::tasks {

// For --list.
std::vector<RewriteInfo> runtime_rules();

// After all rewrites; those that `driver` leaves out are not applied. Steps and counts of the report list them.
void apply_runtime_rules(Model& model, const passes::DriverOptions& driver, passes::DriverReport& report);

}  // namespace onnxpress::tasks
