// The nodes of a model in our evaluator and in ONNX Runtime, as text: `onnxpress verify MODEL --nodes`.
#pragma once

#include <string>

#include "cli/terminal/screen.h"
#include "onnxpress/tasks/verify/compare_nodes.h"

namespace onnxpress::cli {

std::string nodes_screen(const NodeReport& report, const Screen& screen);

}  // namespace onnxpress::cli
