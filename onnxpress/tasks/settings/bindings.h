// What users say about the inputs of a model: `--shape x=1x3x224x224`, `--dim batch=8`, `--value size=640,640`.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/tasks/report/field_lists/options.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

// Throws Error for texts that cannot be parsed.
analysis::FactSettings settings_of(const BindingOptions& options, const Model& model);

// Throws Error when the settings do not fit the model, with its inputs as a hint.
void require_fitting(const analysis::Facts& facts, const Model& model);

// "the inputs are x, y": a hint.
std::string names_of_inputs(const Model& model);

// "x=1x3" -> x and 1x3. Names may contain '=', values do not.
std::pair<std::string, std::string> split_binding(std::string_view option, const std::string& text);

}  // namespace onnxpress
