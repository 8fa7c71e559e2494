// The report of `onnxpress quantize` on one model, as text.
#pragma once

#include <cstdint>
#include <string>

#include "cli/terminal/screen.h"
#include "onnxpress/tasks/quantize/quantize.h"

namespace onnxpress::cli {

// `top`: how many weights are listed.
std::string quantize_screen(const QuantizeReport& report, std::uint64_t top, const Screen& screen);

}  // namespace onnxpress::cli
