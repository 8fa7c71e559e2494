// Makes a model as small as possible without changing a bit of what it computes: the work behind `onnxpress shrink`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/engines/engine.h"
#include "onnxpress/tasks/files/convert.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/report/cost_meter.h"
#include "onnxpress/tasks/report/field_lists/shrink.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/report/rows.h"
#include "onnxpress/tasks/shrink/shrink_target.h"

namespace onnxpress {

std::string to_json(const std::vector<ReportRow<ShrinkReport>>& rows);

}  // namespace onnxpress
