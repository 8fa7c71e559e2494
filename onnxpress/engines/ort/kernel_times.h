// Measures how long each kernel of a model takes in ONNX Runtime, with the runtime's own profiler.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "onnxpress/engines/ort/onnx_runtime.h"
#include "onnxpress/engines/ort/session.h"

namespace onnxpress::engines {

struct KernelTime {
  std::string name, op;     // the node's name in the optimized graph
  double microseconds = 0;  // of one run: the median, without the kernels of its bodies
  double p90 = 0, least = 0;
};

struct KernelTimes {
  std::vector<double> run_milliseconds;  // measured by the caller, without the first run
  std::vector<KernelTime> kernels;       // each name once, in the order of the run
};

struct TimeSettings {
  std::uint64_t runs = 0;  // 0: as many as fit into half a second, at least 5
  int threads = 0;         // 0: the runtime decides
};

// Reads the profile of a session that ran at least twice; the first run warms up and does not count. Throws Error when
// the file is not a profile.
KernelTimes read_kernel_times(const std::filesystem::path& profile);

// Runs the model once to warm up, then times it. The runtime writes the model after its optimizations to `optimized`.
// Throws Error when the model does not load or run.
KernelTimes time_kernels(const std::shared_ptr<const OnnxRuntime>& runtime, const std::filesystem::path& model,
                         const OrtSession::Inputs& inputs, const TimeSettings& settings,
                         const std::filesystem::path& optimized);

}  // namespace onnxpress::engines
