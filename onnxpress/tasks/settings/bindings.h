// What users say about the inputs of a model: `--shape x=1x3x224x224`, `--dim batch=8`, `--value size=640,640`.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress::tasks {

struct BindingOptions {
  static constexpr std::string_view kTitle = "Inputs";
  std::vector<std::string> shape, dim, value;

  bool empty() const { return shape.empty() && dim.empty() && value.empty(); }

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("shape", &BindingOptions::shape, "shape of an input: x=1x3x224x224, or x=batch,3,H,W");
    visit("dim", &BindingOptions::dim, "size of a named dim: batch=8");
    visit("value", &BindingOptions::value, "value of an input that shapes depend on: size=640,640");
  }
};

// Throws Error for texts that cannot be parsed.
analysis::FactSettings settings_of(const BindingOptions& options, const Model& model);
// Throws Error when the settings do not fit the model, with its inputs as a hint.
void require_fitting(const analysis::Facts& facts, const Model& model);
// "the inputs are x, y": a hint.
std::string names_of_inputs(const Model& model);
// "x=1x3" -> x and 1x3. Names may contain '=', values do not.
std::pair<std::string, std::string> split_binding(std::string_view option, const std::string& text);

}  // namespace onnxpress::tasks
