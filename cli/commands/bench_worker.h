// The worker process that onnxpress/tasks/bench/measure.h talks to: it runs one model.
#pragma once

#include <string>

#include "onnxpress/engines/ort/session.h"

namespace onnxpress::cli {

// Executes requests from standard input, one per line (load, inputs DIR, run N, save DIR, memory, profile N PREFIX),
// and answers each with a line: "ok ..." or "error ...". Ends when its input ends.
int bench_worker(const std::string& model, const engines::SessionSettings& settings);

}  // namespace onnxpress::cli
