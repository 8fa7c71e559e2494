// What a model costs to run: multiply-adds, operations, parameters, bytes moved and memory, node by node, as numbers or
// as formulas of its dims. The report behind `onnxpress profile`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/report/field_lists/profile.h"
#include "onnxpress/tasks/report/rows.h"
#include "onnxpress/tasks/settings/bindings.h"

namespace onnxpress {

using ProfileRow = ReportRow<ProfileReport>;

std::string to_json(const std::vector<ProfileRow>& rows);

}  // namespace onnxpress
