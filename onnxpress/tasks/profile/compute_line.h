// The work of a model in one line, for `info` and its tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/report/field_lists/info.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

// Never fails: what cannot be counted is left out.
ComputeLine compute_of(const Model& model);

}  // namespace onnxpress
