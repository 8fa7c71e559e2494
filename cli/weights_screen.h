// What became of the weights, for people.
#pragma once

#include <string>

#include "cli/screen.h"
#include "onnxpress/tasks/shrink/compress_weights.h"

namespace onnxpress::cli {

// The largest `top` weights and a line about all.
std::string weights_screen(const tasks::WeightReport& report, std::uint64_t top, const Screen& screen);

}  // namespace onnxpress::cli
