// Stores weights in fewer bits, with a measured loss: the work behind `onnxpress quantize`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/engines/engine.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/passes/integer/dynamic_ops.h"
#include "onnxpress/tasks/files/compressed_sizes.h"
#include "onnxpress/tasks/files/convert.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/report/cost_meter.h"
#include "onnxpress/tasks/report/field_lists/quantize.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/report/rows.h"
#include "onnxpress/tasks/settings/bindings.h"
#include "onnxpress/tasks/shrink/shrink.h"
#include "onnxpress/tasks/shrink/shrink_target.h"

namespace onnxpress {

std::string to_json(const std::vector<ReportRow<QuantizeReport>>& rows);

}  // namespace onnxpress
