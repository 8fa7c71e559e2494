// The report of `onnxpress verify` as text.
#pragma once

#include <string>

#include "cli/terminal/screen.h"
#include "onnxpress/tasks/verify/verify.h"

namespace onnxpress::cli {

std::string verify_screen(const VerifyReport& report, const Screen& screen);

}  // namespace onnxpress::cli
