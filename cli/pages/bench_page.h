// The page of `onnxpress bench --report`: a table, times as bars with their spread, and size against error.
#pragma once

#include <string>

#include "onnxpress/tasks/bench/bench.h"

namespace onnxpress::cli {

// A self-contained page without scripts.
std::string bench_page(const BenchReport& report);

}  // namespace onnxpress::cli
