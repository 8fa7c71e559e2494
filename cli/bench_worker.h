// The other side of onnxpress/runtime/bench/measure.h: one model in a process of its own.
#pragma once

#include <string>

#include "onnxpress/runtime/session.h"

namespace onnxpress::cli {

// Obeys lines on standard input (load, inputs DIR, run N, save DIR, memory, profile N PREFIX) and answers each with a
// line: "ok ..." or "error ...". Ends with its input.
int bench_worker(const std::string& model, const runtime::SessionSettings& settings);

}  // namespace onnxpress::cli
