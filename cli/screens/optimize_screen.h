// The report of `onnxpress optimize` as text: one model with its ops and rewrites, or a table of many.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/screen.h"
#include "onnxpress/tasks/optimize/optimize.h"

namespace onnxpress::cli {

std::string optimize_screen(const OptimizeReport& report, bool explain, const Screen& screen);
std::string optimize_table(const std::vector<ReportRow<OptimizeReport>>& rows, const Screen& screen);
// A list of all rewrites, with the names that other tools have for them.
std::string rewrite_list(const Screen& screen);

}  // namespace onnxpress::cli
