// What the tasks run models with, for calls from Python: ONNX Runtime where Python has it, else the built-in evaluator.
#pragma once

#include <string>

#include "onnxpress/tasks/by_name/task_calls.h"

namespace onnxpress::python {

// `library` is the path of the ONNX Runtime that Python would import; if it is empty, the library looks for one.
FindEngine runtime_at(const std::string& library);

// The report of verify as JSON. `options` as for run_task().
std::string verify_models(Model& first, Model& second, const std::string& options, const std::string& library);

}  // namespace onnxpress::python
