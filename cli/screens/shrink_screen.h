// The report of `onnxpress shrink` on one model, as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/terminal/screen.h"
#include "onnxpress/tasks/shrink/shrink.h"

namespace onnxpress::cli {

// `top`: how many of the largest savings are listed.
std::string shrink_screen(const ShrinkReport& report, std::uint64_t top, const Screen& screen);

// "-48.1 %", "cannot get smaller"
std::string saved_text(const ModelBytes& before, const ModelBytes& after, bool unchanged);
// The first line of a report: the file, its sizes, and what was saved.
std::string sizes_heading(const std::string& file, const ModelBytes& before, const ModelBytes& after, bool unchanged,
                          const std::string& saved, const Screen& screen);
std::string methods_table(const std::vector<MethodLine>& methods, const Screen& screen);

}  // namespace onnxpress::cli
