// From file to file: loads a model, lets a task change it, and saves it.
#pragma once

#include <string>
#include <utility>

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"

namespace onnxpress {

// `change` takes the model and returns its report, of which the fields `file`, `output` and `files` are filled
// in. Throws Error, and
// writes nothing then.
template <typename Change>
auto change_file(const std::string& input, SaveRequest request, Change&& change) {
  begin_stage("reading");
  LoadedModel loaded = open_model(input, request.load);
  try {
    auto report = std::forward<Change>(change)(loaded.model);
    if constexpr (requires { report.file; }) report.file = loaded.name;
    if constexpr (requires { report.output; }) report.output = request.output;
    if (!request.original) request.original = original_in(input, request.load);
    const SaveReport saved = save_checked(loaded.model, request);
    if constexpr (requires { report.files; }) report.files = saved.files;
    return report;
  } catch (Error& error) {
    error.set_file(loaded.name);
    throw;
  }
}

}  // namespace onnxpress
