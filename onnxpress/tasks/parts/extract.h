// Cuts a part out of a model, which is a valid model by itself: the work behind `onnxpress extract`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/report/field_lists/parts.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

// One for each value that is not an initializer.
std::vector<PartValue> lines_of(std::span<ValueInfo* const> infos);

}  // namespace onnxpress
