// Gives each weight the form that a preset means for it.
#pragma once

#include <functional>
#include <vector>

#include "onnxpress/tasks/quantize/forms/try_forms.h"
#include "onnxpress/tasks/quantize/request.h"
#include "onnxpress/tasks/quantize/weight_plan.h"

namespace onnxpress {

// `try_all` is try_forms() on these weights. Throws Error if the opset cannot store the first scheme of the preset.
void choose_by_preset(std::vector<PlannedWeight>& planned, const PresetSchemes& preset, const QuantizeOptions& options,
                      const std::function<void(const FormTrials&)>& try_all);

}  // namespace onnxpress
