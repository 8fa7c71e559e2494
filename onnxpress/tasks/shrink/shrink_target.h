// What a model is made for: a runtime, or a place where one runs.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "onnxpress/tasks/report/field_lists/shrink.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/weights/target.h"

namespace onnxpress {

weights::Target runtime_of(ShrinkTarget target);

}  // namespace onnxpress
