// Infers the type and shape of every value of a model: the report behind `onnxpress infer`, and the types written back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/report/field_lists/infer.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/report/rows.h"
#include "onnxpress/tasks/settings/bindings.h"

namespace onnxpress {

using InferRow = ReportRow<InferReport>;

// {"models": [...]}: reports, and {"file", "error", "hint"} for those that could not be read.
std::string to_json(const std::vector<InferRow>& rows);

}  // namespace onnxpress
