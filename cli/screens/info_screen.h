// The screens of `onnxpress info` as text.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/screen.h"
#include "onnxpress/tasks/inspect/info.h"

namespace onnxpress::cli {

// One model, from its versions down to its bytes; with `tensors`, the list of weights instead.
std::string info_screen(const InfoReport& report, const InfoOptions& options, const Screen& screen);

// One line per model.
std::string comparison_screen(const std::vector<InfoRow>& rows, const InfoOptions& options, const Screen& screen);

}  // namespace onnxpress::cli
