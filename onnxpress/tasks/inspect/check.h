// Is a model valid? The report behind `onnxpress check`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/analysis/check/check.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/report/field_lists/check.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/report/rows.h"

namespace onnxpress {

using CheckRow = ReportRow<CheckReport>;

// {"models": [...]}: reports, and {"file", "error", "hint"} for those that could not be read.
std::string to_json(const std::vector<CheckRow>& rows);

}  // namespace onnxpress
