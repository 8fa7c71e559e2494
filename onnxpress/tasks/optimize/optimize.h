// Makes a model simpler without changing what it computes: the work behind `onnxpress optimize`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/engines/engine.h"
#include "onnxpress/tasks/files/convert.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/report/cost_meter.h"
#include "onnxpress/tasks/report/field_lists/optimize.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/report/rows.h"
#include "onnxpress/tasks/settings/bindings.h"

namespace onnxpress {

// One line of JSON for each step.
std::string to_json_lines(const std::vector<RewriteLine>& steps);

std::string to_json(const std::vector<ReportRow<OptimizeReport>>& rows);

}  // namespace onnxpress
