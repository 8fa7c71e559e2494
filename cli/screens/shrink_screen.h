// The report of `onnxpress shrink` on one model, as text.
#pragma once

#include <cstdint>
#include <string>

#include "cli/terminal/screen.h"
#include "onnxpress/tasks/shrink/shrink.h"

namespace onnxpress::cli {

// `top`: how many weights are listed.
std::string shrink_screen(const tasks::ShrinkReport& report, std::uint64_t top, const Screen& screen);
std::string saved_text(const tasks::ShrinkReport& report);  // "-48.1 %", "cannot get smaller"

}  // namespace onnxpress::cli
