// Runs the model only if a step asks for its outputs.
#include "onnxpress/tasks/quantize/work.h"

#include <fmt/format.h>

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"

namespace onnxpress {

OutputError& Work::outputs() {
  if (!outputs_) {
    begin_stage("running the model");
    outputs_.emplace(model, request.options);
  }
  return *outputs_;
}

OutputError& Work::working_outputs() {
  OutputError& found = outputs();
  if (found.works()) return found;
  throw Error(
      "", fmt::format("the quality of the outputs cannot be measured: {}", found.why()),
      "describe the inputs with option `shape`, option `dim` or option `value`, or give some with option `samples`; "
      "option `weight_quality` does not run the model");
}

void Work::add_note(const std::string& text) {
  if (!text.empty()) report.note += report.note.empty() ? text : "; " + text;
}

}  // namespace onnxpress
