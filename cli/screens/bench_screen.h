// The report of `onnxpress bench` as text, for a terminal or as Markdown.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/screen.h"
#include "onnxpress/tasks/bench/bench.h"

namespace onnxpress::cli {

std::string bench_screen(const BenchReport& report, const Screen& screen);
std::string bench_markdown(const BenchReport& report);

// How much rounding alone changes the outputs, if some variant differs; empty when that is not known.
std::string bench_floor_text(const BenchReport& report);

// The titles of the columns, and the cells of a row as readable text.
std::vector<std::string> bench_titles(const BenchReport& report);
std::vector<std::string> bench_cells(const BenchReport& report, const BenchRow& row);

// "12.3 ms", "1.20 s".
std::string human_seconds(double seconds);

}  // namespace onnxpress::cli
