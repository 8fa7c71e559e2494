// The table that shows how each weight is stored and how large its error is.
#pragma once

#include <string>

#include "cli/terminal/screen.h"
#include "onnxpress/tasks/quantize/quantize.h"

namespace onnxpress::cli {

// Lists the `top` largest weights, with a line about all of them.
std::string weights_screen(const tasks::WeightReport& report, std::uint64_t top, const Screen& screen);

}  // namespace onnxpress::cli
