// Measures what a task costs, for its report.
#pragma once

#include <chrono>

#include "onnxpress/base/memory_watch.h"
#include "onnxpress/base/platform/process.h"

namespace onnxpress {

// Measures from its construction on.
class CostMeter {
 public:
  template <typename Report>
  void fill(Report& report) {
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    report.peak_memory = platform::peak_memory();
    report.peak_anonymous = memory_.peak_anonymous();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  MemoryWatch memory_;
};

// What these fields mean in every report.
inline constexpr const char* kPeakMemoryText =
    "peak resident memory of the process so far, in bytes, with pages of mapped files; 0 if the system does not tell";
inline constexpr const char* kPeakAnonymousText =
    "the most memory that the process had allocated during the call, in bytes, without pages of mapped files; looked "
    "up every 4 ms, so a shorter peak may be missed; 0 if the system does not tell";

}  // namespace onnxpress
